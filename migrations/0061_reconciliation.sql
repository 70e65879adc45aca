-- The books beside Stripe's (docs/card-payments.md): how far the nightly look has come, Stripe's balance transactions and
-- payouts as it lists them, and what differs.

CREATE TABLE reconciliation (
    org_id       UUID NOT NULL PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    -- Whose books are looked through; another account begins anew.
    account      TEXT NOT NULL,
    -- charges, refunds, disputes, payouts, lines, transactions, compare or done.
    phase        TEXT NOT NULL,
    -- The last record that was looked at in this phase.
    cursor       TEXT,
    since        TIMESTAMPTZ NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    finished_at  TIMESTAMPTZ,
    -- How many payments agreed in the last whole look.
    agreed       BIGINT NOT NULL,
    -- Which lists the key may not read, parted by spaces.
    unread       TEXT NOT NULL
);

CREATE TABLE stripe_payout (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            TEXT NOT NULL,
    amount_cents  BIGINT NOT NULL,
    -- paid, pending, in_transit, canceled or failed.
    status        TEXT NOT NULL,
    arrives_on    DATE NOT NULL,
    -- Whether its lines are still to be read: Stripe lists them for automatic payouts only.
    is_unread     BOOLEAN NOT NULL,
    made_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

CREATE TABLE stripe_transaction (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            TEXT NOT NULL,
    kind          TEXT NOT NULL,
    amount_cents  BIGINT NOT NULL,
    fee_cents     BIGINT NOT NULL,
    currency      TEXT NOT NULL,
    -- Stripe's id of the charge, refund or dispute.
    source        TEXT NOT NULL,
    payout_id     TEXT,
    made_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX stripe_transaction_by_source ON stripe_transaction (org_id, source);

CREATE TABLE money_difference (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    -- unknown_payment, not_at_stripe or balance.
    kind          TEXT NOT NULL,
    -- Stripe's id of the payment.
    object        TEXT NOT NULL,
    lead_id       UUID,
    stripe_cents  BIGINT NOT NULL,
    books_cents   BIGINT NOT NULL,
    found_at      TIMESTAMPTZ NOT NULL,
    -- When it was last seen; one that the last whole look has not seen is over.
    seen_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, kind, object)
);
CREATE INDEX payment_at_stripe ON payment (org_id, created_at) WHERE provider_id IS NOT NULL;
