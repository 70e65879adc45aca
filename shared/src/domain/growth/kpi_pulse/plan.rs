//! Due times of reports, in local time of the business, so that clock changes do not move them. A time skipped in
//! spring becomes the first minute after the gap; a time that occurs twice in autumn is the first.

use chrono::{DateTime, Datelike, Days, Utc};
use chrono_tz::Tz;
use futures::future::BoxFuture;
use sqlx::{FromRow, types::Json};

use super::{PulseOutcome, PulseRecipient};
use crate::{
    domain::tenancy::org::{self, OrgEvent, PulseFrequency, PulseSettings as Settings},
    platform::{
        business_hours,
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId, PulseId},
        tasks::{self, NewTask},
    },
};

/// Businesses per run; the rest is planned a minute later.
const BATCH_SIZE: i64 = 200;
/// Missed periods recorded as left out after an outage; older ones are skipped.
const MOST_MISSED: usize = 40;

#[must_use]
pub fn next_due_at(settings: &Settings, zone: Tz, after: DateTime<Utc>) -> DateTime<Utc> {
    let today = after.with_timezone(&zone).date_naive();
    let due = |days| {
        let day = today.checked_add_days(Days::new(days)).filter(|day| settings.is_due_on(*day))?;
        Some(business_hours::local_to_utc(zone, day.and_time(settings.due_time()))).filter(|at| *at > after)
    };
    // Eight days hold every weekday, even with a clock change on one of them.
    (0..=8).find_map(due).unwrap_or_else(|| business_hours::next_local_time(zone, after, settings.due_time()))
}

/// Key of the day or week in which the report is due; unique per business.
#[must_use]
pub fn period_key(settings: &Settings, zone: Tz, due_at: DateTime<Utc>) -> String {
    let day = due_at.with_timezone(&zone).date_naive();
    match settings.frequency {
        PulseFrequency::Daily => format!("daily:{day}"),
        PulseFrequency::Weekly => format!("weekly:{}-W{:02}", day.iso_week().year(), day.iso_week().week()),
    }
}

/// Listener of the businesses.
pub(crate) fn handle_plan_of_org<'a>(
    tx: &'a mut Tx,
    origin: &'a ClockRng,
    event: OrgEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    let now = origin.now();
    match event {
        OrgEvent::Created(org, zone) => Box::pin(create_plan(tx, org, zone, now)),
        OrgEvent::ZoneChanged(org) => Box::pin(async move {
            let profile = org::load_profile(&mut *tx, org.clone()).await?;
            reschedule_plan(tx, org.id, &profile.settings.pulse, org.zone(), now).await
        }),
        OrgEvent::PulseChanged(org, pulse) => Box::pin(reschedule_plan(tx, org.id, pulse, org.zone(), now)),
    }
}

/// A new business gets its first report the next morning.
async fn create_plan(tx: &mut Tx, org: OrgId, zone: Tz, now: DateTime<Utc>) -> Result<()> {
    let first = next_due_at(&Settings::default(), zone, now);
    q!(tx, execute, "INSERT INTO pulse_plan (org_id, next_at) VALUES ($1, $2)", org, first)?;
    Ok(())
}

/// For a changed time, day or zone. A report that was due before is still sent.
async fn reschedule_plan(tx: &mut Tx, org: OrgId, settings: &Settings, zone: Tz, now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE pulse_plan SET next_at = $2 WHERE org_id = $1 AND (next_at IS NULL OR next_at > $3)";
    q!(tx, execute, sql, org, next_due_at(settings, zone, now), now)?;
    Ok(())
}

pub async fn find_next_due_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT next_at FROM pulse_plan WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org)?.flatten())
}

#[derive(FromRow)]
struct PulsePlan {
    org_id: OrgId,
    next_at: Option<DateTime<Utc>>,
}

/// Plans due reports. Safe with several workers: storing the period's row decides. Returns how many were planned.
pub async fn enqueue_due_pulses(db: &Db, origin: &ClockRng) -> Result<usize> {
    let due = q!(
        &mut db.acquire_reader().await?,
        fetch_all as PulsePlan,
        "SELECT org_id, next_at FROM pulse_plan WHERE (next_at IS NULL OR next_at <= $1) AND org_id <> $3
         ORDER BY next_at LIMIT $2",
        origin.now(),
        BATCH_SIZE,
        DEMO_ORG
    )?;
    let mut planned = 0;
    for plan in due {
        let mut tx = db.begin().await?;
        planned += enqueue_due_periods(&mut tx, origin, &plan).await?;
        tx.commit().await?;
    }
    Ok(planned)
}

async fn enqueue_due_periods(tx: &mut Tx, origin: &ClockRng, plan: &PulsePlan) -> Result<usize> {
    let Some(org) = org::find(&mut *tx, plan.org_id).await? else { return Ok(0) };
    let profile = org::load_profile(&mut *tx, org).await?;
    let (settings, zone, now) = (&profile.settings.pulse, profile.org.zone(), origin.now());
    let mut due = Vec::new();
    let mut at = plan.next_at.unwrap_or_else(|| next_due_at(settings, zone, now));
    while at <= now && due.len() < MOST_MISSED {
        due.push(at);
        at = next_due_at(settings, zone, at);
    }
    if at <= now {
        // After a long outage continue with what is due now.
        at = next_due_at(settings, zone, now);
    }
    let sql =
        "UPDATE pulse_plan SET next_at = $2 WHERE org_id = $1 AND (next_at = $3 OR (next_at IS NULL AND $4 = TRUE))";
    if q!(&mut *tx, execute, sql, plan.org_id, at, plan.next_at, plan.next_at.is_none())? == 0 {
        return Ok(0);
    }
    let mut planned = 0;
    for at in due {
        planned += usize::from(
            insert_waiting_pulse(&mut *tx, origin, plan.org_id, &period_key(settings, zone, at), at).await?,
        );
    }
    Ok(planned)
}

/// False when the period already has a row.
async fn insert_waiting_pulse(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    key: &str,
    due_at: DateTime<Utc>,
) -> Result<bool> {
    let id = PulseId(origin.uuid_v7());
    let none: Vec<PulseRecipient> = Vec::new();
    let stored = q!(
        &mut *tx,
        execute,
        "INSERT INTO pulse (org_id, id, period_key, due_at, outcome, sent_to) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, period_key) DO NOTHING",
        org,
        id,
        key,
        due_at,
        PulseOutcome::Waiting,
        Json(&none)
    )?;
    if stored == 0 {
        return Ok(false);
    }
    let task = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::SendPulse,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("pulse:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    Ok(true)
}

#[cfg(test)]
mod tests;
