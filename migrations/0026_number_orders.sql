-- An order of a number by an owner: one to buy at Twilio, or one of the account to take over. A worker carries it out.
-- What was bought stays here when the number is given up: Twilio bills it until the operator releases it.
CREATE TABLE number_order (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    number      TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('purchase', 'takeover')),
    -- sending: the purchase may have reached Twilio.
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'done', 'failed')),
    account_id  UUID NOT NULL,
    -- Why it failed.
    reason      TEXT,
    -- Lists of the account without the number since it was sent.
    checks      BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    sent_at     TIMESTAMPTZ,
    ended_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
-- One order of a business at a time, and one business for a number.
CREATE UNIQUE INDEX number_order_open ON number_order (org_id) WHERE state IN ('waiting', 'sending');
CREATE UNIQUE INDEX number_order_of_number ON number_order (number) WHERE state IN ('waiting', 'sending');

-- The registration of a business's texts with the carriers: what it says about itself, and the state at Twilio.
CREATE TABLE texting_registration (
    org_id            UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                UUID NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('toll_free', 'ten_dlc')),
    number            TEXT NOT NULL,
    -- sending: the submission may have reached Twilio.
    state             TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'pending_review', 'in_review', 'approved', 'rejected', 'failed')),
    account_id        UUID NOT NULL,
    -- What the business says about itself and its texts.
    profile           JSONB NOT NULL,
    -- Twilio's id of the verification.
    provider_id       TEXT,
    -- Why it was rejected, or could not be sent.
    reason            TEXT,
    is_editable       BOOLEAN NOT NULL,
    -- Lists of the number without the submission since it was sent.
    checks            BIGINT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    sent_at           TIMESTAMPTZ,
    -- When the state at Twilio was last read.
    checked_at        TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
-- One registration of a number.
CREATE UNIQUE INDEX texting_registration_of_number ON texting_registration (org_id, number);
