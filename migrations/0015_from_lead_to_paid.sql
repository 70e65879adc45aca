-- From lead to paid: estimates, approvals, jobs, crews, booking, files, invoices, payments, and what follows by itself.

-- Numbers without gaps: taken in the transaction that stores what carries them, so a rollback gives the number back.
CREATE TABLE number_series (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    last    BIGINT NOT NULL,
    PRIMARY KEY (org_id, kind)
);

-- What happened to a piece of work: who, when, how. The timeline is read from it; a change can be undone by it.
CREATE TABLE work_event (
    org_id        UUID NOT NULL,
    id            UUID NOT NULL,
    lead_id       UUID NOT NULL,
    job_id        UUID,
    -- The estimate, invoice, payment or file it is about.
    subject_id    UUID,
    kind          TEXT NOT NULL,
    -- When it happened, by the device that was there; when we heard of it.
    at            TIMESTAMPTZ NOT NULL,
    recorded_at   TIMESTAMPTZ NOT NULL,
    actor_kind    TEXT NOT NULL CHECK (actor_kind IN ('account', 'customer', 'system')),
    account_id    UUID REFERENCES account (id) ON DELETE SET NULL,
    actor_name    TEXT NOT NULL,
    detail        JSONB NOT NULL,
    -- What stood before, for as long as it can be undone.
    was           JSONB,
    undone_at     TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX work_event_by_lead ON work_event (org_id, lead_id, at, id);
CREATE INDEX work_event_by_job ON work_event (org_id, job_id, at, id) WHERE job_id IS NOT NULL;

-- What is to be said later, unless something happens first. The words are made when its time comes.
CREATE TABLE follow_up (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    lead_id     UUID NOT NULL,
    -- 'estimate', 'job', 'invoice' or 'checkout', and its id.
    about       TEXT NOT NULL,
    about_id    UUID NOT NULL,
    step        TEXT NOT NULL,
    -- Grows each time the plan is made anew: one plan, one try at each step.
    generation  BIGINT NOT NULL,
    due_at      TIMESTAMPTZ NOT NULL,
    give_up_at  TIMESTAMPTZ NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'stopped', 'skipped')),
    reason      TEXT,
    -- The event that made it, and the one that stopped it: undoing them brings it back or takes it away.
    event_id    UUID,
    stopped_by  UUID,
    message_id  UUID,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, about_id, step, generation),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX follow_up_by_id ON follow_up (id);
CREATE INDEX follow_up_due ON follow_up (due_at) WHERE state = 'waiting';
CREATE INDEX follow_up_by_lead ON follow_up (org_id, lead_id);

-- Addresses that open something without an account. The token is this id and a keyed hash: a copy of this table opens nothing.
CREATE TABLE link (
    org_id          UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id              UUID NOT NULL,
    kind            TEXT NOT NULL,
    subject_id      UUID NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    expires_at      TIMESTAMPTZ,
    revoked_at      TIMESTAMPTZ,
    first_seen_at   TIMESTAMPTZ,
    last_seen_at    TIMESTAMPTZ,
    seen            BIGINT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX link_by_id ON link (id);
CREATE UNIQUE INDEX link_in_force ON link (org_id, kind, subject_id) WHERE revoked_at IS NULL;

CREATE TABLE property (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    label        TEXT,
    address      TEXT NOT NULL,
    zip          TEXT,
    notes        TEXT,
    -- Lower-cased and without blanks: one address, one row.
    address_key  TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, customer_id, address_key),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);

