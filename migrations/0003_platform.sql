-- Infrastructure that no single domain owns: task queue, counters, links, live updates.

-- A queued task. It refers to a row by id; that row holds the state of the work.
CREATE TABLE task (
    id              UUID PRIMARY KEY,
    org_id          UUID,
    kind            TEXT NOT NULL,
    -- The row it is about.
    subject_id      UUID,
    status          TEXT NOT NULL CHECK (status IN ('ready', 'running', 'done', 'dead')),
    -- Runs that ended by themselves.
    attempts        BIGINT NOT NULL,
    -- Runs that ended with their worker.
    crashes         BIGINT NOT NULL,
    -- Not before.
    run_at          TIMESTAMPTZ NOT NULL,
    -- Position among due tasks.
    dispatch_at     TIMESTAMPTZ NOT NULL,
    -- Deduplication key.
    unique_key      TEXT NOT NULL UNIQUE,
    locked_by       TEXT,
    -- Grows with every claim: a worker with an older one may not write.
    fence           BIGINT NOT NULL,
    lease_until     TIMESTAMPTZ,
    last_error      TEXT,
    created_at      TIMESTAMPTZ NOT NULL,
    finished_at     TIMESTAMPTZ,
    -- A worker died holding it: it runs alone.
    is_quarantined  BOOLEAN NOT NULL DEFAULT FALSE,
    -- Whether the quarantined run had begun; only then a second death counts as a crash.
    has_started     BOOLEAN NOT NULL DEFAULT FALSE,
    -- scheduled until a claim finds it due; then due for the first few of a lane, parked for the others.
    queue_state     TEXT NOT NULL DEFAULT 'scheduled' CHECK (queue_state IN ('scheduled', 'due', 'parked')),
    -- Tasks of one business that wait for different providers do not wait for each other.
    lane            TEXT NOT NULL DEFAULT 'other' CHECK (lane IN ('text', 'email', 'money', 'webhook', 'other'))
);
CREATE INDEX task_running ON task (lease_until) WHERE status = 'running';
CREATE INDEX task_live_by_subject ON task (subject_id) WHERE status IN ('ready', 'running', 'dead');
CREATE INDEX task_scheduled ON task (run_at, id) WHERE status = 'ready' AND queue_state = 'scheduled';
CREATE INDEX task_due ON task (dispatch_at, id) WHERE status = 'ready' AND queue_state = 'due';
CREATE INDEX task_by_org ON task (org_id, created_at, id);
CREATE INDEX task_done ON task (finished_at) WHERE status = 'done';
CREATE INDEX task_dead ON task (finished_at) WHERE status = 'dead';
CREATE INDEX task_crashed ON task (status, finished_at) WHERE crashes > 0;
CREATE INDEX task_dead_by_org ON task (org_id, created_at, id) WHERE status = 'dead';
CREATE INDEX task_due_by_lane ON task (org_id, lane, dispatch_at) WHERE status = 'ready' AND queue_state = 'due';
CREATE INDEX task_parked ON task (org_id, lane, dispatch_at, id) WHERE status = 'ready' AND queue_state = 'parked';

-- First answer to a request with an Idempotency-Key, repeated to its retries.
CREATE TABLE idempotency (
    org_id      UUID NOT NULL,
    operation   TEXT NOT NULL,
    key_hash    BYTEA NOT NULL,
    body_hash   BYTEA NOT NULL,
    answer      JSONB NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, operation, key_hash)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- A change, for browsers that are looking. Ids only; kept for a day.
CREATE TABLE live_event (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    topic       TEXT NOT NULL,
    subject_id  UUID NOT NULL,
    parent_id   UUID,
    at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- Gapless counter. Incremented in the transaction that uses the number: a rollback gives it back.
CREATE TABLE number_sequence (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    last    BIGINT NOT NULL,
    PRIMARY KEY (org_id, kind)
);

-- Bytes of a business in the file store.
CREATE TABLE storage_usage (
    org_id  UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    bytes   BIGINT NOT NULL
);

-- An address that opens something without an account. The token is this id and a keyed hash: a copy of this table
-- opens nothing.
CREATE TABLE access_link (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    kind           TEXT NOT NULL,
    subject_id     UUID NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    expires_at     TIMESTAMPTZ,
    revoked_at     TIMESTAMPTZ,
    first_seen_at  TIMESTAMPTZ,
    last_seen_at   TIMESTAMPTZ,
    -- How often it was opened.
    seen           BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX access_link_by_id ON access_link (id);
CREATE UNIQUE INDEX access_link_active ON access_link (org_id, kind, subject_id) WHERE revoked_at IS NULL;

-- A link sent to one address or shown after one form, with a token of its own. The link itself names no address.
CREATE TABLE access_link_copy (
    org_id   UUID NOT NULL,
    id       UUID NOT NULL,
    link_id  UUID NOT NULL,
    -- phone or email: it was sent to value. form: a public form was answered with it, and value is empty.
    kind     TEXT NOT NULL CHECK (kind IN ('phone', 'email', 'form')),
    value    TEXT NOT NULL,
    made_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, link_id) REFERENCES access_link (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX access_link_copy_by_id ON access_link_copy (id);
CREATE UNIQUE INDEX access_link_copy_once ON access_link_copy (org_id, link_id, kind, value);

-- A provider's request to wait (429, Retry-After): nobody calls it on this channel before then.
CREATE TABLE channel_pause (
    channel  TEXT PRIMARY KEY,
    until    TIMESTAMPTZ NOT NULL
);

-- Last test write of a process, for /readyz.
CREATE TABLE write_probe (
    process    BIGINT PRIMARY KEY,
    proved_at  TIMESTAMPTZ NOT NULL
);

-- When each worker was last alive.
CREATE TABLE worker_heartbeat (
    worker        TEXT PRIMARY KEY,
    seen_at       TIMESTAMPTZ NOT NULL,
    -- Counters since its start.
    figures       JSONB,
    -- When it was stopped in order.
    stopped_at    TIMESTAMPTZ,
    -- How far its clock is ahead of the others, when that is more than allowed.
    clock_off_ms  BIGINT
);
