-- A photo that was drawn on names the photo it was made from: a file, or a photo that came with a form or a text.
ALTER TABLE file ADD COLUMN made_from UUID;
-- A place that was taken off the list stays for the jobs that were done there, and comes back with them.
ALTER TABLE property ADD COLUMN removed_at TIMESTAMPTZ;