CREATE TABLE crew (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    name        TEXT NOT NULL,
    -- One of eight tones of the palette.
    tone        BIGINT NOT NULL,
    -- None means the business's own hours.
    hours       JSONB,
    is_bookable BOOLEAN NOT NULL,
    is_active   BOOLEAN NOT NULL,
    position    BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE TABLE crew_member (
    org_id      UUID NOT NULL,
    crew_id     UUID NOT NULL,
    account_id  UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    PRIMARY KEY (org_id, crew_id, account_id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id) ON DELETE CASCADE
);
CREATE INDEX crew_member_by_account ON crew_member (org_id, account_id);
ALTER TABLE account ADD COLUMN phone_e164 TEXT;

-- Somebody asked to join. The link's token is the way in; this row says as what.
CREATE TABLE invite (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    name         TEXT NOT NULL,
    email        TEXT,
    phone_e164   TEXT,
    role         TEXT NOT NULL CHECK (role IN ('office', 'crew')),
    crew_id      UUID,
    invited_by   UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    accepted_at  TIMESTAMPTZ,
    account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    PRIMARY KEY (org_id, id)
);

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
    -- Both or neither: without them it lies in the tray of what is not scheduled.
    starts_at             TIMESTAMPTZ,
    ends_at               TIMESTAMPTZ,
    duration_minutes      BIGINT NOT NULL,
    arrival_minutes       BIGINT NOT NULL,
    value_cents           BIGINT,
    materials             JSONB NOT NULL,
    special_instructions  TEXT,
    weather_concerns      TEXT,
    -- none, after, or before_and_after: what must be photographed before it can be done.
    required_photos       TEXT NOT NULL,
    source                TEXT NOT NULL,
    on_my_way_at          TIMESTAMPTZ,
    eta_at                TIMESTAMPTZ,
    started_at            TIMESTAMPTZ,
    completed_at          TIMESTAMPTZ,
    cancelled_at          TIMESTAMPTZ,
    cancel_reason         TEXT,
    confirmed_at          TIMESTAMPTZ,
    -- Moves with every change: who changes an older one is told.
    version               BIGINT NOT NULL,
    plan                  BIGINT NOT NULL,
    -- starts_at, else created_at: what the list is sorted by.
    listed_at             TIMESTAMPTZ NOT NULL,
    search                TEXT NOT NULL,
    created_at            TIMESTAMPTZ NOT NULL,
    updated_at            TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, number),
    CHECK ((starts_at IS NULL) = (ends_at IS NULL)),
    CHECK (starts_at IS NULL OR starts_at < ends_at),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id),
    FOREIGN KEY (org_id, property_id) REFERENCES property (org_id, id)
);
CREATE INDEX job_newest ON job (org_id, listed_at DESC, id DESC);
CREATE INDEX job_by_status ON job (org_id, status, listed_at DESC, id DESC);
CREATE INDEX job_by_time ON job (org_id, starts_at) WHERE starts_at IS NOT NULL AND status <> 'cancelled';
CREATE INDEX job_by_crew ON job (org_id, crew_id, starts_at) WHERE crew_id IS NOT NULL AND status <> 'cancelled';
CREATE INDEX job_in_tray ON job (org_id, created_at) WHERE starts_at IS NULL AND status = 'scheduled';
CREATE INDEX job_by_lead ON job (org_id, lead_id);
CREATE INDEX job_by_customer ON job (org_id, customer_id, listed_at);
CREATE INDEX job_completed ON job (org_id, completed_at) WHERE completed_at IS NOT NULL;

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
CREATE TABLE job_check (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    job_id      UUID NOT NULL,
    position    BIGINT NOT NULL,
    label       TEXT NOT NULL,
    done_at     TIMESTAMPTZ,
    done_by     TEXT,
    -- When the present state was chosen on the device: the latest choice stands.
    chosen_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX job_check_by_job ON job_check (org_id, job_id, position);
-- What a crew has not been told yet: told together, a minute after the last change.
CREATE TABLE crew_change (
    org_id    UUID NOT NULL,
    id        UUID NOT NULL,
    crew_id   UUID NOT NULL,
    job_id    UUID NOT NULL,
    was       JSONB,
    at        TIMESTAMPTZ NOT NULL,
    told_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id) ON DELETE CASCADE
);
CREATE INDEX crew_change_untold ON crew_change (org_id, crew_id, at) WHERE told_at IS NULL;

