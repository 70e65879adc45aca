-- For how long each kind of data is kept: shared/src/retention.rs, docs/data-protection.md.

-- What a business has set; a kind without a row has its default.
CREATE TABLE retention (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- photos, requests, messages or traces.
    kind          TEXT NOT NULL,
    days          BIGINT NOT NULL,
    -- A shorter period holds from then on; before, the one that it takes the place of.
    effective_at  TIMESTAMPTZ,
    before_days   BIGINT,
    PRIMARY KEY (org_id, kind)
);

-- One night of a business: how far it has come, and what it has removed.
CREATE TABLE retention_run (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    -- The kind it is at, and the last row of it that was looked at.
    kind         TEXT NOT NULL,
    cursor_at    TIMESTAMPTZ,
    cursor_id    UUID,
    -- Until when a worker is at it.
    busy_until   TIMESTAMPTZ,
    photos       BIGINT NOT NULL,
    requests     BIGINT NOT NULL,
    messages     BIGINT NOT NULL,
    traces       BIGINT NOT NULL,
    finished_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX retention_run_newest ON retention_run (org_id, started_at);

-- Up to where the words of messages, and the traces in consents, are removed: their ids sort by time.
CREATE TABLE retention_mark (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    up_to   UUID NOT NULL,
    PRIMARY KEY (org_id, kind)
);

-- Files whose rows are gone, until their bytes are.
CREATE TABLE file_to_delete (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- store: a key of the file store; mail: a letter in the data folder.
    place   TEXT NOT NULL,
    name    TEXT NOT NULL,
    due_at  TIMESTAMPTZ NOT NULL,
    tries   BIGINT NOT NULL,
    PRIMARY KEY (org_id, place, name)
);
CREATE INDEX file_to_delete_due ON file_to_delete (due_at);

CREATE INDEX photo_by_age ON photo (org_id, created_at, id);
CREATE INDEX file_photo_by_age ON file (org_id, created_at, id) WHERE kind = 'photo' AND removed_at IS NULL;
