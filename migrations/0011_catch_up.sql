-- Until when the provider's own list of what reached a number of ours was looked through: what came while the API was
-- away is found there. One number, one list, whoever it belongs to.
CREATE TABLE number_watch (
    number        TEXT PRIMARY KEY,
    -- What came before is not looked for: the number was another's.
    since         TIMESTAMPTZ NOT NULL,
    looked_until  TIMESTAMPTZ NOT NULL
);
