-- Whether a touch uses up the requests that its business answers by itself in an hour: not what was held for its sender
-- (a robot, or a network that sends too many), nor what the office typed.
ALTER TABLE lead_touch ADD COLUMN is_counted BOOLEAN NOT NULL DEFAULT TRUE;
DROP INDEX lead_touch_by_time;
CREATE INDEX lead_touch_by_time ON lead_touch (org_id, at, is_counted);
