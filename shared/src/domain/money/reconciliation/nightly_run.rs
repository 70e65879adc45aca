//! Begin of a run: each night, with new keys, after a restore, for another account, and for a second comparison.

use chrono::{DateTime, Duration, Timelike, Utc};

use super::{LOOKBACK, ReconciliationPhase, ReconciliationRun, SINCE_RESTORE, build_slice_task};
use crate::{
    domain::{money::checkout, tenancy::org},
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{CheckoutId, OrgId, PaymentId},
        tasks::{self, NewTask, TaskKind},
    },
};

/// Local hours in which a run begins.
const NIGHT_HOURS: std::ops::RangeInclusive<u32> = 1..=5;
/// A run that began this recently is tonight's.
const SAME_NIGHT: Duration = Duration::hours(20);
/// A refund of this age is past the undo period: its own task should have requested it.
const GRACE_OVER: Duration = Duration::minutes(2);
/// An overdue run begins at any hour.
const OVERDUE: Duration = Duration::hours(30);
/// Pay pages wait no longer than this for a first comparison that does not end.
const MAX_PAGE_HOLD: Duration = Duration::hours(2);
/// Difference between the clocks of two workers. A run that began later than this was begun by a clock that was ahead.
const CLOCK_TOLERANCE: Duration = Duration::hours(1);

/// Another account is in force, or a second comparison is due: it is reconciled from the beginning. What was found
/// before is reported when it ends. Repeated comparisons keep the first day, so that it tells when the first began.
pub async fn restart_run(tx: &mut Tx, origin: &ClockRng, look: &ReconciliationRun, account: &str) -> Result<()> {
    let since = if look.account == account { look.since } else { origin.now() - LOOKBACK };
    begin_run(tx, origin, look.org_id, (account, since)).await
}

/// New keys are in force, perhaps of an account that was out of reach: what happened there meanwhile is booked now. The
/// first comparison of a business begins by itself. The caller holds the lock of the business.
pub async fn begin_run_with_new_keys(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    if find_started_at(&mut *tx, org).await?.is_none() {
        return Ok(());
    }
    begin_run(tx, origin, org, ("", origin.now() - LOOKBACK)).await
}

/// The books come from a copy: every business is compared next, at any hour, and opens no pay page before.
pub(crate) async fn demand_all_runs(tx: &mut Tx) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO reconciliation (org_id, account, phase, since, started_at, finished_at, agreed, unread)
         SELECT o.id, '', 'done', $1, $1, $1, 0, '' FROM org o
         WHERE EXISTS (SELECT 1 FROM org_secret s WHERE s.org_id = o.id AND s.name = 'stripe')
             OR EXISTS (SELECT 1 FROM checkout c WHERE c.org_id = o.id)
             OR EXISTS (SELECT 1 FROM reconciliation r WHERE r.org_id = o.id)
         ON CONFLICT (org_id) DO UPDATE SET phase = excluded.phase, cursor = NULL, since = excluded.since,
             started_at = excluded.started_at, finished_at = excluded.finished_at",
        SINCE_RESTORE
    )?;
    Ok(())
}

/// Whether the first comparison after a restore has not ended: a payment may be missing in the books.
pub async fn is_check_after_restore_pending(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId) -> Result<bool> {
    let sql = "SELECT since, started_at FROM reconciliation WHERE org_id = $1 AND finished_at = $2";
    let found = q!(conn, fetch_optional as (DateTime<Utc>, DateTime<Utc>), sql, org, SINCE_RESTORE)?;
    // Repeated comparisons keep the first day.
    Ok(found.is_some_and(|(since, started_at)| {
        started_at == SINCE_RESTORE || origin.now() - (since + LOOKBACK) < MAX_PAGE_HOLD
    }))
}

async fn find_started_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, "SELECT started_at FROM reconciliation WHERE org_id = $1", org)?)
}

