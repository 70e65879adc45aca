-- The owner's report of the figures: when it is due, and what became of each. shared/src/pulse.rs.

-- When the next one is due; none: to be reckoned by the next worker that looks.
CREATE TABLE pulse_plan (
    org_id   UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    next_at  TIMESTAMPTZ
);
CREATE INDEX pulse_plan_due ON pulse_plan (next_at);
INSERT INTO pulse_plan (org_id, next_at) SELECT id, NULL FROM org;

-- One report.
CREATE TABLE pulse (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    -- One period, one report: daily:2026-09-17, weekly:2026-W38, manual:<id>.
    period_key  TEXT NOT NULL,
    due_at      TIMESTAMPTZ NOT NULL,
    -- waiting, sent, late or left_out.
    outcome     TEXT NOT NULL,
    -- Why it was left out.
    reason      TEXT,
    made_at     TIMESTAMPTZ,
    -- The days it is about.
    from_day    DATE,
    to_day      DATE,
    -- To whom, by which way and message.
    sent_to     JSONB NOT NULL,
    -- Who pressed for it.
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, period_key)
);
CREATE UNIQUE INDEX pulse_by_id ON pulse (id);

-- What has quietly stopped: one row as long as it lasts.
CREATE TABLE quiet_failure (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- no_leads, texts_fail, emails_fail, worker_stalled, or device:<id>.
    name      TEXT NOT NULL,
    since     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, name)
);
