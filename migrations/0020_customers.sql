-- Who else asked from this address: records of one person are found by it.
CREATE INDEX lead_by_address ON lead (org_id, LOWER(address)) WHERE address IS NOT NULL;
-- And who else named this number or this email.
CREATE INDEX lead_by_phone ON lead (org_id, phone_e164) WHERE phone_e164 IS NOT NULL;
CREATE INDEX lead_by_email ON lead (org_id, email) WHERE email IS NOT NULL;
-- What was merged into a record, the newest last.
CREATE INDEX customer_merge_by_kept ON customer_merge (org_id, kept_id, at) WHERE undone_at IS NULL;
