-- Doors for other programs: keys to our API, and calls to theirs. shared/src/api_key.rs, shared/src/hook.rs.

CREATE TABLE api_key (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            UUID NOT NULL,
    -- The owner who made it: it stands as long as they are one.
    account_id    UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    -- SHA-256; the key itself is shown once, when it is made.
    key_hash      BYTEA NOT NULL UNIQUE,
    -- tbk_…Ab3d
    hint          TEXT NOT NULL,
    -- leads:read jobs:write …, parted by blanks.
    scopes        TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    last_used_at  TIMESTAMPTZ,
    revoked_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);

-- Which key did it, where a program acted.
ALTER TABLE audit_event ADD COLUMN key_id UUID;

-- An address of a business's choice that is told what happens.
CREATE TABLE hook (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    url            TEXT NOT NULL,
    about          TEXT,
    -- lead.created job.changed …, parted by blanks.
    events         TEXT NOT NULL,
    -- The signing secrets, sealed with the install's own: the one in force, and the one before it until then.
    secret         BYTEA NOT NULL,
    old_secret     BYTEA,
    old_until      TIMESTAMPTZ,
    is_on          BOOLEAN NOT NULL,
    -- Since when nothing was taken; when and why we stopped calling.
    failing_since  TIMESTAMPTZ,
    stopped_at     TIMESTAMPTZ,
    stopped_why    TEXT,
    created_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- One thing that one address is told. It holds ids only.
CREATE TABLE hook_call (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    hook_id     UUID NOT NULL,
    -- What happened: the same for every address that is told of it.
    event_id    UUID NOT NULL,
    event       TEXT NOT NULL,
    body        TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'taken', 'failed')),
    -- Numbers the tries, so that a task of an earlier one finds nothing to do.
    tries       BIGINT NOT NULL,
    next_at     TIMESTAMPTZ,
    created_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, hook_id) REFERENCES hook (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX hook_call_by_id ON hook_call (id);
CREATE INDEX hook_call_newest ON hook_call (org_id, hook_id, created_at DESC, id DESC);
CREATE INDEX hook_call_waiting ON hook_call (next_at) WHERE state = 'waiting';
CREATE INDEX hook_call_old ON hook_call (created_at);

-- What became of one try.
CREATE TABLE hook_try (
    org_id    UUID NOT NULL,
    call_id   UUID NOT NULL,
    number    BIGINT NOT NULL,
    at        TIMESTAMPTZ NOT NULL,
    -- The status of the answer; none when no answer came.
    status    BIGINT,
    took_ms   BIGINT,
    -- In our words: nothing of the answer is kept.
    outcome   TEXT NOT NULL,
    PRIMARY KEY (org_id, call_id, number),
    FOREIGN KEY (org_id, call_id) REFERENCES hook_call (org_id, id) ON DELETE CASCADE
);
