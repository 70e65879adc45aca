-- Customers without a request who were erased in the night.
ALTER TABLE retention_run ADD COLUMN contacts BIGINT NOT NULL DEFAULT 0;

-- When the business last changed the record or one of its places. Null: not since it came in.
ALTER TABLE customer ADD COLUMN changed_at TIMESTAMPTZ;
UPDATE customer SET changed_at = e.changed_at
    FROM (
        SELECT org_id, subject_id, MAX(at) AS changed_at FROM audit_event
        WHERE action IN ('customer_changed', 'customers_merged') AND subject_id IS NOT NULL
        GROUP BY org_id, subject_id
    ) AS e
    WHERE e.org_id = customer.org_id AND e.subject_id = customer.id;

-- Whether a person was erased: the nightly purge passes over them (retention::purge::contacts).
CREATE INDEX erasure_by_customer ON erasure (org_id, customer_id);
