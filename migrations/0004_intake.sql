-- Customers and their requests.

-- A person or company that asked a business for work.
CREATE TABLE customer (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            UUID NOT NULL,
    name          TEXT NOT NULL,
    phone_e164    TEXT,
    email         TEXT,
    created_at    TIMESTAMPTZ NOT NULL,
    -- Preferred language of messages.
    language      TEXT,
    -- Staff and relatives: never asked for a review.
    is_staff      BOOLEAN NOT NULL DEFAULT FALSE,
    -- Never written to by a rule.
    is_blocked    BOOLEAN NOT NULL DEFAULT FALSE,
    -- The record that this one was merged into.
    merged_into   UUID,
    -- Lower-cased name, phone and email.
    search        TEXT NOT NULL DEFAULT '',
    -- Since when a complaint is open: no review request while it is.
    complaint_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX customer_by_name ON customer (org_id, LOWER(name)) WHERE merged_into IS NULL;
CREATE INDEX customer_newest ON customer (org_id, created_at, id, search) WHERE merged_into IS NULL;

-- A phone or email by which a customer is recognized. The unique key also serializes two requests of one person.
CREATE TABLE customer_key (
    org_id                   UUID NOT NULL,
    kind                     TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
    value                    TEXT NOT NULL,
    customer_id              UUID NOT NULL,
    -- Replies go to the number used last. Null: never seen.
    last_used_at             TIMESTAMPTZ,
    -- When the network said that the number takes no texts; valid for 90 days.
    sms_undeliverable_since  TIMESTAMPTZ,
    -- What shows that the address belongs to the customer: docs/contact-points.md.
    proof                    TEXT NOT NULL DEFAULT 'on_file'
        CHECK (proof IN ('on_file', 'form', 'answered', 'called', 'texted', 'link_opened', 'office', 'imported')),
    proved_at                TIMESTAMPTZ,
    PRIMARY KEY (org_id, kind, value),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX customer_key_by_customer ON customer_key (org_id, customer_id);
CREATE INDEX customer_key_by_number ON customer_key (value) WHERE kind = 'phone';

-- Two records of one person that were merged. It can be undone for 30 days.
CREATE TABLE customer_merge (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    kept_id     UUID NOT NULL,
    gone_id     UUID NOT NULL,
    -- What was moved, by table and id.
    moved       JSONB NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    undone_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, kept_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE INDEX customer_merge_by_kept ON customer_merge (org_id, kept_id, at) WHERE undone_at IS NULL;

-- A list of customers that was imported from a file.
CREATE TABLE customer_import (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    customers   BIGINT NOT NULL,
    leads       BIGINT NOT NULL,
    undone_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id)
);

-- A customer made by an import, so that it can be undone.
CREATE TABLE customer_import_row (
    org_id       UUID NOT NULL,
    import_id    UUID NOT NULL,
    customer_id  UUID NOT NULL,
    -- The request in the row, if it has one.
    lead_id      UUID,
    PRIMARY KEY (org_id, import_id, customer_id),
    FOREIGN KEY (org_id, import_id) REFERENCES customer_import (org_id, id) ON DELETE CASCADE
);

-- An address where a customer has work done.
CREATE TABLE property (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    label        TEXT,
    address      TEXT NOT NULL,
    zip          TEXT,
    notes        TEXT,
    -- Lower-cased and without spaces: one row per address.
    address_key  TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    -- Hidden from the list, kept for the jobs done there.
    removed_at   TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, customer_id, address_key),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);

-- A request for work and its place in the pipeline. Values of form grow with the program: no CHECK.
CREATE TABLE lead (
    org_id            UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                UUID NOT NULL,
    customer_id       UUID NOT NULL,
    form              TEXT NOT NULL,
    name              TEXT NOT NULL,
    phone             TEXT NOT NULL,
    phone_e164        TEXT,
    email             TEXT,
    service           TEXT NOT NULL,
    zip               TEXT NOT NULL,
    address           TEXT,
    notes             TEXT,
    timeline          TEXT,
    budget            TEXT,
    source            TEXT NOT NULL,
    attribution       JSONB NOT NULL,
    stage             TEXT NOT NULL CHECK (stage IN ('new', 'quoted', 'scheduled', 'done', 'paid')),
    quoted_cents      BIGINT,
    collected_cents   BIGINT,
    scheduled_at      TIMESTAMPTZ,
    paid_at           TIMESTAMPTZ,
    owner_account_id  UUID REFERENCES account (id) ON DELETE SET NULL,
    -- Why it is quarantined as spam; null when it is not.
    held_reason       TEXT,
    needs_attention   BOOLEAN NOT NULL,
    touch_count       BIGINT NOT NULL,
    -- Calls nobody answered.
    missed_calls      BIGINT NOT NULL,
    photo_count       BIGINT NOT NULL,
    -- Lower-cased text for the search.
    search            TEXT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    last_touch_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE INDEX lead_newest ON lead (org_id, last_touch_at, id);
CREATE INDEX lead_by_customer ON lead (org_id, customer_id, created_at);
CREATE INDEX lead_by_stage ON lead (org_id, stage, last_touch_at, id);
CREATE INDEX lead_by_address ON lead (org_id, LOWER(address)) WHERE address IS NOT NULL;
CREATE INDEX lead_by_phone ON lead (org_id, phone_e164) WHERE phone_e164 IS NOT NULL;
CREATE INDEX lead_by_email ON lead (org_id, email) WHERE email IS NOT NULL;
CREATE INDEX lead_sums ON lead (org_id, stage, quoted_cents, collected_cents);

-- Each time the person asked, as they wrote it.
CREATE TABLE lead_inquiry (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    lead_id      UUID NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    form         TEXT NOT NULL,
    service      TEXT NOT NULL,
    submission   JSONB NOT NULL,
    attribution  JSONB NOT NULL,
    -- Keyed hash of the network, for rate limits.
    source_hash  BYTEA,
    -- Whether it uses up the automatic answers per hour: not held requests, nor those typed by the office.
    is_counted   BOOLEAN NOT NULL DEFAULT TRUE,
    -- Read by its lead: one index less than with a key of its own.
    PRIMARY KEY (org_id, lead_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX lead_inquiry_by_source ON lead_inquiry (source_hash, at) WHERE source_hash IS NOT NULL;
CREATE INDEX lead_inquiry_by_time ON lead_inquiry (org_id, at, is_counted);

-- What a person agreed to, in the words they saw (47 CFR 64.1200; kept for at least ten years, VA SB 1339).
CREATE TABLE consent (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    lead_id      UUID NOT NULL,
    class        TEXT NOT NULL CHECK (class IN ('informational', 'promotional')),
    granted      BOOLEAN NOT NULL,
    wording      TEXT NOT NULL,
    version      TEXT NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    page_url     TEXT,
    ip           TEXT,
    user_agent   TEXT,
    -- Address named by the form. Null where no form was sent: a merge, or a refusal behind a link.
    phone        TEXT,
    email        TEXT,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id)
);
CREATE INDEX consent_by_customer ON consent (org_id, customer_id, at);

-- A phone or email that a public form named for a known customer. Only the answer to that form goes there until the
-- office uses it or it is proved.
CREATE TABLE contact_proposal (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    customer_id  UUID NOT NULL,
    lead_id      UUID NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
    value        TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('open', 'used', 'dismissed')),
    created_at   TIMESTAMPTZ NOT NULL,
    -- When somebody called or texted from it.
    answered_at  TIMESTAMPTZ,
    decided_at   TIMESTAMPTZ,
    -- Who decided; null when it proved itself.
    account_id   UUID,
    -- The value before it was used, for the undo.
    replaced     TEXT,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX contact_proposal_once ON contact_proposal (org_id, lead_id, kind, value);
CREATE INDEX contact_proposal_by_customer ON contact_proposal (org_id, customer_id, state);
CREATE INDEX contact_proposal_by_value ON contact_proposal (org_id, kind, value) WHERE state = 'open';

-- A photo that came with a form or a text.
CREATE TABLE photo (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    inquiry_id     UUID NOT NULL,
    -- The text it came with.
    message_id     UUID,
    -- Order within the form.
    position       BIGINT NOT NULL,
    original_name  TEXT NOT NULL,
    width          BIGINT NOT NULL,
    height         BIGINT NOT NULL,
    bytes          BIGINT NOT NULL,
    full_key       TEXT NOT NULL,
    thumb_key      TEXT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX photo_by_lead ON photo (org_id, lead_id, created_at, position);
CREATE INDEX photo_by_age ON photo (org_id, created_at, id);
CREATE INDEX photo_by_full_key ON photo (full_key);
CREATE INDEX photo_by_thumb_key ON photo (thumb_key) WHERE thumb_key IS NOT NULL;

-- A photo that is not processed yet. Its bytes lie as received in the file store or in the data folder of the API;
-- they may contain a location and are served to nobody.
CREATE TABLE photo_upload (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    inquiry_id     UUID NOT NULL,
    position       BIGINT NOT NULL,
    original_name  TEXT NOT NULL,
    bytes          BIGINT NOT NULL,
    raw_key        TEXT NOT NULL,
    -- Whether the file store has the bytes.
    is_stored      BOOLEAN NOT NULL,
    -- Runs that started and did not return.
    tries          BIGINT NOT NULL,
    -- Lease of one worker.
    busy_until     TIMESTAMPTZ,
    created_at     TIMESTAMPTZ NOT NULL,
    -- Whether its request is quarantined.
    is_held        BOOLEAN NOT NULL DEFAULT FALSE,
    -- Keyed hash of the network it came from.
    source_hash    BYTEA,
    -- Round among the networks of one business: fair order.
    turn           BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX photo_upload_by_lead ON photo_upload (org_id, lead_id);
CREATE INDEX photo_upload_queue ON photo_upload (is_held, org_id, turn, created_at, inquiry_id, position)
    WHERE is_stored;
CREATE INDEX photo_upload_by_source ON photo_upload (org_id, source_hash, turn);

-- Total size of a business's unprocessed photos. No row while there are none.
CREATE TABLE photo_backlog (
    org_id  UUID PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    bytes   BIGINT NOT NULL
);

-- Requests from outside the service area, by day and ZIP.
CREATE TABLE out_of_area (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    day     DATE NOT NULL,
    zip     TEXT NOT NULL,
    asked   BIGINT NOT NULL,
    PRIMARY KEY (org_id, day, zip)
);
