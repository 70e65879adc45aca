-- Which sender the lane is a share of: its lanes are found by an index, whatever the collation. None for other lanes.
ALTER TABLE pace ADD COLUMN sender TEXT;
-- What has gone on to the number, in the same milliseconds as free_at_ms (shared/src/message/pace/share.rs).
ALTER TABLE pace ADD COLUMN passed_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX pace_sender ON pace (sender);