/// The present time. The start names a run and its tasks, so two runs never begin in the same millisecond.
async fn unused_start(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<DateTime<Utc>> {
    let now = origin.now();
    let is_just_begun = |at: &DateTime<Utc>| (0..1_000).contains(&(*at - now).num_milliseconds());
    let earlier = find_started_at(tx, org).await?.filter(is_just_begun);
    Ok(earlier.map_or(now, |at| at + Duration::milliseconds(1)))
}

async fn begin_run(tx: &mut Tx, origin: &ClockRng, org: OrgId, (account, since): (&str, DateTime<Utc>)) -> Result<()> {
    let now = unused_start(&mut *tx, origin, org).await?;
    // An end in the future is from a clock that was ahead: what this run finds is later than the last end.
    let just_before = now - Duration::milliseconds(1);
    let look = q!(
        &mut *tx,
        fetch_one as ReconciliationRun,
        "INSERT INTO reconciliation (org_id, account, phase, since, started_at, agreed, unread)
         VALUES ($1, $2, 'charges', $3, $4, 0, '')
         ON CONFLICT (org_id) DO UPDATE SET account = excluded.account, phase = excluded.phase, cursor = NULL,
             since = excluded.since, started_at = excluded.started_at, unread = excluded.unread, finished_at
                 = CASE WHEN reconciliation.finished_at > $4 THEN $5 ELSE reconciliation.finished_at END
         RETURNING org_id, account, phase, cursor, since, started_at, unread",
        org,
        account,
        since,
        now,
        just_before
    )?;
    let mut wanted = vec![build_slice_task(&look, ReconciliationPhase::Charges, None, origin.now())];
    wanted.extend(build_open_refund_tasks(&mut *tx, &look, origin.now()).await?);
    wanted.extend(build_pending_transfer_tasks(&mut *tx, origin, &look).await?);
    tasks::enqueue(tx, origin, wanted).await.map(|_| ())
}

/// Refunds in doubt, pending or not requested yet are looked at again at any age.
async fn build_open_refund_tasks(tx: &mut Tx, look: &ReconciliationRun, now: DateTime<Utc>) -> Result<Vec<NewTask>> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND status IN ('pending', 'unknown')
         AND undone_at IS NULL AND (attempted_at IS NOT NULL OR created_at < $2)";
    let open = q!(tx, fetch_all scalar PaymentId, sql, look.org_id, now - GRACE_OVER)?;
    let task = |id: PaymentId| NewTask {
        org: Some(look.org_id),
        kind: TaskKind::RefundCard,
        subject: Some(id.0),
        run_at: now,
        unique_key: format!("refund:{id}:night:{}", now.timestamp()),
    };
    Ok(open.into_iter().map(task).collect())
}

/// Pages with a payment at the bank: no list reports a debit that failed.
async fn build_pending_transfer_tasks(
    tx: &mut Tx,
    origin: &ClockRng,
    look: &ReconciliationRun,
) -> Result<Vec<NewTask>> {
    let sql = "SELECT id FROM checkout WHERE org_id = $1 AND status = 'open' AND url IS NULL";
    let open = q!(tx, fetch_all scalar CheckoutId, sql, look.org_id)?;
    Ok(open.into_iter().map(|id| checkout::build_recheck_task(origin, look.org_id, id, "night")).collect())
}

/// Begins tonight's run for every business that takes cards. Safe with any number of workers.
pub async fn schedule_nightly_runs(db: &Db, origin: &ClockRng) -> Result<()> {
    let now = origin.now();
    let sql = "SELECT o.id, o.timezone, r.started_at FROM org o LEFT JOIN reconciliation r ON r.org_id = o.id
         WHERE EXISTS (SELECT 1 FROM org_secret s WHERE s.org_id = o.id AND s.name = 'stripe')
             AND (r.started_at IS NULL OR r.started_at < $1 OR r.started_at > $2)";
    let due = q!(
        &mut db.acquire_reader().await?,
        fetch_all as (OrgId, String, Option<DateTime<Utc>>),
        sql,
        now - SAME_NIGHT,
        now + CLOCK_TOLERANCE
    )?;
    for (org, zone, began) in due {
        let hour = now.with_timezone(&org::zone_named(&zone)).hour();
        let is_overdue = began.is_none_or(|began| now - began > OVERDUE || began > now + CLOCK_TOLERANCE);
        if !is_overdue && !NIGHT_HOURS.contains(&hour) {
            continue;
        }
        let mut tx = db.begin().await?;
        // Only one of several workers begins it.
        org::lock(&mut tx, org).await?;
        let sql = "SELECT COUNT(*) FROM reconciliation WHERE org_id = $1 AND started_at >= $2 AND started_at <= $3";
        if q!(&mut tx, fetch_one scalar i64, sql, org, now - SAME_NIGHT, now + CLOCK_TOLERANCE)? == 0 {
            // The first slice finds out which account it is.
            begin_run(&mut tx, origin, org, ("", now - LOOKBACK)).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}
