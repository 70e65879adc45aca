-- Money that came after an automatic message, by what it came after; how far callers whom nobody took have come; and who
-- was left out so that the gain can be measured. shared/src/recovered.rs.
ALTER TABLE metric_day ADD COLUMN recovered_call_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN recovered_reply_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN recovered_follow_up_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN recovered_reminder_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN recovered_review_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN missed_callers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN texted_callers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN returned_callers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN booked_callers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE metric_day ADD COLUMN paying_callers BIGINT NOT NULL DEFAULT 0;

-- A request for which the time of a rule under test came for the first time, and which group it fell into. Whoever is left
-- out is told by a keyed hash of the number, which stands nowhere.
CREATE TABLE hold_out (
    org_id       UUID NOT NULL,
    -- estimate_follow_up or missed_call_text.
    rule         TEXT NOT NULL,
    lead_id      UUID NOT NULL,
    is_held_out  BOOLEAN NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, rule, lead_id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
