//! When everything is counted anew: each night in the business's own zone, and at once where it never was, where the
//! zone has changed, and where the program reckons otherwise than the one before it.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use super::VERSION;
use crate::{
    domain::tenancy::org,
    platform::{
        business_hours,
        clock::Origin,
        db::{Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
        tasks::{self, NewTask},
    },
};

/// The hour when the fewest people look.
const NIGHT: NaiveTime = NaiveTime::from_hms_opt(3, 0, 0).expect("a time of the day");
/// Businesses of one zone take turns within the hour.
const SPREAD: u8 = 60;
/// So many are planned at once; the others follow a minute later.
const AT_ONCE: i64 = 200;

#[derive(FromRow)]
struct Due {
    org_id: OrgId,
    next_at: DateTime<Utc>,
    timezone: String,
}

/// The next night's turn of a business.
fn night(zone: Tz, org: OrgId, now: DateTime<Utc>) -> DateTime<Utc> {
    let turn = Duration::minutes(i64::from(org.0.as_bytes()[15] % SPREAD));
    let today = now.with_timezone(&zone).date_naive();
    let on = |day: chrono::NaiveDate| business_hours::instant(zone, day.and_time(NIGHT)) + turn;
    let tonight = on(today);
    if tonight > now { tonight } else { on(today.checked_add_days(Days::new(1)).unwrap_or(today)) }
}

/// A business that is new: there is nothing yet that was not counted.
pub(crate) async fn begin(tx: &mut Tx, org: OrgId, zone: Tz, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO metric_recount (org_id, next_at, counted_at, timezone, rules, turn) VALUES ($1, $2, $3, $4, $5, 0)",
        org,
        night(zone, org, now),
        now,
        zone.name(),
        VERSION
    )?;
    Ok(())
}

/// A business that came with all it has: everything is still to be counted.
pub(crate) async fn arrived(tx: &mut Tx, org: OrgId, now: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO metric_recount (org_id, next_at, timezone, rules, turn) VALUES ($1, $2, '', 0, 0)";
    q!(tx, execute, sql, org, now)?;
    Ok(())
}

/// Everything of this business is to be counted as soon as a worker looks: its days begin at other instants now.
pub(crate) async fn soon(tx: &mut Tx, org: OrgId) -> Result<()> {
    let sql = "UPDATE metric_recount SET next_at = (SELECT o.created_at FROM org o WHERE o.id = $1) WHERE org_id = $1";
    q!(tx, execute, sql, org)?;
    Ok(())
}

/// Everything that older rules have counted is due now. For the start of a worker.
pub async fn rules_changed(db: &Db, now: DateTime<Utc>) -> Result<u64> {
    let mut tx = db.begin().await?;
    let sql = "UPDATE metric_recount SET next_at = $1 WHERE rules <> $2 AND next_at > $1";
    let due = q!(&mut tx, execute, sql, now, VERSION)?;
    tx.commit().await?;
    Ok(due)
}

/// Plans the recounts that are due. Any number of workers may do so: each is planned by the one who moves its next.
pub async fn plan(db: &Db, origin: &Origin) -> Result<usize> {
    let now = origin.now();
    let due = q!(
        &mut db.read().await?,
        fetch_all as Due,
        "SELECT r.org_id, r.next_at, o.timezone FROM metric_recount r JOIN org o ON o.id = r.org_id
         WHERE r.next_at <= $1 AND r.org_id <> $3 ORDER BY r.next_at LIMIT $2",
        now,
        AT_ONCE,
        DEMO_ORG
    )?;
    let mut planned = 0;
    for due in due {
        let mut tx = db.begin().await?;
        let next = night(org::zone_named(&due.timezone), due.org_id, now);
        let sql = "UPDATE metric_recount SET next_at = $3, under_way = NULL WHERE org_id = $1 AND next_at = $2";
        if q!(&mut tx, execute, sql, due.org_id, due.next_at, next)? == 0 {
            continue;
        }
        let task = NewTask {
            org: Some(due.org_id),
            kind: tasks::Kind::Recount,
            subject: Some(due.org_id.0),
            run_at: now,
            // Planned once, by the row that was moved.
            unique_key: format!("recount:{}:{}", due.org_id, origin.uuid()),
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
    fn each_night_has_one_turn_of_its_own_also_when_the_clocks_change() {
        let zone = chrono_tz::America::Chicago;
        let org = OrgId(Uuid::from_u128(7));
        for (now, wanted) in [
            ("2026-09-17T15:00:00Z", "2026-09-18T08:07:00Z"),
            ("2026-09-18T08:06:59Z", "2026-09-18T08:07:00Z"),
            ("2026-09-18T08:07:00Z", "2026-09-19T08:07:00Z"),
            // Winter begins, and ends.
            ("2026-10-31T20:00:00Z", "2026-11-01T09:07:00Z"),
            ("2027-03-13T20:00:00Z", "2027-03-14T08:07:00Z"),
        ] {
            let wanted: DateTime<Utc> = wanted.parse().unwrap();
            assert_eq!(night(zone, org, now.parse().unwrap()), wanted, "{now}");
        }
    }
}
