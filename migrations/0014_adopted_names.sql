-- When a yes by text gave the customer the name of a form. Null for a name from elsewhere.
ALTER TABLE customer ADD COLUMN name_confirmed_at TIMESTAMPTZ;
