-- The list of leads, newest or oldest first.
CREATE INDEX lead_by_creation ON lead (org_id, created_at, id);
-- The same by amount: what was quoted, else what was collected.
CREATE INDEX lead_by_value ON lead (org_id, (COALESCE(quoted_cents, collected_cents, 0)), id);
-- Those of a source, and those of an owner or of nobody.
CREATE INDEX lead_by_source ON lead (org_id, source, last_touch_at, id);
CREATE INDEX lead_by_owner ON lead (org_id, owner_account_id, last_touch_at, id);
-- The list of invoices by the day they are due, those without one last, and by their total.
CREATE INDEX invoice_by_due_day ON invoice (org_id, (COALESCE(due_on, '9999-12-31')), id);
CREATE INDEX invoice_by_total ON invoice (org_id, total_cents, id);
