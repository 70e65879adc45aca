//! When the time of a promise runs out: the business is warned when three quarters of it are over, and told on the lead's
//! timeline when it was broken.
//!
//! The warning is an alert like any other that is not urgent: on the devices of the owner and the office at once, because
//! a phone has its own quiet hours; by text and email to the list of recipients as frequency and schedule of the
//! notifications allow. It never climbs: nobody is woken over a promise of a day.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde_json::json;

use super::{
    AFTER, State,
    store::{Row, settle_lead, write},
};
use crate::{
    documents::{date_format, response_time, template::Language},
    domain::{
        messaging::{
            alert::{self, NewAlert, Raised},
            automation::{self, Decision},
        },
        tenancy::org::{self, Profile},
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, LeadId, OrgId, PromiseId},
        live::{self, Topic},
        tasks::{self, NewTask},
    },
};

const EVENT: &str = "promise_near";
const RULE: &str = "promise_warning";
/// An answer at the due instant is in time: what is looked at is the moment after.
const MOMENT: Duration = Duration::milliseconds(1);
/// Without a task that carries it, a promise is looked at by the minute's tick, so long after its time.
const PATIENCE: Duration = Duration::seconds(60);
const BITE: i64 = 200;
/// What was let go is looked at for so long after its time: a request that is held may stay so for ever.
const LOOKED_BACK: Duration = Duration::days(30);
/// So many days off the name of a day says which one is meant.
const THIS_WEEK: i64 = 6;

/// The task that looks at a promise: once when the business is to be warned, once when the time is over.
pub(super) fn watch(org: OrgId, id: PromiseId, run_at: DateTime<Utc>, step: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::WatchPromise,
        subject: Some(id.0),
        run_at,
        unique_key: format!("promise:{id}:{step}"),
    }
}

/// One promise, one warning.
pub(super) fn alert_key(id: PromiseId) -> String {
    format!("promise:{id}")
}

/// Looks at a promise whose time has come: warns, or breaks it. Once each, whatever is run again; nothing is left to do
/// where it was kept meanwhile.
pub async fn come_due(tx: &mut Tx, origin: &Origin, id: PromiseId) -> Result<()> {
    let found =
        q!(&mut *tx, fetch_optional as (OrgId, LeadId), "SELECT org_id, lead_id FROM promise WHERE id = $1", id)?;
    let Some((org, lead)) = found else { return Ok(()) };
    let rows = settle_lead(&mut *tx, org, lead).await?;
    let Some(mut row) = rows.into_iter().find(|row| row.id == id) else { return Ok(()) };
    if row.is_released_for_now() {
        return run_out(tx, origin, (org, lead), row).await;
    }
    if row.state != State::Open {
        return Ok(());
    }
    let now = origin.now();
    let (is_over, was_warned) = (now > row.due_at, row.warned_at.is_some());
    if is_over {
        row.break_it();
    }
    if now >= row.warn_at && !was_warned {
        row.warned_at = Some(now);
    }
    write(&mut *tx, org, &row).await?;
    if is_over {
        note_broken(&mut *tx, origin, org, lead, &row).await?;
    } else {
        let next = watch(org, id, row.due_at + MOMENT, "due");
        tasks::enqueue(&mut *tx, origin, vec![next]).await?;
    }
    if row.warned_at.is_some() && !was_warned { warn(tx, origin, (org, lead), &row).await } else { Ok(()) }
}

/// Nothing is owed now. Once the time is over, nothing is ever after: whoever says START in spring is not owed what was
/// promised in winter. A request that is held was owed all the while, so that is for whoever lets it through.
async fn run_out(tx: &mut Tx, origin: &Origin, (org, lead): (OrgId, LeadId), mut row: Row) -> Result<()> {
    if origin.now() <= row.due_at {
        let next = watch(org, row.id, row.due_at + MOMENT, "due");
        tasks::enqueue(&mut *tx, origin, vec![next]).await?;
        return Ok(());
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND held_reason IS NOT NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, lead)? {
        row.run_out();
        write(tx, org, &row).await?;
    }
    Ok(())
}

