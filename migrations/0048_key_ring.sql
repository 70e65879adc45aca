-- Keys of the install that were in force before (shared/src/key_ring.rs). Each is sealed with the one in force: hashes of
-- addresses that asked for no messages were made with it and must be found for years, after it opens nothing else.
CREATE TABLE retired_key (
    -- From which nobody finds the key.
    name         TEXT PRIMARY KEY,
    sealed       BYTEA NOT NULL,
    retired_at   TIMESTAMPTZ NOT NULL,
    -- When everything that it had sealed was sealed anew.
    finished_at  TIMESTAMPTZ
);
