//! Schedule of recomputes: each night in the business's time zone, and at once for a business never counted, after a
//! change of zone, and after a change of the rules.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use futures::future::{BoxFuture, FutureExt, ready};
use sqlx::FromRow;

use super::VERSION;
use crate::{
    domain::tenancy::org::{self, OrgEvent},
    platform::{
        business_hours,
        clock::ClockRng,
        db::{Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
        tasks::{self, NewTask},
    },
};

/// Hour with the fewest users.
const RUN_AT: NaiveTime = NaiveTime::from_hms_opt(3, 0, 0).expect("a time of the day");
/// Businesses of one zone are spread over the minutes of the hour.
const MINUTE_SLOTS: u8 = 60;
/// Recomputes per run; the rest is planned a minute later.
const BATCH_SIZE: i64 = 200;

#[derive(FromRow)]
struct DueRecompute {
    org_id: OrgId,
    next_at: DateTime<Utc>,
    timezone: String,
}

fn next_night_slot(zone: Tz, org: OrgId, now: DateTime<Utc>) -> DateTime<Utc> {
    let turn = Duration::minutes(i64::from(org.0.as_bytes()[15] % MINUTE_SLOTS));
    let today = now.with_timezone(&zone).date_naive();
    let on = |day: chrono::NaiveDate| business_hours::local_to_utc(zone, day.and_time(RUN_AT)) + turn;
    let tonight = on(today);
    if tonight > now { tonight } else { on(today.checked_add_days(Days::new(1)).unwrap_or(today)) }
}

/// Listener of the businesses.
pub(crate) fn handle_recompute_of_org<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    event: OrgEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        OrgEvent::Created(org, zone) => Box::pin(create_plan(tx, org, zone, origin.now())),
        OrgEvent::ZoneChanged(org) => Box::pin(schedule_now(tx, org.id)),
        OrgEvent::PulseChanged(..) => ready(Ok(())).boxed(),
    }
}

/// For a new business: nothing is uncounted yet.
async fn create_plan(tx: &mut Tx, org: OrgId, zone: Tz, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO metric_recount (org_id, next_at, counted_at, timezone, rules, turn) VALUES ($1, $2, $3, $4, $5, 0)",
        org,
        next_night_slot(zone, org, now),
        now,
        zone.name(),
        VERSION
    )?;
    Ok(())
}

/// For an imported business: everything is to be counted.
pub(crate) async fn create_backfill_plan(tx: &mut Tx, org: OrgId, now: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO metric_recount (org_id, next_at, timezone, rules, turn) VALUES ($1, $2, '', 0, 0)";
    q!(tx, execute, sql, org, now)?;
    Ok(())
}

/// Makes a recompute due: the business's days begin at other instants now.
async fn schedule_now(tx: &mut Tx, org: OrgId) -> Result<()> {
    let sql = "UPDATE metric_recount SET next_at = (SELECT o.created_at FROM org o WHERE o.id = $1) WHERE org_id = $1";
    q!(tx, execute, sql, org)?;
    Ok(())
}

/// Makes due what older rules counted. Called when a worker starts.
pub async fn schedule_outdated(db: &Db, now: DateTime<Utc>) -> Result<u64> {
    let mut tx = db.begin().await?;
    let sql = "UPDATE metric_recount SET next_at = $1 WHERE rules <> $2 AND next_at > $1";
    let due = q!(&mut tx, execute, sql, now, VERSION)?;
    tx.commit().await?;
    Ok(due)
}

/// Plans due recomputes. Safe with several workers: moving `next_at` decides.
pub async fn enqueue_due_recomputes(db: &Db, origin: &ClockRng) -> Result<usize> {
    let now = origin.now();
    let due = q!(
        &mut db.acquire_reader().await?,
        fetch_all as DueRecompute,
        "SELECT r.org_id, r.next_at, o.timezone FROM metric_recount r JOIN org o ON o.id = r.org_id
         WHERE r.next_at <= $1 AND r.org_id <> $3 ORDER BY r.next_at LIMIT $2",
        now,
        BATCH_SIZE,
        DEMO_ORG
    )?;
    let mut planned = 0;
    for due in due {
        let mut tx = db.begin().await?;
        let next = next_night_slot(org::zone_named(&due.timezone), due.org_id, now);
        let sql = "UPDATE metric_recount SET next_at = $3, under_way = NULL WHERE org_id = $1 AND next_at = $2";
        if q!(&mut tx, execute, sql, due.org_id, due.next_at, next)? == 0 {
            continue;
        }
        let task = NewTask {
            org: Some(due.org_id),
            kind: tasks::TaskKind::Recount,
            subject: Some(due.org_id.0),
            run_at: now,
            // Planned once, by the row that was moved.
            unique_key: format!("recount:{}:{}", due.org_id, origin.uuid_v7()),
        };
        tasks::enqueue(&mut tx, origin, vec![task]).await?;
        tx.commit().await?;
        planned += 1;
    }
    Ok(planned)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn nightly_recount_has_fixed_local_time_across_dst() {
        let zone = chrono_tz::America::Chicago;
        let org = OrgId(Uuid::from_u128(7));
        for (now, wanted) in [
            ("2026-09-17T15:00:00Z", "2026-09-18T08:07:00Z"),
            ("2026-09-18T08:06:59Z", "2026-09-18T08:07:00Z"),
            ("2026-09-18T08:07:00Z", "2026-09-19T08:07:00Z"),
            // Winter time begins, and ends.
            ("2026-10-31T20:00:00Z", "2026-11-01T09:07:00Z"),
            ("2027-03-13T20:00:00Z", "2027-03-14T08:07:00Z"),
        ] {
            let wanted: DateTime<Utc> = wanted.parse().unwrap();
            assert_eq!(next_night_slot(zone, org, now.parse().unwrap()), wanted, "{now}");
        }
    }
}
