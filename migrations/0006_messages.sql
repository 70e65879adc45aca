-- Messages and conversations. Values of channel, kind and status grow with the program: no CHECK.

-- A version of a template as changed by a business. The defaults are in the program.
CREATE TABLE template_text (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    language    TEXT NOT NULL,
    version     BIGINT NOT NULL,
    -- The newest version is in force unless it restores the default.
    is_default  BOOLEAN NOT NULL,
    subject     TEXT,
    body        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, kind, language, version)
);

-- Whether a template is on.
CREATE TABLE template_switch (
    org_id   UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL,
    enabled  BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, kind)
);

-- A stored reply for the inbox.
CREATE TABLE canned_reply (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    title       TEXT NOT NULL,
    body        TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- A text or email, outgoing or incoming.
CREATE TABLE message (
    org_id             UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                 UUID NOT NULL,
    lead_id            UUID,
    customer_id        UUID,
    -- out or in.
    direction          TEXT NOT NULL,
    channel            TEXT NOT NULL,
    kind               TEXT NOT NULL,
    -- conversational, informational or promotional: decides which law and hours apply.
    class              TEXT NOT NULL,
    from_address       TEXT,
    to_address         TEXT NOT NULL,
    subject            TEXT,
    body               TEXT NOT NULL,
    -- What the HTML of an email shows beside the text; it is rendered when sent.
    page               JSONB,
    status             TEXT NOT NULL,
    reason             TEXT,
    -- What the send policy knew at its last decision.
    evidence           JSONB,
    dedupe_key         TEXT NOT NULL,
    -- The author; null for a rule or an incoming message.
    account_id         UUID REFERENCES account (id) ON DELETE SET NULL,
    attempts           BIGINT NOT NULL,
    -- Grows with every claim: a worker with an older one may not write.
    fence              BIGINT NOT NULL,
    next_attempt_at    TIMESTAMPTZ NOT NULL,
    deadline_at        TIMESTAMPTZ NOT NULL,
    -- Since when it is unknown whether it arrived.
    unconfirmed_since  TIMESTAMPTZ,
    -- How often the provider was asked about it.
    reconcile_checks   BIGINT NOT NULL,
    -- The provider's id.
    provider_id        TEXT,
    -- File name in the data folder, where no provider is set up.
    stored_as          TEXT,
    -- Pictures that are still at the provider: [{"url", "type"}].
    media              JSONB,
    -- SMS segments.
    segments           BIGINT,
    created_at         TIMESTAMPTZ NOT NULL,
    sent_at            TIMESTAMPTZ,
    delivered_at       TIMESTAMPTZ,
    -- Rate limits that it has passed: 0 none, 1 the business's, 2 the number's.
    rate_limit_stage   BIGINT NOT NULL DEFAULT 0,
    -- Price by the provider, in millionths of a US dollar; null until known.
    price_micros       BIGINT,
    -- The estimate, invoice, job or other record it is about.
    about_id           UUID,
    -- The activity that caused it.
    event_id           UUID,
    -- Response time that the text promises when it leaves; null for most.
    sla_minutes        BIGINT,
    -- The words that promise it.
    sla_text           TEXT,
    -- STOP, START or HELP, as Twilio classified an incoming text.
    opt_out_type       TEXT,
    -- From when on the business could have been told of the request: no promise is due earlier.
    sla_starts_at      TIMESTAMPTZ,
    -- When a person last had it sent again.
    resent_at          TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX message_by_lead ON message (org_id, lead_id, created_at);
CREATE INDEX message_by_customer ON message (org_id, customer_id, created_at);
-- A task knows a message by its id alone, a provider's report by the provider's id.
CREATE UNIQUE INDEX message_by_id ON message (id);
CREATE INDEX message_by_provider_id ON message (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX message_unsettled ON message (status, next_attempt_at) WHERE status IN ('queued', 'sending', 'held');
CREATE INDEX message_unconfirmed ON message (unconfirmed_since) WHERE status = 'unknown';
CREATE INDEX message_waiting_about ON message (org_id, about_id) WHERE status IN ('queued', 'held');
CREATE INDEX message_by_event ON message (org_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX message_by_receiver ON message (org_id, to_address) WHERE direction = 'out' AND channel = 'sms';

-- One attempt to send a message, committed before the first byte goes to the provider.
CREATE TABLE message_attempt (
    org_id      UUID NOT NULL,
    message_id  UUID NOT NULL,
    number      BIGINT NOT NULL,
    worker      TEXT NOT NULL,
    started_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ,
    outcome     TEXT NOT NULL,
    code        BIGINT,
    detail      TEXT,
    PRIMARY KEY (org_id, message_id, number),
    FOREIGN KEY (org_id, message_id) REFERENCES message (org_id, id) ON DELETE CASCADE
);

-- A file attached to a message or reachable by its link.
CREATE TABLE message_file (
    org_id       UUID NOT NULL,
    message_id   UUID NOT NULL,
    file_id      UUID NOT NULL,
    is_attached  BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, message_id, file_id),
    FOREIGN KEY (org_id, message_id) REFERENCES message (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, file_id) REFERENCES file (org_id, id) ON DELETE CASCADE
);
CREATE INDEX message_file_by_file ON message_file (org_id, file_id);

-- Messages and calls with one customer: the state of the inbox.
CREATE TABLE conversation (
    org_id               UUID NOT NULL,
    customer_id          UUID NOT NULL,
    lead_id              UUID,
    last_at              TIMESTAMPTZ NOT NULL,
    last_preview         TEXT NOT NULL,
    -- in, out or call.
    last_kind            TEXT NOT NULL,
    -- When they last wrote or called.
    last_in_at           TIMESTAMPTZ,
    -- When a person of the business last answered: rules stop then.
    last_by_person_at    TIMESTAMPTZ,
    unread               BIGINT NOT NULL,
    assigned_account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    snoozed_until        TIMESTAMPTZ,
    is_closed            BOOLEAN NOT NULL,
    -- When the program settled their last message by confirming a booking. Nobody waits until they write again.
    settled_at           TIMESTAMPTZ,
    PRIMARY KEY (org_id, customer_id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE INDEX conversation_newest ON conversation (org_id, last_at, customer_id);
CREATE INDEX conversation_unread ON conversation (org_id, unread) WHERE unread > 0;

-- A phone call.
CREATE TABLE call (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            UUID NOT NULL,
    provider_id   TEXT NOT NULL,
    customer_id   UUID,
    lead_id       UUID,
    -- Null when the caller hides it.
    from_address  TEXT,
    to_address    TEXT NOT NULL,
    -- ringing, answered, missed, hung_up (before it could be answered) or refused.
    status        TEXT NOT NULL,
    started_at    TIMESTAMPTZ NOT NULL,
    -- When a person of the business pressed 1.
    accepted_at   TIMESTAMPTZ,
    ended_at      TIMESTAMPTZ,
    -- The provider's status.
    outcome       TEXT,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX call_by_provider_id ON call (provider_id);
CREATE INDEX call_by_customer ON call (org_id, customer_id, started_at);

-- An address that must not be written to. Never pruned: kept for at least ten years (VA SB 1339).
CREATE TABLE opt_out (
    org_id       UUID NOT NULL,
    channel      TEXT NOT NULL,
    address      TEXT NOT NULL,
    -- paused waits for the owner's decision.
    state        TEXT NOT NULL CHECK (state IN ('stopped', 'paused', 'lifted')),
    -- text, provider, person or import.
    source       TEXT NOT NULL,
    -- The part of their text that decided.
    matched      TEXT,
    at           TIMESTAMPTZ NOT NULL,
    lifted_at    TIMESTAMPTZ,
    -- When STOP or HELP was last answered: at most once a day.
    answered_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, channel, address)
);

-- A delivery report that came before the provider's id was stored.
CREATE TABLE unmatched_delivery_report (
    provider_id  TEXT NOT NULL,
    status       TEXT NOT NULL,
    code         BIGINT,
    received_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (provider_id, status)
);
