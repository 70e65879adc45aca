-- What a person did with an item of the worklist: done, or snoozed. Whether somebody waits follows from the records; a
-- mark only hides what was there up to its since. One row for each item: the last mark.
CREATE TABLE work_item_mark (
    org_id         UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- A kind of the worklist; that of an item to call back is answer.
    kind           TEXT NOT NULL,
    -- The record that the kind is about: a customer, a lead, a job or a paper.
    subject_id     UUID NOT NULL,
    customer_id    UUID,
    lead_id        UUID,
    -- What came later is not hidden.
    since          TIMESTAMPTZ NOT NULL,
    done_at        TIMESTAMPTZ,
    snoozed_until  TIMESTAMPTZ,
    account_id     UUID REFERENCES account (id) ON DELETE SET NULL,
    marked_at      TIMESTAMPTZ NOT NULL,
    -- State of the conversation and the alerts before the mark, for the undo.
    prior_state    JSONB NOT NULL,
    PRIMARY KEY (org_id, kind, subject_id)
);
CREATE INDEX work_item_mark_done ON work_item_mark (org_id, marked_at, subject_id) WHERE done_at IS NOT NULL;
CREATE INDEX work_item_mark_snoozed ON work_item_mark (org_id, snoozed_until) WHERE snoozed_until IS NOT NULL;

-- Partial indexes of what waits: a row leaves them when it is answered, and each is read from its oldest row on.
CREATE INDEX conversation_waiting ON conversation (org_id, last_in_at)
    WHERE last_in_at IS NOT NULL AND NOT is_closed
        AND (last_by_person_at IS NULL OR last_by_person_at < last_in_at)
        AND (settled_at IS NULL OR settled_at < last_in_at);
CREATE INDEX metric_answer_waiting ON metric_answer (org_id, asked_at) WHERE human_ms IS NULL;
CREATE INDEX alert_urgent ON alert (org_id, created_at) WHERE is_urgent AND seen_at IS NULL;
CREATE INDEX lead_held ON lead (org_id, stage, last_touch_at) WHERE held_reason IS NOT NULL;
CREATE INDEX lead_unquoted ON lead (org_id, created_at) WHERE form = 'quote' AND stage = 'new' AND held_reason IS NULL;
CREATE INDEX estimate_approved ON estimate (org_id, settled_at) WHERE status = 'approved' AND job_id IS NULL;
CREATE INDEX review_low_unanswered ON review (org_id, received_at) WHERE stars <= 30 AND replied_at IS NULL;
