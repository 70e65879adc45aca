-- Figures, reports, attribution and reviews.

-- What one record contributes to the figures. The row is locked while it is computed.
CREATE TABLE metric_fact (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- lead, estimate, job, invoice, payment, ask or review.
    kind        TEXT NOT NULL,
    subject_id  UUID NOT NULL,
    facts       TEXT NOT NULL,
    PRIMARY KEY (org_id, kind, subject_id)
);

-- Sum of all facts of one day in the business's time zone. metrics/measure.rs names the columns.
CREATE TABLE metric_day (
    org_id                     UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day                        DATE NOT NULL,
    leads                      BIGINT NOT NULL DEFAULT 0,
    auto_replied               BIGINT NOT NULL DEFAULT 0,
    answered                   BIGINT NOT NULL DEFAULT 0,
    -- Sum of milliseconds.
    answer_ms                  BIGINT NOT NULL DEFAULT 0,
    booked                     BIGINT NOT NULL DEFAULT 0,
    paid_leads                 BIGINT NOT NULL DEFAULT 0,
    missed_calls               BIGINT NOT NULL DEFAULT 0,
    recovered_calls            BIGINT NOT NULL DEFAULT 0,
    auto_replies               BIGINT NOT NULL DEFAULT 0,
    follow_ups                 BIGINT NOT NULL DEFAULT 0,
    schedulings                BIGINT NOT NULL DEFAULT 0,
    quotes_sent                BIGINT NOT NULL DEFAULT 0,
    quoted_cents               BIGINT NOT NULL DEFAULT 0,
    quotes_won                 BIGINT NOT NULL DEFAULT 0,
    won_cents                  BIGINT NOT NULL DEFAULT 0,
    quotes_lost                BIGINT NOT NULL DEFAULT 0,
    jobs_done                  BIGINT NOT NULL DEFAULT 0,
    job_cents                  BIGINT NOT NULL DEFAULT 0,
    costed_jobs                BIGINT NOT NULL DEFAULT 0,
    costed_cents               BIGINT NOT NULL DEFAULT 0,
    cost_cents                 BIGINT NOT NULL DEFAULT 0,
    invoices                   BIGINT NOT NULL DEFAULT 0,
    invoiced_cents             BIGINT NOT NULL DEFAULT 0,
    open_invoices              BIGINT NOT NULL DEFAULT 0,
    open_cents                 BIGINT NOT NULL DEFAULT 0,
    payments                   BIGINT NOT NULL DEFAULT 0,
    collected_cents            BIGINT NOT NULL DEFAULT 0,
    refunded_cents             BIGINT NOT NULL DEFAULT 0,
    reviews_asked              BIGINT NOT NULL DEFAULT 0,
    reviews                    BIGINT NOT NULL DEFAULT 0,
    -- Sum in tenths: 45 is 4.5.
    stars                      BIGINT NOT NULL DEFAULT 0,
    promises_kept              BIGINT NOT NULL DEFAULT 0,
    promises_broken            BIGINT NOT NULL DEFAULT 0,
    recovered_call_cents       BIGINT NOT NULL DEFAULT 0,
    recovered_reply_cents      BIGINT NOT NULL DEFAULT 0,
    recovered_follow_up_cents  BIGINT NOT NULL DEFAULT 0,
    recovered_reminder_cents   BIGINT NOT NULL DEFAULT 0,
    recovered_review_cents     BIGINT NOT NULL DEFAULT 0,
    missed_callers             BIGINT NOT NULL DEFAULT 0,
    texted_callers             BIGINT NOT NULL DEFAULT 0,
    returned_callers           BIGINT NOT NULL DEFAULT 0,
    booked_callers             BIGINT NOT NULL DEFAULT 0,
    paying_callers             BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, day)
);

-- The same by lead source.
CREATE TABLE metric_source_day (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day         DATE NOT NULL,
    source      TEXT NOT NULL,
    leads       BIGINT NOT NULL DEFAULT 0,
    booked      BIGINT NOT NULL DEFAULT 0,
    won         BIGINT NOT NULL DEFAULT 0,
    paid_cents  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, day, source)
);

