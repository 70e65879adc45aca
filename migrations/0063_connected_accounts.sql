-- Stripe Connect (docs/card-payments.md): Standard accounts that businesses connected to the platform of the install. A
-- row is written before Stripe is asked to make the account, and stays as the record when the connection ends.

CREATE TABLE connected_account (
    org_id             UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id                 UUID NOT NULL,
    -- acct_…; none until Stripe has answered.
    account            TEXT,
    -- Whether it belongs to the live mode of the platform.
    livemode           BOOLEAN NOT NULL,
    charges_enabled    BOOLEAN NOT NULL,
    details_submitted  BOOLEAN NOT NULL,
    -- How many details Stripe asks for before the account can go on.
    requirements_due   BIGINT NOT NULL,
    created_at         TIMESTAMPTZ NOT NULL,
    -- The state parameter of the way back from Stripe: its SHA-256, who is to bring it, and until when. One, good once.
    state_hash         BYTEA,
    state_account_id   UUID REFERENCES account (id) ON DELETE SET NULL,
    state_expires_at   TIMESTAMPTZ,
    -- When an owner came back from Stripe and the state parameter was good. Before that the account is never used.
    confirmed_at       TIMESTAMPTZ,
    -- When Stripe last said how the account stands.
    checked_at         TIMESTAMPTZ,
    ended_at           TIMESTAMPTZ,
    ended_by           TEXT CHECK (ended_by IN ('owner', 'keys', 'stripe')),
    PRIMARY KEY (org_id, id)
);
-- Webhooks of connected accounts name nothing but the account: it belongs to one business.
CREATE UNIQUE INDEX connected_account_by_account ON connected_account (account) WHERE account IS NOT NULL;
CREATE UNIQUE INDEX connected_account_current ON connected_account (org_id) WHERE ended_at IS NULL;

-- A card that a customer agreed to have charged later. Prepared for automatic payments; nothing writes it yet.
CREATE TABLE saved_card (
    org_id             UUID NOT NULL,
    id                 UUID NOT NULL,
    customer_id        UUID NOT NULL,
    -- The Stripe account that holds it (acct_…), its customer (cus_…) and the payment method (pm_…).
    account            TEXT NOT NULL,
    provider_customer  TEXT NOT NULL,
    payment_method     TEXT NOT NULL,
    brand              TEXT NOT NULL,
    last4              TEXT NOT NULL,
    expires_month      BIGINT NOT NULL,
    expires_year       BIGINT NOT NULL,
    -- The version of the words that the customer agreed to, when, and by which request (X-Request-Id).
    consent_version    TEXT NOT NULL,
    consented_at       TIMESTAMPTZ NOT NULL,
    consent_request    TEXT NOT NULL,
    withdrawn_at       TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_card_by_method ON saved_card (org_id, account, payment_method);
CREATE INDEX saved_card_by_customer ON saved_card (org_id, customer_id);
