-- The work: customers, their requests, what they agreed to, and their photos.

CREATE TABLE customer (
    org_id      UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    name        TEXT NOT NULL,
    phone_e164  TEXT,
    email       TEXT,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- One row per way to recognise a person. Its unique key also makes two requests of one person wait for each other.
CREATE TABLE customer_key (
    org_id       UUID NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
    value        TEXT NOT NULL,
    customer_id  UUID NOT NULL,
    PRIMARY KEY (org_id, kind, value),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE lead (
    org_id            UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                UUID NOT NULL,
    customer_id       UUID NOT NULL,
    form              TEXT NOT NULL CHECK (form IN ('lead', 'quote')),
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
    held_reason       TEXT,
    needs_attention   BOOLEAN NOT NULL,
    touch_count       BIGINT NOT NULL,
    photo_count       BIGINT NOT NULL,
    search            TEXT NOT NULL,
    created_at        TIMESTAMPTZ NOT NULL,
    last_touch_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE INDEX lead_newest ON lead (org_id, created_at DESC, id DESC);
CREATE INDEX lead_by_customer ON lead (org_id, customer_id, created_at);

-- Every time the person asked, as they wrote it.
CREATE TABLE lead_touch (
    org_id       UUID NOT NULL,
    id           UUID NOT NULL,
    lead_id      UUID NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    form         TEXT NOT NULL CHECK (form IN ('lead', 'quote')),
    service      TEXT NOT NULL,
    submission   JSONB NOT NULL,
    attribution  JSONB NOT NULL,
    source_hash  BYTEA,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE INDEX lead_touch_by_lead ON lead_touch (org_id, lead_id, at);
CREATE INDEX lead_touch_by_time ON lead_touch (org_id, at);
CREATE INDEX lead_touch_by_source ON lead_touch (source_hash, at);

-- What the person agreed to, in the words they were shown (47 CFR 64.1200; kept at least ten years, VA SB 1339).
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
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id)
);
CREATE INDEX consent_by_customer ON consent (org_id, customer_id, at);

CREATE TABLE photo (
    org_id         UUID NOT NULL,
    id             UUID NOT NULL,
    lead_id        UUID NOT NULL,
    touch_id       UUID NOT NULL,
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

-- The first answer to a request that carried an Idempotency-Key, given again to its repeats.
CREATE TABLE idempotency (
    org_id      UUID NOT NULL,
    operation   TEXT NOT NULL,
    key_hash    BYTEA NOT NULL,
    body_hash   BYTEA NOT NULL,
    answer      JSONB NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, operation, key_hash)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
