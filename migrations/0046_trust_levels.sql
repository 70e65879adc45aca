-- What a business may send before it is known: docs/trust-levels.md, shared/src/trust_level.rs.

CREATE TABLE org_trust (
    org_id          UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- When an owner first proved their email address.
    proven_at       TIMESTAMPTZ,
    -- When the operator let it send without payment.
    let_through_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id)
);

-- Businesses that stand have been sending. The first one and those whose customers wrote back are let through; the
-- others are at the step that their number and their subscription give them.
INSERT INTO org_trust (org_id, proven_at, let_through_at)
SELECT o.id,
    COALESCE((SELECT MAX(a.created_at) FROM account a WHERE a.org_id = o.id), o.created_at),
    CASE WHEN o.id = (SELECT f.id FROM org f WHERE f.slug <> 'demo' ORDER BY f.created_at, f.id LIMIT 1)
        OR EXISTS (SELECT 1 FROM message m WHERE m.org_id = o.id AND m.direction = 'in') THEN o.created_at END
FROM org o;

-- What of its budgets a business has used: a row for each day (UTC), and one for all time under the day ''.
CREATE TABLE trust_usage (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    what    TEXT NOT NULL CHECK (what IN ('text', 'email', 'invitation', 'import', 'account_mail')),
    day     TEXT NOT NULL,
    used    BIGINT NOT NULL,
    PRIMARY KEY (org_id, what, day)
);

-- Links that prove an email address. Only the SHA-256 of the token is kept.
CREATE TABLE address_proof (
    token_hash  BYTEA PRIMARY KEY,
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at  TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ NOT NULL
);
CREATE INDEX address_proof_by_account ON address_proof (org_id, account_id);
CREATE INDEX address_proof_by_expiry ON address_proof (expires_at);
