-- The papers that were sent to an address, when it is set aside (contact_point::sent_papers).
CREATE INDEX access_link_copy_by_address ON access_link_copy (org_id, kind, value);
