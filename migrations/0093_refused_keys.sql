-- Since when Stripe refuses a key that a business pasted; null while it takes it.
ALTER TABLE org_secret ADD COLUMN refused_at TIMESTAMPTZ;
