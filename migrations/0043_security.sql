-- When the worker last looked through a chain by itself. What people have looked through in between does not put that
-- off (`checked_at` is the newest of either).
ALTER TABLE audit_check ADD COLUMN watched_at TIMESTAMPTZ;

-- How the calls of a business's own providers are doing, at the addresses that are its alone. Those of the install are
-- in webhook_health.
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
