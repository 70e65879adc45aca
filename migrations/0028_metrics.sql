-- The owner's numbers: sums of facts, kept up in the transaction of whatever changes them. shared/src/metrics.rs.

-- What one record contributes now: facts of days, and the answer that a lead got. Its row is held while it is reckoned.
CREATE TABLE metric_fact (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- lead, estimate, job, invoice, payment, ask or review.
    kind        TEXT NOT NULL,
    subject_id  UUID NOT NULL,
    facts       TEXT NOT NULL,
    PRIMARY KEY (org_id, kind, subject_id)
);

-- The sum of all facts of one day, as the business's own calendar has it. Columns are named in metrics/measure.rs.
CREATE TABLE metric_day (
    org_id           UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day              DATE NOT NULL,
    leads            BIGINT NOT NULL DEFAULT 0,
    auto_replied     BIGINT NOT NULL DEFAULT 0,
    answered         BIGINT NOT NULL DEFAULT 0,
    answer_ms        BIGINT NOT NULL DEFAULT 0,
    booked           BIGINT NOT NULL DEFAULT 0,
    paid_leads       BIGINT NOT NULL DEFAULT 0,
    missed_calls     BIGINT NOT NULL DEFAULT 0,
    recovered_calls  BIGINT NOT NULL DEFAULT 0,
    auto_replies     BIGINT NOT NULL DEFAULT 0,
    follow_ups       BIGINT NOT NULL DEFAULT 0,
    schedulings      BIGINT NOT NULL DEFAULT 0,
    quotes_sent      BIGINT NOT NULL DEFAULT 0,
    quoted_cents     BIGINT NOT NULL DEFAULT 0,
    quotes_won       BIGINT NOT NULL DEFAULT 0,
    won_cents        BIGINT NOT NULL DEFAULT 0,
    quotes_lost      BIGINT NOT NULL DEFAULT 0,
    jobs_done        BIGINT NOT NULL DEFAULT 0,
    job_cents        BIGINT NOT NULL DEFAULT 0,
    costed_jobs      BIGINT NOT NULL DEFAULT 0,
    costed_cents     BIGINT NOT NULL DEFAULT 0,
    cost_cents       BIGINT NOT NULL DEFAULT 0,
    invoices         BIGINT NOT NULL DEFAULT 0,
    invoiced_cents   BIGINT NOT NULL DEFAULT 0,
    open_invoices    BIGINT NOT NULL DEFAULT 0,
    open_cents       BIGINT NOT NULL DEFAULT 0,
    payments         BIGINT NOT NULL DEFAULT 0,
    collected_cents  BIGINT NOT NULL DEFAULT 0,
    refunded_cents   BIGINT NOT NULL DEFAULT 0,
    reviews_asked    BIGINT NOT NULL DEFAULT 0,
    reviews          BIGINT NOT NULL DEFAULT 0,
    -- In tenths: 45 is 4.5.
    stars            BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, day)
);

-- The same by where a request first came from.
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

-- How long each request waited, to the millisecond: medians are made of these.
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

-- When everything is counted anew, and how far one has come that is under way.
CREATE TABLE metric_recount (
    org_id      UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    next_at     TIMESTAMPTZ NOT NULL,
    -- When all was last counted; none until it was for the first time.
    counted_at  TIMESTAMPTZ,
    -- By which zone and which version of the rules.
    timezone    TEXT NOT NULL,
    rules       BIGINT NOT NULL,
    -- Moves when one ends: of two that ran beside each other only one counts.
    turn        BIGINT NOT NULL,
    under_way   TEXT
);
CREATE INDEX metric_recount_due ON metric_recount (next_at);
-- Nothing has been counted for those who were here before: it is due at once.
INSERT INTO metric_recount (org_id, next_at, timezone, rules, turn) SELECT id, created_at, '', 0, 0 FROM org;

-- What each recount found.
CREATE TABLE metric_check (
    org_id          UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id              UUID NOT NULL,
    at              TIMESTAMPTZ NOT NULL,
    -- first, nightly, zone or rules: only a nightly one should find nothing.
    why             TEXT NOT NULL,
    records         BIGINT NOT NULL,
    days_wrong      BIGINT NOT NULL,
    -- Some of what was wrong: the day, the measure, what stood there and what is true.
    what            JSONB NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- What a job has cost: materials, hours of labor, and whatever else.
CREATE TABLE job_cost (
    org_id          UUID NOT NULL,
    id              UUID NOT NULL,
    job_id          UUID NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('materials', 'labor', 'other')),
    -- Thousandths of a piece or of an hour.
    quantity_milli  BIGINT NOT NULL,
    rate_cents      BIGINT NOT NULL,
    amount_cents    BIGINT NOT NULL,
    note            TEXT,
    account_id      UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX job_cost_by_job ON job_cost (org_id, job_id, created_at);
