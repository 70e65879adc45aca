-- What a process wrote last to prove that it can (`/readyz`).
CREATE TABLE write_proof (
    process    BIGINT PRIMARY KEY,
    proved_at  TIMESTAMPTZ NOT NULL
);

-- When a worker was stopped in order: from then on it is not at work.
ALTER TABLE worker_sign ADD COLUMN stopped_at TIMESTAMPTZ;
-- How far the worker's clock is ahead of the others, where that is more than it may be.
ALTER TABLE worker_sign ADD COLUMN clock_off_ms BIGINT;
