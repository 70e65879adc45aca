-- When the phone of the form that typed this email said yes to the request of that form. The email stays in use then.
ALTER TABLE customer_key ADD COLUMN request_confirmed_at TIMESTAMPTZ;
-- The customer whose address it was until the office used it for this one, for the undo.
ALTER TABLE contact_proposal ADD COLUMN taken_from UUID;
