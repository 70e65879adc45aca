-- Lookups of money that the nightly comparison and the refund pages make.

-- What went back of a payment.
CREATE INDEX payment_by_refund ON payment (org_id, refund_of) WHERE refund_of IS NOT NULL;

-- Pages on which a bank still works.
CREATE INDEX checkout_at_bank ON checkout (org_id) WHERE status = 'open' AND url IS NULL;

-- No statement reads it.
DROP INDEX checkout_closing;
