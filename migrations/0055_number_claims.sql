-- An owner proves that a number is theirs: a code is texted or read to it. The code itself is not stored.

CREATE TABLE number_claim (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    number      TEXT NOT NULL,
    way         TEXT NOT NULL CHECK (way IN ('text', 'call')),
    account_id  UUID NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed', 'used', 'replaced')),
    -- Why no code could be sent.
    reason      TEXT,
    tries       BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX number_claim_open ON number_claim (number) WHERE state IN ('waiting', 'sent');
CREATE INDEX number_claim_newest ON number_claim (org_id, created_at DESC);
CREATE UNIQUE INDEX number_claim_by_id ON number_claim (id);
