//! People who wait for a word: one SQL text for each way in which they asked. `CROSS JOIN` makes SQLite read what waits
//! first, by its own index. A conversation that is snoozed hides what it is about ([`super::WorkItemKind`]): a later
//! text, call or form wakes it up. A closed one does not wait: what comes later reopens it, except forms from before forms
//! were events of the conversation.

use super::{WaitingRow, open_items::WaitingScope};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
};

/// Urgent alerts that nobody has seen.
pub(super) async fn list_emergencies(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT a.id AS subject_id, l.customer_id, l.id AS lead_id, a.created_at AS since
         FROM alert a CROSS JOIN lead l
         WHERE a.org_id = $1 AND l.org_id = $1 AND l.id = a.lead_id AND a.is_urgent AND a.seen_at IS NULL
             AND a.created_at >= $2 AND a.account_id IS NULL
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = l.customer_id
                 AND t.snoozed_until > $3)
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'emergency'
                 AND k.subject_id = a.id AND k.snoozed_until > $3)
         ORDER BY a.created_at LIMIT $4",
        scope.org,
        scope.urgent_since,
        scope.awake_at,
        scope.limit
    )?)
}

/// Conversations whose last word is the customer's: they wrote or called, and no person has answered.
pub(super) async fn list_conversations(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT t.customer_id AS subject_id, t.customer_id, l.id AS lead_id, t.last_in_at AS since
         FROM conversation t CROSS JOIN customer c LEFT JOIN lead l ON l.org_id = t.org_id AND l.id = t.lead_id
         WHERE t.org_id = $1 AND c.org_id = $1 AND c.id = t.customer_id AND t.last_in_at IS NOT NULL AND NOT t.is_closed
             AND (t.last_by_person_at IS NULL OR t.last_by_person_at < t.last_in_at)
             AND (t.settled_at IS NULL OR t.settled_at < t.last_in_at)
             AND (t.snoozed_until IS NULL OR t.snoozed_until <= $2) AND NOT c.is_blocked AND NOT c.is_staff
         ORDER BY t.last_in_at LIMIT $3",
        scope.org,
        scope.awake_at,
        scope.limit
    )?)
}

/// Requests by a form that no person has answered, also where the conversation holds no word of theirs.
pub(super) async fn list_unanswered_leads(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT l.customer_id AS subject_id, l.customer_id, l.id AS lead_id, w.asked_at AS since
         FROM metric_answer w CROSS JOIN lead l CROSS JOIN customer c
         WHERE w.org_id = $1 AND l.org_id = $1 AND l.id = w.lead_id AND c.org_id = $1 AND c.id = l.customer_id
             AND w.human_ms IS NULL AND w.asked_at >= $2 AND l.stage = 'new' AND l.held_reason IS NULL
             AND l.form IN ('lead', 'quote', 'booking') AND NOT c.is_blocked AND NOT c.is_staff
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = l.customer_id
                 AND (t.last_by_person_at >= w.asked_at OR t.snoozed_until > $3
                     OR (t.is_closed AND (t.last_kind = 'form' OR t.last_at >= w.asked_at))))
             AND NOT EXISTS (SELECT 1 FROM work_event e WHERE e.org_id = $1 AND e.lead_id = l.id AND e.at >= w.asked_at
                 AND e.kind IN ('answered', 'answer_waived', 'job_scheduled', 'booked') AND e.undone_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'answer'
                 AND k.subject_id = l.customer_id AND k.since >= w.asked_at AND k.snoozed_until > $3)
             AND (CAST($5 AS UUID) IS NULL OR l.customer_id = $5)
         ORDER BY w.asked_at LIMIT $4",
        scope.org,
        scope.people_since,
        scope.awake_at,
        scope.limit,
        scope.only
    )?)
}