-- Response time of a request, for medians.
CREATE TABLE metric_answer (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    lead_id   UUID NOT NULL,
    day       DATE NOT NULL,
    asked_at  TIMESTAMPTZ NOT NULL,
    auto_ms   BIGINT,
    human_ms  BIGINT,
    PRIMARY KEY (org_id, lead_id)
);
CREATE INDEX metric_answer_by_day ON metric_answer (org_id, day);

-- A record behind a figure, written with the sums. Lists read it by its key alone.
CREATE TABLE metric_row (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- A column of metric_day.
    measure     TEXT NOT NULL,
    day         DATE NOT NULL,
    -- The lead or the estimate.
    subject_id  UUID NOT NULL,
    amount      BIGINT NOT NULL,
    source      TEXT,
    PRIMARY KEY (org_id, measure, day, subject_id)
);

-- When a business's figures are counted anew, and by which rules.
CREATE TABLE metric_recount (
    org_id      UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    next_at     TIMESTAMPTZ NOT NULL,
    -- Last complete count; null until the first.
    counted_at  TIMESTAMPTZ,
    timezone    TEXT NOT NULL,
    -- Version of the rules.
    rules       BIGINT NOT NULL,
    -- Grows when a count ends: of two at once only one is kept.
    turn        BIGINT NOT NULL,
    -- Progress of a count under way.
    under_way   TEXT
);
CREATE INDEX metric_recount_due ON metric_recount (next_at);

-- Result of a count.
CREATE TABLE metric_check (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    -- first, nightly, zone or rules: only a nightly one should find nothing.
    why         TEXT NOT NULL,
    records     BIGINT NOT NULL,
    days_wrong  BIGINT NOT NULL,
    -- Samples of differences: day, measure, stored and true value.
    what        JSONB NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- When the next report of a business is due. Null: to be computed by the next worker that looks.
CREATE TABLE pulse_plan (
    org_id   UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    next_at  TIMESTAMPTZ
);
CREATE INDEX pulse_plan_due ON pulse_plan (next_at);

-- A report of the figures.
CREATE TABLE pulse (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    -- One report per period: daily:2026-09-17, weekly:2026-W38, manual:<id>.
    period_key  TEXT NOT NULL,
    due_at      TIMESTAMPTZ NOT NULL,
    -- waiting, sent, late or left_out.
    outcome     TEXT NOT NULL,
    -- Why it was left out.
    reason      TEXT,
    made_at     TIMESTAMPTZ,
    -- First and last day of the period.
    from_day    DATE,
    to_day      DATE,
    -- Recipients with channel and message.
    sent_to     JSONB NOT NULL,
    -- Who asked for it.
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, period_key)
);
CREATE UNIQUE INDEX pulse_by_id ON pulse (id);

-- Group of a lead in the test of a rule: held-out leads show what the rule gains.
CREATE TABLE control_group_assignment (
    org_id       UUID NOT NULL,
    -- estimate_follow_up or missed_call_text.
    rule         TEXT NOT NULL,
    lead_id      UUID NOT NULL,
    is_held_out  BOOLEAN NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, rule, lead_id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);

