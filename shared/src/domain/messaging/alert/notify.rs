//! Telling the list of recipients what is due: one alert in one message, or a summary of all that waited.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::types::Json;

use super::{Alert, Telling, due, email, queue, saw};
use crate::{
    domain::{
        messaging::message::{Channel, NewMessage},
        tenancy::{
            org::{self, Profile, settings::Frequency},
            push_device,
        },
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::Result,
        id::{DEMO_ORG, DecisionId, LeadId, MessageId, OrgId},
        public_url::PublicUrl,
    },
};

/// More than this waits for the next minute.
const MOST: i64 = 500;

/// The businesses that are to be told something, or whose settings changed since something began to wait.
pub async fn due_orgs(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "SELECT DISTINCT a.org_id FROM alert a WHERE a.told_at IS NULL AND a.org_id <> $2 AND (a.due_at <= $1 OR EXISTS (
             SELECT 1 FROM org_setting s WHERE s.org_id = a.org_id AND s.name IN ('notifications', 'hours')
                 AND s.updated_at > a.created_at))",
        now,
        DEMO_ORG
    )?)
}

/// Tells one business what is due by what it has set now. Run twice, also at once, it tells nothing twice. Returns how
/// many messages were queued.
pub async fn tell(tx: &mut Tx, origin: &Origin, url: &PublicUrl, org: OrgId) -> Result<usize> {
    let Some(org) = org::find(&mut *tx, org).await? else { return Ok(0) };
    let profile = org::profile(&mut *tx, org).await?;
    let mut told = Vec::new();
    for alert in waiting(&mut *tx, profile.org.id).await? {
        match when(&profile, &alert, origin.now()) {
            None if claim(&mut *tx, origin, &alert).await? => told.push(alert),
            Some(at) if at != alert.due_at => put_off(&mut *tx, &alert, at).await?,
            None | Some(_) => {}
        }
    }
    let is_summary = profile.settings.notifications.frequency != Frequency::Immediate;
    // A summary holds what happened; anything else would tell as new what somebody has dealt with.
    let (told, seen): (Vec<Alert>, Vec<Alert>) =
        told.into_iter().partition(|alert| alert.seen_at.is_none() || (is_summary && !alert.is_urgent));
    not_told(&mut *tx, origin, &profile, &seen).await?;
    let (urgent, rest): (Vec<Alert>, Vec<Alert>) = told.into_iter().partition(|alert| alert.is_urgent);
    let mut queued = 0;
    for alert in urgent {
        queued += one(tx, origin, url, &profile, &alert).await?;
    }
    match &rest[..] {
        [] => {}
        [alert] if profile.settings.notifications.frequency == Frequency::Immediate => {
            queued += one(tx, origin, url, &profile, alert).await?;
        }
        several => queued += summary(tx, origin, url, &profile, several).await?,
    }
    Ok(queued)
}

/// Notes with each lead that somebody had seen its alert before it was told.
async fn not_told(tx: &mut Tx, origin: &Origin, profile: &Profile, seen: &[Alert]) -> Result<()> {
    let rows = seen.iter().filter_map(|alert| alert.lead_id.map(|lead| (alert, lead)));
    let decided = Insert::into(
        "decision (org_id, id, lead_id, at, event, rule, channel, sent, reason, saw, message_id)",
    )
    .rows(rows.map(|(alert, lead)| {
        values![
            alert.org_id,
            DecisionId(origin.uuid()),
            lead,
            origin.now(),
            "alert_due",
            "owner_notice",
            None::<Channel>,
            false,
            "somebody had seen it by then",
            Json(saw(profile, alert.is_urgent)),
            None::<MessageId>
        ]
    }));
    insert_all(tx, &[decided]).await
}