/// Promises of an answer that no person has given: a repeated request by a form is among them. They give the items of
/// these people, of whatever kind, the time of the answer. After the work is done only those to who called or texted.
/// Where a person settled the conversation the promise itself is kept or released; a keyword such as STOP settles only
/// the conversation, and the promise stays open.
pub(super) async fn list_promised(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT l.customer_id AS subject_id, l.customer_id, l.id AS lead_id, p.asked_at AS since, p.due_at AS answer_by
         FROM sla p CROSS JOIN lead l CROSS JOIN customer c
         WHERE p.org_id = $1 AND l.org_id = $1 AND l.id = p.lead_id AND c.org_id = $1 AND c.id = l.customer_id
             AND p.answered_at IS NULL AND p.state IN ('open', 'broken') AND p.due_at >= $2
             AND (l.stage IN ('new', 'quoted', 'scheduled') OR p.source IN ('missed_call', 'nudge', 'text_reply'))
             AND l.held_reason IS NULL AND NOT c.is_blocked AND NOT c.is_staff
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = l.customer_id
                 AND (t.last_by_person_at >= p.asked_at OR t.snoozed_until > $3
                     OR (t.is_closed AND (t.last_kind = 'form' OR t.last_at >= p.asked_at))))
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'answer'
                 AND k.subject_id = l.customer_id AND k.since >= p.asked_at AND k.snoozed_until > $3)
             AND (CAST($5 AS UUID) IS NULL OR l.customer_id = $5)
         ORDER BY p.due_at LIMIT $4",
        scope.org,
        scope.people_since,
        scope.awake_at,
        scope.limit,
        scope.only
    )?)
}

/// Visits that were asked for: the customer has not confirmed them, or the office has to.
pub(super) async fn list_visit_requests(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT r.id AS subject_id, l.customer_id, l.id AS lead_id, r.created_at AS since
         FROM booking_request r CROSS JOIN lead l
         WHERE r.org_id = $1 AND l.org_id = $1 AND l.id = r.lead_id AND r.created_at >= $2
             AND r.denied_at IS NULL AND r.job_id IS NULL AND l.stage IN ('new', 'quoted') AND l.held_reason IS NULL
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = l.id AND j.status <> 'cancelled'
                 AND (j.created_at >= r.created_at OR j.status <> 'completed'))
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = l.customer_id
                 AND t.snoozed_until > $3)
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'confirm_request'
                 AND k.subject_id = r.id AND k.since >= r.created_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY r.created_at LIMIT $4",
        scope.org,
        scope.people_since,
        scope.awake_at,
        scope.limit
    )?)
}

/// Requests that spam protection holds back.
pub(super) async fn list_held_requests(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT l.id AS subject_id, l.customer_id, l.id AS lead_id, l.last_touch_at AS since FROM lead l
         WHERE l.org_id = $1 AND l.stage = 'new' AND l.held_reason IS NOT NULL AND l.last_touch_at >= $2
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'held_request'
                 AND k.subject_id = l.id AND k.since >= l.last_touch_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY l.last_touch_at LIMIT $4",
        scope.org,
        scope.people_since,
        scope.awake_at,
        scope.limit
    )?)
}

/// Quotes that were asked for by a form, in a conversation that a person has begun.
pub(super) async fn list_unquoted_leads(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT l.id AS subject_id, l.customer_id, l.id AS lead_id, l.created_at AS since
         FROM lead l CROSS JOIN customer c
         WHERE l.org_id = $1 AND c.org_id = $1 AND c.id = l.customer_id AND l.form = 'quote' AND l.stage = 'new'
             AND l.held_reason IS NULL AND l.created_at >= $2 AND NOT c.is_blocked AND NOT c.is_staff
             AND EXISTS (SELECT 1 FROM metric_answer w WHERE w.org_id = $1 AND w.lead_id = l.id
                 AND w.human_ms IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = $1 AND e.lead_id = l.id)
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = l.id AND j.status <> 'cancelled')
             AND NOT EXISTS (SELECT 1 FROM work_event v WHERE v.org_id = $1 AND v.lead_id = l.id
                 AND v.kind = 'answer_waived' AND v.undone_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'send_estimate'
                 AND k.subject_id = l.id AND k.since >= l.created_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY l.created_at LIMIT $4",
        scope.org,
        scope.people_since,
        scope.awake_at,
        scope.limit
    )?)
}
