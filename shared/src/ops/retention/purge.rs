//! Nightly purge of a business: data older than its period is removed, kind by kind, in batches of one transaction
//! each. The progress is stored in the same transaction, so a crash loses nothing and repeats nothing.

use std::ops::Deref;

use chrono::{DateTime, Duration, Timelike, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{RetentionKind, files, files::FileLocation, load_period, load_purge_mark};
use crate::{
    domain::tenancy::{
        audit::{self, Action},
        org, storage_quota,
    },
    ops::erasure::{self, Erasure},
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, insert_row, q, tenant_scope},
        error::Result,
        id::{CustomerId, DEMO_ORG, FileId, LeadId, OrgId, PhotoId},
        live,
    },
};

const BATCH: i64 = 200;
/// Messages of one transaction whose words are removed.
const MESSAGE_BATCH: i64 = 500;
/// People of one night: each is erased from every place, which takes longer.
const MAX_PEOPLE_PER_NIGHT: i64 = 500;
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

/// A photo of a request or of a job stays while work of the request runs, and for the period after its end; while an
/// invoice is not settled; and while a message that carries it waits. `$1` is the business, `$2` the cutoff, `p` the
/// row.
macro_rules! unless_needed {
    () => {
        "NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = p.lead_id
                 AND (j.status IN ('scheduled', 'in_progress')
                     OR COALESCE(j.completed_at, j.cancelled_at, j.updated_at) >= $2))
             AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = $1 AND i.lead_id = p.lead_id
                 AND i.status IN ('draft', 'preparing', 'open'))
             AND NOT EXISTS (SELECT 1 FROM message_file x JOIN message m ON m.org_id = x.org_id AND m.id = x.message_id
                 WHERE x.org_id = $1 AND x.file_id = p.id AND m.status IN ('queued', 'held', 'sending'))"
    };
}

/// A person who only asked: nothing was ever estimated, done, billed or reviewed, and there was no contact since the
/// cutoff. `$1` is the business, `$2` the cutoff, `c` the row.
macro_rules! only_asked {
    () => {
        "c.merged_into IS NULL AND c.created_at < $2
             AND EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = c.id
                 AND (l.last_touch_at >= $2
                     OR EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = l.id)
                     OR EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = $1 AND e.lead_id = l.id)
                     OR EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = $1 AND i.lead_id = l.id)
                     OR EXISTS (SELECT 1 FROM payment y WHERE y.org_id = $1 AND y.lead_id = l.id)))
             AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = $1 AND t.customer_id = c.id AND t.last_at >= $2)
             AND NOT EXISTS (SELECT 1 FROM review r WHERE r.org_id = $1 AND r.customer_id = c.id)
             AND NOT EXISTS (SELECT 1 FROM erasure x WHERE x.org_id = $1 AND x.customer_id = c.id
                 AND x.state IN ('waiting', 'done'))"
    };
}

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

#[derive(FromRow)]
struct ExpiredPhotoRow {
    id: Uuid,
    created_at: DateTime<Utc>,
    is_file: bool,
}

pub(super) async fn count_photos(conn: &mut dyn AsConn, org: OrgId, cutoff: DateTime<Utc>) -> Result<i64> {
    let sql = concat!(
        "SELECT (SELECT COUNT(*) FROM photo p WHERE p.org_id = $1 AND p.created_at < $2 AND ",
        unless_needed!(),
        ") + (SELECT COUNT(*) FROM file p WHERE p.org_id = $1 AND p.kind = 'photo' AND p.removed_at IS NULL
             AND p.created_at < $2 AND ",
        unless_needed!(),
        ")"
    );
    Ok(q!(conn, fetch_one scalar i64, sql, org, cutoff)?)
}

pub(super) async fn count_requests(conn: &mut dyn AsConn, org: OrgId, cutoff: DateTime<Utc>) -> Result<i64> {
    let sql = concat!("SELECT COUNT(*) FROM customer c WHERE c.org_id = $1 AND ", only_asked!());
    Ok(q!(conn, fetch_one scalar i64, sql, org, cutoff)?)
}

