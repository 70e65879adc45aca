-- One person's data, erased at their wish (shared/src/erasure.rs). The row says whom it is of by an id alone, and stays as
-- the proof that it was done.
CREATE TABLE erasure (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    asked_at     TIMESTAMPTZ NOT NULL,
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    -- Until then it can be taken back.
    due_at       TIMESTAMPTZ NOT NULL,
    -- waiting, done or undone.
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'undone')),
    ended_at     TIMESTAMPTZ,
    rows         BIGINT NOT NULL,
    files        BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX erasure_one_waits ON erasure (org_id, customer_id) WHERE state = 'waiting';
CREATE INDEX erasure_due ON erasure (due_at) WHERE state = 'waiting';

-- Keyed hashes of the addresses of erased people that asked for no messages: they are not written to when they come again.
CREATE TABLE erased_opt_out (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    address_hash  BYTEA NOT NULL,
    at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, address_hash)
);
