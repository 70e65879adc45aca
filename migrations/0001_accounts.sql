-- Businesses, their people, and how they sign in.

-- A business: a tenant of the install. All tenant tables hang on it.
CREATE TABLE org (
    id                      UUID PRIMARY KEY,
    -- Part of its public addresses.
    slug                    TEXT NOT NULL UNIQUE,
    name                    TEXT NOT NULL,
    industry                TEXT NOT NULL,
    phone                   TEXT,
    review_link             TEXT,
    booking_link            TEXT,
    -- IANA name; days and hours of the business are in it.
    timezone                TEXT NOT NULL,
    -- E.164. One business per number.
    sms_number              TEXT,
    created_at              TIMESTAMPTZ NOT NULL,
    postal_address          TEXT,
    -- Key in the file store.
    logo_key                TEXT,
    -- Printed on estimates and invoices, as many states require: "TX Master Plumber M-12345".
    licence_line            TEXT,
    -- Size of the logo, part of the business's storage usage.
    logo_bytes              BIGINT NOT NULL DEFAULT 0,
    -- Whether everybody in the business needs a second factor.
    requires_second_factor  BOOLEAN NOT NULL DEFAULT FALSE,
    -- Twilio Messaging Service it may send from when it has no number of its own.
    messaging_service       TEXT
);
CREATE INDEX org_by_age ON org (created_at, id);
CREATE UNIQUE INDEX org_by_sms_number ON org (sms_number) WHERE sms_number IS NOT NULL;

-- Which automated tools of a business are on.
CREATE TABLE automation_switch (
    org_id                    UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    lead_intake               BOOLEAN NOT NULL,
    automated_communications  BOOLEAN NOT NULL,
    job_tracking              BOOLEAN NOT NULL,
    review_collection         BOOLEAN NOT NULL,
    kpi_reporting             BOOLEAN NOT NULL
);

-- One settings page of a business; the program validates the value before it is stored.
CREATE TABLE org_setting (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    value       JSONB NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, name)
);

-- API key of a business at another provider, encrypted with a key that is not in this database.
CREATE TABLE org_secret (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    sealed      BYTEA NOT NULL,
    -- Last characters, for display.
    hint        TEXT NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    -- Since when Stripe refuses the key; null while it is accepted.
    refused_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, name)
);

-- A person of a business who can sign in.
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
    password_changed_at  TIMESTAMPTZ NOT NULL,
    -- For text alerts.
    phone_e164           TEXT,
    -- When the person last used a link mailed to the address. Required for operator rights: anybody can register with
    -- an operator's address.
    email_proved_at      TIMESTAMPTZ
);
CREATE INDEX account_by_org ON account (org_id, created_at);

