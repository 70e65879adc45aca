//! Work and money that wait: one SQL text for each kind of record.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;

use super::{WaitingRow, open_items::WaitingScope};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, InvoiceId, LeadId},
    money::Cents,
};

/// Approved estimates whose work is on no job. Change orders belong to their job.
pub(super) async fn list_approved_estimates(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT e.id AS subject_id, l.customer_id, l.id AS lead_id, e.settled_at AS since, p.total_cents AS cents
         FROM estimate e CROSS JOIN lead l CROSS JOIN approval p
         WHERE e.org_id = $1 AND l.org_id = $1 AND l.id = e.lead_id AND p.org_id = $1 AND p.estimate_id = e.id
             AND e.status = 'approved' AND e.job_id IS NULL AND e.number > 0 AND e.settled_at >= $2
             AND l.stage IN ('new', 'quoted', 'scheduled')
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = l.id
                 AND (j.status IN ('scheduled', 'in_progress') OR j.completed_at >= e.settled_at))
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'schedule'
                 AND k.subject_id = e.id AND k.since >= e.settled_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY e.settled_at LIMIT $4",
        scope.org,
        scope.records_since,
        scope.awake_at,
        scope.limit
    )?)
}

/// Jobs without a time.
pub(super) async fn list_unscheduled_jobs(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT j.id AS subject_id, j.customer_id, j.lead_id, j.id AS job_id, j.created_at AS since,
             j.value_cents AS cents, j.service AS label FROM job j
         WHERE j.org_id = $1 AND j.starts_at IS NULL AND j.status = 'scheduled'
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'schedule'
                 AND k.subject_id = j.id AND k.since >= j.created_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $2))
         ORDER BY j.created_at LIMIT $3",
        scope.org,
        scope.awake_at,
        scope.limit
    )?)
}

/// Jobs of today and tomorrow that nobody is sent to. A mark counts for the time that it was set at.
pub(super) async fn list_jobs_without_crew(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT j.id AS subject_id, j.customer_id, j.lead_id, j.id AS job_id, j.starts_at AS since,
             j.value_cents AS cents, j.service AS label FROM job j
         WHERE j.org_id = $1 AND j.starts_at IS NOT NULL AND j.starts_at >= $2 AND j.starts_at < $3
             AND j.status <> 'cancelled' AND j.status = 'scheduled' AND j.crew_id IS NULL
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'assign_crew'
                 AND k.subject_id = j.id AND k.since >= j.starts_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $4))
         ORDER BY j.starts_at LIMIT $5",
        scope.org,
        scope.today_at,
        scope.after_tomorrow_at,
        scope.awake_at,
        scope.limit
    )?)
}

/// Finished jobs that no invoice is about. An invoice of the lead without a job counts for all its jobs. A job of an erased
/// person, which has no search words, has nobody to bill.
pub(super) async fn list_unbilled_jobs(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT j.id AS subject_id, j.customer_id, j.lead_id, j.id AS job_id, j.completed_at AS since,
             COALESCE(j.value_cents, 0) + j.changes_cents AS cents, j.service AS label
         FROM job j CROSS JOIN lead l
         WHERE j.org_id = $1 AND l.org_id = $1 AND l.id = j.lead_id AND j.completed_at >= $2
             AND j.status = 'completed' AND l.stage <> 'paid' AND j.search <> ''
             AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = $1 AND i.lead_id = j.lead_id
                 AND i.status <> 'void' AND (i.job_id = j.id OR i.job_id IS NULL))
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'send_invoice'
                 AND k.subject_id = j.id AND k.since >= j.completed_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY j.completed_at LIMIT $4",
        scope.org,
        scope.records_since,
        scope.awake_at,
        scope.limit
    )?)
}

/// Drafts of invoices.
pub(super) async fn list_draft_invoices(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT i.id AS subject_id, i.customer_id, i.lead_id, i.job_id, i.created_at AS since, i.total_cents AS cents
         FROM invoice i WHERE i.org_id = $1 AND i.status = 'draft' AND i.total_cents > 0
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'send_invoice'
                 AND k.subject_id = i.id AND k.since >= i.created_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $2))
         ORDER BY i.created_at LIMIT $3",
        scope.org,
        scope.awake_at,
        scope.limit
    )?)
}

/// An invoice past its due date.
#[derive(Clone, Debug, FromRow)]
pub(super) struct OverdueRow {
    pub id: InvoiceId,
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    pub due_on: NaiveDate,
    pub cents: Cents,
}

/// Open invoices past their due date. A day that the customer promised to pay by is waited for.
pub(super) async fn list_overdue_invoices(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<OverdueRow>> {
    Ok(q!(
        conn,
        fetch_all as OverdueRow,
        "SELECT i.id, i.customer_id, i.lead_id, i.due_on, i.total_cents - i.paid_cents AS cents FROM invoice i
         WHERE i.org_id = $1 AND i.status = 'open' AND i.due_on < $2
             AND (i.promised_on IS NULL OR i.promised_on < $2)
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'collect'
                 AND k.subject_id = i.id AND k.since >= i.due_on
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY i.due_on LIMIT $4",
        scope.org,
        scope.today,
        scope.awake_at,
        scope.limit
    )?)
}

/// Reviews of three stars or less that the business has not answered. One of an erased person, who has no search words,
/// asks for no answer.
pub(super) async fn list_low_reviews(conn: &mut dyn AsConn, scope: &WaitingScope) -> Result<Vec<WaitingRow>> {
    Ok(q!(
        conn,
        fetch_all as WaitingRow,
        "SELECT r.id AS subject_id, r.customer_id, r.lead_id, r.received_at AS since, r.customer_name AS label
         FROM review r WHERE r.org_id = $1 AND r.stars <= 30 AND r.replied_at IS NULL AND r.received_at >= $2
             AND (r.customer_name IS NOT NULL OR r.body IS NOT NULL OR r.customer_id IS NULL OR EXISTS (SELECT 1
                 FROM customer c WHERE c.org_id = $1 AND c.id = r.customer_id AND c.search <> ''))
             AND NOT EXISTS (SELECT 1 FROM work_item_mark k WHERE k.org_id = $1 AND k.kind = 'review_answer'
                 AND k.subject_id = r.id AND k.since >= r.received_at
                 AND (k.done_at IS NOT NULL OR k.snoozed_until > $3))
         ORDER BY r.received_at LIMIT $4",
        scope.org,
        scope.records_since,
        scope.awake_at,
        scope.limit
    )?)
}

/// Midnight of a day in UTC: how a mark stores a day.
pub(super) fn utc_midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(chrono::NaiveTime::MIN).and_utc()
}
