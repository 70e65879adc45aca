-- Which accounts failed from which network, and which have signed in from there (shared/src/throttle/spraying.rs). Keyed
-- hashes only; what counts no more is removed.
CREATE TABLE network_sign_in (
    network_hash  BYTEA NOT NULL,
    account_hash  BYTEA NOT NULL,
    failed_at     TIMESTAMPTZ,
    succeeded_at  TIMESTAMPTZ,
    PRIMARY KEY (network_hash, account_hash)
);
CREATE INDEX network_sign_in_failed ON network_sign_in (network_hash, failed_at);
