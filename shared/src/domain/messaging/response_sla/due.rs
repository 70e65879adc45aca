//! End of a promise's time: the business is warned at three quarters, and a broken promise is noted on the lead's
//! timeline.
//!
//! The warning is an alert that is not urgent: on the devices of the owner and the office at once, because a phone has
//! its own quiet hours; by text and email to the recipient list as its frequency and schedule allow. It never
//! escalates: a promise of a day is no reason to wake a person.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde_json::json;

use super::{
    AFTER, PromiseState,
    store::{PromiseRow, settle_lead_promises, update_promise},
};
use crate::{
    documents::{date_format, response_time, template::Language},
    domain::{
        messaging::{
            alert::{self, NewAlert, ScheduledAlert},
            automation::{self, RuleDecision},
        },
        tenancy::{
            activity_log::{self, ActivityActor, BrokenPromise, EventKind, NewEvent},
            org::{self, OrgProfile},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{DEMO_ORG, LeadId, OrgId, SlaId},
        live::{self, Topic},
        tasks::{self, NewTask},
    },
};

const EVENT: &str = "promise_near";
const RULE: &str = "promise_warning";
/// An answer at the due instant is in time, so the check runs a moment later.
const MOMENT: Duration = Duration::milliseconds(1);
/// A promise that no task carries is checked by the minute's tick, this long after its time.
const PATIENCE: Duration = Duration::seconds(60);
const BITE: i64 = 200;
/// Released promises are checked for this long after their time: a quarantined request may stay held for ever.
const LOOKED_BACK: Duration = Duration::days(30);
/// Within this many days the weekday alone identifies a day.
const THIS_WEEK: i64 = 6;

/// Task that checks a promise: once for the warning, once when the time is over.
pub(super) fn build_check_task(org: OrgId, id: SlaId, run_at: DateTime<Utc>, step: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::TaskKind::CheckSla,
        subject: Some(id.0),
        run_at,
        unique_key: format!("promise:{id}:{step}"),
    }
}

/// Idempotency key: one warning per promise.
pub(super) fn warning_alert_key(id: SlaId) -> String {
    format!("promise:{id}")
}

/// Checks a promise whose time has come: warns, or breaks it. Idempotent; does nothing if it was kept meanwhile.
pub async fn on_due(tx: &mut Tx, origin: &ClockRng, id: SlaId) -> Result<()> {
    let found = q!(&mut *tx, fetch_optional as (OrgId, LeadId), "SELECT org_id, lead_id FROM sla WHERE id = $1", id)?;
    let Some((org, lead)) = found else { return Ok(()) };
    let rows = settle_lead_promises(&mut *tx, org, lead).await?;
    let Some(mut row) = rows.into_iter().find(|row| row.id == id) else { return Ok(()) };
    if row.is_released_but_pending() {
        return release_expired(tx, origin, (org, lead), row).await;
    }
    if row.state != PromiseState::Open {
        return Ok(());
    }
    let now = origin.now();
    let (is_over, was_warned) = (now > row.due_at, row.warned_at.is_some());
    if is_over {
        row.mark_broken();
    }
    if now >= row.warn_at && !was_warned {
        row.warned_at = Some(now);
    }
    update_promise(&mut *tx, org, &row).await?;
    if is_over {
        record_breach(&mut *tx, origin, org, lead, &row).await?;
    } else {
        let next = build_check_task(org, id, row.due_at + MOMENT, "due");
        tasks::enqueue(&mut *tx, origin, vec![next]).await?;
    }
    if row.warned_at.is_some() && !was_warned { raise_warning(tx, origin, (org, lead), &row).await } else { Ok(()) }
}

/// A promise whose time is over stays released after a later START. A quarantined request is judged at its release.
async fn release_expired(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, lead): (OrgId, LeadId),
    mut row: PromiseRow,
) -> Result<()> {
    if origin.now() <= row.due_at {
        let next = build_check_task(org, row.id, row.due_at + MOMENT, "due");
        tasks::enqueue(&mut *tx, origin, vec![next]).await?;
        return Ok(());
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND held_reason IS NOT NULL)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, org, lead)? {
        row.close_released();
        update_promise(tx, org, &row).await?;
    }
    Ok(())
}

async fn record_breach(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId, row: &PromiseRow) -> Result<()> {
    let (words, within) = (row.words.clone(), format_promise(row));
    let detail = json!(BrokenPromise { words, due_at: Some(row.due_at), within });
    let event = NewEvent {
        subject: Some(row.id.0),
        detail,
        ..NewEvent::new(lead, EventKind::PromiseBroken, row.due_at, ActivityActor::System)
    };
    activity_log::record_event(tx, origin, org, event).await.map(|_| ())
}

async fn raise_warning(tx: &mut Tx, origin: &ClockRng, (org, lead): (OrgId, LeadId), row: &PromiseRow) -> Result<()> {
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, found).await?;
    let sql = "SELECT name FROM lead WHERE org_id = $1 AND id = $2";
    let name = q!(&mut *tx, fetch_one scalar String, sql, org, lead)?;
    let now = origin.now();
    let decision = RuleDecision {
        rule: RULE,
        channel: None,
        reason: format!("an answer was promised {}, and no one has answered yet", format_promise(row)),
        evidence: json!({"promised": row.words, "dueAt": row.due_at, "broken": row.state == PromiseState::Broken}),
        message: None,
        alert: Some(ScheduledAlert::new(&profile, build_warning_alert(&profile, lead, &name, row, now), now, false)),
    };
    automation::apply_decisions(&mut *tx, origin, org, lead, EVENT, vec![decision]).await?;
    live::publish_event(tx, origin, org, Topic::Lead, lead.0, None).await
}

