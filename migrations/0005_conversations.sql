-- Conversations: texts and calls in both directions, who may not be written to, alerts, and the settings that steer it.
--
-- Tables whose lists of words have grown are made anew: SQLite cannot widen a CHECK. Lists that will grow again
-- (`form`, `channel`, `kind`, `status`) have none from here on; the program's types are what holds them.

CREATE TABLE lead_next (
    org_id            UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                UUID NOT NULL,
    customer_id       UUID NOT NULL,
    form              TEXT NOT NULL,
    name              TEXT NOT NULL,
    phone             TEXT NOT NULL,
    phone_e164        TEXT,
    email             TEXT,
    service           TEXT NOT NULL,
    zip               TEXT NOT NULL,
    address           TEXT,
    notes             TEXT,
    timeline          TEXT,
    budget            TEXT,
    source            TEXT NOT NULL,
    attribution       JSONB NOT NULL,
    stage             TEXT NOT NULL CHECK (stage IN ('new', 'quoted', 'scheduled', 'done', 'paid')),
    quoted_cents      BIGINT,
    collected_cents   BIGINT,
    scheduled_at      TIMESTAMPTZ,
    paid_at           TIMESTAMPTZ,
    owner_account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    held_reason       TEXT,
    needs_attention   BOOLEAN NOT NULL,
    touch_count       BIGINT NOT NULL,
    missed_calls      BIGINT NOT NULL,
    photo_count       BIGINT NOT NULL,
    search            TEXT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    last_touch_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
INSERT INTO lead_next SELECT org_id, id, customer_id, form, name, phone, phone_e164, email, service, zip, address, notes,
    timeline, budget, source, attribution, stage, quoted_cents, collected_cents, scheduled_at, paid_at, owner_account_id,
    held_reason, needs_attention, touch_count, 0, photo_count, search, created_at, last_touch_at FROM lead;

CREATE TABLE lead_touch_next (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    lead_id      UUID NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    form         TEXT NOT NULL,
    service      TEXT NOT NULL,
    submission   JSONB NOT NULL,
    attribution  JSONB NOT NULL,
    source_hash  BYTEA,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead_next (org_id, id) ON DELETE CASCADE
);
INSERT INTO lead_touch_next SELECT org_id, id, lead_id, at, form, service, submission, attribution, source_hash FROM lead_touch;

CREATE TABLE photo_next (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    touch_id       UUID NOT NULL,
    -- The message it came with, when it came by text.
    message_id     UUID,
    position       BIGINT NOT NULL,
    original_name  TEXT NOT NULL,
    width          BIGINT NOT NULL,
    height         BIGINT NOT NULL,
    bytes          BIGINT NOT NULL,
    full_key       TEXT NOT NULL,
    thumb_key      TEXT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead_next (org_id, id) ON DELETE CASCADE
);
INSERT INTO photo_next SELECT org_id, id, lead_id, touch_id, NULL, position, original_name, width, height, bytes, full_key,
    thumb_key, created_at FROM photo;

CREATE TABLE decision_next (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    lead_id     UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    event       TEXT NOT NULL,
    rule        TEXT NOT NULL,
    channel     TEXT,
    sent        BOOLEAN NOT NULL,
    reason      TEXT NOT NULL,
    saw         JSONB NOT NULL,
    message_id  UUID,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead_next (org_id, id) ON DELETE CASCADE
);
INSERT INTO decision_next SELECT org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id FROM decision;

CREATE TABLE message_next (
    org_id           UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id               UUID NOT NULL,
    lead_id          UUID,
    customer_id      UUID,
    -- 'out' leaves us, 'in' came to us.
    direction        TEXT NOT NULL,
    channel          TEXT NOT NULL,
    kind             TEXT NOT NULL,
    -- conversational, informational or promotional: which law and which hours hold for it.
    class            TEXT NOT NULL,
    from_address     TEXT,
    to_address       TEXT NOT NULL,
    subject          TEXT,
    body             TEXT NOT NULL,
    page             JSONB,
    status           TEXT NOT NULL,
    reason           TEXT,
    -- What the gate saw when it last decided.
    saw              JSONB,
    dedupe_key       TEXT NOT NULL,
    -- The person who wrote it; none for what was written by a rule or came from outside.
    account_id       UUID REFERENCES account (id) ON DELETE SET NULL,
    attempts         BIGINT NOT NULL,
    fence            BIGINT NOT NULL,
    next_attempt_at  TIMESTAMPTZ NOT NULL,
    deadline_at      TIMESTAMPTZ NOT NULL,
    -- Since when it is not known whether it arrived, and how often the provider was asked about it.
    doubt_since      TIMESTAMPTZ,
    doubt_checks     BIGINT NOT NULL,
    provider_id      TEXT,
    stored_as        TEXT,
    -- Pictures that came with it and are still at the provider: [{"url", "type"}].
    media            JSONB,
    segments         BIGINT,
    created_at       TIMESTAMPTZ NOT NULL,
    sent_at          TIMESTAMPTZ,
    delivered_at     TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead_next (org_id, id) ON DELETE CASCADE
);
INSERT INTO message_next SELECT org_id, id, lead_id, customer_id, 'out', channel, kind,
    CASE kind WHEN 'auto_reply' THEN 'conversational' ELSE 'informational' END, NULL, to_address, subject, body, page, status,
    reason, NULL, dedupe_key, NULL, attempts, fence, next_attempt_at, deadline_at,
    CASE status WHEN 'unknown' THEN created_at ELSE NULL END, 0, provider_id, stored_as, NULL, NULL, created_at, sent_at,
    delivered_at FROM message;

CREATE TABLE message_attempt_next (
    org_id       UUID NOT NULL,
    message_id   UUID NOT NULL,
    number       BIGINT NOT NULL,
    worker       TEXT NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    ended_at     TIMESTAMPTZ,
    outcome      TEXT NOT NULL,
    code         BIGINT,
    detail       TEXT,
    PRIMARY KEY (org_id, message_id, number),
    FOREIGN KEY (org_id, message_id) REFERENCES message_next (org_id, id) ON DELETE CASCADE
);
INSERT INTO message_attempt_next SELECT org_id, message_id, number, worker, started_at, ended_at, outcome, code, detail
    FROM message_attempt;

DROP TABLE message_attempt;
DROP TABLE message;
DROP TABLE decision;
DROP TABLE photo;
DROP TABLE lead_touch;
DROP TABLE lead;
ALTER TABLE lead_next RENAME TO lead;
ALTER TABLE lead_touch_next RENAME TO lead_touch;
ALTER TABLE photo_next RENAME TO photo;
ALTER TABLE decision_next RENAME TO decision;
ALTER TABLE message_next RENAME TO message;
ALTER TABLE message_attempt_next RENAME TO message_attempt;

CREATE INDEX lead_newest ON lead (org_id, last_touch_at DESC, id DESC);
CREATE INDEX lead_by_customer ON lead (org_id, customer_id, created_at);
CREATE INDEX lead_touch_by_lead ON lead_touch (org_id, lead_id, at);
CREATE INDEX lead_touch_by_time ON lead_touch (org_id, at);
CREATE INDEX lead_touch_by_source ON lead_touch (source_hash, at);
CREATE INDEX photo_by_lead ON photo (org_id, lead_id, created_at, position);
CREATE INDEX decision_by_lead ON decision (org_id, lead_id, at);
CREATE INDEX message_by_lead ON message (org_id, lead_id, created_at);
CREATE INDEX message_by_customer ON message (org_id, customer_id, created_at);
-- A task knows a message by its id alone, a provider's report by the provider's own.
CREATE UNIQUE INDEX message_by_id ON message (id);
CREATE INDEX message_by_provider_id ON message (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX message_unsettled ON message (status, next_attempt_at) WHERE status IN ('queued', 'sending', 'held');
CREATE INDEX message_in_doubt ON message (doubt_since) WHERE status = 'unknown';

-- The customer as a partner in a conversation.
ALTER TABLE customer ADD COLUMN language TEXT;
-- Staff and relatives: never asked for a review. Blocked: never written to by a rule.
ALTER TABLE customer ADD COLUMN is_staff BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE customer ADD COLUMN is_blocked BOOLEAN NOT NULL DEFAULT FALSE;
-- Learned from the provider: a landline cannot be texted.
ALTER TABLE customer ADD COLUMN no_sms_since TIMESTAMPTZ;

-- One per customer who has written or was written to.
CREATE TABLE thread (
    org_id               UUID NOT NULL,
    customer_id          UUID NOT NULL,
    lead_id              UUID,
    last_at              TIMESTAMPTZ NOT NULL,
    last_preview         TEXT NOT NULL,
    -- 'in', 'out' or 'call'.
    last_kind            TEXT NOT NULL,
    -- When they last wrote or rang, and when a person of the business last answered: a rule stops when somebody talks.
    last_in_at           TIMESTAMPTZ,
    last_by_person_at    TIMESTAMPTZ,
    unread               BIGINT NOT NULL,
    assigned_account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    snoozed_until        TIMESTAMPTZ,
    is_closed            BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, customer_id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE INDEX thread_newest ON thread (org_id, last_at DESC, customer_id DESC);
CREATE INDEX thread_unread ON thread (org_id, unread) WHERE unread > 0;

CREATE TABLE call (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            UUID NOT NULL,
    provider_id   TEXT NOT NULL,
    customer_id   UUID,
    lead_id       UUID,
    -- None when the caller hides it.
    from_address  TEXT,
    to_address    TEXT NOT NULL,
    -- ringing, answered, missed, hung_up (before it could be answered) or refused.
    status        TEXT NOT NULL,
    started_at    TIMESTAMPTZ NOT NULL,
    -- A person of the business pressed 1.
    accepted_at   TIMESTAMPTZ,
    ended_at      TIMESTAMPTZ,
    -- How the provider ended it, in its words.
    outcome       TEXT,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX call_by_provider_id ON call (provider_id);
CREATE INDEX call_by_customer ON call (org_id, customer_id, started_at);

-- Who said stop. Never pruned: kept at least ten years (VA SB 1339). 'paused' waits for the owner's word.
CREATE TABLE opt_out (
    org_id      UUID NOT NULL,
    channel     TEXT NOT NULL,
    address     TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('stopped', 'paused', 'lifted')),
    -- 'text', 'provider', 'person' or 'import'.
    source      TEXT NOT NULL,
    -- What they wrote, as far as it decided.
    matched     TEXT,
    at          TIMESTAMPTZ NOT NULL,
    lifted_at   TIMESTAMPTZ,
    -- Their STOP and HELP are answered once a day.
    answered_at TIMESTAMPTZ,
    PRIMARY KEY (org_id, channel, address)
);

-- How many texts left on a day of the org's own zone: the spend brake.
CREATE TABLE text_count (
    org_id   UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day      TEXT NOT NULL,
    texts    BIGINT NOT NULL,
    segments BIGINT NOT NULL,
    PRIMARY KEY (org_id, day)
);

-- Each settings page is one value, checked by the program before it is stored.
CREATE TABLE org_setting (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    value       JSONB NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, name)
);
ALTER TABLE org ADD COLUMN postal_address TEXT;
CREATE UNIQUE INDEX org_by_sms_number ON org (sms_number) WHERE sms_number IS NOT NULL;

-- Wordings: what an org has changed, in each language, with every version it ever saved.
CREATE TABLE wording (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    language    TEXT NOT NULL,
    version     BIGINT NOT NULL,
    -- The newest version is in force unless it says that the default is.
    is_default  BOOLEAN NOT NULL,
    subject     TEXT,
    body        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, kind, language, version)
);
CREATE TABLE template_switch (
    org_id   UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL,
    enabled  BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, kind)
);
INSERT INTO wording SELECT org_id, kind, 'en', 1, FALSE, subject, body, updated_at, NULL FROM template;
INSERT INTO template_switch SELECT org_id, kind, enabled FROM template;
DROP TABLE template;

