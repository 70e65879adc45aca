-- A change order is a row of estimate that names the job it changes: versions, signatures and papers are an estimate's.
-- (A table that is there takes no composite foreign key on SQLite; whoever writes the job has read it in its org.)
-- Its number is kept below nothing, -1001 for CO-1001: (org_id, number, version) is unique over both series.
ALTER TABLE estimate ADD COLUMN job_id UUID;
CREATE INDEX estimate_by_job ON estimate (org_id, job_id, created_at) WHERE job_id IS NOT NULL;
-- What approved change orders add to what the job is worth; below nothing where they take something off.
ALTER TABLE job ADD COLUMN changes_cents BIGINT NOT NULL DEFAULT 0;
