-- The page with the free times of one request finds it by its id (lead::stored_lead::find_inquiry).
CREATE INDEX lead_inquiry_by_id ON lead_inquiry (org_id, id);
