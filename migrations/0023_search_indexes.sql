-- Search keys beside customer.search. They are columns and not expressions of an index: row-level security keeps
-- PostgreSQL from searching an index by functions that it does not know to be leakproof.
-- The last word of the name, in lower case.
ALTER TABLE customer ADD COLUMN last_word TEXT NOT NULL DEFAULT '';
-- The last four digits of phone_e164.
ALTER TABLE customer ADD COLUMN phone_end TEXT;
UPDATE customer SET last_word = SUBSTR(SUBSTR(search, 1, LENGTH(name)), LENGTH(RTRIM(name, REPLACE(name, ' ', ''))) + 1),
    phone_end = SUBSTR(phone_e164, LENGTH(phone_e164) - 3);
CREATE INDEX customer_by_last_word ON customer (org_id, last_word) WHERE merged_into IS NULL;
CREATE INDEX customer_by_phone_end ON customer (org_id, phone_end) WHERE merged_into IS NULL;
CREATE INDEX customer_by_search ON customer (org_id, search) WHERE merged_into IS NULL;
