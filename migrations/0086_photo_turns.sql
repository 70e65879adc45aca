-- Photos are redrawn by turns of the businesses, and those of one business in the order of their leads.
DROP INDEX photo_upload_in_order;
CREATE INDEX photo_upload_in_turn ON photo_upload (org_id, created_at, touch_id, position) WHERE is_stored;
