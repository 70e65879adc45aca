//! When a report is due: on the wall clock of the business's zone, so that it comes at the same time of day on both
//! sides of the nights on which the clocks change. A time that a spring night leaves out is the first minute after it;
//! of an hour that an autumn night has twice it is the first.

use chrono::{DateTime, Datelike, Days, Utc};
use chrono_tz::Tz;
use sqlx::{FromRow, types::Json};

use super::{Outcome, Receiver};
use crate::{
    domain::tenancy::org::{
        self,
        settings::{Pulse as Settings, PulseFrequency},
    },
    platform::{
        business_hours,
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId, PulseId},
        tasks::{self, NewTask},
    },
};

/// So many businesses are looked at in one go; the others follow a minute later.
const AT_ONCE: i64 = 200;
/// After an outage so many periods are written down as left out; those before it are passed over.
const MOST_MISSED: usize = 40;

/// The next instant after `after` at which a report is due.
#[must_use]
pub fn next(settings: &Settings, zone: Tz, after: DateTime<Utc>) -> DateTime<Utc> {
    let today = after.with_timezone(&zone).date_naive();
    let due = |days| {
        let day = today.checked_add_days(Days::new(days)).filter(|day| settings.is_due_on(*day))?;
        Some(business_hours::instant(zone, day.and_time(settings.at()))).filter(|at| *at > after)
    };
    // Eight days hold every weekday again, whatever the clocks do on one of them.
    (0..=8).find_map(due).unwrap_or_else(|| business_hours::next_local(zone, after, settings.at()))
}

/// What no second report can have: the day, or the week, that it is due in.
#[must_use]
pub fn period_key(settings: &Settings, zone: Tz, due_at: DateTime<Utc>) -> String {
    let day = due_at.with_timezone(&zone).date_naive();
    match settings.frequency {
        PulseFrequency::Daily => format!("daily:{day}"),
        PulseFrequency::Weekly => format!("weekly:{}-W{:02}", day.iso_week().year(), day.iso_week().week()),
    }
}

/// A business that is new gets its first report on the next morning.
pub(crate) async fn begin(tx: &mut Tx, org: OrgId, zone: Tz, now: DateTime<Utc>) -> Result<()> {
    let first = next(&Settings::default(), zone, now);
    q!(tx, execute, "INSERT INTO pulse_plan (org_id, next_at) VALUES ($1, $2)", org, first)?;
    Ok(())
}

/// The time, the days or the zone have changed. What was due by then is still to be sent.
pub(crate) async fn changed(tx: &mut Tx, org: OrgId, settings: &Settings, zone: Tz, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE pulse_plan SET next_at = $2 WHERE org_id = $1 AND (next_at IS NULL OR next_at > $3)";
    q!(tx, execute, sql, org, next(settings, zone, now), now)?;
    Ok(())
}

/// When the next one is due.
pub async fn next_of(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT next_at FROM pulse_plan WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org)?.flatten())
}

#[derive(FromRow)]
struct Plan {
    org_id: OrgId,
    next_at: Option<DateTime<Utc>>,
}

/// Plans the reports that are due. Any number of workers may do so: each period is planned by the one who stores its row.
/// Returns how many were planned.
pub async fn run(db: &Db, origin: &Origin) -> Result<usize> {
    let due = q!(
        &mut db.read().await?,
        fetch_all as Plan,
        "SELECT org_id, next_at FROM pulse_plan WHERE (next_at IS NULL OR next_at <= $1) AND org_id <> $3
         ORDER BY next_at LIMIT $2",
        origin.now(),
        AT_ONCE,
        DEMO_ORG
    )?;
    let mut planned = 0;
    for plan in due {
        let mut tx = db.begin().await?;
        planned += carry_on(&mut tx, origin, &plan).await?;
        tx.commit().await?;
    }
    Ok(planned)
}

/// Stores what is due of one business, and when the next one will be.
async fn carry_on(tx: &mut Tx, origin: &Origin, plan: &Plan) -> Result<usize> {
    let Some(org) = org::find(&mut *tx, plan.org_id).await? else { return Ok(0) };
    let profile = org::profile(&mut *tx, org).await?;
    let (settings, zone, now) = (&profile.settings.pulse, profile.org.zone(), origin.now());
    let mut due = Vec::new();
    let mut at = plan.next_at.unwrap_or_else(|| next(settings, zone, now));
    while at <= now && due.len() < MOST_MISSED {
        due.push(at);
        at = next(settings, zone, at);
    }
    if at <= now {
        // Away for longer than anybody wants to read of: on with what is due now.
        at = next(settings, zone, now);
    }
    let sql =
        "UPDATE pulse_plan SET next_at = $2 WHERE org_id = $1 AND (next_at = $3 OR (next_at IS NULL AND $4 = TRUE))";
    if q!(&mut *tx, execute, sql, plan.org_id, at, plan.next_at, plan.next_at.is_none())? == 0 {
        return Ok(0);
    }
    let mut planned = 0;
    for at in due {
        planned += usize::from(store(&mut *tx, origin, plan.org_id, &period_key(settings, zone, at), at).await?);
    }
    Ok(planned)
}

/// Stores the row of a period with the task that makes its report. False when the period has one.
async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, key: &str, due_at: DateTime<Utc>) -> Result<bool> {
    let id = PulseId(origin.uuid());
    let none: Vec<Receiver> = Vec::new();
    let stored = q!(
        &mut *tx,
        execute,
        "INSERT INTO pulse (org_id, id, period_key, due_at, outcome, sent_to) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, period_key) DO NOTHING",
        org,
        id,
        key,
        due_at,
        Outcome::Waiting,
        Json(&none)
    )?;
    if stored == 0 {
        return Ok(false);
    }
    let task = NewTask {
        org: Some(org),
        kind: tasks::Kind::SendPulse,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("pulse:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    Ok(true)
}

#[cfg(test)]
mod tests;
