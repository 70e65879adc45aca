-- Tasks of one business that wait for different providers do not wait for each other: each lane has places of its own.
-- What is queued already stays in the lane of its kind; emails among `send_message` are in that of texts.
ALTER TABLE task ADD COLUMN lane TEXT NOT NULL DEFAULT 'other'
    CHECK (lane IN ('text', 'email', 'money', 'webhook', 'other'));
UPDATE task SET lane = CASE
        WHEN kind IN ('send_message', 'settle_doubt', 'fetch_media', 'send_number_code') THEN 'text'
        WHEN kind = 'send_install_mail' THEN 'email'
        WHEN kind = 'call_hook' THEN 'webhook'
        ELSE 'money' END
    WHERE status IN ('ready', 'running', 'dead') AND kind IN ('send_message', 'settle_doubt', 'fetch_media',
        'send_number_code', 'send_install_mail', 'call_hook', 'settle_checkout', 'expire_checkout', 'reconcile',
        'check_account', 'refund_card', 'settle_subscription', 'drop_attempt');
DROP INDEX task_due_by_org;
DROP INDEX task_parked;
CREATE INDEX task_due_by_lane ON task (org_id, lane, turn_at) WHERE status = 'ready' AND queue_state = 'due';
CREATE INDEX task_parked ON task (org_id, lane, turn_at, id) WHERE status = 'ready' AND queue_state = 'parked';
