-- When a person last had a message sent again: they knew then how what it is about stands. None when nobody did.
ALTER TABLE message ADD COLUMN resent_at TIMESTAMPTZ;
