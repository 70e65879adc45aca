-- The addresses that the form of a consent named: what is set aside agrees to nothing and refuses nothing
-- (docs/contact-points.md). Nothing where no form was sent: the office merged two records, or somebody refused behind a
-- link that was sent to them.
ALTER TABLE consent ADD COLUMN phone TEXT;
ALTER TABLE consent ADD COLUMN email TEXT;
UPDATE consent SET
    phone = (SELECT l.phone_e164 FROM lead l WHERE l.org_id = consent.org_id AND l.id = consent.lead_id),
    email = (SELECT l.email FROM lead l WHERE l.org_id = consent.org_id AND l.id = consent.lead_id)
WHERE class = 'promotional' AND version NOT IN ('merge', 'review page');

-- Within a business the networks that photos come from take turns: each photo has the number of its turn among them.
ALTER TABLE photo_upload ADD COLUMN source_hash BYTEA;
ALTER TABLE photo_upload ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;
DROP INDEX photo_upload_in_turn;
CREATE INDEX photo_upload_in_turn ON photo_upload (is_held, org_id, turn, created_at, touch_id, position) WHERE is_stored;
CREATE INDEX photo_upload_by_source ON photo_upload (org_id, source_hash, turn);
