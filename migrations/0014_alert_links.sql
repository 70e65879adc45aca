-- The alerts that ask somebody to text from their own phone: looked up when a text fails, and when a number is not to be
-- texted any more.
CREATE INDEX alert_with_link ON alert (org_id, lead_id) WHERE text_link IS NOT NULL;
