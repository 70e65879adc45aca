-- When the business was last told of a request: asked for each call, form and text about an open one.
CREATE INDEX alert_by_lead ON alert (org_id, lead_id, created_at);
