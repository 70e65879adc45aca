-- A browser in which a password was chosen by a mailed link, before its first sign-in: the tries at the password of
-- strangers do not keep it out.
ALTER TABLE known_device ADD COLUMN is_unused BOOLEAN NOT NULL DEFAULT FALSE;
