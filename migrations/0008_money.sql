-- Estimates, invoices, payments, and the books compared with Stripe's. docs/card-payments.md

-- An item of the price book.
CREATE TABLE price_item (
    org_id       UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id           UUID NOT NULL,
    -- The business's own number; an import matches by it, else by name.
    code         TEXT,
    name         TEXT NOT NULL,
    description  TEXT,
    unit         TEXT NOT NULL,
    price_cents  BIGINT NOT NULL,
    cost_cents   BIGINT,
    -- Parts per million.
    tax_ppm      BIGINT,
    is_active    BOOLEAN NOT NULL,
    search       TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX price_item_by_code ON price_item (org_id, code) WHERE code IS NOT NULL;
CREATE INDEX price_item_by_name ON price_item (org_id, is_active, search);

-- One version of an estimate or change order. Its content never changes.
CREATE TABLE estimate (
    org_id          UUID NOT NULL,
    id              UUID NOT NULL,
    lead_id         UUID NOT NULL,
    customer_id     UUID NOT NULL,
    -- Change orders have negative numbers: -1001 is CO-1001. (org_id, number, version) is unique over both.
    number          BIGINT NOT NULL,
    version         BIGINT NOT NULL,
    -- preparing (PDF under way), open, approved, declined, replaced, superseded or withdrawn. Expired is open after
    -- expires_on.
    status          TEXT NOT NULL,
    content         JSONB NOT NULL,
    total_cents     BIGINT NOT NULL,
    deposit_cents   BIGINT NOT NULL,
    issued_on       DATE NOT NULL,
    expires_on      DATE,
    file_id         UUID,
    created_by      UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    sent_at         TIMESTAMPTZ,
    viewed_at       TIMESTAMPTZ,
    settled_at      TIMESTAMPTZ,
    decline_reason  TEXT,
    -- The job that a change order changes. No foreign key; the writer reads the job in the same org.
    job_id          UUID,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, number, version),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id),
    FOREIGN KEY (org_id, file_id) REFERENCES file (org_id, id)
);
CREATE INDEX estimate_by_lead ON estimate (org_id, lead_id, created_at);
CREATE UNIQUE INDEX estimate_by_id ON estimate (id);
-- At most one version of a number waits for an answer.
CREATE UNIQUE INDEX estimate_active ON estimate (org_id, number) WHERE status = 'open';
CREATE INDEX estimate_by_job ON estimate (org_id, job_id, created_at) WHERE job_id IS NOT NULL;