-- Photos and documents, of a lead or a job. Their bytes lie in the file store.
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
    -- Opened and taken by the customer, at their link.
    viewed_at      TIMESTAMPTZ,
    downloaded_at  TIMESTAMPTZ,
    removed_at     TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id)
);
CREATE INDEX file_by_lead ON file (org_id, lead_id, created_at);
CREATE INDEX file_by_job ON file (org_id, job_id, created_at) WHERE job_id IS NOT NULL;
CREATE INDEX file_by_full_key ON file (full_key);
CREATE INDEX file_by_thumb_key ON file (thumb_key) WHERE thumb_key IS NOT NULL;
CREATE TABLE storage_use (
    org_id  UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    bytes   BIGINT NOT NULL
);
INSERT INTO storage_use SELECT org_id, CAST(SUM(bytes) AS BIGINT) FROM photo GROUP BY org_id;
-- What went out with a message, as an attachment or behind its link.
CREATE TABLE message_file (
    org_id       UUID NOT NULL,
    message_id   UUID NOT NULL,
    file_id      UUID NOT NULL,
    is_attached  BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, message_id, file_id),
    FOREIGN KEY (org_id, message_id) REFERENCES message (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, file_id) REFERENCES file (org_id, id) ON DELETE CASCADE
);
CREATE INDEX message_file_by_file ON message_file (org_id, file_id);

CREATE TABLE price_item (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    -- The business's own number for it; what an import recognises it by, else the name.
    code         TEXT,
    name         TEXT NOT NULL,
    description  TEXT,
    unit         TEXT NOT NULL,
    price_cents  BIGINT NOT NULL,
    cost_cents   BIGINT,
    tax_ppm      BIGINT,
    is_active    BOOLEAN NOT NULL,
    search       TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX price_item_by_code ON price_item (org_id, code) WHERE code IS NOT NULL;
CREATE INDEX price_item_by_name ON price_item (org_id, is_active, search);

-- One version of an estimate. Its content never changes; another wording is another version.
CREATE TABLE estimate (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    customer_id    UUID NOT NULL,
    number         BIGINT NOT NULL,
    version        BIGINT NOT NULL,
    -- preparing (its PDF is being made), open, approved, declined, replaced, superseded or withdrawn. Expired is open
    -- after expires_on.
    status         TEXT NOT NULL,
    content        JSONB NOT NULL,
    total_cents    BIGINT NOT NULL,
    deposit_cents  BIGINT NOT NULL,
    issued_on      DATE NOT NULL,
    expires_on     DATE,
    file_id        UUID,
    created_by     UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    sent_at        TIMESTAMPTZ,
    viewed_at      TIMESTAMPTZ,
    settled_at     TIMESTAMPTZ,
    decline_reason TEXT,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, number, version),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, file_id) REFERENCES file (org_id, id)
);
CREATE INDEX estimate_by_lead ON estimate (org_id, lead_id, created_at);
CREATE UNIQUE INDEX estimate_by_id ON estimate (id);
-- Of the versions of a number one at most waits for an answer.
CREATE UNIQUE INDEX estimate_in_force ON estimate (org_id, number) WHERE status = 'open';

-- What the customer agreed to: the exact paper by its hash, what was chosen of it, and the hand that signed.
CREATE TABLE approval (
    org_id         UUID NOT NULL,
    estimate_id    UUID NOT NULL,
    at             TIMESTAMPTZ NOT NULL,
    name           TEXT NOT NULL,
    -- typed or drawn; a drawn one as strokes of points from 0 to 1000.
    manner         TEXT NOT NULL CHECK (manner IN ('typed', 'drawn')),
    strokes        JSONB,
    ip             TEXT,
    user_agent     TEXT,
    option_id      TEXT,
    add_ons        JSONB NOT NULL,
    total_cents    BIGINT NOT NULL,
    deposit_cents  BIGINT NOT NULL,
    pdf_sha256     BYTEA NOT NULL,
    wording        TEXT NOT NULL,
    -- The signed copy, once it is made.
    file_id        UUID,
    PRIMARY KEY (org_id, estimate_id),
    FOREIGN KEY (org_id, estimate_id) REFERENCES estimate (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, file_id) REFERENCES file (org_id, id)
);

