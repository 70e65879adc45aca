-- A ready task is `scheduled` until a claim finds it due. Then it runs, or waits its turn: up to five of one business as
-- `due`, the others as `parked`, so that a claim reads the same few rows however many wait.
ALTER TABLE task ADD COLUMN queue_state TEXT NOT NULL DEFAULT 'scheduled'
    CHECK (queue_state IN ('scheduled', 'due', 'parked'));
DROP INDEX task_ready;
DROP INDEX task_ready_by_org;
CREATE INDEX task_scheduled ON task (run_at, id) WHERE status = 'ready' AND queue_state = 'scheduled';
CREATE INDEX task_due ON task (turn_at, id) WHERE status = 'ready' AND queue_state = 'due';
CREATE INDEX task_due_by_org ON task (org_id, turn_at) WHERE status = 'ready' AND queue_state = 'due';
CREATE INDEX task_parked ON task (org_id, turn_at, id) WHERE status = 'ready' AND queue_state = 'parked';

-- What a worker has done since it was started.
ALTER TABLE worker_sign ADD COLUMN figures JSONB;
