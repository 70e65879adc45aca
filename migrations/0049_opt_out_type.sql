-- What Twilio itself said that an inbound text is: STOP, START or HELP. Proof, and what tells a late word from a repeated one.
ALTER TABLE message ADD COLUMN opt_out_type TEXT;
-- STOP, and the wait for what still leaves, ask by number.
CREATE INDEX message_by_receiver ON message (org_id, to_address, status) WHERE direction = 'out';
