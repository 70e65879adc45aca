-- Search by the beginning of the last word of a customer's name, in lower case: the word begins where the name ends
-- without its last letters that are no blanks.
CREATE INDEX customer_by_last_word
    ON customer (org_id, SUBSTR(search, LENGTH(RTRIM(name, REPLACE(name, ' ', ''))) + 1)) WHERE merged_into IS NULL;
-- The same by the beginning of the whole name.
CREATE INDEX customer_by_search ON customer (org_id, search) WHERE merged_into IS NULL;
-- Search by the last digits of a phone number.
CREATE INDEX customer_key_by_last_digits
    ON customer_key (org_id, kind, SUBSTR(value, LENGTH(value) - 3)) WHERE kind = 'phone';
