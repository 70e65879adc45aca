-- Photos of forms that are not redrawn yet. Their bytes lie as they came in the file store under `raw_key`, or, until it
-- takes them, in the folder of the API that received them. They hold where a photo was taken and are served to nobody.
CREATE TABLE photo_upload (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    touch_id       UUID NOT NULL,
    position       BIGINT NOT NULL,
    original_name  TEXT NOT NULL,
    bytes          BIGINT NOT NULL,
    raw_key        TEXT NOT NULL,
    -- Whether the file store has the bytes.
    is_stored      BOOLEAN NOT NULL,
    -- Runs that were begun and did not come back.
    tries          BIGINT NOT NULL,
    -- Until then one worker has it.
    busy_until     TIMESTAMPTZ,
    created_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX photo_upload_by_lead ON photo_upload (org_id, lead_id);
-- The line: the photos of the first lead before those of the next, whosever they are.
CREATE INDEX photo_upload_in_order ON photo_upload (created_at, touch_id, position) WHERE is_stored;
