-- Card money agrees with Stripe (docs/card-payments.md): refunds in doubt, pay pages that are expired, whose account and
-- which of Stripe's two modes a payment is of.

-- payment.status has two more values. unknown: a refund was asked for and Stripe has not confirmed it. test: a payment in
-- Stripe's test mode, which counts nowhere.

-- When a refund was first asked for at Stripe; without it nothing was asked, so nothing is in doubt.
ALTER TABLE payment ADD COLUMN attempted_at TIMESTAMPTZ;
-- Which idempotency key of the refund is in use; another one once Stripe stored a failure under the one before.
ALTER TABLE payment ADD COLUMN key_no BIGINT NOT NULL DEFAULT 0;
-- The Stripe account that holds the payment. None for rows of earlier versions: the account in force.
ALTER TABLE payment ADD COLUMN account TEXT;
-- Stripe's id of the charge, and of the payout with which it went to the bank.
ALTER TABLE payment ADD COLUMN charge_id TEXT;
ALTER TABLE payment ADD COLUMN payout_id TEXT;
DROP INDEX payment_by_provider_id;
CREATE UNIQUE INDEX payment_by_provider_id ON payment (org_id, provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX payment_by_charge ON payment (org_id, charge_id) WHERE charge_id IS NOT NULL;

-- Of which Stripe account the page is; none for rows of earlier versions.
ALTER TABLE checkout ADD COLUMN account TEXT;
-- Stripe's own word on whether real money moves there; none until it was opened.
ALTER TABLE checkout ADD COLUMN livemode BOOLEAN;
-- Nobody is sent there any more, and it is still to be expired at Stripe.
ALTER TABLE checkout ADD COLUMN is_closing BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX checkout_by_provider_id;
CREATE UNIQUE INDEX checkout_by_provider_id ON checkout (org_id, provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX checkout_open_by_lead ON checkout (org_id, lead_id) WHERE status IN ('opening', 'open');
CREATE INDEX checkout_closing ON checkout (org_id, account) WHERE is_closing = TRUE;

-- Which idempotency keys of a request for a subscription are in use.
ALTER TABLE demo_request ADD COLUMN key_no BIGINT NOT NULL DEFAULT 0;
