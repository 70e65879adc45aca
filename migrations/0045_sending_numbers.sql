-- Which business sends from which number. docs/sending-numbers.md.

CREATE TABLE sending_number (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- A number in E.164, or the id of the install's Messaging Service.
    sender      TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('number', 'service')),
    -- kept: it stood in the business's settings before numbers were assigned.
    assigned_by TEXT NOT NULL CHECK (assigned_by IN ('first_business', 'operator', 'code', 'kept')),
    account_id  UUID,
    assigned_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, sender)
);
-- A number belongs to one business; a service may be shared.
CREATE UNIQUE INDEX sending_number_once ON sending_number (sender) WHERE kind = 'number';
CREATE INDEX sending_number_by_sender ON sending_number (sender, assigned_at);

-- The senders that were given to the first business. Afterwards only the operator assigns them.
CREATE TABLE install_sender (
    sender      TEXT PRIMARY KEY,
    given_at    TIMESTAMPTZ NOT NULL
);

-- Whom a business wrote to from a sender, and when last: whose answer an answer is, and whom a STOP reaches.
CREATE TABLE sending_contact (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    sender      TEXT NOT NULL,
    address     TEXT NOT NULL,
    -- Null while no text has left.
    wrote_at    TIMESTAMPTZ,
    -- What stood there before the attempt that is under way.
    before_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, sender, address)
);
CREATE INDEX sending_contact_by_address ON sending_contact (sender, address);
CREATE INDEX sending_contact_of_person ON sending_contact (org_id, address);

-- The Messaging Service that the business may send from, where it has no number.
ALTER TABLE org ADD COLUMN messaging_service TEXT;

INSERT INTO sending_number (org_id, sender, kind, assigned_by, account_id, assigned_at)
    SELECT id, sms_number, 'number', 'kept', NULL, created_at FROM org WHERE sms_number IS NOT NULL;
-- 'install' is renamed at the first start, when the install's own sender is known.
INSERT INTO sending_contact (org_id, sender, address, wrote_at, before_at)
    SELECT m.org_id, COALESCE(o.sms_number, 'install'), m.to_address, MAX(m.sent_at), NULL
    FROM message m JOIN org o ON o.id = m.org_id
    WHERE m.direction = 'out' AND m.channel = 'sms' AND m.sent_at IS NOT NULL
    GROUP BY m.org_id, COALESCE(o.sms_number, 'install'), m.to_address;