-- What the customer agreed to: the document by its hash, the chosen options, and the signature.
CREATE TABLE approval (
    org_id         UUID NOT NULL,
    estimate_id    UUID NOT NULL,
    at             TIMESTAMPTZ NOT NULL,
    name           TEXT NOT NULL,
    -- A drawn signature has strokes of points from 0 to 1000.
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
CREATE INDEX approval_without_copy ON approval (estimate_id) WHERE file_id IS NULL;

-- An invoice.
CREATE TABLE invoice (
    org_id             UUID NOT NULL,
    id                 UUID NOT NULL,
    lead_id            UUID NOT NULL,
    customer_id        UUID NOT NULL,
    job_id             UUID,
    estimate_id        UUID,
    -- Null for a draft.
    number             BIGINT,
    -- draft, preparing, open, paid or void.
    status             TEXT NOT NULL,
    content            JSONB NOT NULL,
    total_cents        BIGINT NOT NULL,
    -- Sum of its allocations.
    paid_cents         BIGINT NOT NULL,
    issued_on          DATE,
    due_on             DATE,
    file_id            UUID,
    created_by         UUID REFERENCES account (id) ON DELETE SET NULL,
    created_at         TIMESTAMPTZ NOT NULL,
    sent_at            TIMESTAMPTZ,
    viewed_at          TIMESTAMPTZ,
    settled_at         TIMESTAMPTZ,
    -- The customer promised to pay by then: reminders pause.
    promised_on        DATE,
    -- The customer disputes it: reminders pause.
    disputed_at        TIMESTAMPTZ,
    -- Whether reminders follow it.
    reminders_enabled  BOOLEAN NOT NULL,
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
CREATE INDEX invoice_newest ON invoice (org_id, created_at, id);
CREATE INDEX invoice_by_lead ON invoice (org_id, lead_id, created_at);
CREATE INDEX invoice_unpaid ON invoice (org_id, due_on) WHERE status = 'open';
CREATE INDEX invoice_by_status ON invoice (org_id, status, created_at, id);

-- Money that came in, went back or was written off. Amounts never change.
CREATE TABLE payment (
    org_id          UUID NOT NULL,
    id              UUID NOT NULL,
    lead_id         UUID NOT NULL,
    customer_id     UUID NOT NULL,
    kind            TEXT NOT NULL CHECK (kind IN ('payment', 'refund', 'write_off')),
    -- cash, check, card, bank, other or none.
    method          TEXT NOT NULL,
    amount_cents    BIGINT NOT NULL CHECK (amount_cents > 0),
    received_on     DATE NOT NULL,
    reference       TEXT,
    note            TEXT,
    -- settled, pending (a card refund under way), failed, unknown (Stripe has not confirmed a refund) or test
    -- (Stripe's test mode: counts nowhere).
    status          TEXT NOT NULL,
    refund_of       UUID,
    estimate_id     UUID,
    number          BIGINT,
    -- Stripe's id of the payment or refund.
    provider_id     TEXT,
    account_id      UUID REFERENCES account (id) ON DELETE SET NULL,
    event_id        UUID,
    created_at      TIMESTAMPTZ NOT NULL,
    undone_at       TIMESTAMPTZ,
    -- When a refund was first asked for at Stripe. Null: nothing was asked, so nothing is in doubt.
    attempted_at    TIMESTAMPTZ,
    -- Number in the refund's idempotency key; the next one after Stripe stored a failure.
    key_no          BIGINT NOT NULL DEFAULT 0,
    -- The Stripe account that holds it. Null: the account in force.
    account         TEXT,
    charge_id       TEXT,
    payout_id       TEXT,
    -- A refund in doubt that Stripe cannot be asked about: the business decides.
    is_unreachable  BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id)
);
CREATE UNIQUE INDEX payment_by_number ON payment (org_id, number) WHERE number IS NOT NULL;
CREATE INDEX payment_by_lead ON payment (org_id, lead_id, created_at);
CREATE INDEX payment_by_day ON payment (org_id, received_on);
CREATE UNIQUE INDEX payment_by_provider_id ON payment (org_id, provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX payment_by_charge ON payment (org_id, charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX payment_at_stripe ON payment (org_id, created_at) WHERE provider_id IS NOT NULL;
CREATE INDEX payment_by_refund ON payment (org_id, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX payment_pending ON payment (org_id) WHERE status IN ('pending', 'unknown');
CREATE INDEX payment_by_id ON payment (id);

-- The part of a payment that paid an invoice. Parts of a refund are negative.
CREATE TABLE payment_allocation (
    org_id      UUID NOT NULL,
    payment_id  UUID NOT NULL,
    invoice_id  UUID NOT NULL,
    cents       BIGINT NOT NULL,
    PRIMARY KEY (org_id, payment_id, invoice_id),
    FOREIGN KEY (org_id, payment_id) REFERENCES payment (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, invoice_id) REFERENCES invoice (org_id, id) ON DELETE CASCADE
);
CREATE INDEX payment_allocation_by_invoice ON payment_allocation (org_id, invoice_id);

-- A visit to Stripe's payment page.
CREATE TABLE checkout (
    org_id               UUID NOT NULL,
    id                   UUID NOT NULL,
    lead_id              UUID NOT NULL,
    -- invoice or estimate (its deposit).
    about                TEXT NOT NULL,
    about_id             UUID NOT NULL,
    amount_cents         BIGINT NOT NULL,
    -- opening, open, paid, expired or failed.
    status               TEXT NOT NULL,
    provider_id          TEXT,
    url                  TEXT,
    created_at           TIMESTAMPTZ NOT NULL,
    expires_at           TIMESTAMPTZ NOT NULL,
    -- pi_…, named by Stripe's later events.
    payment_provider_id  TEXT,
    -- The Stripe account of the page. Null: the account in force.
    account              TEXT,
    -- Null until it was opened.
    livemode             BOOLEAN,
    -- Nobody is sent there; it is still to be expired at Stripe.
    is_closing           BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, lead_id) REFERENCES lead (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX checkout_by_id ON checkout (id);
CREATE INDEX checkout_by_subject ON checkout (org_id, about_id);
-- Two taps on Pay are one visit.
CREATE UNIQUE INDEX checkout_active ON checkout (org_id, about_id) WHERE status IN ('opening', 'open');
CREATE INDEX checkout_by_payment ON checkout (org_id, payment_provider_id);
CREATE INDEX checkout_refused ON checkout (org_id, lead_id) WHERE status = 'failed';
CREATE UNIQUE INDEX checkout_by_provider_id ON checkout (org_id, provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX checkout_open_by_lead ON checkout (org_id, lead_id) WHERE status IN ('opening', 'open');
CREATE INDEX checkout_pending_bank ON checkout (org_id) WHERE status = 'open' AND url IS NULL;

-- A card that a customer agreed to have charged later. Prepared for automatic payments; nothing writes it yet.
CREATE TABLE saved_card (
    org_id             UUID NOT NULL,
    id                 UUID NOT NULL,
    customer_id        UUID NOT NULL,
    -- acct_… of the holder; provider_customer is cus_…, payment_method pm_….
    account            TEXT NOT NULL,
    provider_customer  TEXT NOT NULL,
    payment_method     TEXT NOT NULL,
    brand              TEXT NOT NULL,
    last4              TEXT NOT NULL,
    expires_month      BIGINT NOT NULL,
    expires_year       BIGINT NOT NULL,
    -- Version of the words agreed to.
    consent_version    TEXT NOT NULL,
    consented_at       TIMESTAMPTZ NOT NULL,
    -- X-Request-Id of the consent.
    consent_request    TEXT NOT NULL,
    withdrawn_at       TIMESTAMPTZ,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, customer_id) REFERENCES customer (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX saved_card_by_method ON saved_card (org_id, account, payment_method);
CREATE INDEX saved_card_by_customer ON saved_card (org_id, customer_id);

-- A Stripe event about a business; each is taken once.
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
CREATE INDEX stripe_event_by_kind ON stripe_event (org_id, kind);
CREATE INDEX stripe_event_by_org ON stripe_event (org_id, received_at);

-- Progress of the nightly comparison with Stripe.
CREATE TABLE reconciliation (
    org_id       UUID NOT NULL PRIMARY KEY REFERENCES org (id) ON DELETE CASCADE,
    -- The account that is compared; another one starts over.
    account      TEXT NOT NULL,
    -- charges, refunds, disputes, payouts, lines, transactions, compare or done.
    phase        TEXT NOT NULL,
    -- Last record read in the phase.
    cursor       TEXT,
    since        TIMESTAMPTZ NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    finished_at  TIMESTAMPTZ,
    -- Payments that agreed in the last complete run.
    agreed       BIGINT NOT NULL,
    -- Lists that the key may not read, separated by spaces.
    unread       TEXT NOT NULL
);

-- A payout as listed by Stripe.
CREATE TABLE stripe_payout (
    org_id        UUID NOT NULL REFERENCES org (id) ON DELETE CASCADE,
    id            TEXT NOT NULL,
    amount_cents  BIGINT NOT NULL,
    -- paid, pending, in_transit, canceled or failed.
    status        TEXT NOT NULL,
    arrives_on    DATE NOT NULL,
    -- Whether its lines are still to be read: automatic payouts only.
    is_unread     BOOLEAN NOT NULL,
    made_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, id)
);

-- A balance transaction as listed by Stripe.
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

-- A difference between the books and Stripe.
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
    -- When it was last seen: one that the last complete run did not see is over.
    seen_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (org_id, kind, object)
);
