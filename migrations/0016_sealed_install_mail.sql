-- Subject, text and links of queued mail, sealed with the install's key ring: the links open invitations. Null once the
-- mail is sent or refused, and in mail that was queued before this column.
ALTER TABLE install_mail ADD COLUMN sealed BYTEA;
UPDATE install_mail SET subject = '', body = '', page = NULL WHERE status <> 'queued';
