-- Who made a change that a crew is to be told of: nobody is told what they did themselves.
ALTER TABLE crew_change ADD COLUMN account_id UUID REFERENCES account (id) ON DELETE SET NULL;
-- What of the job was changed beside its time, its crew and its status: names of fields.
ALTER TABLE crew_change ADD COLUMN fields JSONB;
-- The task that tells a crew names it by its id alone.
CREATE UNIQUE INDEX crew_by_id ON crew (id);
-- Invitations as the owner looks through them.
CREATE INDEX invite_newest ON invite (org_id, created_at);
