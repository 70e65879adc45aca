-- One person, several numbers: which they used last, and what is known of each.

-- Replies go to the number that was used last. None: before this was kept.
ALTER TABLE customer_key ADD COLUMN last_used_at TIMESTAMPTZ;
-- The phone network said that this number takes no texts; it holds for 90 days. In place of `customer.no_sms_since`,
-- which nothing reads any more.
ALTER TABLE customer_key ADD COLUMN no_sms_since TIMESTAMPTZ;
UPDATE customer_key SET no_sms_since = (SELECT c.no_sms_since FROM customer c
    WHERE c.org_id = customer_key.org_id AND c.id = customer_key.customer_id AND c.phone_e164 = customer_key.value)
    WHERE kind = 'phone';

-- Who was known by email and then named a number, or the other way round.
UPDATE customer SET phone_e164 = (SELECT MAX(k.value) FROM customer_key k WHERE k.org_id = customer.org_id
    AND k.customer_id = customer.id AND k.kind = 'phone' AND k.value <> 'hidden') WHERE phone_e164 IS NULL;
UPDATE customer SET email = (SELECT MAX(k.value) FROM customer_key k WHERE k.org_id = customer.org_id
    AND k.customer_id = customer.id AND k.kind = 'email') WHERE email IS NULL;
