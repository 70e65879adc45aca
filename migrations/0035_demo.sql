-- Of which day the demonstration is. It is seeded anew each night of its zone; the row goes with it, and comes back when
-- the last of its files is there (shared/src/demo.rs).
CREATE TABLE demo_seed (
    org_id     UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    day        DATE NOT NULL,
    seeded_at  TIMESTAMPTZ NOT NULL
);
