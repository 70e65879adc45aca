-- Keyed hash of the IPv4 /24 or the IPv6 /48 around the visitor, which holds one time of a day.
ALTER TABLE slot_hold ADD COLUMN surrounding_hash BYTEA;
