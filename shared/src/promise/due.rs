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
    State,
    store::{Row, settle_lead, write},
};
use crate::{
    alert::{self, NewAlert, Raised},
    automation::{self, Decision},
    calendar,
    clock::Origin,
    db::{AsConn, Db, Tx, q},
    error::Result,
    id::{LeadId, OrgId, PromiseId},
    live::{self, Topic},
    org::{self, Profile},
    tasks::{self, NewTask},
    template::Language,
    work::{self, Doer, EventKind, NewEvent},
};

const EVENT: &str = "promise_near";
const RULE: &str = "promise_warning";
/// An answer at the due instant is in time: what is looked at is the moment after.
const MOMENT: Duration = Duration::milliseconds(1);
/// Without a task that carries it, a promise is looked at by the minute's tick, so long after its time.
const PATIENCE: Duration = Duration::seconds(60);
const BITE: i64 = 200;

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
    let Some(mut row) = rows.into_iter().find(|row| row.id == id && row.state == State::Open) else { return Ok(()) };
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

async fn note_broken(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId, row: &Row) -> Result<()> {
    let detail = json!({"words": row.words, "dueAt": row.due_at});
    let event = NewEvent { detail, ..NewEvent::new(lead, EventKind::PromiseBroken, row.due_at, Doer::System) };
    work::record(tx, origin, org, event).await.map(|_| ())
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
        reason: format!("an answer was promised {}, and nobody has answered yet", row.words),
        saw: json!({"promised": row.words, "dueAt": row.due_at, "broken": row.state == State::Broken}),
        message: None,
        alert: Some(Raised::new(&profile, told(&profile, lead, &name, row, now), now, false)),
    };
    automation::carry_out(&mut *tx, origin, org, lead, EVENT, vec![decision]).await?;
    live::announce(tx, origin, org, Topic::Lead, lead.0, None).await
}

/// What the devices and the list are told. Times are those of the business.
fn told(profile: &Profile, lead: LeadId, name: &str, row: &Row, now: DateTime<Utc>) -> NewAlert {
    let (due, words) = (clock(row.due_at, profile.org.zone()), &row.words);
    let (title, body) = if row.state == State::Broken {
        let body = format!("An answer was promised “{words}”, until {due}. Nobody has answered yet.");
        (format!("Promise broken: {name}"), body)
    } else {
        let left = left(row.due_at - now);
        let body = format!("An answer was promised “{words}”: {left} left. Nobody has answered yet.");
        (format!("Answer {name} by {due}"), body)
    };
    let new = NewAlert::new(alert::Kind::PromiseDue, alert_key(row.id), title, body);
    NewAlert { lead: Some(lead), ..new }
}

/// "Sat 4:00 PM".
fn clock(at: DateTime<Utc>, zone: Tz) -> String {
    let local = at.with_timezone(&zone);
    format!("{} {}", calendar::short_weekday(local.date_naive(), Language::En), calendar::hour(&local))
}

/// "6 h", "15 min".
fn left(time: Duration) -> String {
    match time.num_minutes() {
        minutes @ ..120 => format!("{} min", minutes.max(1)),
        minutes => format!("{} h", minutes / 60),
    }
}

/// The net under the tasks: promises whose time has come and that nothing has looked at. Returns how many there were.
pub async fn sweep(db: &Db, origin: &Origin) -> Result<usize> {
    let mut conn = db.read().await?;
    let overlooked = overlooked(&mut conn, origin.now() - PATIENCE).await?;
    drop(conn);
    for id in &overlooked {
        let mut tx = db.begin().await?;
        come_due(&mut tx, origin, *id).await?;
        tx.commit().await?;
    }
    Ok(overlooked.len())
}

async fn overlooked(conn: &mut impl AsConn, before: DateTime<Utc>) -> Result<Vec<PromiseId>> {
    Ok(q!(
        conn,
        fetch_all scalar PromiseId,
        "SELECT id FROM promise WHERE state = 'open' AND warn_at < $1 AND (warned_at IS NULL OR due_at < $1)
         ORDER BY warn_at LIMIT $2",
        before,
        BITE
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
    fn times_are_those_of_the_business() {
        let at: DateTime<Utc> = "2026-11-21T22:00:00Z".parse().unwrap();
        assert_eq!(clock(at, chrono_tz::America::Chicago), "Sat 4:00 PM");
    }
}
