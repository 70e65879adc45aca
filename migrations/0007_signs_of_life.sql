-- When each worker was last known to live: an empty queue must not hide that nobody is there to work it off.
CREATE TABLE worker_sign (
    worker   TEXT PRIMARY KEY,
    seen_at  TIMESTAMPTZ NOT NULL
);