/// Begins the night of every business where it is night, and resumes aborted ones. Returns how many rows were removed.
pub async fn run_nightly_purge(ctx: &PurgeContext<'_>) -> Result<u64> {
    let now = ctx.origin.now();
    let sql = "SELECT o.id, o.timezone,
             (SELECT MAX(r.started_at) FROM retention_run r WHERE r.org_id = o.id),
             EXISTS (SELECT 1 FROM retention_run r WHERE r.org_id = o.id AND r.finished_at IS NULL)
         FROM org o WHERE o.id <> $1 ORDER BY o.id";
    let mut conn = ctx.db.acquire_reader().await?;
    let all = q!(&mut conn, fetch_all as (OrgId, String, Option<DateTime<Utc>>, bool), sql, DEMO_ORG)?;
    drop(conn);
    let mut removed = 0;
    for (org, zone, began, is_broken_off) in all {
        let is_tonights = began.is_some_and(|began| now - began < SAME_NIGHT_WINDOW);
        let is_overdue = began.is_some_and(|began| now - began > OVERDUE_AFTER);
        let hour = now.with_timezone(&org::zone_named(&zone)).hour();
        let is_due = !is_tonights && (is_overdue || NIGHT_HOURS.contains(&hour));
        if is_due || is_broken_off {
            removed += tenant_scope::with_tenant(org, purge_org(ctx, org, is_due)).await?;
        }
    }
    Ok(removed)
}