-- A review request sequence, one per completed job or manual request, or the reason why there is none.
CREATE TABLE review_request (
    org_id           UUID NOT NULL,
    id               UUID NOT NULL,
    customer_id      UUID NOT NULL,
    lead_id          UUID NOT NULL,
    job_id           UUID,
    cause            TEXT NOT NULL CHECK (cause IN ('job_completed', 'invoice_paid', 'by_hand')),
    state            TEXT NOT NULL CHECK (state IN ('waiting', 'asked', 'answered', 'stopped', 'not_asked')),
    -- Why it ended.
    why              TEXT,
    -- What an unsent message said of the reason.
    detail           TEXT,
    -- An owner asked although half a year is not over.
    is_override      BOOLEAN NOT NULL,
    -- When the first message is due; null while it waits for payment.
    planned_at       TIMESTAMPTZ,
    -- When the first message was composed; said_at is the last one, asked_at when the first one left.
    begun_at         TIMESTAMPTZ,
    said_at          TIMESTAMPTZ,
    asked_at         TIMESTAMPTZ,
    -- Channel of the first message.
    channel          TEXT,
    clicked_at       TIMESTAMPTZ,
    -- Why no text is tried again.
    sms_stop_reason  TEXT,
    -- Normalized address: one request per household and day.
    household        TEXT,
    -- The event it follows from; undoing the event removes it.
    event_id         UUID,
    -- The event that ended it; undoing that event restores it.
    ended_by         UUID,
    account_id       UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id)
);
CREATE INDEX review_request_newest ON review_request (org_id, created_at, id);
CREATE INDEX review_request_by_state ON review_request (org_id, state, created_at, id);
CREATE INDEX review_request_by_customer ON review_request (org_id, customer_id, created_at);
CREATE INDEX review_request_by_lead ON review_request (org_id, lead_id);
CREATE INDEX review_request_by_job ON review_request (org_id, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX review_request_asked ON review_request (org_id, asked_at) WHERE asked_at IS NOT NULL;
CREATE INDEX review_request_begun ON review_request (org_id, begun_at) WHERE begun_at IS NOT NULL;
CREATE INDEX review_request_by_household ON review_request (org_id, household, said_at) WHERE household IS NOT NULL;
CREATE INDEX review_request_planned ON review_request (org_id, planned_at) WHERE state = 'waiting';

-- Held while it is decided whether somebody is asked: of two decisions at once the second sees the first.
CREATE TABLE review_request_lock (
    org_id    UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    taken_at  TIMESTAMPTZ NOT NULL
);

-- A review.
CREATE TABLE review (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id             UUID NOT NULL,
    reviewed_on    DATE,
    customer_name  TEXT,
    -- In tenths: 45 is 4.5.
    stars          BIGINT NOT NULL CHECK (stars BETWEEN 10 AND 50),
    body           TEXT,
    source         TEXT NOT NULL,
    -- page, hand, csv or webhook: how it came in.
    way            TEXT NOT NULL CHECK (way IN ('page', 'hand', 'csv', 'webhook')),
    -- Identity for repeated deliveries.
    dedupe_key     TEXT NOT NULL,
    -- Equal text is the same review.
    content_key    TEXT NOT NULL,
    -- Named by the sender.
    phone_e164     TEXT,
    email          TEXT,
    request_id     UUID,
    customer_id    UUID,
    lead_id        UUID,
    job_id         UUID,
    -- How its customer was found; nobody: a person said that it is none of ours.
    matched        TEXT CHECK (matched IN ('request', 'phone', 'email', 'person', 'nobody')),
    reply          TEXT,
    replied_at     TIMESTAMPTZ,
    replied_by     TEXT,
    -- When it was written, if that is known.
    received_at    TIMESTAMPTZ NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    search         TEXT NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, dedupe_key),
    FOREIGN KEY (org_id, request_id) REFERENCES review_request (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id)
);
CREATE INDEX review_newest ON review (org_id, received_at, id);
CREATE INDEX review_by_source ON review (org_id, source, received_at, id);
CREATE INDEX review_by_content ON review (org_id, content_key);
CREATE INDEX review_by_customer ON review (org_id, customer_id, received_at) WHERE customer_id IS NOT NULL;
CREATE INDEX review_by_request ON review (org_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX review_unmatched ON review (org_id, received_at, id) WHERE matched IS NULL;

-- Key by which another program submits reviews; only its hash.
CREATE TABLE review_key (
    org_id            UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    key_hash          BYTEA NOT NULL,
    hint              TEXT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    last_received_at  TIMESTAMPTZ
);
CREATE UNIQUE INDEX review_key_by_hash ON review_key (key_hash);
