-- Language of the app for this person: en or es. Null until they choose; the device's language is shown until then.
ALTER TABLE account ADD COLUMN language TEXT;
