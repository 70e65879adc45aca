-- What the HTML of a mail of the install shows beside its text, as for messages: its buttons. None for what was queued before.
ALTER TABLE install_mail ADD COLUMN page JSONB;

-- A challenge may also be for proving again who one is: bound to the session, and no sign-in. What was begun is over within
-- five minutes, so the table is made anew.
DROP TABLE passkey_challenge;
CREATE TABLE passkey_challenge (
    -- SHA-256 of the id that the page sends back, and of what binds it: the session or a cookie of the browser.
    id_hash      BYTEA PRIMARY KEY,
    holder_hash  BYTEA NOT NULL,
    purpose      TEXT NOT NULL CHECK (purpose IN ('add', 'sign_in', 'prove')),
    state        TEXT NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX passkey_challenge_expires ON passkey_challenge (expires_at);
