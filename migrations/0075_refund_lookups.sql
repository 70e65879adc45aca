-- Refunds that are still to be asked for, on their way or in doubt, looked up each night.
CREATE INDEX payment_under_way ON payment (org_id) WHERE status IN ('pending', 'unknown');
