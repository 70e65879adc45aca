-- Where the rows behind a figure are found: facts of requests and of their estimates, by day. Written from the same change
-- as the sums of the days, in the same transaction; shared/src/metrics/row.rs. By its key alone a list reads what it needs.
CREATE TABLE metric_row (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- A column of metric_day.
    measure     TEXT NOT NULL,
    day         DATE NOT NULL,
    -- The lead, or the estimate.
    subject_id  UUID NOT NULL,
    amount      BIGINT NOT NULL,
    source      TEXT,
    PRIMARY KEY (org_id, measure, day, subject_id)
);
-- What was counted before has no rows yet: the next worker counts everything anew, as after a change of the rules, and
-- writes them. The figures stand meanwhile.
UPDATE metric_recount SET rules = 0;
