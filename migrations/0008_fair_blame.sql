-- Tasks that were charged with the death of a worker and ran to their end later: few, and asked for when a worker died.
CREATE INDEX task_charged ON task (finished_at) WHERE crashes > 0;
