-- Stripe's id (acct_…) of the platform that reaches the account. Null until Stripe has named it: another platform's key
-- gets the same refusal as one whose access was revoked.
ALTER TABLE connected_account ADD COLUMN platform TEXT;
-- Since when the platform in force does not reach the account in use. Null while it does.
ALTER TABLE connected_account ADD COLUMN unreachable_at TIMESTAMPTZ;