-- An invitation to join a business; the link's token is the way in.
CREATE TABLE invite (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    name         TEXT NOT NULL,
    email        TEXT,
    phone_e164   TEXT,
    role         TEXT NOT NULL CHECK (role IN ('owner', 'office', 'crew')),
    crew_id      UUID,
    invited_by   UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    -- Set once, with the account that was made.
    accepted_at  TIMESTAMPTZ,
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX invite_newest ON invite (org_id, created_at);

-- A signed-in browser. Only the SHA-256 of the token is kept: a copy of this table opens nothing.
CREATE TABLE session (
    token_hash       BYTEA PRIMARY KEY,
    org_id           UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id       UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at       TIMESTAMPTZ NOT NULL,
    last_seen_at     TIMESTAMPTZ NOT NULL,
    expires_at       TIMESTAMPTZ NOT NULL,
    ip               TEXT,
    user_agent       TEXT,
    -- When the person last proved their identity again; null means at sign-in.
    proved_at        TIMESTAMPTZ,
    -- Encrypted key of the browser's offline copies; it goes with the session.
    store_key        BYTEA,
    -- Requests for the key since store_key_since, for the hourly limit.
    store_key_asked  BIGINT NOT NULL DEFAULT 0,
    store_key_since  TIMESTAMPTZ
);
CREATE INDEX session_by_account ON session (org_id, account_id);

-- Token of a few minutes: the second step of a sign-in, or a password reset. Only its SHA-256 is kept.
CREATE TABLE one_time_token (
    token_hash  BYTEA PRIMARY KEY,
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    purpose     TEXT NOT NULL CHECK (purpose IN ('code', 'set_up', 'reset')),
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX one_time_token_by_account ON one_time_token (org_id, account_id);
CREATE INDEX one_time_token_by_expiry ON one_time_token (expires_at);

-- Link that proves an email address. Only the SHA-256 of the token is kept.
CREATE TABLE address_proof (
    token_hash  BYTEA PRIMARY KEY,
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX address_proof_by_account ON address_proof (org_id, account_id);
CREATE INDEX address_proof_by_expiry ON address_proof (expires_at);

-- A person's authenticator. Both secrets are encrypted with the install's key.
CREATE TABLE second_factor (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Secret in force.
    sealed      TEXT,
    -- Secret that is being set up.
    pending     TEXT,
    -- Time step of the last accepted code: it and earlier ones are refused.
    last_step   BIGINT NOT NULL,
    changed_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, account_id)
);

-- Single-use code for a person who lost the second factor, as a keyed hash.
CREATE TABLE recovery_code (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    code_hash   BYTEA NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    used_at     TIMESTAMPTZ,
    PRIMARY KEY (org_id, account_id, code_hash)
);

-- A WebAuthn credential of a person.
CREATE TABLE passkey (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    account_id     UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Id chosen by the authenticator.
    credential_id  BYTEA NOT NULL UNIQUE,
    -- Public key, sign counter and other state of webauthn-rs, as JSON. It opens nothing.
    credential     TEXT NOT NULL,
    name           TEXT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    last_used_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX passkey_by_account ON passkey (org_id, account_id, created_at);

-- A WebAuthn ceremony under way: single use, five minutes, in the browser that began it. The person may not be known
-- yet, so it has no business.
CREATE TABLE passkey_challenge (
    -- SHA-256 of the id that the page sends back.
    id_hash      BYTEA PRIMARY KEY,
    -- SHA-256 of the session or browser cookie that the ceremony is bound to.
    holder_hash  BYTEA NOT NULL,
    purpose      TEXT NOT NULL CHECK (purpose IN ('add', 'sign_in', 'prove')),
    state        TEXT NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX passkey_challenge_expires ON passkey_challenge (expires_at);

-- A browser that a person has signed in with, by the SHA-256 of its cookie.
CREATE TABLE known_device (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id     UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    token_hash     BYTEA NOT NULL,
    first_seen_at  TIMESTAMPTZ NOT NULL,
    last_seen_at   TIMESTAMPTZ NOT NULL,
    -- A password was chosen there by a mailed link and no sign-in followed yet: guesses by strangers do not lock it
    -- out.
    is_unused      BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (org_id, account_id, token_hash)
);

-- Encrypted key of changes made offline in one browser and not sent yet. It outlives the session, so that the person
-- can send them after the next sign-in.
CREATE TABLE offline_store_key (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Chosen by the browser; it opens nothing.
    store_id    UUID NOT NULL,
    sealed      BYTEA NOT NULL,
    used_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, account_id, store_id)
);
CREATE INDEX offline_store_key_by_age ON offline_store_key (used_at);

-- Failed sign-ins, by a hash of account and network, and by a hash of the account alone.
CREATE TABLE sign_in_throttle (
    key_hash       BYTEA PRIMARY KEY,
    failures       BIGINT NOT NULL,
    window_start   TIMESTAMPTZ NOT NULL,
    blocked_until  TIMESTAMPTZ NOT NULL
);

-- Accounts that failed from a network or signed in from it, as keyed hashes: detects password spraying.
CREATE TABLE network_sign_in (
    network_hash  BYTEA NOT NULL,
    account_hash  BYTEA NOT NULL,
    failed_at     TIMESTAMPTZ,
    succeeded_at  TIMESTAMPTZ,
    PRIMARY KEY (network_hash, account_hash)
);
CREATE INDEX network_sign_in_failed ON network_sign_in (network_hash, failed_at);

-- A browser registered for Web Push alerts.
CREATE TABLE push_device (
    org_id        UUID NOT NULL,
    id            UUID NOT NULL,
    account_id    UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    session_hash  BYTEA,
    label         TEXT NOT NULL,
    endpoint      TEXT NOT NULL UNIQUE,
    p256dh        TEXT NOT NULL,
    auth          TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    last_sent_at  TIMESTAMPTZ,
    -- When the device confirmed that it showed a test.
    seen_at       TIMESTAMPTZ,
    -- When its push service said that the subscription is gone.
    dead_at       TIMESTAMPTZ,
    fault         TEXT,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX push_device_by_account ON push_device (org_id, account_id);
CREATE INDEX push_device_by_session ON push_device (session_hash);
CREATE INDEX push_device_by_id ON push_device (id);

-- A key to the API for another program.
CREATE TABLE api_key (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            UUID NOT NULL,
    -- The owner who made it; the key is valid while they are an owner.
    account_id    UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    -- SHA-256; the key itself is shown once.
    key_hash      BYTEA NOT NULL UNIQUE,
    -- For display: tbk_…Ab3d.
    hint          TEXT NOT NULL,
    -- Separated by spaces: leads:read jobs:write.
    scopes        TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    last_used_at  TIMESTAMPTZ,
    revoked_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
