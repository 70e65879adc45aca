-- A unique index of a tenant table begins with org_id, so that rows can be split by business. Ids are random and unique
-- by the primary key (org_id, id); these indexes only find a row whose business is not known yet.
DROP INDEX access_link_by_id;
CREATE INDEX access_link_by_id ON access_link (id);
DROP INDEX access_link_copy_by_id;
CREATE INDEX access_link_copy_by_id ON access_link_copy (id);
DROP INDEX message_by_id;
CREATE INDEX message_by_id ON message (id);
DROP INDEX follow_up_by_id;
CREATE INDEX follow_up_by_id ON follow_up (id);
DROP INDEX sla_by_id;
CREATE INDEX sla_by_id ON sla (id);
DROP INDEX number_claim_by_id;
CREATE INDEX number_claim_by_id ON number_claim (id);
DROP INDEX estimate_by_id;
CREATE INDEX estimate_by_id ON estimate (id);
DROP INDEX invoice_by_id;
CREATE INDEX invoice_by_id ON invoice (id);
DROP INDEX checkout_by_id;
CREATE INDEX checkout_by_id ON checkout (id);
DROP INDEX pulse_by_id;
CREATE INDEX pulse_by_id ON pulse (id);
DROP INDEX webhook_delivery_by_id;
CREATE INDEX webhook_delivery_by_id ON webhook_delivery (id);

-- The key is random.
DROP INDEX review_key_by_hash;
CREATE INDEX review_key_by_hash ON review_key (key_hash);

DROP INDEX crew_by_id;
CREATE INDEX crew_by_id ON crew (id);

-- A call reaches one number, and is stored once for the business that holds it.
DROP INDEX call_by_provider_id;
CREATE UNIQUE INDEX call_once ON call (org_id, provider_id);
CREATE INDEX call_by_provider_id ON call (provider_id);
