-- Contact points: what proves that a phone or an email belongs to its customer. shared/src/contact_point.rs.
-- What was on file before this migration is trusted as it was then.
ALTER TABLE customer_key ADD COLUMN proof TEXT NOT NULL DEFAULT 'on_file' CHECK (proof IN
    ('on_file', 'form', 'answered', 'called', 'texted', 'link_opened', 'office', 'imported'));
ALTER TABLE customer_key ADD COLUMN proved_at TIMESTAMPTZ;

-- A phone or email that a public form named for a customer who is known by the other one. Nothing is sent to it but the
-- answer to that form, until the office uses it or it proves itself.
CREATE TABLE contact_proposal (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    lead_id      UUID NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
    value        TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('open', 'used', 'dismissed')),
    created_at   TIMESTAMPTZ NOT NULL,
    -- When somebody called or texted from it.
    answered_at  TIMESTAMPTZ,
    decided_at   TIMESTAMPTZ,
    -- Who of the business decided; none when it proved itself.
    account_id   UUID,
    -- What stood in its place before it was used, for the undo.
    replaced     TEXT,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX contact_proposal_once ON contact_proposal (org_id, lead_id, kind, value);
CREATE INDEX contact_proposal_by_customer ON contact_proposal (org_id, customer_id, state);
CREATE INDEX contact_proposal_by_value ON contact_proposal (org_id, kind, value) WHERE state = 'open';
