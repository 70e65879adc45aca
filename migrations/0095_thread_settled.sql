-- When their last word was done by the program: it confirmed a booking. Nobody waits since then, until they write again.
ALTER TABLE thread ADD COLUMN settled_at TIMESTAMPTZ;
