-- Since when what a subscription charges is owed, and in which of Stripe's two worlds it is (shared/src/billing).

-- When the oldest invoice was made that is still to be paid. None when nothing is owed, or Stripe was not asked yet.
ALTER TABLE subscription ADD COLUMN owed_since TIMESTAMPTZ;
-- Whether real money moves, in Stripe's word. None until Stripe said so.
ALTER TABLE subscription ADD COLUMN livemode BOOLEAN;
-- Whether the keys of the install are of the same world: what was bought with a test card pays for nothing afterwards.
ALTER TABLE subscription ADD COLUMN counts BOOLEAN NOT NULL DEFAULT TRUE;
