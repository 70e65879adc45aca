-- What businesses pay to whoever runs this install: who asked for it, their subscriptions at Stripe, and what Stripe has
-- told of them. These rows are the install's own, so none begins with a business: who asks has none yet, and what is
-- paid before its owner registers belongs to nobody until it is claimed.

-- Who asked for a demo, or to subscribe. Nobody is lost, whether Stripe is set up or not.
CREATE TABLE demo_request (
    id           UUID PRIMARY KEY,
    -- Of a signed-in owner: their business.
    org_id       UUID REFERENCES org (id) ON DELETE CASCADE,
    email        TEXT NOT NULL,
    name         TEXT NOT NULL,
    org_name     TEXT NOT NULL,
    phone        TEXT NOT NULL,
    industry     TEXT NOT NULL,
    plan         TEXT NOT NULL CHECK (plan IN ('monthly', 'six_months')),
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX demo_request_by_email ON demo_request (email, created_at);
CREATE INDEX demo_request_by_age ON demo_request (created_at, id);

-- One subscription at Stripe, as the newest that is known of it says (shared/src/billing).
CREATE TABLE subscription (
    id               UUID PRIMARY KEY,
    org_id           UUID REFERENCES org (id) ON DELETE CASCADE,
    request_id       UUID REFERENCES demo_request (id) ON DELETE SET NULL,
    provider_id      TEXT NOT NULL UNIQUE,
    customer_id      TEXT NOT NULL,
    fact_at          TIMESTAMPTZ NOT NULL,
    is_answer        BOOLEAN NOT NULL,
    status           TEXT NOT NULL,
    plan             TEXT NOT NULL CHECK (plan IN ('monthly', 'six_months')),
    period_start     TIMESTAMPTZ,
    period_end       TIMESTAMPTZ,
    trial_end        TIMESTAMPTZ,
    cancel_at        TIMESTAMPTZ,
    ended_at         TIMESTAMPTZ,
    for_nonpayment   BOOLEAN NOT NULL,
    -- Reckoned from the above, for questions in SQL: whether it was ever paid for, and from when on its business only reads.
    has_begun        BOOLEAN NOT NULL,
    read_only_from   TIMESTAMPTZ,
    card_brand       TEXT,
    card_last4       TEXT,
    card_expires     TEXT,
    created_at       TIMESTAMPTZ NOT NULL
);
CREATE INDEX subscription_by_org ON subscription (org_id, created_at);

-- What Stripe has told of the install's own account: each event is taken once.
CREATE TABLE billing_event (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,
    made_at      TIMESTAMPTZ NOT NULL,
    received_at  TIMESTAMPTZ NOT NULL,
    outcome      TEXT NOT NULL
);
CREATE INDEX billing_event_by_age ON billing_event (received_at);

-- Mail of the install itself, about no business: to its operator, and to who has paid and has no account yet.
CREATE TABLE install_mail (
    id          UUID PRIMARY KEY,
    to_address  TEXT NOT NULL,
    subject     TEXT NOT NULL,
    body        TEXT NOT NULL,
    dedupe_key  TEXT NOT NULL UNIQUE,
    status      TEXT NOT NULL CHECK (status IN ('queued', 'sent', 'failed')),
    reason      TEXT,
    created_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ
);
CREATE INDEX install_mail_by_age ON install_mail (created_at);
