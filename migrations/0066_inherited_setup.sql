-- When the address of a business was proven by somebody who was not signed in: what was set before may be a stranger's,
-- and is shown until the owner resets or keeps it. shared/src/trust_level/inherited.rs.
ALTER TABLE org_trust ADD COLUMN inherited_until TIMESTAMPTZ;
