-- Finding the keys of a customer: without this, every new customer costs a walk through all keys of the business.
CREATE INDEX customer_key_by_customer ON customer_key (org_id, customer_id);

-- An email's HTML is drawn when it is sent: what it shows beside the text is a tenth of its size.
ALTER TABLE message ADD COLUMN page JSONB;
ALTER TABLE message DROP COLUMN html;

-- A suspect is a task whose worker died; it runs alone, and `begun` tells whether it had begun to when its worker died
-- again: only that counts as a crash.
ALTER TABLE task ADD COLUMN suspect BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE task ADD COLUMN begun BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX task_suspect ON task (status) WHERE suspect;

-- The list of tasks goes on from a task of its page.
DROP INDEX task_by_org;
CREATE INDEX task_by_org ON task (org_id, status, created_at, id);
