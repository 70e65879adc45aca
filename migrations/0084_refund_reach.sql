-- A refund in doubt of which Stripe cannot be asked now: its keys are gone or refused (docs/card-payments.md). Then the
-- business says how it ended.
ALTER TABLE payment ADD COLUMN is_unreachable BOOLEAN NOT NULL DEFAULT FALSE;
