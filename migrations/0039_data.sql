-- Data out and in: what keeps a copy from speaking, the backups that were made, and the lists of customers that were
-- taken over. shared/src/outbox.rs, shared/src/backup.rs, shared/src/customer/import.rs.

-- A row stands here while this install must send nothing: it was put back from a backup, or a business was brought in,
-- and the one it is a copy of may still be at work.
CREATE TABLE outbox_freeze (
    name       TEXT PRIMARY KEY,
    since      TIMESTAMPTZ NOT NULL,
    -- restored, imported or moved.
    why        TEXT NOT NULL,
    -- When the copy was made that it holds.
    copied_at  TIMESTAMPTZ NOT NULL
);

-- Backups of the whole install, good and failed ones.
CREATE TABLE backup (
    id          UUID PRIMARY KEY,
    started_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ,
    -- running, good or failed.
    state       TEXT NOT NULL,
    -- The folder's name, without its path.
    name        TEXT NOT NULL,
    rows        BIGINT,
    files       BIGINT,
    bytes       BIGINT,
    -- Of the database's copy.
    sha256      BYTEA,
    detail      TEXT
);
CREATE INDEX backup_newest ON backup (started_at);

-- What stays of a business that was removed: that there was one, and keyed hashes of the addresses that asked it not to
-- write to them any more. shared/src/belongings/removal.rs.
CREATE TABLE removed_org (
    id  UUID PRIMARY KEY,
    at  TIMESTAMPTZ NOT NULL
);
CREATE TABLE removed_opt_out (
    address_hash  BYTEA PRIMARY KEY,
    at            TIMESTAMPTZ NOT NULL
);

-- A list of customers that was taken over from a file, and what it made: so that it can be taken back.
CREATE TABLE customer_import (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    customers   BIGINT NOT NULL,
    leads       BIGINT NOT NULL,
    undone_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
CREATE TABLE customer_import_row (
    org_id       UUID NOT NULL,
    import_id    UUID NOT NULL,
    customer_id  UUID NOT NULL,
    -- The request that came with the row, where it names one.
    lead_id      UUID,
    PRIMARY KEY (org_id, import_id, customer_id),
    FOREIGN KEY (org_id, import_id) REFERENCES customer_import (org_id, id) ON DELETE CASCADE
);
