-- From when on somebody of the business could have been told of the request that a message answers: no promise of an
-- answer is due before (shared/src/alert/ways.rs). None for what was queued before, and for what promises nothing.
ALTER TABLE message ADD COLUMN promise_told_from TIMESTAMPTZ;
