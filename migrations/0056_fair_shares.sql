-- Among how many a lane's turns were divided when the last was taken (shared/src/message/pace.rs).
ALTER TABLE pace ADD COLUMN sharers BIGINT NOT NULL DEFAULT 1;
