-- Whether anything was done by hand to a customer or a lead since a list brought them in is asked of the audit log when the
-- list is taken back. shared/src/customer/import/undo.rs.
CREATE INDEX audit_event_by_subject ON audit_event (org_id, subject_id) WHERE subject_id IS NOT NULL;
