-- A person's second factor. `sealed` is the authenticator's secret in force, `pending` one that is being set up; both are
-- sealed with the install's secret (shared/src/seal.rs).
CREATE TABLE second_factor (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id   UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    sealed       TEXT,
    pending      TEXT,
    -- The time step of the last code that was taken: it and those before it are not taken again.
    last_step    BIGINT NOT NULL,
    changed_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, account_id)
);

-- What gets somebody in who has lost the phone: keyed hashes, each good once.
CREATE TABLE recovery_code (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id   UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    code_hash    BYTEA NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    used_at      TIMESTAMPTZ,
    PRIMARY KEY (org_id, account_id, code_hash)
);

-- Half a sign-in, or a password that is to be set anew: what a token of a few minutes stands for. Only its SHA-256 is
-- kept.
CREATE TABLE account_ticket (
    token_hash   BYTEA PRIMARY KEY,
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id   UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    purpose      TEXT NOT NULL CHECK (purpose IN ('code', 'set_up', 'reset')),
    created_at   TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX account_ticket_by_account ON account_ticket (org_id, account_id);
CREATE INDEX account_ticket_by_expiry ON account_ticket (expires_at);

-- When the person behind a session last proved who they are; none is when it was opened.
ALTER TABLE session ADD COLUMN proved_at TIMESTAMPTZ;

-- Whether everybody of the business needs a second factor.
ALTER TABLE org ADD COLUMN requires_second_factor BOOLEAN NOT NULL DEFAULT FALSE;

-- An owner may be invited too. SQLite changes no check of a table that stands, so the table is written anew.
CREATE TABLE invite_for_all (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    name         TEXT NOT NULL,
    email        TEXT,
    phone_e164   TEXT,
    role         TEXT NOT NULL CHECK (role IN ('owner', 'office', 'crew')),
    crew_id      UUID,
    invited_by   UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    accepted_at  TIMESTAMPTZ,
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, id)
);
INSERT INTO invite_for_all (org_id, id, name, email, phone_e164, role, crew_id, invited_by, created_at, accepted_at, account_id)
    SELECT org_id, id, name, email, phone_e164, role, crew_id, invited_by, created_at, accepted_at, account_id FROM invite;
DROP TABLE invite;
ALTER TABLE invite_for_all RENAME TO invite;
CREATE INDEX invite_newest ON invite (org_id, created_at);