CREATE TABLE invoice (
    org_id          UUID NOT NULL,
    id              UUID NOT NULL,
    lead_id         UUID NOT NULL,
    customer_id     UUID NOT NULL,
    job_id          UUID,
    estimate_id     UUID,
    -- A draft has none.
    number          BIGINT,
    -- draft, preparing, open, paid or void.
    status          TEXT NOT NULL,
    content         JSONB NOT NULL,
    total_cents     BIGINT NOT NULL,
    -- The sum of its allocations.
    paid_cents      BIGINT NOT NULL,
    issued_on       DATE,
    due_on          DATE,
    file_id         UUID,
    created_by      UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    sent_at         TIMESTAMPTZ,
    viewed_at       TIMESTAMPTZ,
    settled_at      TIMESTAMPTZ,
    -- The customer promised to pay by then; they dispute it: reminders rest.
    promised_on     DATE,
    disputed_at     TIMESTAMPTZ,
    -- Whether reminders follow it, as it was decided when it was sent or ticked.
    is_reminded     BOOLEAN NOT NULL,
    PRIMARY KEY (org_id, id),
    CHECK (paid_cents <= total_cents),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, job_id) REFERENCES job (org_id, id),
    FOREIGN KEY (org_id, estimate_id) REFERENCES estimate (org_id, id),
    FOREIGN KEY (org_id, file_id) REFERENCES file (org_id, id)
);
CREATE UNIQUE INDEX invoice_by_number ON invoice (org_id, number) WHERE number IS NOT NULL;
CREATE UNIQUE INDEX invoice_by_id ON invoice (id);
CREATE INDEX invoice_newest ON invoice (org_id, created_at DESC, id DESC);
CREATE INDEX invoice_by_lead ON invoice (org_id, lead_id, created_at);
CREATE INDEX invoice_unpaid ON invoice (org_id, due_on) WHERE status = 'open';

-- Money that came in, went back, or was given up. Rows are never changed in their amount.
CREATE TABLE payment (
    org_id        UUID NOT NULL,
    id            UUID NOT NULL,
    lead_id       UUID NOT NULL,
    customer_id   UUID NOT NULL,
    -- payment, refund or write_off. Amounts are above nothing in each.
    kind          TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'write_off')),
    -- cash, check, card, bank, other or none.
    method        TEXT NOT NULL,
    amount_cents  BIGINT NOT NULL CHECK (amount_cents > 0),
    received_on   DATE NOT NULL,
    reference     TEXT,
    note          TEXT,
    -- settled, pending (a card refund on its way) or failed.
    status        TEXT NOT NULL,
    refund_of     UUID,
    estimate_id   UUID,
    number        BIGINT,
    -- Stripe's id of the payment or refund.
    provider_id   TEXT,
    account_id    UUID REFERENCES account (id) ON DELETE SET NULL,
    event_id      UUID,
    created_at    TIMESTAMPTZ NOT NULL,
    undone_at     TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id)
);
CREATE UNIQUE INDEX payment_by_provider_id ON payment (provider_id) WHERE provider_id IS NOT NULL;
CREATE UNIQUE INDEX payment_by_number ON payment (org_id, number) WHERE number IS NOT NULL;
CREATE INDEX payment_by_lead ON payment (org_id, lead_id, created_at);
CREATE INDEX payment_by_day ON payment (org_id, received_on);
-- Which part of a payment paid which invoice. A refund's parts are negative.
CREATE TABLE allocation (
    org_id      UUID NOT NULL,
    payment_id  UUID NOT NULL,
    invoice_id  UUID NOT NULL,
    cents       BIGINT NOT NULL,
    PRIMARY KEY (org_id, payment_id, invoice_id),
    FOREIGN KEY (org_id, payment_id) REFERENCES payment (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, invoice_id) REFERENCES invoice (org_id, id) ON DELETE CASCADE
);
CREATE INDEX allocation_by_invoice ON allocation (org_id, invoice_id);

