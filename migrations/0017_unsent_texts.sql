-- Texts that were not sent, newest first: the settings count those to send again.
CREATE INDEX message_unsent_texts ON message (org_id, created_at) WHERE status = 'not_sent' AND channel = 'sms';
