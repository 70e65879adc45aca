-- When somebody last booked or changed this visit who had not shown to be its customer: a name, a phone and an email in a
-- public form, or a press at the page that the form was answered with. Null where nobody did, and once the customer has
-- answered at a link that was sent to them.
ALTER TABLE job ADD COLUMN unproven_at TIMESTAMPTZ;
