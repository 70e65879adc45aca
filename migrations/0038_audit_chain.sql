-- The audit log becomes a chain: each line of a business carries its place and SHA-256(hash of the line before || itself)
-- (shared/src/audit/chain.rs). What was written before has neither until the program's next start takes it over.
ALTER TABLE audit_event ADD COLUMN seq BIGINT;
ALTER TABLE audit_event ADD COLUMN hash BYTEA;
CREATE UNIQUE INDEX audit_event_in_order ON audit_event (org_id, seq);
CREATE INDEX audit_event_loose ON audit_event (org_id) WHERE seq IS NULL;

-- Where each chain ends. Its row is what the writers of one business wait for, at the very end of their transaction.
CREATE TABLE audit_head (
    org_id   UUID PRIMARY KEY,
    seq      BIGINT NOT NULL,
    hash     BYTEA NOT NULL,
    -- How many lines are older than the chain: they were taken over as they stood.
    adopted  BIGINT NOT NULL
);

-- What the owner was mailed: how far the chain went at a time, with proof that this install said so.
CREATE TABLE audit_anchor (
    org_id   UUID NOT NULL,
    seq      BIGINT NOT NULL,
    hash     BYTEA NOT NULL,
    tag      BYTEA NOT NULL,
    made_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, seq)
);

-- How the chain of a business was when it was last looked through by itself, which is once a day.
CREATE TABLE audit_check (
    org_id      UUID PRIMARY KEY,
    checked_at  TIMESTAMPTZ NOT NULL,
    ok          BOOLEAN NOT NULL,
    lines       BIGINT NOT NULL,
    detail      TEXT NOT NULL
);

-- The security alerts of a business: which of them it wants, and when each fired last. One without a row is on.
CREATE TABLE security_alert (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    alert     TEXT NOT NULL,
    enabled   BOOLEAN NOT NULL,
    fired_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, alert)
);

-- How often something suspicious happened in an hour, for the alerts that count. `subject` is an id or the name of an
-- address, never a person's own words. What belongs to no business counts under the nil id.
CREATE TABLE security_tally (
    org_id        UUID NOT NULL,
    alert         TEXT NOT NULL,
    subject       TEXT NOT NULL,
    count         BIGINT NOT NULL,
    window_start  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, alert, subject)
);
CREATE INDEX security_tally_by_age ON security_tally (window_start);

-- When a person last used a link that was mailed to their address. Anybody can register with the address of one of the
-- install's operators; only who reads its mail is one.
ALTER TABLE account ADD COLUMN email_proved_at TIMESTAMPTZ;

-- The browsers that a person has signed in with. Only the SHA-256 of what their cookie holds is kept.
CREATE TABLE known_device (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id     UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    token_hash     BYTEA NOT NULL,
    first_seen_at  TIMESTAMPTZ NOT NULL,
    last_seen_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, account_id, token_hash)
);
