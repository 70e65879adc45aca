-- Trust levels of businesses, security alerts, the audit log, and mail of the install.

-- What is known about a business: docs/trust-levels.md.
CREATE TABLE org_trust (
    org_id           UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- When an owner first proved their email address.
    proven_at        TIMESTAMPTZ,
    -- When the operator allowed it to send without payment.
    let_through_at   TIMESTAMPTZ,
    -- Until when settings from before the proof may be a stranger's: shown until the owner resets or keeps them.
    inherited_until  TIMESTAMPTZ,
    PRIMARY KEY (org_id)
);

-- How much of a sending budget a business has used: a row per UTC day, and one under the day '' for all time.
CREATE TABLE trust_usage (
    org_id  UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    what    TEXT NOT NULL CHECK (what IN ('text', 'email', 'invitation', 'import', 'account_mail')),
    day     TEXT NOT NULL,
    used    BIGINT NOT NULL,
    PRIMARY KEY (org_id, what, day)
);

-- A security alert of a business: whether it is wanted, and when it last fired. No row means on.
CREATE TABLE security_alert (
    org_id    UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    alert     TEXT NOT NULL,
    enabled   BOOLEAN NOT NULL,
    fired_at  TIMESTAMPTZ,
    PRIMARY KEY (org_id, alert)
);

-- Suspicious events of one subject in an hour, for alerts with a threshold.
CREATE TABLE security_counter (
    -- The nil id for events of no business.
    org_id        UUID NOT NULL,
    alert         TEXT NOT NULL,
    -- An id or the name of an address, never a person's own words.
    subject       TEXT NOT NULL,
    count         BIGINT NOT NULL,
    window_start  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, alert, subject)
);
CREATE INDEX security_counter_by_age ON security_counter (window_start);

-- One line of a business's audit log, written in the transaction of the deed and never changed. The lines of a
-- business are a hash chain: each hash is SHA-256(hash of the line before || this line).
CREATE TABLE audit_event (
    org_id      UUID NOT NULL,
    id          UUID NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    actor_kind  TEXT NOT NULL CHECK (actor_kind IN ('visitor', 'account', 'system')),
    actor_id    UUID,
    action      TEXT NOT NULL,
    subject_id  UUID,
    ip          TEXT,
    user_agent  TEXT,
    request_id  TEXT,
    -- Position in the chain. Null in a line that was put beside it by hand.
    seq         BIGINT,
    hash        BYTEA,
    -- The API key, when a program acted.
    key_id      UUID,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX audit_event_by_seq ON audit_event (org_id, seq);

-- End of a business's chain. Writers of one business lock this row last in their transaction.
CREATE TABLE audit_head (
    org_id  UUID PRIMARY KEY,
    seq     BIGINT NOT NULL,
    hash    BYTEA NOT NULL
);

-- Chain state that was mailed to the owner, with a tag that proves it came from this install.
CREATE TABLE audit_anchor (
    org_id   UUID NOT NULL,
    seq      BIGINT NOT NULL,
    hash     BYTEA NOT NULL,
    tag      BYTEA NOT NULL,
    made_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, seq)
);

-- Result of the last verification of a chain.
CREATE TABLE audit_check (
    org_id      UUID PRIMARY KEY,
    -- Last verification by anybody.
    checked_at  TIMESTAMPTZ NOT NULL,
    ok          BOOLEAN NOT NULL,
    -- Lines that were verified.
    lines       BIGINT NOT NULL,
    detail      TEXT NOT NULL,
    -- Last daily verification by the worker.
    watched_at  TIMESTAMPTZ
);

-- Incoming provider calls at the install's own addresses: last received, last failed, number refused.
CREATE TABLE webhook_health (
    provider     TEXT NOT NULL,
    address      TEXT NOT NULL,
    received_at  TIMESTAMPTZ,
    failed_at    TIMESTAMPTZ,
    refused_at   TIMESTAMPTZ,
    refused      BIGINT NOT NULL,
    PRIMARY KEY (provider, address)
);

-- The same for addresses that belong to one business.
CREATE TABLE org_webhook_health (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    provider     TEXT NOT NULL,
    address      TEXT NOT NULL,
    received_at  TIMESTAMPTZ,
    failed_at    TIMESTAMPTZ,
    refused_at   TIMESTAMPTZ,
    refused      BIGINT NOT NULL,
    PRIMARY KEY (org_id, provider, address)
);

-- Mail of the install itself, to its operator or to a person without an account.
CREATE TABLE install_mail (
    id          UUID PRIMARY KEY,
    to_address  TEXT NOT NULL,
    subject     TEXT NOT NULL,
    body        TEXT NOT NULL,
    dedupe_key  TEXT NOT NULL UNIQUE,
    status      TEXT NOT NULL CHECK (status IN ('queued', 'sent', 'failed')),
    reason      TEXT,
    created_at  TIMESTAMPTZ NOT NULL,
    ended_at    TIMESTAMPTZ,
    -- What the HTML shows beside the text: its buttons.
    page        JSONB
);
CREATE INDEX install_mail_by_age ON install_mail (created_at);

