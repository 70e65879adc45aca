-- What is said: decisions, messages, each try at sending one, and the queue that wakes the worker.

-- Why something was sent, and why not.
CREATE TABLE decision (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    lead_id     UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    event       TEXT NOT NULL,
    rule        TEXT NOT NULL,
    channel     TEXT,
    sent        BOOLEAN NOT NULL,
    reason      TEXT NOT NULL,
    saw         JSONB NOT NULL,
    message_id  UUID,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX decision_by_lead ON decision (org_id, lead_id, at);

CREATE TABLE message (
    org_id           UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id               UUID NOT NULL,
    lead_id          UUID,
    customer_id      UUID,
    channel          TEXT NOT NULL CHECK (channel IN ('sms', 'email')),
    kind             TEXT NOT NULL,
    to_address       TEXT NOT NULL,
    subject          TEXT,
    body             TEXT NOT NULL,
    html             TEXT,
    status           TEXT NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'delivered', 'filed', 'held', 'not_sent', 'failed', 'unknown')),
    reason           TEXT,
    dedupe_key       TEXT NOT NULL,
    attempts         BIGINT NOT NULL,
    fence            BIGINT NOT NULL,
    next_attempt_at  TIMESTAMPTZ NOT NULL,
    deadline_at      TIMESTAMPTZ NOT NULL,
    provider_id      TEXT,
    stored_as        TEXT,
    created_at       TIMESTAMPTZ NOT NULL,
    sent_at          TIMESTAMPTZ,
    delivered_at     TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX message_by_lead ON message (org_id, lead_id, created_at);
-- A task knows a message by its id alone.
CREATE UNIQUE INDEX message_by_id ON message (id);
CREATE INDEX message_unsettled ON message (status, next_attempt_at) WHERE status IN ('queued', 'sending');

-- One row per try, committed before the first byte goes to the provider.
CREATE TABLE message_attempt (
    org_id       UUID NOT NULL,
    message_id   UUID NOT NULL,
    number       BIGINT NOT NULL,
    worker       TEXT NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    ended_at     TIMESTAMPTZ,
    outcome      TEXT NOT NULL CHECK (outcome IN ('started', 'accepted', 'retry', 'refused', 'unknown', 'not_set_up')),
    code         BIGINT,
    detail       TEXT,
    PRIMARY KEY (org_id, message_id, number),
    FOREIGN KEY (org_id, message_id) REFERENCES message (org_id, id) ON DELETE CASCADE
);

-- A provider asked us to wait ("429, Retry-After"): nobody calls it on this channel before then.
CREATE TABLE channel_pause (
    channel  TEXT PRIMARY KEY,
    until    TIMESTAMPTZ NOT NULL
);

-- Queued work. A task only says "look at this": the rows it names are the truth.
CREATE TABLE task (
    id            UUID PRIMARY KEY,
    org_id        UUID,
    kind          TEXT NOT NULL,
    subject_id    UUID,
    status        TEXT NOT NULL CHECK (status IN ('ready', 'running', 'done', 'dead')),
    attempts      BIGINT NOT NULL,
    crashes       BIGINT NOT NULL,
    run_at        TIMESTAMPTZ NOT NULL,
    turn_at       TIMESTAMPTZ NOT NULL,
    unique_key    TEXT NOT NULL UNIQUE,
    locked_by     TEXT,
    fence         BIGINT NOT NULL,
    lease_until   TIMESTAMPTZ,
    last_error    TEXT,
    created_at    TIMESTAMPTZ NOT NULL,
    finished_at   TIMESTAMPTZ
);
CREATE INDEX task_ready ON task (turn_at, id) WHERE status = 'ready';
CREATE INDEX task_ready_by_org ON task (org_id, turn_at) WHERE status = 'ready';
CREATE INDEX task_running ON task (lease_until) WHERE status = 'running';
CREATE INDEX task_live_by_subject ON task (subject_id) WHERE status IN ('ready', 'running', 'dead');
CREATE INDEX task_finished ON task (finished_at) WHERE status IN ('done', 'dead');
CREATE INDEX task_by_org ON task (org_id, status, created_at);

-- What changed, for browsers that are looking. Ids only; kept for a day.
CREATE TABLE live_event (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    topic       TEXT NOT NULL,
    subject_id  UUID NOT NULL,
    parent_id   UUID,
    at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX live_event_by_age ON live_event (at);
