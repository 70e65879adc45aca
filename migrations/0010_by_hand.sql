-- A text that could not leave: the link that opens it, filled in, on the person's own phone.
ALTER TABLE alert ADD COLUMN text_link TEXT;
