-- Webhooks, data protection, backups and the operation of the install.

-- An address of a business that is told of events.
CREATE TABLE webhook (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    url            TEXT NOT NULL,
    about          TEXT,
    -- Separated by spaces: lead.created job.changed.
    events         TEXT NOT NULL,
    -- Signing secrets, encrypted with the install's key: the one in force, and until old_until the one before.
    secret         BYTEA NOT NULL,
    old_secret     BYTEA,
    old_until      TIMESTAMPTZ,
    is_on          BOOLEAN NOT NULL,
    -- Since when no delivery was accepted.
    failing_since  TIMESTAMPTZ,
    -- When deliveries were stopped, and why.
    stopped_at     TIMESTAMPTZ,
    stopped_why    TEXT,
    created_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- One event for one address. Ids only.
CREATE TABLE webhook_delivery (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    webhook_id  UUID NOT NULL,
    -- The same for all addresses.
    event_id    UUID NOT NULL,
    event       TEXT NOT NULL,
    body        TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'taken', 'failed')),
    -- Number of the attempt: a task of an earlier one does nothing.
    tries       BIGINT NOT NULL,
    next_at     TIMESTAMPTZ,
    created_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, webhook_id) REFERENCES webhook (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX webhook_delivery_by_id ON webhook_delivery (id);
CREATE INDEX webhook_delivery_newest ON webhook_delivery (org_id, webhook_id, created_at, id);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (next_at) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_by_age ON webhook_delivery (created_at);

-- One attempt of a delivery.
CREATE TABLE webhook_attempt (
    org_id       UUID NOT NULL,
    delivery_id  UUID NOT NULL,
    number       BIGINT NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    -- HTTP status; null without an answer.
    status       BIGINT,
    took_ms      BIGINT,
    -- Our description: nothing of the answer is kept.
    outcome      TEXT NOT NULL,
    PRIMARY KEY (org_id, delivery_id, number),
    FOREIGN KEY (org_id, delivery_id) REFERENCES webhook_delivery (org_id, id) ON DELETE CASCADE
);

-- Erasure of one person's data. The row names the person by id only, and stays as proof.
CREATE TABLE erasure (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    asked_at     TIMESTAMPTZ NOT NULL,
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    -- Until then it can be undone.
    due_at       TIMESTAMPTZ NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'undone')),
    ended_at     TIMESTAMPTZ,
    rows         BIGINT NOT NULL,
    files        BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX erasure_waiting_once ON erasure (org_id, customer_id) WHERE state = 'waiting';
CREATE INDEX erasure_due ON erasure (due_at) WHERE state = 'waiting';

-- Keyed hash of an erased person's address that opted out.
CREATE TABLE erased_opt_out (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    address_hash  BYTEA NOT NULL,
    at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, address_hash)
);

-- How long a business keeps one kind of data; no row means the default.
CREATE TABLE retention (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- photos, requests, messages or traces.
    kind          TEXT NOT NULL,
    days          BIGINT NOT NULL,
    -- From when a shorter period applies; until then before_days.
    effective_at  TIMESTAMPTZ,
    before_days   BIGINT,
    PRIMARY KEY (org_id, kind)
);

-- One night of a business: progress and what was removed.
CREATE TABLE retention_run (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    -- The kind under way, and the last row looked at.
    kind         TEXT NOT NULL,
    cursor_at    TIMESTAMPTZ,
    cursor_id    UUID,
    -- Lease of one worker.
    busy_until   TIMESTAMPTZ,
    photos       BIGINT NOT NULL,
    requests     BIGINT NOT NULL,
    messages     BIGINT NOT NULL,
    traces       BIGINT NOT NULL,
    finished_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX retention_run_newest ON retention_run (org_id, started_at);

-- Id up to which the texts of messages or the traces of consents are removed; ids sort by time.
CREATE TABLE retention_mark (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    up_to   UUID NOT NULL,
    PRIMARY KEY (org_id, kind)
);

-- A file whose row is gone and whose bytes are still to be removed.
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

-- Present while this install must send nothing: it is a restored or imported copy, and the original may still be
-- running.
CREATE TABLE send_freeze (
    name       TEXT PRIMARY KEY,
    since      TIMESTAMPTZ NOT NULL,
    -- restored, imported or moved.
    why        TEXT NOT NULL,
    -- When the copy was made.
    copied_at  TIMESTAMPTZ NOT NULL
);

-- A backup of the install, good or failed.
CREATE TABLE backup (
    id          UUID PRIMARY KEY,
    started_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ,
    -- running, good or failed.
    state       TEXT NOT NULL,
    -- Folder name without the path.
    name        TEXT NOT NULL,
    rows        BIGINT,
    files       BIGINT,
    bytes       BIGINT,
    -- Of the database copy.
    sha256      BYTEA,
    detail      TEXT
);
CREATE INDEX backup_newest ON backup (started_at);

-- A business that was removed.
CREATE TABLE removed_org (
    id  UUID PRIMARY KEY,
    at  TIMESTAMPTZ NOT NULL
);

-- Keyed hash of an address that had opted out of a removed business.
CREATE TABLE suppression_hash (
    address_hash  BYTEA PRIMARY KEY,
    at            TIMESTAMPTZ NOT NULL
);

-- An earlier key of the install, encrypted with the one in force: hashes of opted-out addresses made with it must be
-- found for years.
CREATE TABLE retired_key (
    -- Does not reveal the key.
    name         TEXT PRIMARY KEY,
    sealed       BYTEA NOT NULL,
    retired_at   TIMESTAMPTZ NOT NULL,
    -- When everything encrypted with it was encrypted anew.
    finished_at  TIMESTAMPTZ
);

-- Day of the demonstration. Removed when seeding starts, written when its last file is stored.
CREATE TABLE demo_seed (
    org_id     UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    day        DATE NOT NULL,
    seeded_at  TIMESTAMPTZ NOT NULL
);