/// Times are in the zone of the business.
fn build_warning_alert(
    profile: &OrgProfile,
    lead: LeadId,
    name: &str,
    row: &PromiseRow,
    now: DateTime<Utc>,
) -> NewAlert {
    let promised = format_promise(row);
    let due = format_deadline(row.due_at, profile.org.zone(), now);
    // The customer of a request that is read later was given the reading time only.
    let is_read_later = row.words.starts_with(AFTER);
    let (title, body) = if row.state == PromiseState::Broken {
        let until = if is_read_later { String::new() } else { format!(", until {due}") };
        let body = format!("An answer was promised {promised}{until}. No one has answered yet.");
        (format!("Promise broken: {name}"), body)
    } else {
        let left = format_time_left(row.due_at - now);
        let rest = if is_read_later { format!(" and is due in {left}") } else { format!(": {left} left") };
        let body = format!("An answer was promised {promised}{rest}. No one has answered yet.");
        (format!("Answer {name} by {due}"), body)
    };
    let new = NewAlert::new(alert::AlertKind::PromiseDue, warning_alert_key(row.id), title, body);
    NewAlert { lead: Some(lead), ..new }
}

/// "within 2 hours", followed by the exact words where they differ.
fn format_promise(row: &PromiseRow) -> String {
    if row.words.starts_with(AFTER) {
        return row.words.clone();
    }
    // From the words, not from the time until it is due: nights and weekends lie in between.
    let promised = response_time::find_promised_time(&row.words)
        .or_else(|| response_time::find_promised_time(&format!("We reply {}", row.words)));
    let within = format_within(promised.map_or(row.due_at - row.made_at, |promised| promised.within).num_minutes());
    if row.words.to_lowercase() == within { within } else { format!("{within} (“{}”)", row.words) }
}

/// "within 1 hour", "within 90 minutes", "within 3 days".
fn format_within(minutes: i64) -> String {
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
fn format_deadline(at: DateTime<Utc>, zone: Tz, now: DateTime<Utc>) -> String {
    let (local, today) = (at.with_timezone(&zone), now.with_timezone(&zone).date_naive());
    let day = local.date_naive();
    let weekday = date_format::short_weekday_name(day, Language::En);
    if (day - today).num_days().abs() < THIS_WEEK {
        format!("{weekday} {}", date_format::format_time(&local))
    } else {
        format!("{weekday}, {} {}", date_format::format_month_day(day, Language::En), date_format::format_time(&local))
    }
}

/// "6 h", "15 min".
fn format_time_left(time: Duration) -> String {
    match time.num_minutes() {
        minutes @ ..120 => format!("{} min", minutes.max(1)),
        minutes => format!("{} h", minutes / 60),
    }
}

/// Safety net for the tasks: promises whose time has come and that were not checked. Returns their number.
///
/// # Errors
/// The first error, after all others were checked.
pub async fn sweep_overdue_promises(db: &Db, origin: &ClockRng) -> Result<usize> {
    let mut conn = db.acquire_reader().await?;
    let mut overlooked = list_unchecked_promises(&mut conn, origin.now() - PATIENCE).await?;
    overlooked.extend(list_released_expired(&mut conn, origin.now()).await?);
    drop(conn);
    let mut failed = None;
    for id in &overlooked {
        failed = failed.or(check_promise(db, origin, *id).await.err());
    }
    failed.map_or(Ok(overlooked.len()), Err)
}

async fn check_promise(db: &Db, origin: &ClockRng, id: SlaId) -> Result<()> {
    let mut tx = db.begin().await?;
    on_due(&mut tx, origin, id).await?;
    tx.commit().await
}

async fn list_unchecked_promises(conn: &mut dyn AsConn, before: DateTime<Utc>) -> Result<Vec<SlaId>> {
    Ok(q!(
        conn,
        fetch_all scalar SlaId,
        "SELECT id FROM sla
         WHERE state = 'open' AND warn_at < $1 AND (warned_at IS NULL OR due_at < $1) AND org_id <> $3
         ORDER BY warn_at LIMIT $2",
        before,
        BITE,
        DEMO_ORG
    )?)
}

/// Released promises whose time has run out since.
async fn list_released_expired(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<SlaId>> {
    Ok(q!(
        conn,
        fetch_all scalar SlaId,
        "SELECT p.id FROM sla p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
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
    fn remaining_time_is_in_minutes_below_two_hours_then_in_hours() {
        let formatted = [0, 15, 119, 120, 360].map(|minutes| format_time_left(Duration::minutes(minutes)));
        assert_eq!(formatted, ["1 min", "15 min", "119 min", "2 h", "6 h"]);
    }

    #[test]
    fn due_time_is_business_local_with_date_from_six_days_ahead() {
        let at: DateTime<Utc> = "2026-11-21T22:00:00Z".parse().unwrap();
        let formatted =
            [0, 5, 6, 14].map(|days| format_deadline(at, chrono_tz::America::Chicago, at - Duration::days(days)));
        assert_eq!(formatted, ["Sat 4:00 PM", "Sat 4:00 PM", "Sat, Nov 21 4:00 PM", "Sat, Nov 21 4:00 PM"]);
    }

    #[test]
    fn promise_is_worded_in_minutes_hours_or_days_by_its_length() {
        let formatted = [1, 30, 60, 90, 1_440, 2_880, 4_320].map(format_within);
        let [minute, half, hour, more, day, two, three] = formatted;
        assert_eq!([minute, half, more], ["within 1 minute", "within 30 minutes", "within 90 minutes"]);
        assert_eq!([hour, day, two, three], ["within 1 hour", "within 24 hours", "within 48 hours", "within 3 days"]);
    }
}