-- A request for a demo or a subscription. The row exists whether Stripe is set up or not.
CREATE TABLE demo_request (
    id          UUID PRIMARY KEY,
    -- The business of a signed-in owner.
    org_id      UUID REFERENCES org (id) ON DELETE CASCADE,
    email       TEXT NOT NULL,
    name        TEXT NOT NULL,
    org_name    TEXT NOT NULL,
    phone       TEXT NOT NULL,
    industry    TEXT NOT NULL,
    plan        TEXT NOT NULL CHECK (plan IN ('monthly', 'six_months')),
    created_at  TIMESTAMPTZ NOT NULL,
    -- Number in the Stripe idempotency keys in use.
    key_no      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX demo_request_by_email ON demo_request (email, created_at);
CREATE INDEX demo_request_by_age ON demo_request (created_at, id);
CREATE INDEX demo_request_by_org ON demo_request (org_id);

-- A Stripe subscription to this install, in its newest known state. No business until the payment is claimed.
CREATE TABLE subscription (
    id              UUID PRIMARY KEY,
    org_id          UUID REFERENCES org (id) ON DELETE CASCADE,
    request_id      UUID REFERENCES demo_request (id) ON DELETE SET NULL,
    provider_id     TEXT NOT NULL UNIQUE,
    customer_id     TEXT NOT NULL,
    -- Time of the newest event taken into account.
    fact_at         TIMESTAMPTZ NOT NULL,
    is_answer       BOOLEAN NOT NULL,
    status          TEXT NOT NULL,
    plan            TEXT NOT NULL CHECK (plan IN ('monthly', 'six_months')),
    period_start    TIMESTAMPTZ,
    period_end      TIMESTAMPTZ,
    trial_end       TIMESTAMPTZ,
    cancel_at       TIMESTAMPTZ,
    ended_at        TIMESTAMPTZ,
    for_nonpayment  BOOLEAN NOT NULL,
    -- Derived: whether it was ever paid for.
    has_begun       BOOLEAN NOT NULL,
    -- Derived: from when on its business is read-only.
    read_only_from  TIMESTAMPTZ,
    card_brand      TEXT,
    card_last4      TEXT,
    card_expires    TEXT,
    created_at      TIMESTAMPTZ NOT NULL,
    -- When the oldest unpaid invoice was made. Null when nothing is owed or Stripe was not asked yet.
    owed_since      TIMESTAMPTZ,
    -- Stripe's mode: whether real money moves. Null until known.
    livemode        BOOLEAN,
    -- Whether the install's keys are of the same mode: a test card pays for nothing.
    is_counted      BOOLEAN NOT NULL DEFAULT TRUE
);
CREATE INDEX subscription_by_org ON subscription (org_id, created_at);
CREATE INDEX subscription_by_request ON subscription (request_id);

-- A Stripe event about the install's own account; each is taken once.
CREATE TABLE billing_event (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,
    made_at      TIMESTAMPTZ NOT NULL,
    received_at  TIMESTAMPTZ NOT NULL,
    outcome      TEXT NOT NULL
);
CREATE INDEX billing_event_by_age ON billing_event (received_at);

-- A Stripe Standard account connected to the install's platform. Written before Stripe is asked to create it, and
-- kept as a record when the connection ends.
CREATE TABLE connected_account (
    org_id             UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                 UUID NOT NULL,
    -- acct_…; null until Stripe answered.
    account            TEXT,
    -- Whether it belongs to the platform's live mode.
    livemode           BOOLEAN NOT NULL,
    charges_enabled    BOOLEAN NOT NULL,
    details_submitted  BOOLEAN NOT NULL,
    -- Details that Stripe still asks for.
    requirements_due   BIGINT NOT NULL,
    created_at         TIMESTAMPTZ NOT NULL,
    -- SHA-256 of the single-use state parameter of the way back from Stripe.
    state_hash         BYTEA,
    -- Who must bring the state parameter back.
    state_account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    state_expires_at   TIMESTAMPTZ,
    -- When an owner came back with a valid state parameter. Not used before that.
    confirmed_at       TIMESTAMPTZ,
    -- When Stripe last reported its state.
    checked_at         TIMESTAMPTZ,
    ended_at           TIMESTAMPTZ,
    ended_by           TEXT CHECK (ended_by IN ('owner', 'keys', 'stripe')),
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX connected_account_by_account ON connected_account (account) WHERE account IS NOT NULL;
CREATE UNIQUE INDEX connected_account_current ON connected_account (org_id) WHERE ended_at IS NULL;
