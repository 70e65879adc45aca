//! Numbers of calls that belong to no customer: somebody rang, was answered or hung up, and never asked again. They only
//! asked, so the period of requests without work is theirs too. The call stays.

use chrono::{DateTime, Duration, Utc};

use super::{BATCH, PurgeContext};
use crate::{
    ops::retention::{RetentionKind, load_period},
    platform::{
        db::q,
        error::Result,
        id::{CallId, OrgId},
    },
};

pub(super) async fn purge_unknown_callers(ctx: &PurgeContext<'_>, org: OrgId) -> Result<()> {
    let (now, mut conn) = (ctx.origin.now(), ctx.db.acquire_reader().await?);
    let days = load_period(&mut conn, org, RetentionKind::Requests, now).await?.days;
    drop(conn);
    while clear_caller_batch(ctx, org, now - Duration::days(days)).await? {}
    Ok(())
}

/// False when nothing older is left.
async fn clear_caller_batch(ctx: &PurgeContext<'_>, org: OrgId, cutoff: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT id FROM call WHERE org_id = $1 AND customer_id IS NULL AND started_at < $2 AND lead_id IS NULL
         AND from_address IS NOT NULL ORDER BY started_at LIMIT $3";
    let old = q!(&mut ctx.db.acquire_reader().await?, fetch_all scalar CallId, sql, org, cutoff, BATCH)?;
    if old.is_empty() {
        return Ok(false);
    }
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    let sql = "UPDATE call SET from_address = NULL WHERE org_id = $1 AND id = $2 AND customer_id IS NULL";
    for call in old {
        q!(&mut tx, execute, sql, org, call)?;
    }
    tx.commit().await?;
    Ok(true)
}
