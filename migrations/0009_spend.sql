-- What keeps a fraud with texts cheap, and what a text cost.

-- The numbers that rules texted on their own, and that never wrote to us: by exchange (`+1512555`), for the caps on one
-- number and on one exchange. Kept for two days.
CREATE TABLE text_reach (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    exchange  TEXT NOT NULL,
    number    TEXT NOT NULL,
    last_at   TIMESTAMPTZ NOT NULL,
    -- Of the org's own zone, and how many texts left on it.
    day       TEXT NOT NULL,
    texts     BIGINT NOT NULL,
    PRIMARY KEY (org_id, exchange, number)
);
CREATE INDEX text_reach_by_age ON text_reach (last_at);

-- What the provider says that a text cost, in millionths of a US dollar; none until it says so.
ALTER TABLE message ADD COLUMN price_micros BIGINT;
