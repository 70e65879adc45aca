-- A number that a business of this install has had, also when the business is gone. Only the operator gives such a
-- number to another business: people may still write to its former holder.
CREATE TABLE held_number (
    -- E.164, or a short code of the install.
    number         TEXT PRIMARY KEY,
    first_held_at  TIMESTAMPTZ NOT NULL
);
INSERT INTO held_number (number, first_held_at)
    SELECT k.number, MIN(k.held_at) FROM (
        SELECT sender AS number, assigned_at AS held_at FROM sending_number WHERE kind = 'number'
        UNION ALL SELECT number, created_at FROM number_order WHERE state = 'done'
        UNION ALL SELECT number, created_at FROM number_claim WHERE state = 'used'
        UNION ALL SELECT sender, last_sent_at FROM sending_contact WHERE last_sent_at IS NOT NULL AND sender LIKE '+%'
        UNION ALL SELECT sender, given_at FROM install_sender WHERE sender LIKE '+%'
    ) AS k GROUP BY k.number;

-- bought, taken_over: by the owner. SQLite changes a check only with a new table.
CREATE TABLE sending_number_new (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- A number in E.164, or the id of the install's Messaging Service.
    sender       TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('number', 'service')),
    -- kept: it was in the settings before numbers were assigned.
    assigned_by  TEXT NOT NULL CHECK (assigned_by IN ('first_business', 'operator', 'code', 'kept', 'bought', 'taken_over')),
    account_id   UUID,
    assigned_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, sender)
);
INSERT INTO sending_number_new (org_id, sender, kind, assigned_by, account_id, assigned_at)
    SELECT n.org_id, n.sender, n.kind,
        CASE
            WHEN n.assigned_by = 'operator' AND EXISTS (SELECT 1 FROM number_order o WHERE o.org_id = n.org_id
                AND o.number = n.sender AND o.account_id = n.account_id AND o.state = 'done' AND o.kind = 'purchase')
                THEN 'bought'
            WHEN n.assigned_by = 'operator' AND EXISTS (SELECT 1 FROM number_order o WHERE o.org_id = n.org_id
                AND o.number = n.sender AND o.account_id = n.account_id AND o.state = 'done' AND o.kind = 'takeover')
                THEN 'taken_over'
            ELSE n.assigned_by
        END,
        n.account_id, n.assigned_at
    FROM sending_number n;
DROP TABLE sending_number;
ALTER TABLE sending_number_new RENAME TO sending_number;
-- A number belongs to one business; a service may be shared.
CREATE UNIQUE INDEX sending_number_once ON sending_number (sender) WHERE kind = 'number';
CREATE INDEX sending_number_by_sender ON sending_number (sender, assigned_at);

-- A sign-in with a passkey names no account yet: its browser is found by the token alone (security::device::is_known_device).
CREATE INDEX known_device_by_token ON known_device (token_hash);
