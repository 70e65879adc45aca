-- Passkeys (WebAuthn). shared/src/account/passkey.rs.

CREATE TABLE passkey (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    account_id     UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- As the authenticator names it.
    credential_id  BYTEA NOT NULL UNIQUE,
    -- The public key, the sign counter and what else webauthn-rs keeps of it, as JSON. It opens nothing.
    credential     TEXT NOT NULL,
    name           TEXT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    last_used_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX passkey_of_account ON passkey (org_id, account_id, created_at);

-- A ceremony that was begun: good once, for five minutes, in the browser that began it. Who signs in is not known yet, so
-- it is of no business.
CREATE TABLE passkey_challenge (
    -- SHA-256 of the id that the page sends back, and of what binds it: the session or a cookie of the browser.
    id_hash      BYTEA PRIMARY KEY,
    holder_hash  BYTEA NOT NULL,
    purpose      TEXT NOT NULL CHECK (purpose IN ('add', 'sign_in')),
    state        TEXT NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX passkey_challenge_expires ON passkey_challenge (expires_at);
