-- When the phone that was asked wrote that the request is not theirs. The request books nothing then.
ALTER TABLE booking_request ADD COLUMN denied_at TIMESTAMPTZ;
-- Why its time was not held; null where it was. Such a request was sent no question and counts toward no limit.
ALTER TABLE booking_request ADD COLUMN not_held TEXT;
