-- The payment behind a visit to Stripe's pay page (pi_…): what Stripe's later news of it name.
ALTER TABLE checkout ADD COLUMN payment_provider_id TEXT;
CREATE INDEX checkout_by_payment ON checkout (org_id, payment_provider_id);
