//! Forms of texts that are built at run time in ways that the source reader cannot follow: those that decide which
//! index is used.

pub const FORMS: [(&str, &[&str]); 73] = [
    (
        "shared/src/domain/tenancy/account/client.rs::list",
        &[
            "SELECT COUNT(*) FROM account a JOIN org o ON o.id = a.org_id LEFT JOIN org_trust t ON t.org_id = a.org_id WHERE a.org_id = $1",
        ],
    ),
    (
        "shared/src/ops/subscription/claim.rs::claim_subscription",
        &[
            "UPDATE subscription SET org_id = $1 WHERE id = $2 AND has_begun = TRUE AND is_counted = TRUE AND (org_id IS NULL OR org_id = $1) RETURNING id",
        ],
    ),
    (
        "shared/src/ops/subscription/snapshot_update.rs::upsert_and_lock",
        &[
            "SELECT id FROM subscription WHERE provider_id = $1",
            "INSERT INTO subscription (id, org_id, request_id, provider_id, customer_id, fact_at, is_answer, status, plan, period_start, period_end, trial_end, cancel_at, ended_at, for_nonpayment, has_begun, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT (provider_id) DO UPDATE SET org_id = COALESCE(subscription.org_id, excluded.org_id), request_id = COALESCE(subscription.request_id, excluded.request_id) RETURNING id",
        ],
    ),
    ("shared/src/ops/subscription/snapshot_update.rs::find_existing_id", &["SELECT id FROM account WHERE id = $1"]),
    (
        "shared/src/domain/money/checkout/close.rs::decide_close",
        &["SELECT id FROM checkout WHERE org_id = $1 AND id = $2"],
    ),
    (
        "shared/src/domain/money/checkout/event.rs::find_checkout",
        &[
            "SELECT id FROM checkout WHERE org_id = $1 AND provider_id = $2",
            "SELECT id FROM checkout WHERE org_id = $1 AND payment_provider_id = $2",
        ],
    ),
    (
        "shared/src/domain/money/checkout/payment_lookup.rs::find_by_payment",
        &["SELECT id FROM checkout WHERE org_id = $1 AND payment_provider_id = $2"],
    ),
    (
        "shared/src/domain/money/checkout/checkout_page.rs::begin_checkout",
        &["SELECT id FROM checkout WHERE org_id = $1 AND about_id = $2 AND status IN ('opening', 'open')"],
    ),
    (
        "shared/src/domain/money/connected_account/view.rs::load_connection",
        &["SELECT id FROM connected_account WHERE org_id = $1 ORDER BY ended_at DESC, id LIMIT 1"],
    ),
    (
        "shared/src/views/customer.rs::count_customers",
        &["SELECT COUNT(*) FROM customer c WHERE c.org_id = $1 AND c.merged_into IS NULL"],
    ),
    (
        "shared/src/views/customer.rs::list",
        &[
            "SELECT c.id FROM customer c WHERE c.org_id = $1 AND c.merged_into IS NULL AND (c.created_at, c.id) < ($2, $3) ORDER BY c.created_at DESC, c.id DESC LIMIT $4",
        ],
    ),
    (
        "shared/src/views/customer.rs::load_amounts_owed",
        &["SELECT l.customer_id, l.id FROM lead l WHERE l.org_id = $1 AND l.customer_id IN ($2, $3)"],
    ),
    (
        "shared/src/views/customer.rs::load_key_proofs",
        &["SELECT customer_id, value, proof FROM customer_key WHERE org_id = $1 AND customer_id IN ($2, $3)"],
    ),
    (
        "shared/src/views/customer.rs::load_summaries",
        &[
            "SELECT customer_id, MAX(last_touch_at) FROM lead WHERE org_id = $1 AND customer_id IN ($2, $3) GROUP BY customer_id",
            "SELECT customer_id, last_at FROM conversation WHERE org_id = $1 AND customer_id IN ($2, $3)",
            "SELECT customer_id, MIN(starts_at) FROM job WHERE org_id = $1 AND status = 'scheduled' AND starts_at >= $2 AND customer_id IN ($3, $4) GROUP BY customer_id",
        ],
    ),
    (
        "shared/src/domain/intake/customer/duplicate.rs::list_shared_contacts",
        &[
            "SELECT l.customer_id, k.value FROM customer_key k JOIN lead l ON l.org_id = k.org_id AND l.email = k.value WHERE k.org_id = $1 AND k.customer_id = $2 AND k.kind = $3 AND l.customer_id <> k.customer_id",
            "SELECT l.customer_id, k.value FROM customer_key k JOIN lead l ON l.org_id = k.org_id AND l.phone_e164 = k.value WHERE k.org_id = $1 AND k.customer_id = $2 AND k.kind = $3 AND l.customer_id <> k.customer_id",
        ],
    ),
    (
        "shared/src/ops/customer_merge.rs::move_rows",
        &[
            "UPDATE lead SET customer_id = $1 WHERE org_id = $2 AND customer_id = $3 RETURNING id",
            "UPDATE saved_card SET customer_id = $1 WHERE org_id = $2 AND customer_id = $3 RETURNING id",
        ],
    ),
    (
        "shared/src/ops/customer_merge/compare.rs::count_rows",
        &["SELECT COUNT(*) FROM lead WHERE org_id = $1 AND customer_id = $2"],
    ),
    (
        "shared/src/ops/customer_merge/undo.rs::move_rows_back",
        &["UPDATE lead SET customer_id = $1 WHERE org_id = $2 AND customer_id = $3 AND id IN ($4, $5)"],
    ),
    (
        "shared/src/ops/customer_merge/undo.rs::move_rows_of_leads",
        &[
            "UPDATE message SET customer_id = $1 WHERE org_id = $2 AND customer_id = $3 AND created_at > $4 AND lead_id IN (SELECT l.id FROM lead l WHERE l.org_id = $2 AND l.customer_id = $5)",
        ],
    ),
    (
        "shared/src/domain/work/file.rs::find_for_crew",
        &[
            "SELECT 1 FROM job j JOIN crew_member m ON m.org_id = j.org_id AND m.crew_id = j.crew_id WHERE j.org_id = $1 AND j.lead_id = $2 AND m.account_id = $3",
        ],
    ),
    (
        "shared/src/domain/work/file.rs::was_photo_of",
        &["SELECT 1 FROM file WHERE org_id = $1 AND lead_id = $2 AND id = $3 AND kind = 'photo'"],
    ),
    (
        "shared/src/domain/tenancy/storage_quota.rs::reserve_bytes",
        &["UPDATE storage_usage SET bytes = bytes + $2 WHERE org_id = $1 AND bytes + $2 <= $3"],
    ),
    (
        "shared/src/domain/money/invoice/list.rs::list",
        &[
            "SELECT i.id FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id WHERE i.org_id = $1 AND i.status = 'open' ORDER BY i.created_at DESC, i.id DESC LIMIT $2",
            "SELECT i.id FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id WHERE i.org_id = $1 ORDER BY i.created_at DESC, i.id DESC LIMIT $2",
            "SELECT i.id FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id WHERE i.org_id = $1 ORDER BY COALESCE(i.due_on, '9999-12-31'), i.id LIMIT $2",
            "SELECT i.id FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id WHERE i.org_id = $1 AND (COALESCE(i.due_on, '9999-12-31'), i.id) > ($2, $3) ORDER BY COALESCE(i.due_on, '9999-12-31'), i.id LIMIT $4",
            "SELECT i.id FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id WHERE i.org_id = $1 AND (i.total_cents, i.id) < ($2, $3) ORDER BY i.total_cents DESC, i.id DESC LIMIT $4",
        ],
    ),
    (
        "shared/src/domain/money/invoice/list.rs::load_total",
        &[
            "SELECT COUNT(*), SUM(i.total_cents - i.paid_cents) FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id WHERE i.org_id = $1 AND i.status = 'open' AND i.due_on < $2",
        ],
    ),
    (
        "shared/src/domain/money/invoice/view.rs::load_view",
        &["SELECT i.id FROM invoice i WHERE i.org_id = $1 AND i.id = $2"],
    ),
    (
        "shared/src/views/job/list.rs::list",
        &[
            "SELECT j.id FROM job j WHERE j.org_id = $1 AND j.status = $2 ORDER BY j.listed_at DESC, j.id DESC LIMIT $3",
            "SELECT j.id FROM job j WHERE j.org_id = $1 ORDER BY j.listed_at DESC, j.id DESC LIMIT $2",
            "SELECT j.id FROM job j WHERE j.org_id = $1 AND j.crew_id = $2 AND j.status <> 'cancelled' AND j.starts_at > $3 AND j.starts_at < $4",
        ],
    ),
    (
        "shared/src/views/job/list.rs::load_total",
        &[
            "SELECT COUNT(*) FROM job j WHERE j.org_id = $1 AND j.starts_at IS NULL AND j.status = 'scheduled'",
            "SELECT COUNT(*) FROM job j WHERE j.org_id = $1 AND j.status = $2",
        ],
    ),
    (
        "shared/src/domain/intake/lead/customer/keys.rs::lock_contact_keys",
        &[
            "INSERT INTO customer_key (org_id, kind, value, customer_id, last_used_at, proof, proved_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value RETURNING kind, value, customer_id, proof",
        ],
    ),
    (
        "shared/src/domain/intake/lead/customer.rs::match_customer",
        &[
            "INSERT INTO customer_key (org_id, kind, value, customer_id, last_used_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (org_id, kind, value) DO NOTHING",
        ],
    ),
    (
        "shared/src/views/lead/waiting.rs::load_waiting_since",
        &[
            "SELECT each_wait.id, MIN(each_wait.since) FROM (SELECT t.lead_id AS id, t.last_in_at AS since FROM lead a CROSS JOIN conversation t CROSS JOIN customer c WHERE c.org_id = t.org_id AND c.id = t.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND t.org_id = $1 AND t.last_in_at IS NOT NULL AND NOT t.is_closed AND (t.last_by_person_at IS NULL OR t.last_by_person_at < t.last_in_at) AND (t.settled_at IS NULL OR t.settled_at < t.last_in_at) AND t.lead_id IS NOT NULL AND (t.snoozed_until IS NULL OR t.snoozed_until <= $2) AND a.org_id = $1 AND t.customer_id = a.customer_id AND t.lead_id = a.id AND a.id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) UNION ALL SELECT r.id, r.last_touch_at FROM lead r CROSS JOIN customer c LEFT JOIN conversation k ON k.org_id = r.org_id AND k.customer_id = r.customer_id WHERE c.org_id = r.org_id AND c.id = r.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND r.org_id = $1 AND r.id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) AND r.stage || '' = 'new' AND r.held_reason IS NULL AND r.form IN ('lead', 'quote', 'booking') AND (k.last_by_person_at IS NULL OR k.last_by_person_at < r.last_touch_at) AND (k.is_closed IS NULL OR NOT k.is_closed OR (k.last_kind <> 'form' AND k.last_at < r.last_touch_at)) AND (k.snoozed_until IS NULL OR k.snoozed_until <= $2) AND NOT EXISTS (SELECT 1 FROM work_item_mark m WHERE m.org_id = r.org_id AND m.kind = 'answer' AND m.subject_id = r.customer_id AND m.marked_at >= r.last_touch_at AND m.snoozed_until > $2) AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = r.org_id AND e.lead_id = r.id AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked') AND e.undone_at IS NULL AND e.at >= r.last_touch_at)) each_wait GROUP BY each_wait.id",
        ],
    ),
    (
        "shared/src/views/lead/list.rs::list",
        &[
            "SELECT l.* FROM lead l WHERE l.org_id = $1 ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $2",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND l.stage = $2 ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $3",
            "SELECT l.* FROM (SELECT DISTINCT o.id FROM sla p CROSS JOIN lead o CROSS JOIN customer c WHERE p.answered_at IS NULL AND p.state IN ('open', 'broken') AND p.org_id = $1 AND o.org_id = p.org_id AND o.id = p.lead_id AND c.org_id = p.org_id AND c.id = o.customer_id AND (o.stage IN ('new', 'quoted', 'scheduled') OR p.source IN ('missed_call', 'nudge', 'text_reply')) AND o.held_reason IS NULL AND NOT c.is_blocked AND NOT c.is_staff AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = p.org_id AND t.customer_id = o.customer_id AND t.last_by_person_at >= p.asked_at)) owed CROSS JOIN lead l WHERE l.org_id = $1 AND l.id = owed.id ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $2",
            "SELECT l.* FROM (SELECT DISTINCT m.lead_id AS id FROM message m WHERE m.status = 'not_sent' AND m.channel = 'sms' AND m.org_id = $1 AND m.created_at >= $2 AND m.direction = 'out' AND m.lead_id IS NOT NULL AND (m.reason LIKE $3 OR m.reason LIKE $4) AND NOT EXISTS (SELECT 1 FROM message s WHERE s.org_id = m.org_id AND s.customer_id = m.customer_id AND s.created_at >= m.created_at AND s.sent_at >= m.created_at AND s.direction = 'out' AND s.channel = 'sms')) refused CROSS JOIN lead l WHERE l.org_id = $1 AND l.id = refused.id ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $5",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 ORDER BY l.created_at DESC, l.id DESC LIMIT $2",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND (l.created_at, l.id) > ($2, $3) ORDER BY l.created_at, l.id LIMIT $4",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 ORDER BY COALESCE(l.quoted_cents, l.collected_cents, 0) DESC, l.id DESC LIMIT $2",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND (COALESCE(l.quoted_cents, l.collected_cents, 0), l.id) < ($2, $3) ORDER BY COALESCE(l.quoted_cents, l.collected_cents, 0) DESC, l.id DESC LIMIT $4",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND l.source = $2 ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $3",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND l.owner_account_id = $2 ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $3",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND l.owner_account_id IS NULL ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $2",
            "SELECT l.* FROM lead l WHERE l.org_id = $1 AND l.stage = $2 AND l.source = $3 AND l.owner_account_id IS NULL ORDER BY COALESCE(l.quoted_cents, l.collected_cents, 0) DESC, l.id DESC LIMIT $4",
            "SELECT l.*, waits.since AS waits_since FROM (SELECT each_wait.id, MIN(each_wait.since) AS since FROM (SELECT t.lead_id AS id, t.last_in_at AS since FROM conversation t CROSS JOIN customer c WHERE c.org_id = t.org_id AND c.id = t.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND t.org_id = $1 AND t.last_in_at IS NOT NULL AND NOT t.is_closed AND (t.last_by_person_at IS NULL OR t.last_by_person_at < t.last_in_at) AND (t.settled_at IS NULL OR t.settled_at < t.last_in_at) AND t.lead_id IS NOT NULL AND (t.snoozed_until IS NULL OR t.snoozed_until <= $3) UNION ALL SELECT r.id, r.last_touch_at FROM lead r CROSS JOIN customer c LEFT JOIN conversation k ON k.org_id = r.org_id AND k.customer_id = r.customer_id WHERE c.org_id = r.org_id AND c.id = r.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND r.org_id = $1 AND r.stage = 'new' AND r.held_reason IS NULL AND r.form IN ('lead', 'quote', 'booking') AND (k.last_by_person_at IS NULL OR k.last_by_person_at < r.last_touch_at) AND (k.is_closed IS NULL OR NOT k.is_closed OR (k.last_kind <> 'form' AND k.last_at < r.last_touch_at)) AND (k.snoozed_until IS NULL OR k.snoozed_until <= $3) AND NOT EXISTS (SELECT 1 FROM work_item_mark m WHERE m.org_id = r.org_id AND m.kind = 'answer' AND m.subject_id = r.customer_id AND m.marked_at >= r.last_touch_at AND m.snoozed_until > $3) AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = r.org_id AND e.lead_id = r.id AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked') AND e.undone_at IS NULL AND e.at >= r.last_touch_at)) each_wait GROUP BY each_wait.id) waits CROSS JOIN lead l WHERE l.org_id = $1 AND l.id = waits.id AND l.held_reason IS NULL ORDER BY waits.since, l.id LIMIT $2",
            "SELECT l.*, waits.since AS waits_since FROM (SELECT each_wait.id, MIN(each_wait.since) AS since FROM (SELECT t.lead_id AS id, t.last_in_at AS since FROM conversation t CROSS JOIN customer c WHERE c.org_id = t.org_id AND c.id = t.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND t.org_id = $1 AND t.last_in_at IS NOT NULL AND NOT t.is_closed AND (t.last_by_person_at IS NULL OR t.last_by_person_at < t.last_in_at) AND (t.settled_at IS NULL OR t.settled_at < t.last_in_at) AND t.lead_id IS NOT NULL AND (t.snoozed_until IS NULL OR t.snoozed_until <= $8) UNION ALL SELECT r.id, r.last_touch_at FROM lead r CROSS JOIN customer c LEFT JOIN conversation k ON k.org_id = r.org_id AND k.customer_id = r.customer_id WHERE c.org_id = r.org_id AND c.id = r.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND r.org_id = $1 AND r.stage = 'new' AND r.held_reason IS NULL AND r.form IN ('lead', 'quote', 'booking') AND (k.last_by_person_at IS NULL OR k.last_by_person_at < r.last_touch_at) AND (k.is_closed IS NULL OR NOT k.is_closed OR (k.last_kind <> 'form' AND k.last_at < r.last_touch_at)) AND (k.snoozed_until IS NULL OR k.snoozed_until <= $8) AND NOT EXISTS (SELECT 1 FROM work_item_mark m WHERE m.org_id = r.org_id AND m.kind = 'answer' AND m.subject_id = r.customer_id AND m.marked_at >= r.last_touch_at AND m.snoozed_until > $8) AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = r.org_id AND e.lead_id = r.id AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked') AND e.undone_at IS NULL AND e.at >= r.last_touch_at)) each_wait GROUP BY each_wait.id) waits CROSS JOIN lead l WHERE l.org_id = $1 AND l.id = waits.id AND l.held_reason IS NULL AND l.stage = $2 AND l.source = $3 AND l.owner_account_id = $4 AND (waits.since, l.id) > ($5, $6) ORDER BY waits.since, l.id LIMIT $7",
        ],
    ),
    (
        "shared/src/views/lead/list.rs::load_total",
        &[
            "SELECT COUNT(*) FROM lead l WHERE l.org_id = $1 AND l.stage = $2",
            "SELECT COUNT(*) FROM (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.stage = $2 LIMIT $3) found",
            "SELECT COUNT(*) FROM (SELECT 1 FROM (SELECT each_wait.id, MIN(each_wait.since) AS since FROM (SELECT t.lead_id AS id, t.last_in_at AS since FROM conversation t CROSS JOIN customer c WHERE c.org_id = t.org_id AND c.id = t.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND t.org_id = $1 AND t.last_in_at IS NOT NULL AND NOT t.is_closed AND (t.last_by_person_at IS NULL OR t.last_by_person_at < t.last_in_at) AND (t.settled_at IS NULL OR t.settled_at < t.last_in_at) AND t.lead_id IS NOT NULL AND (t.snoozed_until IS NULL OR t.snoozed_until <= $3) UNION ALL SELECT r.id, r.last_touch_at FROM lead r CROSS JOIN customer c LEFT JOIN conversation k ON k.org_id = r.org_id AND k.customer_id = r.customer_id WHERE c.org_id = r.org_id AND c.id = r.customer_id AND NOT c.is_blocked AND NOT c.is_staff AND r.org_id = $1 AND r.stage = 'new' AND r.held_reason IS NULL AND r.form IN ('lead', 'quote', 'booking') AND (k.last_by_person_at IS NULL OR k.last_by_person_at < r.last_touch_at) AND (k.is_closed IS NULL OR NOT k.is_closed OR (k.last_kind <> 'form' AND k.last_at < r.last_touch_at)) AND (k.snoozed_until IS NULL OR k.snoozed_until <= $3) AND NOT EXISTS (SELECT 1 FROM work_item_mark m WHERE m.org_id = r.org_id AND m.kind = 'answer' AND m.subject_id = r.customer_id AND m.marked_at >= r.last_touch_at AND m.snoozed_until > $3) AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = r.org_id AND e.lead_id = r.id AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked') AND e.undone_at IS NULL AND e.at >= r.last_touch_at)) each_wait GROUP BY each_wait.id) waits CROSS JOIN lead l WHERE l.org_id = $1 AND l.id = waits.id AND l.held_reason IS NULL LIMIT $2) found",
        ],
    ),
    (
        "shared/src/domain/messaging/message/queue.rs::store_queued",
        &[
            "INSERT INTO message (org_id, id, lead_id, customer_id, direction, channel, kind, class, to_address, subject, body, page, status, dedupe_key, account_id, attempts, fence, next_attempt_at, deadline_at, reconcile_checks, segments, created_at, about_id, event_id, sla_minutes, sla_starts_at, sla_text) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27) ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id",
        ],
    ),
    (
        "shared/src/domain/messaging/message/send_rate.rs::claim_lane_slot",
        &["UPDATE send_rate SET free_at_ms = free_at_ms + $2 WHERE lane = $1"],
    ),
    (
        "shared/src/domain/growth/metrics/figures/read.rs::load_metric_days",
        &["SELECT * FROM metric_day WHERE org_id = $1 AND day >= $2 AND day <= $3 ORDER BY day"],
    ),
    (
        "shared/src/domain/growth/metrics/load/job.rs::load_jobs",
        &[
            "SELECT j.id, (SELECT SUM(c.amount_cents) FROM job_cost c WHERE c.org_id = j.org_id AND c.job_id = j.id) FROM job j WHERE j.org_id = $1 AND j.id IN ($2, $3)",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/load/lead.rs::load_lead_events",
        &[
            "SELECT m.lead_id, m.sent_at FROM message m WHERE m.direction = 'out' AND m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND m.org_id = $1 AND m.lead_id IN ($2, $3)",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/load/lead.rs::load_leads",
        &[
            "SELECT id, EXISTS (SELECT 1 FROM payment p WHERE p.org_id = lead.org_id AND p.lead_id = lead.id) FROM lead WHERE org_id = $1 AND id IN ($2, $3)",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/load/billing_document.rs::load_estimates",
        &[
            "SELECT e.id FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id WHERE e.org_id = $1 AND e.id IN ($2, $3) AND NOT EXISTS (SELECT 1 FROM estimate o WHERE o.org_id = e.org_id AND o.number = e.number AND o.id <> e.id)",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/load/billing_document.rs::load_invoices",
        &["SELECT id FROM invoice WHERE org_id = $1 AND id IN ($2, $3)"],
    ),
    (
        "shared/src/domain/growth/metrics/load/billing_document.rs::list_other_versions",
        &[
            "SELECT o.id FROM estimate e JOIN estimate o ON o.org_id = e.org_id AND o.number = e.number WHERE e.org_id = $1 AND o.id <> e.id AND e.id IN ($2, $3)",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/load/payment.rs::load_payments",
        &[
            "SELECT p.id, l.source FROM payment p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id WHERE p.org_id = $1 AND p.id IN ($2, $3)",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/load/review.rs::load_review_requests",
        &["SELECT id FROM review_request WHERE org_id = $1 AND id IN ($2, $3)"],
    ),
    (
        "shared/src/domain/growth/metrics/load/review.rs::load_reviews",
        &["SELECT id FROM review WHERE org_id = $1 AND id IN ($2, $3)"],
    ),
    (
        "shared/src/domain/growth/metrics/recompute.rs::list_ids_after",
        &["SELECT id FROM lead WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT $3"],
    ),
    (
        "shared/src/domain/growth/metrics/recompute/compare.rs::load_stored_totals",
        &["SELECT * FROM metric_day WHERE org_id = $1 AND day = $2"],
    ),
    (
        "shared/src/domain/growth/metrics/row.rs::delete_rows",
        &[
            "DELETE FROM metric_row WHERE org_id = $1 AND ((measure = $2 AND day = $3 AND subject_id = $4) OR (measure = $5 AND day = $6 AND subject_id = $7))",
        ],
    ),
    (
        "shared/src/domain/growth/metrics/store.rs::lock_contributions",
        &[
            "INSERT INTO metric_fact (org_id, kind, subject_id, facts) VALUES ($1, $2, $3, $4) ON CONFLICT (org_id, kind, subject_id) DO UPDATE SET facts = metric_fact.facts",
        ],
    ),
    (
        "shared/src/domain/money/price_book/import.rs::build_plan",
        &["SELECT id FROM price_item WHERE org_id = $1 ORDER BY created_at, id"],
    ),
    (
        "shared/src/domain/growth/attribution/timeline.rs::load_events",
        &[
            "SELECT m.lead_id, m.id, i.id FROM message m LEFT JOIN invoice i ON m.kind = 'dunning' AND i.org_id = m.org_id AND i.id = m.about_id WHERE m.direction = 'out' AND m.org_id = $1 AND m.lead_id IN ($2, $3)",
        ],
    ),
    (
        "shared/src/ops/retention/purge/photos.rs::count_photos",
        &["SELECT COUNT(*) FROM photo p WHERE p.org_id = $1 AND p.created_at < $2"],
    ),
    (
        "shared/src/ops/retention/purge/requests.rs::count_requests",
        &[
            "SELECT COUNT(*) FROM customer c WHERE c.org_id = $1 AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = c.org_id AND l.customer_id = c.id AND l.last_touch_at >= $2)",
        ],
    ),
    (
        "shared/src/ops/retention/purge/contacts.rs::count_contacts",
        &[
            "SELECT COUNT(*) FROM customer c WHERE c.org_id = $1 AND c.merged_into IS NULL AND c.created_at < $2 AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id)",
        ],
    ),
    (
        "shared/src/ops/retention/purge/contacts.rs::purge_contacts",
        &[
            "SELECT c.id, c.created_at FROM customer c WHERE c.org_id = $1 AND c.merged_into IS NULL AND c.created_at < $2 AND (c.changed_at IS NULL OR c.changed_at < $2) AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id) AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = c.id AND t.last_at >= $2) AND NOT EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1 AND m.customer_id = c.id AND m.created_at >= $2) AND NOT EXISTS (SELECT 1 FROM call k WHERE k.org_id = $1 AND k.customer_id = c.id AND k.started_at >= $2) AND NOT EXISTS (SELECT 1 FROM review r WHERE r.org_id = $1 AND r.customer_id = c.id) AND NOT EXISTS (SELECT 1 FROM erasure x WHERE x.org_id = $1 AND x.customer_id = c.id AND x.state IN ('waiting', 'done')) AND (c.created_at, c.id) > ($3, $4) ORDER BY c.created_at, c.id LIMIT 1",
        ],
    ),
    (
        "shared/src/ops/retention/purge/photos.rs::mark_file_photo_removed",
        &[
            "UPDATE file SET removed_at = $4 WHERE org_id = $1 AND created_at < $2 AND id = $3 AND kind = 'photo' AND removed_at IS NULL",
        ],
    ),
    (
        "shared/src/ops/retention/purge.rs::record_progress",
        &["UPDATE retention_run SET photos = photos + $3 WHERE org_id = $1 AND id = $2"],
    ),
    (
        "shared/src/ops/retention/purge/photos.rs::delete_photo",
        &["DELETE FROM photo WHERE org_id = $1 AND created_at < $2 AND id = $3"],
    ),
    (
        "shared/src/ops/retention/purge/photos.rs::purge_photos",
        &[
            "SELECT p.id FROM photo p WHERE p.org_id = $1 AND p.created_at < $2 AND (p.created_at, p.id) > ($3, $4) ORDER BY p.created_at, p.id LIMIT $5",
            "SELECT p.id FROM file p WHERE p.org_id = $1 AND p.kind = 'photo' AND p.removed_at IS NULL AND p.created_at < $2 AND (p.created_at, p.id) > ($3, $4) ORDER BY p.created_at, p.id LIMIT $5",
        ],
    ),
    (
        "shared/src/ops/retention/purge/requests.rs::purge_requests",
        &["SELECT c.id FROM customer c WHERE c.org_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3"],
    ),
    (
        "shared/src/domain/growth/review/list.rs::list_reviews",
        &["SELECT id FROM review WHERE org_id = $1 ORDER BY received_at DESC, id DESC LIMIT $2"],
    ),
    (
        "shared/src/domain/growth/review/matching.rs::suggest_customers",
        &[
            "SELECT id, name FROM customer WHERE org_id = $1 AND merged_into IS NULL AND LOWER(name) IN (LOWER($2), LOWER($3))",
        ],
    ),
    (
        "shared/src/domain/growth/review/request_list.rs::build_views",
        &[
            "SELECT f.about_id, m.channel FROM follow_up f LEFT JOIN message m ON m.org_id = f.org_id AND m.id = f.message_id WHERE f.org_id = $1 AND f.about_id IN ($2, $3)",
        ],
    ),
    (
        "platform/src/tasks/admission.rs::promote_parked",
        &[
            "UPDATE task SET queue_state = 'due' WHERE status = 'ready' AND queue_state = 'parked' AND id IN (SELECT id FROM task WHERE status = 'ready' AND queue_state = 'parked' AND org_id = $1 ORDER BY dispatch_at, id LIMIT $2)",
        ],
    ),
    (
        "platform/src/tasks/admission.rs::store_placements",
        &[
            "UPDATE task SET queue_state = $2, dispatch_at = $3 WHERE id = $1 AND status = 'ready' AND queue_state = 'scheduled'",
        ],
    ),
    (
        "platform/src/tasks/admission.rs::load_backlogs",
        &[
            "SELECT (SELECT COUNT(*) FROM task t WHERE t.org_id = $1 AND t.status = 'ready' AND t.queue_state = 'due'), (SELECT t.dispatch_at FROM task t WHERE t.org_id = $1 AND t.status = 'ready' AND t.queue_state = 'parked' ORDER BY t.dispatch_at DESC LIMIT 1)",
        ],
    ),
    (
        "platform/src/tasks/claim.rs::load_due_head",
        &[
            "SELECT id, org_id, lane, is_quarantined, dispatch_at, (kind = 'send_email' AND unique_key LIKE 'send-account:%') AS goes_first FROM task WHERE status = 'ready' AND queue_state = 'due' ORDER BY dispatch_at, id LIMIT $1",
        ],
    ),
    (
        "platform/src/tasks/claim.rs::place_due_tasks",
        &[
            "SELECT id, org_id, lane, is_quarantined, (kind = 'send_email' AND unique_key LIKE 'send-account:%') AS goes_first FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= $1 ORDER BY run_at, id LIMIT $2",
        ],
    ),
    (
        "platform/src/tasks/claim.rs::claim_silent",
        &[
            "SELECT id FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= $1 AND kind IN ('recount', 'process_inbound_sms', 'seed_demo', 'noop') ORDER BY run_at, id LIMIT $2",
        ],
    ),
    (
        "platform/src/db/batched_delete.rs::delete_slice",
        &[
            "SELECT 1 FROM task WHERE status = 'done' AND finished_at < $1 LIMIT 500",
            "SELECT 1 FROM task WHERE status = 'dead' AND finished_at < $1 LIMIT 500",
            "SELECT 1 FROM webhook_delivery WHERE state <> 'waiting' AND created_at < $1 LIMIT 500",
            "SELECT 1 FROM idempotency WHERE created_at < $1 LIMIT 500",
            "SELECT 1 FROM stripe_event WHERE received_at < $1 LIMIT 500",
        ],
    ),
    (
        "platform/src/tasks/claim.rs::precheck_claim",
        &[
            "SELECT EXISTS (SELECT 1 FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= $1) OR EXISTS (SELECT 1 FROM task d WHERE d.status = 'ready' AND d.queue_state = 'due' AND (d.org_id IS NULL OR (d.org_id, d.lane) NOT IN (SELECT org_id, lane FROM (SELECT org_id, lane, locked_by, is_quarantined FROM task WHERE status = 'running' ORDER BY lease_until LIMIT 10000) AS running WHERE org_id IS NOT NULL GROUP BY org_id, lane HAVING COUNT(*) >= (CASE lane WHEN 'email' THEN 3 ELSE 5 END)))) AS has_some, EXISTS (SELECT 1 FROM send_freeze) AS is_frozen",
        ],
    ),
    (
        "platform/src/tasks/queue.rs::mark_done",
        &[
            "UPDATE task SET status = 'done', finished_at = $1 WHERE status = 'running' AND locked_by = $2 AND ((id = $3 AND fence = $4) OR (id = $5 AND fence = $6))",
        ],
    ),
    ("platform/src/tasks/view.rs::count_tasks", &["SELECT COUNT(*) FROM task WHERE org_id = $1"]),
    (
        "platform/src/tasks/view.rs::load_page",
        &[
            "SELECT id FROM task WHERE org_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
            "SELECT id FROM task WHERE org_id = $1 AND status = 'dead' ORDER BY created_at DESC, id DESC LIMIT $2",
        ],
    ),
];
