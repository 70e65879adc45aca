-- The request that queued the task, or the task that queued it, for logs and traces. Null for work that the programs
-- begin by themselves, and in tasks from before this column.
ALTER TABLE task ADD COLUMN request_id UUID;