CREATE TABLE canned_reply (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    title       TEXT NOT NULL,
    body        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- A browser that agreed to be told.
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
    -- The device itself said that it showed a test.
    seen_at       TIMESTAMPTZ,
    dead_at       TIMESTAMPTZ,
    fault         TEXT,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX push_device_by_account ON push_device (org_id, account_id);
CREATE INDEX push_device_by_session ON push_device (session_hash);

-- What the people of the business must hear of. It climbs from push to text to the next person until somebody has seen it.
CREATE TABLE alert (
    org_id           UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id               UUID NOT NULL,
    lead_id          UUID,
    kind             TEXT NOT NULL,
    -- One event, one alert.
    dedupe_key       TEXT NOT NULL,
    title            TEXT NOT NULL,
    body             TEXT NOT NULL,
    is_urgent        BOOLEAN NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    -- When it goes out by email and text: now, or with the next digest.
    due_at           TIMESTAMPTZ NOT NULL,
    told_at          TIMESTAMPTZ,
    step             BIGINT NOT NULL,
    climbs_at        TIMESTAMPTZ,
    seen_at          TIMESTAMPTZ,
    seen_by          UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX alert_to_tell ON alert (due_at) WHERE told_at IS NULL;
CREATE INDEX alert_climbing ON alert (climbs_at) WHERE climbs_at IS NOT NULL;

-- Which devices an alert has reached: the others are tried again without showing it twice on these.
CREATE TABLE alert_push (
    org_id     UUID NOT NULL,
    alert_id   UUID NOT NULL,
    device_id  UUID NOT NULL,
    sent_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, alert_id, device_id),
    FOREIGN KEY (org_id, alert_id) REFERENCES alert (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, device_id) REFERENCES push_device (org_id, id) ON DELETE CASCADE
);

-- A provider's calls to us: when the last one came, when one could not be taken, how many were refused.
CREATE TABLE webhook_health (
    provider        TEXT NOT NULL,
    address         TEXT NOT NULL,
    received_at     TIMESTAMPTZ,
    failed_at       TIMESTAMPTZ,
    refused_at      TIMESTAMPTZ,
    refused         BIGINT NOT NULL,
    PRIMARY KEY (provider, address)
);

-- Reports about messages whose own number at the provider we do not know yet.
CREATE TABLE early_report (
    provider_id  TEXT NOT NULL,
    status       TEXT NOT NULL,
    code         BIGINT,
    received_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (provider_id, status)
);
