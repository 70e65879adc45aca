-- Crews, jobs, bookings, files, and the activity log.

-- A crew of a business, with its own calendar.
CREATE TABLE crew (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    name         TEXT NOT NULL,
    -- Color: one of eight of the palette.
    tone         BIGINT NOT NULL,
    -- Null means the business's hours.
    hours        JSONB,
    is_bookable  BOOLEAN NOT NULL,
    is_active    BOOLEAN NOT NULL,
    position     BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX crew_by_id ON crew (id);

-- A person of a crew.
CREATE TABLE crew_member (
    org_id      UUID NOT NULL,
    crew_id     UUID NOT NULL,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    PRIMARY KEY (org_id, crew_id, account_id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id) ON DELETE CASCADE
);
CREATE INDEX crew_member_by_account ON crew_member (org_id, account_id);

-- A job: planned, running or done.
CREATE TABLE job (
    org_id                UUID NOT NULL,
    id                    UUID NOT NULL,
    number                BIGINT NOT NULL,
    lead_id               UUID NOT NULL,
    customer_id           UUID NOT NULL,
    property_id           UUID,
    crew_id               UUID,
    service               TEXT NOT NULL,
    description           TEXT,
    address               TEXT,
    zip                   TEXT,
    status                TEXT NOT NULL CHECK (status IN ('scheduled', 'in_progress', 'completed', 'cancelled')),
    priority              TEXT NOT NULL CHECK (priority IN ('low', 'standard', 'urgent', 'rush')),
    -- Null with ends_at while it is not scheduled.
    starts_at             TIMESTAMPTZ,
    ends_at               TIMESTAMPTZ,
    duration_minutes      BIGINT NOT NULL,
    arrival_minutes       BIGINT NOT NULL,
    value_cents           BIGINT,
    materials             JSONB NOT NULL,
    special_instructions  TEXT,
    weather_concerns      TEXT,
    -- none, after or before_and_after: photos needed before completion.
    required_photos       TEXT NOT NULL,
    source                TEXT NOT NULL,
    on_my_way_at          TIMESTAMPTZ,
    eta_at                TIMESTAMPTZ,
    started_at            TIMESTAMPTZ,
    completed_at          TIMESTAMPTZ,
    cancelled_at          TIMESTAMPTZ,
    cancel_reason         TEXT,
    confirmed_at          TIMESTAMPTZ,
    -- Grows with every change: a change of an older version is refused.
    version               BIGINT NOT NULL,
    -- Generation of its follow-ups.
    plan                  BIGINT NOT NULL,
    -- starts_at, else created_at: the sort key of the list.
    listed_at             TIMESTAMPTZ NOT NULL,
    search                TEXT NOT NULL,
    created_at            TIMESTAMPTZ NOT NULL,
    updated_at            TIMESTAMPTZ NOT NULL,
    -- Sum of approved change orders; may be negative.
    changes_cents         BIGINT NOT NULL DEFAULT 0,
    -- When somebody unproven last booked or changed it, by a public form. Null once the customer answered at a link
    -- sent to them.
    unproven_at           TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, number),
    CHECK ((starts_at IS NULL) = (ends_at IS NULL)),
    CHECK (starts_at IS NULL OR starts_at < ends_at),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id),
    FOREIGN KEY (org_id, property_id) REFERENCES property (org_id, id)
);
CREATE INDEX job_newest ON job (org_id, listed_at, id);
CREATE INDEX job_by_status ON job (org_id, status, listed_at, id);
CREATE INDEX job_by_time ON job (org_id, starts_at) WHERE starts_at IS NOT NULL AND status <> 'cancelled';
CREATE INDEX job_by_crew ON job (org_id, crew_id, starts_at) WHERE crew_id IS NOT NULL AND status <> 'cancelled';
CREATE INDEX job_unscheduled ON job (org_id, created_at) WHERE starts_at IS NULL AND status = 'scheduled';
CREATE INDEX job_by_lead ON job (org_id, lead_id);
CREATE INDEX job_by_customer ON job (org_id, customer_id, listed_at);
CREATE INDEX job_completed ON job (org_id, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX job_by_crew_newest ON job (org_id, crew_id, listed_at, id);

-- An item of a job's checklist.
CREATE TABLE job_check (
    org_id     UUID NOT NULL,
    id         UUID NOT NULL,
    job_id     UUID NOT NULL,
    position   BIGINT NOT NULL,
    label      TEXT NOT NULL,
    done_at    TIMESTAMPTZ,
    done_by    TEXT,
    -- When the state was chosen on the device: the latest choice wins.
    chosen_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX job_check_by_job ON job_check (org_id, job_id, position);

-- A note on a job.
CREATE TABLE job_note (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    job_id      UUID NOT NULL,
    body        TEXT NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    author      TEXT NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX job_note_by_job ON job_note (org_id, job_id, at);

-- A cost of a job.
CREATE TABLE job_cost (
    org_id          UUID NOT NULL,
    id              UUID NOT NULL,
    job_id          UUID NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('materials', 'labor', 'other')),
    -- Thousandths of a piece or hour.
    quantity_milli  BIGINT NOT NULL,
    rate_cents      BIGINT NOT NULL,
    amount_cents    BIGINT NOT NULL,
    note            TEXT,
    account_id      UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX job_cost_by_job ON job_cost (org_id, job_id, created_at);

-- A change of a job that its crew has not been told yet. Sent together, a minute after the last change.
CREATE TABLE pending_crew_notice (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    crew_id      UUID NOT NULL,
    job_id       UUID NOT NULL,
    -- State of the job before the change.
    was          JSONB,
    at           TIMESTAMPTZ NOT NULL,
    notified_at  TIMESTAMPTZ,
    -- Who made the change: people are not told of their own changes.
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    -- Names of changed fields other than time, crew and status.
    fields       JSONB,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX pending_crew_notice_unsent ON pending_crew_notice (org_id, crew_id, at) WHERE notified_at IS NULL;

-- A photo or document of a lead or job. Its bytes are in the file store.
CREATE TABLE file (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    job_id         UUID,
    -- photo or document.
    kind           TEXT NOT NULL,
    -- estimate, invoice, progress_photo, completion_photo or review_request.
    category       TEXT NOT NULL,
    -- before, during or after the work; photos only.
    moment         TEXT,
    -- auto_reply, job_tracker, review_booster, lead_intake or kpi_pulse.
    tool           TEXT NOT NULL,
    name           TEXT NOT NULL,
    content_type   TEXT NOT NULL,
    bytes          BIGINT NOT NULL,
    sha256         BYTEA NOT NULL,
    width          BIGINT,
    height         BIGINT,
    full_key       TEXT NOT NULL,
    thumb_key      TEXT,
    caption        TEXT,
    account_id     UUID REFERENCES account (id) ON DELETE SET NULL,
    taken_at       TIMESTAMPTZ NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    -- When the customer opened it.
    viewed_at      TIMESTAMPTZ,
    downloaded_at  TIMESTAMPTZ,
    removed_at     TIMESTAMPTZ,
    -- The photo that this one is a drawing on: a file or a photo.
    made_from      UUID,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id)
);
CREATE INDEX file_by_lead ON file (org_id, lead_id, created_at);
CREATE INDEX file_by_job ON file (org_id, job_id, created_at) WHERE job_id IS NOT NULL;
CREATE INDEX file_by_full_key ON file (full_key);
CREATE INDEX file_by_thumb_key ON file (thumb_key) WHERE thumb_key IS NOT NULL;
CREATE INDEX file_photo_by_age ON file (org_id, created_at, id) WHERE kind = 'photo' AND removed_at IS NULL;

-- An entry of the activity log. Timelines are read from it, and a change is undone by it.
CREATE TABLE work_event (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    lead_id      UUID NOT NULL,
    job_id       UUID,
    -- The estimate, invoice, payment or file.
    subject_id   UUID,
    kind         TEXT NOT NULL,
    -- When it happened, by the device.
    at           TIMESTAMPTZ NOT NULL,
    -- When it was stored.
    recorded_at  TIMESTAMPTZ NOT NULL,
    actor_kind   TEXT NOT NULL CHECK (actor_kind IN ('account', 'customer', 'system')),
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    actor_name   TEXT NOT NULL,
    detail       JSONB NOT NULL,
    -- Previous state, as long as it can be undone.
    was          JSONB,
    undone_at    TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX work_event_by_lead ON work_event (org_id, lead_id, at, id);
CREATE INDEX work_event_by_job ON work_event (org_id, job_id, at, id) WHERE job_id IS NOT NULL;
CREATE INDEX work_event_by_id ON work_event (id);

-- A free time reserved for a visitor who fills in the booking form.
CREATE TABLE slot_hold (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    crew_id      UUID NOT NULL,
    starts_at    TIMESTAMPTZ NOT NULL,
    ends_at      TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    -- The visit that is moved, if any.
    job_id       UUID,
    source_hash  BYTEA,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id) ON DELETE CASCADE
);
CREATE INDEX slot_hold_by_crew ON slot_hold (org_id, crew_id, starts_at);
CREATE INDEX slot_hold_by_age ON slot_hold (expires_at);

-- A visit asked for by somebody unproven. The time is held for fifteen minutes, and booked when they confirm by link
-- or text.
CREATE TABLE booking_request (
    org_id        UUID NOT NULL,
    -- Of the held time; also what the link in the text opens.
    id            UUID NOT NULL,
    lead_id       UUID NOT NULL,
    -- What the link in the email opens.
    email_ref     UUID NOT NULL,
    crew_id       UUID NOT NULL,
    starts_at     TIMESTAMPTZ NOT NULL,
    ends_at       TIMESTAMPTZ NOT NULL,
    -- As typed: name, service, zip, address, notes.
    wish          JSONB NOT NULL,
    -- Where the question was sent; null where it was not.
    phone         TEXT,
    email         TEXT,
    -- Keyed hash of the network.
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
