//! Leads that wait for a person of the business, and since when: the one place that decides it for lists of leads.
//!
//! A lead waits while nobody has answered its customer's last text or call (the conversation waits), or while nobody
//! has answered its form: it is still new, and there was no message, call, visit or note of having spoken since they
//! last asked, and nobody closed the conversation. A held request waits for its release, not for an answer; blocked
//! customers and staff wait for none. Who is snoozed, with the conversation or on the worklist, waits from that time on.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::platform::{
    db::{AsConn, qb},
    error::Result,
    id::{LeadId, OrgId},
};

/// The ids, and the bracket after them.
macro_rules! push_ids {
    ($b:ident, $ids:expr) => {
        let mut ids = $b.separated(", ");
        for id in $ids {
            ids.push_bind(*id);
        }
        $b.push(")");
    };
}
pub(super) use push_ids;

/// Rows of `id` and `since`; a lead may have two. CROSS JOIN makes `SQLite` begin with what waits, or with the leads of
/// `among`: it pushes no condition from outside into the two parts, and would read all who wait for one page of leads.
macro_rules! leads_waiting {
    ($b:ident, $org:expr, $now:expr) => {
        leads_waiting!($b, $org, $now, &[] as &[LeadId]);
    };
    ($b:ident, $org:expr, $now:expr, $among:expr) => {
        let among: &[LeadId] = $among;
        $b.push("SELECT t.lead_id AS id, t.last_in_at AS since FROM ");
        $b.push(if among.is_empty() { "" } else { "lead a CROSS JOIN " });
        $b.push(
            "conversation t CROSS JOIN customer c
             WHERE c.org_id = t.org_id AND c.id = t.customer_id AND NOT c.is_blocked AND NOT c.is_staff
                 AND t.org_id = ",
        );
        $b.push_bind($org).push(
            " AND t.last_in_at IS NOT NULL AND NOT t.is_closed
                 AND (t.last_by_person_at IS NULL OR t.last_by_person_at < t.last_in_at)
                 AND (t.settled_at IS NULL OR t.settled_at < t.last_in_at) AND t.lead_id IS NOT NULL
                 AND (t.snoozed_until IS NULL OR t.snoozed_until <= ",
        );
        $b.push_bind($now).push(")");
        if !among.is_empty() {
            $b.push(" AND a.org_id = ").push_bind($org);
            $b.push(" AND t.customer_id = a.customer_id AND t.lead_id = a.id AND a.id IN (");
            push_ids!($b, among);
        }
        $b.push(
            " UNION ALL SELECT r.id, r.last_touch_at FROM lead r CROSS JOIN customer c
             LEFT JOIN conversation k ON k.org_id = r.org_id AND k.customer_id = r.customer_id
             WHERE c.org_id = r.org_id AND c.id = r.customer_id AND NOT c.is_blocked AND NOT c.is_staff
                 AND r.org_id = ",
        );
        $b.push_bind($org);
        if !among.is_empty() {
            $b.push(" AND r.id IN (");
            push_ids!($b, among);
        }
        // `SQLite` prefers an index by stage to many ids.
        $b.push(if among.is_empty() { " AND r.stage = 'new'" } else { " AND r.stage || '' = 'new'" });
        $b.push(
            " AND r.held_reason IS NULL AND r.form IN ('lead', 'quote', 'booking')
                 AND (k.last_by_person_at IS NULL OR k.last_by_person_at < r.last_touch_at)
                 AND (k.is_closed IS NULL OR NOT k.is_closed
                     OR (k.last_kind <> 'form' AND k.last_at < r.last_touch_at))
                 AND (k.snoozed_until IS NULL OR k.snoozed_until <= ",
        );
        $b.push_bind($now).push(
            ") AND NOT EXISTS (SELECT 1 FROM work_item_mark m WHERE m.org_id = r.org_id AND m.kind = 'answer'
                     AND m.subject_id = r.customer_id AND m.marked_at >= r.last_touch_at AND m.snoozed_until > ",
        );
        $b.push_bind($now).push(
            ") AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = r.org_id AND e.lead_id = r.id
                     AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked') AND e.undone_at IS NULL
                     AND e.at >= r.last_touch_at)",
        );
    };
}
pub(super) use leads_waiting;

/// Since when those of the leads wait that do.
pub(super) async fn load_waiting_since(
    conn: &mut dyn AsConn,
    org: OrgId,
    leads: &[LeadId],
    now: DateTime<Utc>,
) -> Result<BTreeMap<LeadId, DateTime<Utc>>> {
    let mut waiting = BTreeMap::new();
    for some in leads.chunks(500) {
        let found = qb!(&mut *conn, fetch_all as (LeadId, DateTime<Utc>), |b| {
            b.push("SELECT each_wait.id, MIN(each_wait.since) FROM (");
            leads_waiting!(b, org, now, some);
            b.push(") each_wait GROUP BY each_wait.id");
        })?;
        waiting.extend(found);
    }
    Ok(waiting)
}
