-- Registration of local numbers (A2P 10DLC): the next step at Twilio. Null for toll-free numbers.
ALTER TABLE texting_registration ADD COLUMN step TEXT;
-- The kind of brand, and Twilio's ids of what the steps before have made.
ALTER TABLE texting_registration ADD COLUMN progress JSONB;
