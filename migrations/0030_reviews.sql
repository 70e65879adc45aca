-- Reviews: who was asked and why not, what they said, and the key by which other programs bring in more.

-- A complaint of theirs is open: they are not asked for a review while it stands.
ALTER TABLE customer ADD COLUMN complaint_at TIMESTAMPTZ;
-- A review that names nobody we know may be theirs who bears the same name.
CREATE INDEX customer_by_name ON customer (org_id, LOWER(name)) WHERE merged_into IS NULL;

-- One row for each job that was done, and for each press of "Request Review": a sequence, or why there was none.
CREATE TABLE review_ask (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    lead_id      UUID NOT NULL,
    job_id       UUID,
    cause        TEXT NOT NULL CHECK (cause IN ('job_completed', 'invoice_paid', 'by_hand')),
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'asked', 'answered', 'stopped', 'not_asked')),
    -- Why it ended; and what a message that did not leave said of it.
    why          TEXT,
    detail       TEXT,
    -- Although they were asked within half a year: an owner wished it.
    is_override  BOOLEAN NOT NULL,
    -- When the first request is due; none while it waits for payment.
    planned_at   TIMESTAMPTZ,
    -- When the first one was worded, when the last one was, and when the first one left.
    begun_at     TIMESTAMPTZ,
    said_at      TIMESTAMPTZ,
    asked_at     TIMESTAMPTZ,
    -- sms or email: the way the first one went.
    channel      TEXT,
    clicked_at   TIMESTAMPTZ,
    -- Why no text is tried any more, when one failed.
    no_text_why  TEXT,
    -- The address of the work without what people write one way or another: one household is asked once a day.
    household    TEXT,
    -- The event that it follows from, and the one that ended it: undoing them takes it away or brings it back.
    event_id     UUID,
    ended_by     UUID,
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id)
);
CREATE INDEX review_ask_newest ON review_ask (org_id, created_at DESC, id DESC);
CREATE INDEX review_ask_by_state ON review_ask (org_id, state, created_at DESC, id DESC);
CREATE INDEX review_ask_by_customer ON review_ask (org_id, customer_id, created_at);
CREATE INDEX review_ask_by_lead ON review_ask (org_id, lead_id);
CREATE INDEX review_ask_by_job ON review_ask (org_id, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX review_ask_asked ON review_ask (org_id, asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX review_ask_begun ON review_ask (org_id, begun_at) WHERE begun_at IS NOT NULL;
CREATE INDEX review_ask_said ON review_ask (org_id, household, said_at) WHERE household IS NOT NULL;
CREATE INDEX review_ask_planned ON review_ask (org_id, planned_at) WHERE state = 'waiting';

-- Held while it is decided whether somebody is asked now: of two decisions at once the second sees the first.
CREATE TABLE review_turn (
    org_id    UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    taken_at  TIMESTAMPTZ NOT NULL
);

CREATE TABLE review (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    -- The day it is dated.
    reviewed_on    DATE,
    customer_name  TEXT,
    -- In tenths: 45 is 4.5.
    stars          BIGINT NOT NULL CHECK (stars BETWEEN 10 AND 50),
    body           TEXT,
    source         TEXT NOT NULL,
    -- How it came in: by our page, by hand, from a spreadsheet, or from another program.
    way            TEXT NOT NULL CHECK (way IN ('page', 'hand', 'csv', 'webhook')),
    -- What it is known by when it comes again, and what it says: the same words are the same review.
    dedupe_key     TEXT NOT NULL,
    content_key    TEXT NOT NULL,
    -- What the sender said of its author.
    phone_e164     TEXT,
    email          TEXT,
    ask_id         UUID,
    customer_id    UUID,
    lead_id        UUID,
    job_id         UUID,
    -- How it was found whose it is; nobody when somebody said that it is none of ours.
    matched        TEXT CHECK (matched IN ('request', 'phone', 'email', 'person', 'nobody')),
    reply          TEXT,
    replied_at     TIMESTAMPTZ,
    replied_by     TEXT,
    -- When it was given: the day it is dated, if that is past.
    received_at    TIMESTAMPTZ NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    search         TEXT NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, ask_id) REFERENCES review_ask (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id)
);
CREATE INDEX review_newest ON review (org_id, received_at DESC, id DESC);
CREATE INDEX review_by_source ON review (org_id, source, received_at DESC, id DESC);
CREATE INDEX review_by_content ON review (org_id, content_key);
CREATE INDEX review_by_customer ON review (org_id, customer_id, received_at) WHERE customer_id IS NOT NULL;
CREATE INDEX review_by_ask ON review (org_id, ask_id) WHERE ask_id IS NOT NULL;
CREATE INDEX review_by_job ON review (org_id, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX review_unmatched ON review (org_id, received_at DESC, id DESC) WHERE matched IS NULL;

-- The key with which another program brings reviews: only its hash, so a copy of this table opens nothing.
CREATE TABLE review_key (
    org_id            UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    key_hash          BYTEA NOT NULL,
    hint              TEXT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    last_received_at  TIMESTAMPTZ
);
CREATE UNIQUE INDEX review_key_by_hash ON review_key (key_hash);
