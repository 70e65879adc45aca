-- Salt of the commitment below. An erasure of the person removes it together with the network address and the browser.
ALTER TABLE audit_event ADD COLUMN origin_salt BYTEA;
-- SHA-256 of the salt, the network address and the browser of a visitor's line: the chain covers it in their place. Null
-- where the chain covers them in clear: lines of accounts, and those from before this column.
ALTER TABLE audit_event ADD COLUMN origin_hash BYTEA;
