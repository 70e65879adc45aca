-- Visits to Stripe's pay page that the bank refused: they are asked about until they are settled, and jobs show it.
CREATE INDEX checkout_refused ON checkout (org_id, lead_id) WHERE status = 'failed';
