-- Whether Stripe ever told of a dispute, asked at every look at a payment.
CREATE INDEX stripe_event_by_kind ON stripe_event (org_id, kind);