async fn purge_org(ctx: &PurgeContext<'_>, org: OrgId, may_begin: bool) -> Result<u64> {
    let Some(mut run) = claim_run(ctx.db, ctx.origin, org, may_begin).await? else { return Ok(0) };
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
         WHERE org_id = $1 AND id = $2 AND finished_at IS NULL RETURNING photos + requests + messages + traces";
    let now = ctx.origin.now();
    let removed = q!(&mut tx, fetch_optional scalar i64, sql, run.org_id, run.id, now)?;
    if removed.is_some_and(|removed| removed > 0) {
        audit::record_system_action(&mut tx, ctx.origin, run.org_id, Action::RetentionPurged, Some(run.id));
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

async fn purge_photos(ctx: &PurgeContext<'_>, run: &mut RetentionRun, cutoff: DateTime<Utc>) -> Result<(u64, bool)> {
    let (at, id) = batch_cursor(run);
    let sql = concat!(
        "SELECT p.id, p.created_at, FALSE AS is_file FROM photo p
         WHERE p.org_id = $1 AND p.created_at < $2 AND (p.created_at, p.id) > ($3, $4) AND ",
        unless_needed!(),
        " ORDER BY p.created_at, p.id LIMIT $5"
    );
    let mut conn = ctx.db.acquire_reader().await?;
    let mut old = q!(&mut conn, fetch_all as ExpiredPhotoRow, sql, run.org_id, cutoff, at, id, BATCH)?;
    let sql = concat!(
        "SELECT p.id, p.created_at, TRUE AS is_file FROM file p
         WHERE p.org_id = $1 AND p.kind = 'photo' AND p.removed_at IS NULL AND p.created_at < $2
             AND (p.created_at, p.id) > ($3, $4) AND ",
        unless_needed!(),
        " ORDER BY p.created_at, p.id LIMIT $5"
    );
    old.extend(q!(&mut conn, fetch_all as ExpiredPhotoRow, sql, run.org_id, cutoff, at, id, BATCH)?);
    drop(conn);
    // Both lists share one cursor: the part of the longer one beyond it comes with the next batch.
    old.sort_by_key(|one| (one.created_at, one.id));
    let is_over = old.len() < usize::try_from(BATCH).unwrap_or(usize::MAX);
    old.truncate(usize::try_from(BATCH).unwrap_or(usize::MAX));
    let removed = remove_photos(ctx, run, cutoff, &old).await?;
    Ok((removed, is_over))
}

type DeletedPhoto = (LeadId, i64, String, Option<String>);

async fn remove_photos(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    cutoff: DateTime<Utc>,
    old: &[ExpiredPhotoRow],
) -> Result<u64> {
    let org = run.org_id;
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    let (mut removed, mut freed) = (0, 0);
    for one in old {
        let gone = if one.is_file {
            mark_file_photo_removed(&mut tx, ctx.origin, org, cutoff, one.id).await?
        } else {
            delete_photo(&mut tx, org, cutoff, one.id).await?
        };
        // Needed again meanwhile, or removed already.
        let Some((_, bytes, full, thumb)) = gone else { continue };
        for key in std::iter::once(full).chain(thumb) {
            files::schedule_deletion(&mut tx, org, FileLocation::Store, &key, ctx.origin.now() + ctx.keep_files)
                .await?;
        }
        removed += 1;
        freed += bytes;
    }
    if freed > 0 {
        storage_quota::release_bytes(&mut tx, org, freed).await?;
    }
    let cursor = old.last().map(|one| (one.created_at, one.id));
    record_progress(&mut tx, ctx.origin, run, cursor, removed).await?;
    tx.commit().await?;
    Ok(removed)
}

/// A photo that came with a form or a text is deleted whole.
async fn delete_photo(tx: &mut Tx, org: OrgId, cutoff: DateTime<Utc>, id: Uuid) -> Result<Option<DeletedPhoto>> {
    let sql = concat!(
        "DELETE FROM photo AS p WHERE p.org_id = $1 AND p.created_at < $2 AND p.id = $3 AND ",
        unless_needed!(),
        " RETURNING lead_id, bytes, full_key, thumb_key"
    );
    let gone = q!(&mut *tx, fetch_optional as DeletedPhoto, sql, org, cutoff, PhotoId(id))?;
    if let Some((lead, ..)) = &gone {
        let sql = "UPDATE lead SET photo_count = photo_count - 1 WHERE org_id = $1 AND id = $2 AND photo_count > 0";
        q!(&mut *tx, execute, sql, org, *lead)?;
    }
    Ok(gone)
}

/// The row of a work photo stays, without its caption.
async fn mark_file_photo_removed(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    cutoff: DateTime<Utc>,
    id: Uuid,
) -> Result<Option<DeletedPhoto>> {
    let sql = concat!(
        "UPDATE file AS p SET removed_at = $4, name = 'Removed', caption = NULL
         WHERE p.org_id = $1 AND p.created_at < $2 AND p.id = $3 AND p.kind = 'photo' AND p.removed_at IS NULL AND ",
        unless_needed!(),
        " RETURNING lead_id, bytes, full_key, thumb_key"
    );
    Ok(q!(tx, fetch_optional as DeletedPhoto, sql, org, cutoff, FileId(id), origin.now())?)
}

/// People who only asked are erased as by request: from every place, except legally required records.
async fn purge_requests(ctx: &PurgeContext<'_>, run: &mut RetentionRun, cutoff: DateTime<Utc>) -> Result<(u64, bool)> {
    let (_, after) = batch_cursor(run);
    let sql = concat!(
        "SELECT c.id FROM customer c WHERE c.org_id = $1 AND ",
        only_asked!(),
        " AND c.id > $3 ORDER BY c.id LIMIT 1"
    );
    let found =
        q!(&mut ctx.db.acquire_reader().await?, fetch_optional scalar CustomerId, sql, run.org_id, cutoff, after)?;
    let sql = "SELECT requests FROM retention_run WHERE org_id = $1 AND id = $2";
    let done = q!(&mut ctx.db.acquire_reader().await?, fetch_one scalar i64, sql, run.org_id, run.id)?;
    let Some(customer) = found.filter(|_| done < MAX_PEOPLE_PER_NIGHT) else { return Ok((0, true)) };
    let now = ctx.origin.now();
    // After a crash the run of erasures continues with it.
    let erasure = Erasure {
        org_id: run.org_id,
        id: ctx.origin.uuid_v7(),
        customer_id: customer,
        asked_at: now,
        due_at: now + CLAIM_LEASE,
    };
    let mut tx = ctx.db.begin_long().await?;
    let sql = concat!(
        "INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files)
         SELECT $1, $4, c.id, $5, $6, 'waiting', 0, 0 FROM customer c WHERE c.org_id = $1 AND c.id = $3 AND ",
        only_asked!()
    );
    let (id, due) = (erasure.id, erasure.due_at);
    let is_put = q!(&mut tx, execute, sql, run.org_id, cutoff, customer, id, now, due)? == 1;
    record_progress(&mut tx, ctx.origin, run, Some((now, customer.0)), u64::from(is_put)).await?;
    tx.commit().await?;
    if is_put {
        erasure::run_erasure(&ctx.ctx, &erasure).await?;
    }
    Ok((u64::from(is_put), false))
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
