//! Nightly purge of a business: data older than its period is removed, kind by kind, in batches of one transaction
//! each. The progress is stored in the same transaction, so a crash loses nothing and repeats nothing.

use std::ops::Deref;

use chrono::{DateTime, Duration, Timelike, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    RetentionKind,
    files::{self, FileLocation},
    load_period, load_purge_mark,
};
use crate::{
    domain::tenancy::{
        audit::{self, AuditAction},
        org,
    },
    ops::erasure,
    platform::{
        clock::ClockRng,
        db::{Db, Tx, insert_row, q, tenant_scope},
        error::Result,
        id::{DEMO_ORG, OrgId},
        live,
    },
};

mod callers;
pub(super) mod contacts;
mod notices;
mod people;
pub(super) mod photos;
pub(super) mod requests;

use contacts::purge_contacts;
use photos::purge_photos;
use requests::purge_requests;

const BATCH: i64 = 200;
/// Messages of one transaction whose words are removed.
const MESSAGE_BATCH: i64 = 500;
/// Local hours in which a night begins.
const NIGHT_HOURS: std::ops::RangeInclusive<u32> = 1..=5;
/// One that began this recently is tonight's.
const SAME_NIGHT_WINDOW: Duration = Duration::hours(20);
/// One that is overdue begins at any hour.
const OVERDUE_AFTER: Duration = Duration::hours(30);
/// A worker that has not reported for so long has died.
const CLAIM_LEASE: Duration = Duration::minutes(10);
/// Retention of nights, for the settings page.
const RUN_RETENTION: Duration = Duration::days(400);

#[derive(Clone, Copy, Debug)]
pub struct PurgeContext<'a> {
    pub ctx: erasure::ErasureContext<'a>,
    /// Delay between the removal of a row and of its bytes: in a bucket, as long as the last backup that names them.
    pub keep_files: Duration,
}

impl<'a> Deref for PurgeContext<'a> {
    type Target = erasure::ErasureContext<'a>;

    fn deref(&self) -> &Self::Target {
        &self.ctx
    }
}

#[derive(Clone, Debug, FromRow)]
struct RetentionRun {
    org_id: OrgId,
    id: Uuid,
    started_at: DateTime<Utc>,
    kind: RetentionKind,
    cursor_at: Option<DateTime<Utc>>,
    cursor_id: Option<Uuid>,
}

/// Begins the night of every business where it is night, and resumes aborted ones. Returns how many rows were removed.
/// Errors: the first of a business whose night failed, after those of all others.
pub async fn run_nightly_purge(ctx: &PurgeContext<'_>) -> Result<u64> {
    let now = ctx.origin.now();
    let sql = "SELECT o.id, o.timezone,
             (SELECT MAX(r.started_at) FROM retention_run r WHERE r.org_id = o.id),
             EXISTS (SELECT 1 FROM retention_run r WHERE r.org_id = o.id AND r.finished_at IS NULL)
         FROM org o WHERE o.id <> $1 ORDER BY o.id";
    let mut conn = ctx.db.acquire_reader().await?;
    let all = q!(&mut conn, fetch_all as (OrgId, String, Option<DateTime<Utc>>, bool), sql, DEMO_ORG)?;
    drop(conn);
    let (mut removed, mut failed) = (0, None);
    for (org, zone, began, is_broken_off) in all {
        let is_tonights = began.is_some_and(|began| now - began < SAME_NIGHT_WINDOW);
        let is_overdue = began.is_some_and(|began| now - began > OVERDUE_AFTER);
        let hour = now.with_timezone(&org::zone_named(&zone)).hour();
        let is_due = !is_tonights && (is_overdue || NIGHT_HOURS.contains(&hour));
        if is_due || is_broken_off {
            match tenant_scope::with_tenant(org, purge_org(ctx, org, is_due)).await {
                Ok(count) => removed += count,
                Err(e) => {
                    tracing::warn!(%org, error = %e, "the purge of a business failed; it is continued later");
                    failed = failed.or(Some(e));
                }
            }
        }
    }
    failed.map_or(Ok(removed), Err)
}

async fn purge_org(ctx: &PurgeContext<'_>, org: OrgId, may_begin: bool) -> Result<u64> {
    let Some(mut run) = claim_run(ctx.db, ctx.origin, org, may_begin).await? else { return Ok(0) };
    notices::purge_notice_words(ctx, org).await?;
    callers::purge_unknown_callers(ctx, org).await?;
    let mut removed = 0;
    loop {
        let (count, is_over) = purge_batch(ctx, &mut run).await?;
        removed += count;
        if is_over && !advance_to_next_kind(ctx, &mut run).await? {
            return Ok(removed);
        }
    }
}