-- A visit to Stripe's pay page.
CREATE TABLE checkout (
    org_id        UUID NOT NULL,
    id            UUID NOT NULL,
    lead_id       UUID NOT NULL,
    -- 'invoice' or 'estimate' (its deposit).
    about         TEXT NOT NULL,
    about_id      UUID NOT NULL,
    amount_cents  BIGINT NOT NULL,
    -- opening, open, paid, expired or failed.
    status        TEXT NOT NULL,
    provider_id   TEXT,
    url           TEXT,
    created_at    TIMESTAMPTZ NOT NULL,
    expires_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX checkout_by_id ON checkout (id);
CREATE UNIQUE INDEX checkout_by_provider_id ON checkout (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX checkout_by_subject ON checkout (org_id, about_id);
-- Two taps on Pay are one visit.
CREATE UNIQUE INDEX checkout_under_way ON checkout (org_id, about_id) WHERE status IN ('opening', 'open');
-- Every call of Stripe's that we took, once.
CREATE TABLE stripe_event (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           TEXT NOT NULL,
    kind         TEXT NOT NULL,
    made_at      TIMESTAMPTZ NOT NULL,
    received_at  TIMESTAMPTZ NOT NULL,
    outcome      TEXT NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX stripe_event_by_age ON stripe_event (received_at);
-- Keys of the business's own accounts elsewhere, sealed with a key that is not in this database.
CREATE TABLE org_secret (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    sealed      BYTEA NOT NULL,
    hint        TEXT NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, name)
);

-- A free hour kept for a visitor while they type.
CREATE TABLE slot_hold (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    crew_id      UUID NOT NULL,
    starts_at    TIMESTAMPTZ NOT NULL,
    ends_at      TIMESTAMPTZ NOT NULL,
    expires_at   TIMESTAMPTZ NOT NULL,
    -- The visit it is moved from, when it is one.
    job_id       UUID,
    source_hash  BYTEA,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, crew_id) REFERENCES crew (org_id, id) ON DELETE CASCADE
);
CREATE INDEX slot_hold_by_crew ON slot_hold (org_id, crew_id, starts_at);
CREATE INDEX slot_hold_by_age ON slot_hold (expires_at);
-- Requests from outside the area, counted by day.
CREATE TABLE out_of_area (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day     DATE NOT NULL,
    zip     TEXT NOT NULL,
    asked   BIGINT NOT NULL,
    PRIMARY KEY (org_id, day, zip)
);

-- Two records that were one person. What was moved is named, so that it can be parted again for 30 days.
CREATE TABLE customer_merge (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    kept_id     UUID NOT NULL,
    gone_id     UUID NOT NULL,
    moved       JSONB NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    undone_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, kept_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
ALTER TABLE customer ADD COLUMN merged_into UUID;
ALTER TABLE customer ADD COLUMN search TEXT NOT NULL DEFAULT '';
CREATE INDEX customer_newest ON customer (org_id, created_at DESC, id DESC) WHERE merged_into IS NULL;

ALTER TABLE message ADD COLUMN about_id UUID;
ALTER TABLE message ADD COLUMN event_id UUID;
CREATE INDEX message_waiting_about ON message (org_id, about_id) WHERE status IN ('queued', 'held');
CREATE INDEX message_of_event ON message (org_id, event_id) WHERE event_id IS NOT NULL;
-- For one person's devices only; and what a tap opens when it is no lead.
ALTER TABLE alert ADD COLUMN account_id UUID;
ALTER TABLE alert ADD COLUMN path TEXT;
ALTER TABLE org ADD COLUMN logo_key TEXT;
CREATE INDEX lead_by_stage ON lead (org_id, stage, last_touch_at DESC, id DESC);
UPDATE customer SET search = LOWER(name || ' ' || COALESCE(phone_e164, '') || ' ' || COALESCE(email, ''));
