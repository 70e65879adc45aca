-- The board counts and sums the leads of each stage: from this index alone, without a look at the leads themselves.
CREATE INDEX lead_sums ON lead (org_id, stage, quoted_cents, collected_cents);

-- How much of its file space a business's logo takes. Those of before are nothing beside it.
ALTER TABLE org ADD COLUMN logo_bytes BIGINT NOT NULL DEFAULT 0;
