//! Words of digests and reports to the people of a business. They repeat what is kept elsewhere and name many customers,
//! so their period is short and fixed.

use chrono::Duration;
use uuid::Uuid;

use super::{MESSAGE_BATCH, PurgeContext};
use crate::{
    ops::retention::files::{self, FileLocation},
    platform::{db::q, error::Result, id::OrgId, live},
};

const KEEP: Duration = Duration::days(90);
/// Name of the position in `retention_mark`, beside those of the kinds.
const MARK: &str = "notices";

pub(super) async fn purge_notice_words(ctx: &PurgeContext<'_>, org: OrgId) -> Result<()> {
    while purge_slice(ctx, org).await? {}
    Ok(())
}

/// False when nothing older is left.
async fn purge_slice(ctx: &PurgeContext<'_>, org: OrgId) -> Result<bool> {
    let floor = live::min_id_at(ctx.origin.now() - KEEP);
    let mut conn = ctx.db.acquire_reader().await?;
    let sql = "SELECT up_to FROM retention_mark WHERE org_id = $1 AND kind = $2";
    let after = q!(&mut conn, fetch_optional scalar Uuid, sql, org, MARK)?.unwrap_or_default();
    let sql =
        "SELECT id, stored_as IS NOT NULL AND (kind IN ('digest', 'pulse') OR dedupe_key LIKE 'digest:%') FROM message
         WHERE org_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4";
    let old = q!(&mut conn, fetch_all as (Uuid, bool), sql, org, after, floor, MESSAGE_BATCH)?;
    drop(conn);
    let Some(&(last, _)) = old.last() else { return Ok(false) };
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    let sql =
        "UPDATE message SET body = 'Removed after its retention period', subject = NULL, page = NULL, evidence = NULL,
             media = NULL, stored_as = NULL
         WHERE org_id = $1 AND id > $2 AND id <= $3 AND status NOT IN ('queued', 'held', 'sending')
             AND (kind IN ('digest', 'pulse') OR dedupe_key LIKE 'digest:%')";
    q!(&mut tx, execute, sql, org, after, last)?;
    for (id, _) in old.iter().filter(|(_, is_letter)| *is_letter) {
        files::schedule_deletion(&mut tx, org, FileLocation::Mail, &format!("{id}.eml"), ctx.origin.now()).await?;
    }
    let sql = "INSERT INTO retention_mark (org_id, kind, up_to) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, kind) DO UPDATE SET up_to = excluded.up_to WHERE retention_mark.up_to < excluded.up_to";
    q!(&mut tx, execute, sql, org, MARK, last)?;
    tx.commit().await?;
    Ok(true)
}
