-- Rules, reminders, response times, alerts, and the limits of sending texts.

-- Why a rule sent something, or why not.
CREATE TABLE automation_decision (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    lead_id     UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    event       TEXT NOT NULL,
    rule        TEXT NOT NULL,
    channel     TEXT,
    sent        BOOLEAN NOT NULL,
    reason      TEXT NOT NULL,
    -- What the rule knew.
    evidence    JSONB NOT NULL,
    message_id  UUID,
    -- Read by its lead: one index less than with a key of its own.
    PRIMARY KEY (org_id, lead_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);

-- A message planned for later, unless something happens first. Its text is made when it is due.
CREATE TABLE follow_up (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    lead_id     UUID NOT NULL,
    -- estimate, job, invoice or checkout.
    about       TEXT NOT NULL,
    about_id    UUID NOT NULL,
    step        TEXT NOT NULL,
    -- Grows when the plan is made anew: one attempt per step of a plan.
    generation  BIGINT NOT NULL,
    due_at      TIMESTAMPTZ NOT NULL,
    -- Not sent after this.
    expires_at  TIMESTAMPTZ NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'stopped', 'skipped')),
    reason      TEXT,
    -- The event that created it; undoing the event removes it.
    event_id    UUID,
    -- The event that stopped it; undoing that event restores it.
    stopped_by  UUID,
    message_id  UUID,
    created_at  TIMESTAMPTZ NOT NULL,
    -- Start of the visit that the step announces: tells a step of a moved visit.
    visit_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, about_id, step, generation),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX follow_up_by_id ON follow_up (id);
CREATE INDEX follow_up_due ON follow_up (due_at) WHERE state = 'waiting';
CREATE INDEX follow_up_by_lead ON follow_up (org_id, lead_id);

-- A response time promised to a customer, and whether it was kept.
CREATE TABLE sla (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    lead_id      UUID NOT NULL,
    -- The message that promised it; null for the quote form.
    message_id   UUID,
    -- quote_form, or the kind of the message.
    source       TEXT NOT NULL,
    -- As written: "within 24 hours".
    words        TEXT NOT NULL,
    -- When the answered request came.
    asked_at     TIMESTAMPTZ NOT NULL,
    -- When the promise was sent.
    made_at      TIMESTAMPTZ NOT NULL,
    due_at       TIMESTAMPTZ NOT NULL,
    -- When three quarters of the time are over.
    warn_at      TIMESTAMPTZ NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('open', 'kept', 'broken', 'released', 'covered')),
    settled_at   TIMESTAMPTZ,
    -- message, estimate, call, visit, noted or waived.
    settled_by   TEXT,
    -- First answer of a person, in time or late.
    answered_at  TIMESTAMPTZ,
    warned_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, message_id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, message_id) REFERENCES message (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sla_by_id ON sla (id);
CREATE INDEX sla_by_lead ON sla (org_id, lead_id, asked_at);
CREATE INDEX sla_unanswered ON sla (org_id, state, due_at) WHERE answered_at IS NULL;
CREATE INDEX sla_warning_due ON sla (warn_at) WHERE state = 'open';
CREATE INDEX sla_released ON sla (due_at) WHERE state = 'released' AND settled_at IS NULL;

-- An address that is told of new leads.
CREATE TABLE recipient (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    channel     TEXT NOT NULL CHECK (channel IN ('sms', 'email')),
    address     TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, channel, address)
);

-- Something that the people of a business must see. It escalates from push to text to the next person until somebody
-- has seen it.
CREATE TABLE alert (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            UUID NOT NULL,
    lead_id       UUID,
    kind          TEXT NOT NULL,
    -- One alert per event.
    dedupe_key    TEXT NOT NULL,
    title         TEXT NOT NULL,
    body          TEXT NOT NULL,
    is_urgent     BOOLEAN NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    -- When it goes out by email and text: at once, or with the next digest.
    due_at        TIMESTAMPTZ NOT NULL,
    -- When it went out.
    notified_at   TIMESTAMPTZ,
    -- Escalation step.
    step          BIGINT NOT NULL,
    escalates_at  TIMESTAMPTZ,
    seen_at       TIMESTAMPTZ,
    seen_by       UUID REFERENCES account (id) ON DELETE SET NULL,
    -- sms: link that opens the text on the person's own phone, for a text that could not be sent.
    text_link     TEXT,
    -- For one person's devices only.
    account_id    UUID,
    -- What a tap opens when it is not the lead.
    path          TEXT,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX alert_by_lead ON alert (org_id, lead_id, created_at);
CREATE INDEX alert_unsent ON alert (org_id, due_at) WHERE notified_at IS NULL;

-- A device that an alert has reached: it is not shown there twice.
CREATE TABLE alert_push (
    org_id     UUID NOT NULL,
    alert_id   UUID NOT NULL,
    device_id  UUID NOT NULL,
    sent_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, alert_id, device_id),
    FOREIGN KEY (org_id, alert_id) REFERENCES alert (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, device_id) REFERENCES push_device (org_id, id) ON DELETE CASCADE
);