/// Only one of several workers gets it.
async fn claim_run(db: &Db, origin: &ClockRng, org: OrgId, may_begin: bool) -> Result<Option<RetentionRun>> {
    let now = origin.now();
    let mut tx = db.begin_long().await?;
    // Makes other workers wait until this one has begun.
    org::lock(&mut tx, org).await?;
    let sql = "UPDATE retention_run SET busy_until = $3
         WHERE org_id = $1 AND finished_at IS NULL AND (busy_until IS NULL OR busy_until <= $2)
         RETURNING org_id, id, started_at, kind, cursor_at, cursor_id";
    let mut found = q!(&mut tx, fetch_optional as RetentionRun, sql, org, now, now + CLAIM_LEASE)?;
    let sql = "SELECT COUNT(*) FROM retention_run WHERE org_id = $1 AND (finished_at IS NULL OR started_at > $2)";
    let is_begun = q!(&mut tx, fetch_one scalar i64, sql, org, now - SAME_NIGHT_WINDOW)? > 0;
    if found.is_none() && may_begin && !is_begun {
        found = Some(insert_row!(
            &mut tx,
            fetch_one as RetentionRun,
            retention_run {
                org_id: org,
                id: origin.uuid_v7(),
                started_at: now,
                kind: "photos",
                busy_until: now + CLAIM_LEASE,
                photos: 0_i64,
                requests: 0_i64,
                contacts: 0_i64,
                messages: 0_i64,
                traces: 0_i64,
            },
            "RETURNING org_id, id, started_at, kind, cursor_at, cursor_id"
        )?);
        let sql = "DELETE FROM retention_run WHERE org_id = $1 AND started_at < $2";
        q!(&mut tx, execute, sql, org, now - RUN_RETENTION)?;
    }
    tx.commit().await?;
    Ok(found)
}

/// Returns how many rows it removed, and whether the kind is done.
async fn purge_batch(ctx: &PurgeContext<'_>, run: &mut RetentionRun) -> Result<(u64, bool)> {
    let mut conn = ctx.db.acquire_reader().await?;
    let days = load_period(&mut conn, run.org_id, run.kind, ctx.origin.now()).await?.days;
    drop(conn);
    // One cutoff for the whole night.
    let cutoff = run.started_at - Duration::days(days);
    match run.kind {
        RetentionKind::Photos => purge_photos(ctx, run, cutoff).await,
        RetentionKind::Requests => purge_requests(ctx, run, cutoff).await,
        RetentionKind::Contacts => purge_contacts(ctx, run, cutoff).await,
        RetentionKind::Messages => purge_message_bodies(ctx, run, cutoff).await,
        RetentionKind::Traces => purge_traces(ctx, run, cutoff).await,
    }
}

/// After the last kind the night is over, and the audit log records it where something was removed.
async fn advance_to_next_kind(ctx: &PurgeContext<'_>, run: &mut RetentionRun) -> Result<bool> {
    let next = RetentionKind::ALL.iter().skip_while(|kind| **kind != run.kind).nth(1);
    let mut tx = ctx.db.begin_long().await?;
    if let Some(&kind) = next {
        let sql =
            "UPDATE retention_run SET kind = $3, cursor_at = NULL, cursor_id = NULL WHERE org_id = $1 AND id = $2";
        q!(&mut tx, execute, sql, run.org_id, run.id, kind)?;
        tx.commit().await?;
        *run = RetentionRun { kind, cursor_at: None, cursor_id: None, ..run.clone() };
        return Ok(true);
    }
    let sql = "UPDATE retention_run SET finished_at = $3, busy_until = NULL
         WHERE org_id = $1 AND id = $2 AND finished_at IS NULL RETURNING photos + requests + contacts + messages + traces";
    let now = ctx.origin.now();
    let removed = q!(&mut tx, fetch_optional scalar i64, sql, run.org_id, run.id, now)?;
    if removed.is_some_and(|removed| removed > 0) {
        audit::record_system_action(&mut tx, ctx.origin, run.org_id, AuditAction::RetentionPurged, Some(run.id));
    }
    tx.commit().await?;
    Ok(false)
}

async fn record_progress(
    tx: &mut Tx,
    origin: &ClockRng,
    run: &mut RetentionRun,
    cursor: Option<(DateTime<Utc>, Uuid)>,
    removed: u64,
) -> Result<()> {
    if let Some((at, id)) = cursor {
        (run.cursor_at, run.cursor_id) = (Some(at), Some(id));
    }
    let column = match run.kind {
        RetentionKind::Photos => "photos",
        RetentionKind::Requests => "requests",
        RetentionKind::Contacts => "contacts",
        RetentionKind::Messages => "messages",
        RetentionKind::Traces => "traces",
    };
    let sql = format!(
        "UPDATE retention_run SET {column} = {column} + $3, cursor_at = $4, cursor_id = $5, busy_until = $6
         WHERE org_id = $1 AND id = $2"
    );
    q!(
        tx,
        execute,
        sqlx::AssertSqlSafe(sql),
        run.org_id,
        run.id,
        i64::try_from(removed).unwrap_or(i64::MAX),
        run.cursor_at,
        run.cursor_id,
        origin.now() + CLAIM_LEASE
    )?;
    Ok(())
}

