//! Marks of items: the table `work_item_mark`. One row for each item, the last mark.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{WorkItemKey, WorkItemKind};
use crate::platform::{
    db::{AsConn, Tx, insert_row, q},
    error::Result,
    id::{AccountId, AlertId, CustomerId, EventId, LeadId, OrgId},
};

/// What the undo puts back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MarkedState {
    /// The conversation was marked as answered up to this instant, and before up to the next one.
    pub settled_to: Option<DateTime<Utc>>,
    pub settled_before: Option<DateTime<Utc>>,
    pub unread_before: i64,
    /// Whether the conversation was snoozed with the item, and until when it was before.
    pub is_thread_snoozed: bool,
    pub snoozed_before: Option<DateTime<Utc>>,
    /// Entries of the history that say that somebody answered, with their leads.
    pub events: Vec<(EventId, LeadId)>,
    pub alerts: Vec<AlertId>,
}

#[derive(Clone, Debug, FromRow)]
pub(super) struct WorkItemMark {
    pub kind: WorkItemKind,
    pub subject_id: Uuid,
    pub customer_id: Option<CustomerId>,
    pub lead_id: Option<LeadId>,
    pub since: DateTime<Utc>,
    pub done_at: Option<DateTime<Utc>>,
    pub snoozed_until: Option<DateTime<Utc>>,
    pub account_id: Option<AccountId>,
    pub marked_at: DateTime<Utc>,
    pub prior_state: Json<MarkedState>,
}

pub(super) async fn store_mark(tx: &mut Tx, org: OrgId, mark: WorkItemMark) -> Result<()> {
    insert_row!(
        tx,
        execute,
        work_item_mark {
            org_id: org,
            kind: mark.kind,
            subject_id: mark.subject_id,
            customer_id: mark.customer_id,
            lead_id: mark.lead_id,
            since: mark.since,
            done_at: mark.done_at,
            snoozed_until: mark.snoozed_until,
            account_id: mark.account_id,
            marked_at: mark.marked_at,
            prior_state: mark.prior_state,
        },
        "ON CONFLICT (org_id, kind, subject_id) DO UPDATE SET customer_id = excluded.customer_id,
             lead_id = excluded.lead_id, since = excluded.since, done_at = excluded.done_at,
             snoozed_until = excluded.snoozed_until, account_id = excluded.account_id,
             marked_at = excluded.marked_at, prior_state = excluded.prior_state"
    )?;
    Ok(())
}

/// Takes the mark of an item away, and returns it.
pub(super) async fn take_mark(tx: &mut Tx, org: OrgId, key: WorkItemKey) -> Result<Option<WorkItemMark>> {
    Ok(q!(
        tx,
        fetch_optional as WorkItemMark,
        "DELETE FROM work_item_mark WHERE org_id = $1 AND kind = $2 AND subject_id = $3
         RETURNING kind, subject_id, customer_id, lead_id, since, done_at, snoozed_until, account_id, marked_at,
             prior_state",
        org,
        key.kind.mark_kind(),
        key.subject
    )?)
}

/// What was marked as done, the last first, after a place in the list.
pub(super) async fn list_done(
    conn: &mut dyn AsConn,
    org: OrgId,
    (before, id): (DateTime<Utc>, Uuid),
    limit: i64,
) -> Result<Vec<WorkItemMark>> {
    Ok(q!(
        conn,
        fetch_all as WorkItemMark,
        "SELECT kind, subject_id, customer_id, lead_id, since, done_at, snoozed_until, account_id, marked_at, prior_state
         FROM work_item_mark WHERE org_id = $1 AND done_at IS NOT NULL AND (marked_at, subject_id) < ($2, $3)
         ORDER BY marked_at DESC, subject_id DESC LIMIT $4",
        org,
        before,
        id,
        limit
    )?)
}

/// How many were marked as done, up to a limit.
pub(super) async fn count_done(conn: &mut dyn AsConn, org: OrgId, limit: i64) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM work_item_mark WHERE org_id = $1 AND done_at IS NOT NULL LIMIT $2)
         AS counted";
    Ok(q!(conn, fetch_one scalar i64, sql, org, limit)?)
}

/// Until when items are snoozed by their own mark.
pub(super) async fn list_snoozed(
    conn: &mut dyn AsConn,
    org: OrgId,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<(WorkItemKind, Uuid, DateTime<Utc>)>> {
    Ok(q!(
        conn,
        fetch_all as (WorkItemKind, Uuid, DateTime<Utc>),
        "SELECT kind, subject_id, snoozed_until FROM work_item_mark WHERE org_id = $1 AND snoozed_until > $2
         ORDER BY snoozed_until LIMIT $3",
        org,
        now,
        limit
    )?)
}
