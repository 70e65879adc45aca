-- Carriers take a text a second from a number, and so many a day from a business; what is more waits its turn here.

-- A lane is a sending number, or the hurried or the patient texts of one business on the way to it.
CREATE TABLE pace (
    lane        TEXT PRIMARY KEY,
    -- When the lane is free again, in milliseconds since 1970: turns are reckoned in it.
    free_at_ms  BIGINT NOT NULL,
    -- Of the carriers' own zone, and how many texts took a turn on it.
    day         TEXT NOT NULL,
    texts       BIGINT NOT NULL
);
-- Which turns a message has had: none, its business's, its number's.
ALTER TABLE message ADD COLUMN paced BIGINT NOT NULL DEFAULT 0;