-- Something that has silently stopped; one row while it lasts.
CREATE TABLE incident (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- no_leads, texts_fail, emails_fail, worker_stalled, or device:<id>.
    name    TEXT NOT NULL,
    since   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, name)
);

-- A sender assigned to a business: docs/sending-numbers.md.
CREATE TABLE sending_number (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- A number in E.164, or the id of the install's Messaging Service.
    sender       TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('number', 'service')),
    -- kept: it was in the settings before numbers were assigned.
    assigned_by  TEXT NOT NULL CHECK (assigned_by IN ('first_business', 'operator', 'code', 'kept')),
    account_id   UUID,
    assigned_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, sender)
);
-- A number belongs to one business; a service may be shared.
CREATE UNIQUE INDEX sending_number_once ON sending_number (sender) WHERE kind = 'number';
CREATE INDEX sending_number_by_sender ON sending_number (sender, assigned_at);

-- A sender that was given to the first business. Later ones are assigned by the operator.
CREATE TABLE install_sender (
    sender    TEXT PRIMARY KEY,
    given_at  TIMESTAMPTZ NOT NULL
);

-- An address that a business wrote to from a sender: decides whose an answer or a STOP is.
CREATE TABLE sending_contact (
    org_id            UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    sender            TEXT NOT NULL,
    address           TEXT NOT NULL,
    -- Null while no text has left.
    last_sent_at      TIMESTAMPTZ,
    -- The value before the attempt under way.
    previous_sent_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, sender, address)
);
CREATE INDEX sending_contact_by_address ON sending_contact (sender, address);
CREATE INDEX sending_contact_by_recipient ON sending_contact (org_id, address);

-- An owner's proof that a number is theirs: a code is texted or read to it. The code is not stored.
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
CREATE INDEX number_claim_newest ON number_claim (org_id, created_at);
CREATE UNIQUE INDEX number_claim_by_id ON number_claim (id);

-- Until when the provider's own list of incoming calls and texts of a number was read: finds what arrived while the
-- API was down.
CREATE TABLE inbound_sync_cursor (
    number        TEXT PRIMARY KEY,
    -- What came earlier is not looked for: the number was another's.
    since         TIMESTAMPTZ NOT NULL,
    looked_until  TIMESTAMPTZ NOT NULL
);

-- Rate limiter of a lane: a sending number, or a share of a business or of a class of texts in it.
CREATE TABLE send_rate (
    lane        TEXT PRIMARY KEY,
    -- When the lane is free again, in milliseconds since 1970.
    free_at_ms  BIGINT NOT NULL,
    -- Day in the carriers' time zone that texts counts.
    day         TEXT NOT NULL,
    texts       BIGINT NOT NULL,
    -- Among how many the lane was divided at the last turn.
    sharers     BIGINT NOT NULL DEFAULT 1,
    -- The number or service that the lane is a share of.
    sender      TEXT,
    -- Texts passed on to the number, as free_at_ms.
    passed_ms   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX send_rate_by_sender ON send_rate (sender);

-- Texts of a business per day of its time zone: the spend limit.
CREATE TABLE sms_daily_usage (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day       TEXT NOT NULL,
    texts     BIGINT NOT NULL,
    segments  BIGINT NOT NULL,
    PRIMARY KEY (org_id, day)
);

-- Numbers that rules texted and that never wrote: limits per number and per exchange. Kept for two days.
CREATE TABLE sms_recipient_window (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- +1512555.
    exchange  TEXT NOT NULL,
    number    TEXT NOT NULL,
    last_at   TIMESTAMPTZ NOT NULL,
    -- Day in the business's time zone that texts counts.
    day       TEXT NOT NULL,
    texts     BIGINT NOT NULL,
    PRIMARY KEY (org_id, exchange, number)
);
CREATE INDEX sms_recipient_window_by_age ON sms_recipient_window (last_at);
