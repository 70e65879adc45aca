-- Indexes by what statements ask for: tests/stories/plans.rs lists who uses each of them, on both databases.

-- A task passes through its states in indexes of their own; that of its business names no state, so that a change of
-- state does not write it.
DROP INDEX task_by_org;
CREATE INDEX task_by_org ON task (org_id, created_at, id);
DROP INDEX task_finished;
CREATE INDEX task_done ON task (finished_at) WHERE status = 'done';
CREATE INDEX task_dead ON task (finished_at) WHERE status = 'dead';
DROP INDEX task_charged;
CREATE INDEX task_charged ON task (status, finished_at) WHERE crashes > 0;
CREATE INDEX task_dead_by_org ON task (org_id, created_at, id) WHERE status = 'dead';

-- The same for a message: whom it goes to does not change.
DROP INDEX message_by_receiver;
CREATE INDEX message_by_receiver ON message (org_id, to_address) WHERE direction = 'out';

-- Businesses with something to tell, found each minute.
DROP INDEX alert_to_tell;
CREATE INDEX alert_to_tell ON alert (org_id, due_at) WHERE told_at IS NULL;
-- The few alerts of a lead are found by `alert_by_lead`.
DROP INDEX alert_with_link;
-- Steps of a climb are tasks; alerts that climb are looked for once, when a restored install is let send again.
DROP INDEX alert_climbing;

-- No statement uses them.
DROP INDEX task_suspect;
DROP INDEX session_by_expiry;
DROP INDEX review_by_job;

-- Rows that a task names by id, and whose business is what is found out.
CREATE INDEX work_event_by_id ON work_event (id);
CREATE INDEX payment_by_id ON payment (id);
CREATE INDEX push_device_by_id ON push_device (id);
CREATE INDEX approval_uncopied ON approval (estimate_id) WHERE file_id IS NULL;

-- Requests for an account, beside what was bought for them.
CREATE INDEX subscription_by_request ON subscription (request_id);
CREATE INDEX demo_request_by_org ON demo_request (org_id);

-- Whether a row still names a file, asked for each file that may be left over.
CREATE INDEX photo_by_full_key ON photo (full_key);
CREATE INDEX photo_by_thumb_key ON photo (thumb_key) WHERE thumb_key IS NOT NULL;

-- When Stripe last told a business of something.
CREATE INDEX stripe_event_by_org ON stripe_event (org_id, received_at);