fn batch_cursor(run: &RetentionRun) -> (DateTime<Utc>, Uuid) {
    (run.cursor_at.unwrap_or(DateTime::UNIX_EPOCH), run.cursor_id.unwrap_or_default())
}

/// Words of messages. Time, kind, addresses and outcome stay. Texts of an address with an opt-out keep their words as
/// proof, also where our reader recognised the STOP and not Twilio.
async fn purge_message_bodies(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    cutoff: DateTime<Utc>,
) -> Result<(u64, bool)> {
    let (org, floor) = (run.org_id, live::min_id_at(cutoff));
    let mut conn = ctx.db.acquire_reader().await?;
    let after = load_purge_mark(&mut conn, org, RetentionKind::Messages).await?;
    let sql = "SELECT id, stored_as IS NOT NULL FROM message WHERE org_id = $1 AND id > $2 AND id < $3
         ORDER BY id LIMIT $4";
    let old = q!(&mut conn, fetch_all as (Uuid, bool), sql, org, after, floor, MESSAGE_BATCH)?;
    drop(conn);
    let Some(&(last, _)) = old.last() else {
        let mut tx = ctx.db.begin_long().await?;
        let sql = "UPDATE conversation SET last_preview = '' WHERE org_id = $1 AND last_at < $2 AND last_preview <> ''";
        q!(&mut tx, execute, sql, org, cutoff)?;
        tx.commit().await?;
        return Ok((0, true));
    };
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    let sql = "UPDATE message SET body = 'Removed after its retention period', subject = NULL, page = NULL, evidence = NULL,
             media = NULL, sla_text = NULL, stored_as = NULL
         WHERE org_id = $1 AND id > $2 AND id <= $3 AND status NOT IN ('queued', 'held', 'sending')
             AND opt_out_type IS NULL AND NOT (direction = 'in' AND EXISTS (SELECT 1 FROM opt_out o
                 WHERE o.org_id = message.org_id AND o.channel = message.channel AND o.address = message.from_address))";
    let removed = q!(&mut tx, execute, sql, org, after, last)?;
    for (id, _) in old.iter().filter(|(_, is_letter)| *is_letter) {
        files::schedule_deletion(&mut tx, org, FileLocation::Mail, &format!("{id}.eml"), ctx.origin.now()).await?;
    }
    advance_purge_mark(&mut tx, org, RetentionKind::Messages, last).await?;
    record_progress(&mut tx, ctx.origin, run, None, removed).await?;
    tx.commit().await?;
    Ok((removed, false))
}

/// Network address and browser of a consent; its words and its time stay.
async fn purge_traces(ctx: &PurgeContext<'_>, run: &mut RetentionRun, cutoff: DateTime<Utc>) -> Result<(u64, bool)> {
    let org = run.org_id;
    let mut conn = ctx.db.acquire_reader().await?;
    let after = load_purge_mark(&mut conn, org, RetentionKind::Traces).await?;
    let sql = "SELECT id FROM consent WHERE org_id = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4";
    let old = q!(&mut conn, fetch_all scalar Uuid, sql, org, after, live::min_id_at(cutoff), MESSAGE_BATCH)?;
    drop(conn);
    let Some(&last) = old.last() else { return Ok((0, true)) };
    let mut tx = ctx.db.begin_long().await?;
    let sql = "UPDATE consent SET ip = NULL, user_agent = NULL WHERE org_id = $1 AND id > $2 AND id <= $3
         AND (ip IS NOT NULL OR user_agent IS NOT NULL)";
    let removed = q!(&mut tx, execute, sql, org, after, last)?;
    advance_purge_mark(&mut tx, org, RetentionKind::Traces, last).await?;
    record_progress(&mut tx, ctx.origin, run, None, removed).await?;
    tx.commit().await?;
    Ok((removed, false))
}

async fn advance_purge_mark(tx: &mut Tx, org: OrgId, kind: RetentionKind, up_to: Uuid) -> Result<()> {
    let sql = "INSERT INTO retention_mark (org_id, kind, up_to) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, kind) DO UPDATE SET up_to = excluded.up_to WHERE retention_mark.up_to < excluded.up_to";
    q!(tx, execute, sql, org, kind, up_to)?;
    Ok(())
}
