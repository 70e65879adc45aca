-- Lists that are narrowed, and how long they are, without a look at every row: invoices by how they stand, jobs by crew.
CREATE INDEX invoice_by_status ON invoice (org_id, status, created_at DESC, id DESC);
CREATE INDEX job_of_crew ON job (org_id, crew_id, listed_at DESC, id DESC);