async fn waiting(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Alert>> {
    Ok(q!(
        conn,
        fetch_all as Alert,
        "SELECT org_id, id, lead_id, kind, title, body, is_urgent, created_at, due_at, told_at, step, climbs_at, seen_at,
             text_link, path, account_id
         FROM alert WHERE org_id = $1 AND told_at IS NULL ORDER BY id LIMIT $2",
        org,
        MOST
    )?)
}

/// When it is to be told by what is set now; none is now.
fn when(profile: &Profile, alert: &Alert, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let (settings, zone) = (&profile.settings, profile.org.zone());
    let due = due::due(settings, zone, alert.is_urgent, alert.created_at).at(alert.created_at);
    if due > now {
        return Some(due);
    }
    // Its time came while nothing ran, or the hours were changed.
    if alert.is_urgent { None } else { due::may_tell(settings, zone, now).err() }
}

/// True for the one who tells it.
async fn claim(tx: &mut Tx, origin: &Origin, alert: &Alert) -> Result<bool> {
    let sql = "UPDATE alert SET told_at = $3 WHERE org_id = $1 AND id = $2 AND told_at IS NULL";
    Ok(q!(tx, execute, sql, alert.org_id, alert.id, origin.now())? > 0)
}

async fn put_off(tx: &mut Tx, alert: &Alert, at: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE alert SET due_at = $3 WHERE org_id = $1 AND id = $2 AND told_at IS NULL";
    q!(tx, execute, sql, alert.org_id, alert.id, at)?;
    Ok(())
}

async fn one(tx: &mut Tx, origin: &Origin, url: &PublicUrl, profile: &Profile, alert: &Alert) -> Result<usize> {
    let key = format!("alert:{}", alert.id);
    let note = dead_devices(&mut *tx, profile).await?;
    let made: Vec<NewMessage> = profile
        .recipients
        .iter()
        .filter(|recipient| recipient.channel != Channel::Email || !alert.kind.has_its_own_letter())
        .map(|recipient| {
            email::single(email::To { origin, profile, url, recipient, note: note.as_deref() }, alert, &key)
        })
        .collect();
    let lead: Vec<LeadId> = alert.lead_id.into_iter().collect();
    let reason = match () {
        () if alert.is_urgent => "this is urgent",
        () if has_waited(alert) => "your notification hours have begun",
        () => "it was told at once",
    };
    queue(tx, origin, profile.org.id, &lead, &made, &why(reason, saw(profile, alert.is_urgent))).await?;
    Ok(made.len())
}

async fn summary(tx: &mut Tx, origin: &Origin, url: &PublicUrl, profile: &Profile, alerts: &[Alert]) -> Result<usize> {
    let leads = leads_of(alerts);
    let Some(first) = alerts.first() else { return Ok(0) };
    let key = format!("digest:{}", first.id);
    let mut made = Vec::with_capacity(profile.recipients.len());
    let note = dead_devices(&mut *tx, profile).await?;
    for recipient in &profile.recipients {
        let to = email::To { origin, profile, url, recipient, note: note.as_deref() };
        made.push(email::digest(to, alerts, &leads, &key)?);
    }
    let reason = match profile.settings.notifications.frequency {
        Frequency::Immediate if alerts.iter().any(has_waited) => {
            "your notification hours have begun: all that waited, in one message"
        }
        Frequency::Immediate => "it was told at once, in one message",
        Frequency::Hourly => "the hourly summary",
        Frequency::Daily => "the daily summary",
        Frequency::Weekly => "the weekly summary",
    };
    let mut seen = saw(profile, false);
    seen["alerts"] = json!(alerts.len());
    queue(tx, origin, profile.org.id, &leads, &made, &why(reason, seen)).await?;
    Ok(made.len())
}

/// Whether it was kept for the hours in which somebody is told.
fn has_waited(alert: &Alert) -> bool {
    alert.due_at > alert.created_at
}

/// A line for the emails, if alerts no longer reach a device.
async fn dead_devices(conn: &mut dyn AsConn, profile: &Profile) -> Result<Option<String>> {
    Ok(email::dead_devices(&push_device::silent(conn, profile.org.id).await?, profile.org.zone()))
}

/// Each lead once, in the order of their alerts.
fn leads_of(alerts: &[Alert]) -> Vec<LeadId> {
    let mut leads: Vec<LeadId> = Vec::new();
    for lead in alerts.iter().filter_map(|alert| alert.lead_id) {
        if !leads.contains(&lead) {
            leads.push(lead);
        }
    }
    leads
}

fn why(reason: &str, saw: Value) -> Telling<'_> {
    Telling { event: "alert_due", rule: "owner_notice", reason, saw }
}