async fn note_broken(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId, row: &Row) -> Result<()> {
    let detail = json!({"words": row.words, "dueAt": row.due_at, "within": promised(row)});
    let event = NewEvent {
        subject: Some(row.id.0),
        detail,
        ..NewEvent::new(lead, EventKind::PromiseBroken, row.due_at, Doer::System)
    };
    activity::record(tx, origin, org, event).await.map(|_| ())
}

/// Tells the business, by the rule and with its reason.
async fn warn(tx: &mut Tx, origin: &Origin, (org, lead): (OrgId, LeadId), row: &Row) -> Result<()> {
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, found).await?;
    let sql = "SELECT name FROM lead WHERE org_id = $1 AND id = $2";
    let name = q!(&mut *tx, fetch_one scalar String, sql, org, lead)?;
    let now = origin.now();
    let decision = Decision {
        rule: RULE,
        channel: None,
        reason: format!("an answer was promised {}, and nobody has answered yet", promised(row)),
        saw: json!({"promised": row.words, "dueAt": row.due_at, "broken": row.state == State::Broken}),
        message: None,
        alert: Some(Raised::new(&profile, told(&profile, lead, &name, row, now), now, false)),
    };
    automation::carry_out(&mut *tx, origin, org, lead, EVENT, vec![decision]).await?;
    live::announce(tx, origin, org, Topic::Lead, lead.0, None).await
}

/// What the devices and the list are told. Times are those of the business.
fn told(profile: &Profile, lead: LeadId, name: &str, row: &Row, now: DateTime<Utc>) -> NewAlert {
    let promised = promised(row);
    // Out of hours the customer was told of the opening, and of no later time.
    let due = (!row.words.starts_with(AFTER)).then(|| clock(row.due_at, profile.org.zone(), now));
    let (title, body) = if row.state == State::Broken {
        let until = due.map(|due| format!(", until {due}")).unwrap_or_default();
        let body = format!("An answer was promised {promised}{until}. Nobody has answered yet.");
        (format!("Promise broken: {name}"), body)
    } else {
        let left = left(row.due_at - now);
        let body = format!("An answer was promised {promised}: {left} left. Nobody has answered yet.");
        let by = due.map_or_else(|| promised.clone(), |due| format!("by {due}"));
        (format!("Answer {name} {by}"), body)
    };
    let new = NewAlert::new(alert::Kind::PromiseDue, alert_key(row.id), title, body);
    NewAlert { lead: Some(lead), ..new }
}

/// "within 2 hours", and the very words where they are others.
fn promised(row: &Row) -> String {
    if row.words.starts_with(AFTER) {
        return row.words.clone();
    }
    // The words, and not the time until it is due: nights and weekends lie in between.
    let said = response_time::read(&row.words).or_else(|| response_time::read(&format!("We reply {}", row.words)));
    let within = within(said.map_or(row.due_at - row.made_at, |said| said.within).num_minutes());
    if row.words.to_lowercase() == within { within } else { format!("{within} (“{}”)", row.words) }
}

/// "within 1 hour", "within 90 minutes", "within 3 days".
fn within(minutes: i64) -> String {
    const HOUR: i64 = 60;
    const DAY: i64 = 24 * HOUR;
    let (n, unit) = match minutes {
        minutes if minutes > 2 * DAY && minutes % DAY == 0 => (minutes / DAY, "day"),
        minutes if minutes > 0 && minutes % HOUR == 0 => (minutes / HOUR, "hour"),
        minutes => (minutes, "minute"),
    };
    format!("within {n} {unit}{}", if n == 1 { "" } else { "s" })
}

