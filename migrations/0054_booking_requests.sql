-- A visit that somebody asked for whose phone and email are not proven: its time is held for fifteen minutes and booked
-- when they press the button behind the link that was sent there, or answer the text. shared/src/booking/request.rs.
CREATE TABLE booking_request (
    org_id        UUID NOT NULL,
    -- Of the held time.
    id            UUID NOT NULL,
    lead_id       UUID NOT NULL,
    -- What the link in the email opens; the link in the text opens `id`.
    email_ref     UUID NOT NULL,
    crew_id       UUID NOT NULL,
    starts_at     TIMESTAMPTZ NOT NULL,
    ends_at       TIMESTAMPTZ NOT NULL,
    -- As it was typed: name, service, zip, address, notes.
    wish          JSONB NOT NULL,
    -- Where the question went; none where it could not.
    phone         TEXT,
    email         TEXT,
    -- The network it came from, blurred.
    source_hash   BYTEA,
    created_at    TIMESTAMPTZ NOT NULL,
    expires_at    TIMESTAMPTZ NOT NULL,
    confirmed_at  TIMESTAMPTZ,
    job_id        UUID,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX booking_request_by_email_ref ON booking_request (org_id, email_ref);
CREATE INDEX booking_request_by_time ON booking_request (org_id, created_at);
CREATE INDEX booking_request_by_phone ON booking_request (org_id, phone, expires_at) WHERE confirmed_at IS NULL;
CREATE INDEX booking_request_by_lead ON booking_request (org_id, lead_id);
