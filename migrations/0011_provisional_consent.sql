-- A box that was ticked in a public form counts once the number that the form named has answered that request. What was
-- ticked before this column was there counts as it did.
ALTER TABLE consent ADD COLUMN is_provisional BOOLEAN NOT NULL DEFAULT FALSE;
-- When the number answered.
ALTER TABLE consent ADD COLUMN confirmed_at TIMESTAMPTZ;
