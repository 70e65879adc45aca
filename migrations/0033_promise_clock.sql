-- The promise clock: what the words of our messages promise, and what became of it. shared/src/promise.rs.

-- What a message promises when it leaves: none for most.
ALTER TABLE message ADD COLUMN promise_minutes BIGINT;
ALTER TABLE message ADD COLUMN promise_words TEXT;

-- Words that went out to a customer and promised an answer within a time.
CREATE TABLE promise (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    lead_id      UUID NOT NULL,
    -- The message that said so; none for the words that the quote form shows.
    message_id   UUID,
    -- quote_form, or the kind of the message.
    said_in      TEXT NOT NULL,
    -- "within 24 hours".
    words        TEXT NOT NULL,
    -- When the request came that they answer; when they went out.
    asked_at     TIMESTAMPTZ NOT NULL,
    made_at      TIMESTAMPTZ NOT NULL,
    due_at       TIMESTAMPTZ NOT NULL,
    -- When three quarters of the time are over.
    warn_at      TIMESTAMPTZ NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('open', 'kept', 'broken', 'released', 'covered')),
    settled_at   TIMESTAMPTZ,
    -- What kept or released it: message, estimate, call, visit, noted, waived.
    settled_by   TEXT,
    -- The first word of a person, in time or late.
    answered_at  TIMESTAMPTZ,
    -- When the business was warned.
    warned_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, message_id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, message_id) REFERENCES message (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX promise_by_id ON promise (id);
CREATE INDEX promise_by_lead ON promise (org_id, lead_id, asked_at);
CREATE INDEX promise_unanswered ON promise (org_id, state, due_at) WHERE answered_at IS NULL;
CREATE INDEX promise_to_watch ON promise (warn_at) WHERE state = 'open';
CREATE INDEX promise_let_go ON promise (due_at) WHERE state = 'released' AND settled_at IS NULL;

-- How many were kept and broken, by the day they were due.
ALTER TABLE metric_day ADD COLUMN promises_kept BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN promises_broken BIGINT NOT NULL DEFAULT 0;
