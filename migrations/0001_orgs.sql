-- Who: businesses, their people, their sessions, and the switches and words they set.

CREATE TABLE org (
    id            UUID PRIMARY KEY,
    slug          TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    industry      TEXT NOT NULL,
    phone         TEXT,
    review_link   TEXT,
    booking_link  TEXT,
    timezone      TEXT NOT NULL,
    sms_number    TEXT,
    created_at    TIMESTAMPTZ NOT NULL
);
CREATE INDEX org_by_age ON org (created_at, id);

CREATE TABLE automation_switch (
    org_id                    UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    lead_intake               BOOLEAN NOT NULL,
    automated_communications  BOOLEAN NOT NULL,
    job_tracking              BOOLEAN NOT NULL,
    review_collection         BOOLEAN NOT NULL,
    kpi_reporting             BOOLEAN NOT NULL
);

-- Only what an org has changed stands here; the default wording lives in the program.
CREATE TABLE template (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    enabled     BOOLEAN NOT NULL,
    subject     TEXT,
    body        TEXT NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, kind)
);

-- Who in the business is told about a new lead.
CREATE TABLE recipient (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    channel     TEXT NOT NULL CHECK (channel IN ('sms', 'email')),
    address     TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, channel, address)
);

CREATE TABLE account (
    id                   UUID PRIMARY KEY,
    org_id               UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    email                TEXT NOT NULL UNIQUE,
    name                 TEXT NOT NULL,
    role                 TEXT NOT NULL CHECK (role IN ('owner', 'office', 'crew')),
    password_hash        TEXT NOT NULL,
    two_factor_enabled   BOOLEAN NOT NULL,
    is_active            BOOLEAN NOT NULL,
    created_at           TIMESTAMPTZ NOT NULL,
    password_changed_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX account_by_org ON account (org_id, created_at);

-- Only the SHA-256 of a session's token is kept, so a copy of this table opens nothing.
CREATE TABLE session (
    token_hash    BYTEA PRIMARY KEY,
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id    UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at    TIMESTAMPTZ NOT NULL,
    last_seen_at  TIMESTAMPTZ NOT NULL,
    expires_at    TIMESTAMPTZ NOT NULL,
    ip            TEXT,
    user_agent    TEXT
);
CREATE INDEX session_by_account ON session (org_id, account_id);
CREATE INDEX session_by_expiry ON session (expires_at);

-- Failed sign-ins, by a hash of (account, network) and by a hash of the account alone.
CREATE TABLE sign_in_throttle (
    key_hash       BYTEA PRIMARY KEY,
    failures       BIGINT NOT NULL,
    window_start   TIMESTAMPTZ NOT NULL,
    blocked_until  TIMESTAMPTZ NOT NULL
);

-- Who did what, when, from where. Written in the same transaction as the deed; never changed.
CREATE TABLE audit_event (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    actor_kind   TEXT NOT NULL CHECK (actor_kind IN ('visitor', 'account', 'system')),
    actor_id     UUID,
    action       TEXT NOT NULL,
    subject_id   UUID,
    ip           TEXT,
    user_agent   TEXT,
    request_id   TEXT,
    PRIMARY KEY (org_id, id)
);
