-- Keys of what a browser keeps for working offline: shared/src/session/store_key.rs, docs/data-protection.md.

-- The key of the copies that a signed-in browser keeps, sealed. It goes with the session.
ALTER TABLE session ADD COLUMN store_key BYTEA;
-- How often the keys were asked for since an instant: a limit by the hour.
ALTER TABLE session ADD COLUMN store_key_asked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN store_key_since TIMESTAMPTZ;

-- The key of what a person did offline in one browser and has not sent yet, sealed. It outlives the session, so that the
-- same person can send it after signing in again.
CREATE TABLE unsent_key (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Made up by the browser; it opens nothing.
    store_id    UUID NOT NULL,
    sealed      BYTEA NOT NULL,
    used_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, account_id, store_id)
);
CREATE INDEX unsent_key_by_age ON unsent_key (used_at);
