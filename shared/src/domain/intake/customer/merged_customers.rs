//! The records that were merged into a customer's.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, MergeId, OrgId},
    phone::Phone,
};

/// How long a merge can be undone (features 6).
const UNMERGE_WINDOW: Duration = Duration::days(30);

/// A record that was merged into this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MergedFrom)]
pub struct MergedCustomer {
    pub merge_id: MergeId,
    pub id: CustomerId,
    pub name: String,
    /// As people read it.
    pub phone_shown: Option<String>,
    pub at: DateTime<Utc>,
    /// Who merged them, by name.
    pub by: Option<String>,
    /// Until when the two can be parted again.
    pub until: DateTime<Utc>,
    /// Whether they can be parted now: within thirty days, and the merge that came last first.
    pub undoable: bool,
}

#[derive(FromRow)]
struct CustomerMergeRow {
    id: MergeId,
    gone_id: CustomerId,
    name: String,
    phone_e164: Option<Phone>,
    at: DateTime<Utc>,
    by_name: Option<String>,
}

pub async fn list_merged_from(
    conn: &mut dyn AsConn,
    org: OrgId,
    kept: CustomerId,
    now: DateTime<Utc>,
) -> Result<Vec<MergedCustomer>> {
    let rows = q!(
        conn,
        fetch_all as CustomerMergeRow,
        "SELECT m.id, m.gone_id, c.name, c.phone_e164, m.at, a.name AS by_name FROM customer_merge m
         JOIN customer c ON c.org_id = m.org_id AND c.id = m.gone_id
         LEFT JOIN account a ON a.org_id = m.org_id AND a.id = m.account_id
         WHERE m.org_id = $1 AND m.kept_id = $2 AND m.undone_at IS NULL ORDER BY m.at DESC, m.id DESC",
        org,
        kept
    )?;
    let shown = rows.into_iter().enumerate().map(|(turn, row)| MergedCustomer {
        merge_id: row.id,
        id: row.gone_id,
        name: row.name,
        phone_shown: row.phone_e164.map(|phone| phone.format_display().into_owned()),
        at: row.at,
        by: row.by_name,
        until: row.at + UNMERGE_WINDOW,
        undoable: turn == 0 && now <= row.at + UNMERGE_WINDOW,
    });
    Ok(shown.collect())
}