/// "Sat 4:00 PM"; "Sat, Sep 26 4:00 PM" where that is not this week.
fn clock(at: DateTime<Utc>, zone: Tz, now: DateTime<Utc>) -> String {
    let (local, today) = (at.with_timezone(&zone), now.with_timezone(&zone).date_naive());
    let day = local.date_naive();
    let weekday = date_format::short_weekday(day, Language::En);
    if (day - today).num_days().abs() < THIS_WEEK {
        format!("{weekday} {}", date_format::hour(&local))
    } else {
        format!("{weekday}, {} {}", date_format::spoken(day, Language::En), date_format::hour(&local))
    }
}

/// "6 h", "15 min".
fn left(time: Duration) -> String {
    match time.num_minutes() {
        minutes @ ..120 => format!("{} min", minutes.max(1)),
        minutes => format!("{} h", minutes / 60),
    }
}

/// The net under the tasks: promises whose time has come and that nothing has looked at. Returns how many there were.
///
/// # Errors
/// That of the first that failed, after all others were looked at.
pub async fn sweep(db: &Db, origin: &Origin) -> Result<usize> {
    let mut conn = db.read().await?;
    let mut overlooked = overlooked(&mut conn, origin.now() - PATIENCE).await?;
    overlooked.extend(let_go(&mut conn, origin.now()).await?);
    drop(conn);
    let mut failed = None;
    for id in &overlooked {
        failed = failed.or(look(db, origin, *id).await.err());
    }
    failed.map_or(Ok(overlooked.len()), Err)
}

async fn look(db: &Db, origin: &Origin, id: PromiseId) -> Result<()> {
    let mut tx = db.begin().await?;
    come_due(&mut tx, origin, id).await?;
    tx.commit().await
}

async fn overlooked(conn: &mut dyn AsConn, before: DateTime<Utc>) -> Result<Vec<PromiseId>> {
    Ok(q!(
        conn,
        fetch_all scalar PromiseId,
        "SELECT id FROM promise
         WHERE state = 'open' AND warn_at < $1 AND (warned_at IS NULL OR due_at < $1) AND org_id <> $3
         ORDER BY warn_at LIMIT $2",
        before,
        BITE,
        DEMO_ORG
    )?)
}

/// What was released, and whose time has run out since.
async fn let_go(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<PromiseId>> {
    Ok(q!(
        conn,
        fetch_all scalar PromiseId,
        "SELECT p.id FROM promise p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
         WHERE p.state = 'released' AND p.settled_at IS NULL AND p.due_at < $1 AND p.org_id <> $3
             AND l.held_reason IS NULL AND p.due_at > $4
         ORDER BY p.due_at LIMIT $2",
        now,
        BITE,
        DEMO_ORG,
        now - LOOKED_BACK
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_in_the_unit_that_fits() {
        let said = [0, 15, 119, 120, 360].map(|minutes| left(Duration::minutes(minutes)));
        assert_eq!(said, ["1 min", "15 min", "119 min", "2 h", "6 h"]);
    }

    #[test]
    fn times_are_those_of_the_business_with_the_date_where_the_day_alone_would_not_do() {
        let at: DateTime<Utc> = "2026-11-21T22:00:00Z".parse().unwrap();
        let said = [0, 5, 6, 14].map(|days| clock(at, chrono_tz::America::Chicago, at - Duration::days(days)));
        assert_eq!(said, ["Sat 4:00 PM", "Sat 4:00 PM", "Sat, Nov 21 4:00 PM", "Sat, Nov 21 4:00 PM"]);
    }

    #[test]
    fn a_promise_is_named_by_its_length() {
        let said = [1, 30, 60, 90, 1_440, 2_880, 4_320].map(within);
        let [minute, half, hour, more, day, two, three] = said;
        assert_eq!([minute, half, more], ["within 1 minute", "within 30 minutes", "within 90 minutes"]);
        assert_eq!([hour, day, two, three], ["within 1 hour", "within 24 hours", "within 48 hours", "within 3 days"]);
    }
}
