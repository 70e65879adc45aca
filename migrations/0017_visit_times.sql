-- Which beginning of a visit a step of its plan tells of: what the customer was told last is read from it, and a step of
-- a visit that was moved meanwhile is known by it.
ALTER TABLE follow_up ADD COLUMN visit_at TIMESTAMPTZ;
