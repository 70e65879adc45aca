//! Notification of the recipient list: one alert per message, or a summary of all waiting alerts.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::types::Json;

use super::{
    NotificationReason, ScheduleEvidence, StoredAlert, email, notification_time, queue_notifications, schedule_evidence,
};
use crate::{
    domain::{
        messaging::message::{MessageChannel, NewMessage},
        tenancy::{
            org::{self, NotificationFrequency, OrgProfile},
            push_device,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_all, batch_rows, q},
        error::Result,
        id::{DEMO_ORG, DecisionId, LeadId, MessageId, OrgId},
        public_url::PublicUrl,
    },
};

/// Alerts per run; the rest wait for the next minute.
const MOST: i64 = 500;

/// Businesses with a due alert, or whose settings changed since an alert began to wait.
pub async fn list_due_orgs(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "SELECT DISTINCT a.org_id FROM alert a WHERE a.notified_at IS NULL AND a.org_id <> $2 AND (a.due_at <= $1 OR EXISTS (
             SELECT 1 FROM org_setting s WHERE s.org_id = a.org_id AND s.name IN ('notifications', 'hours')
                 AND s.updated_at > a.created_at))",
        now,
        DEMO_ORG
    )?)
}

/// Sends what is due under the current settings and returns the number of messages. Idempotent, also when concurrent.
pub async fn notify_due_alerts(tx: &mut Tx, origin: &ClockRng, url: &PublicUrl, org: OrgId) -> Result<usize> {
    let Some(org) = org::find(&mut *tx, org).await? else { return Ok(0) };
    let profile = org::load_profile(&mut *tx, org).await?;
    let mut due = Vec::new();
    for alert in list_waiting_alerts(&mut *tx, profile.org.id).await? {
        match postponed_until(&profile, &alert, origin.now()) {
            None if claim_alert(&mut *tx, origin, &alert).await? => due.push(alert),
            Some(at) if at != alert.due_at => postpone_alert(&mut *tx, &alert, at).await?,
            None | Some(_) => {}
        }
    }
    let is_summary = profile.settings.notifications.frequency != NotificationFrequency::Immediate;
    // Alerts already seen belong only in a summary; elsewhere they would look new.
    let (due, seen): (Vec<StoredAlert>, Vec<StoredAlert>) =
        due.into_iter().partition(|alert| alert.seen_at.is_none() || (is_summary && !alert.is_urgent));
    record_seen_before_notify(&mut *tx, origin, &profile, &seen).await?;
    let (urgent, rest): (Vec<StoredAlert>, Vec<StoredAlert>) = due.into_iter().partition(|alert| alert.is_urgent);
    let mut queued = 0;
    for alert in urgent {
        queued += notify_single_alert(tx, origin, url, &profile, &alert).await?;
    }
    match &rest[..] {
        [] => {}
        [alert] if profile.settings.notifications.frequency == NotificationFrequency::Immediate => {
            queued += notify_single_alert(tx, origin, url, &profile, alert).await?;
        }
        several => queued += notify_digest(tx, origin, url, &profile, several).await?,
    }
    Ok(queued)
}

/// Records with each lead that its alert was seen before it was sent.
async fn record_seen_before_notify(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    seen: &[StoredAlert],
) -> Result<()> {
    let rows = seen.iter().filter_map(|alert| alert.lead_id.map(|lead| (alert, lead)));
    let decided = batch_rows!(rows, |(alert, lead)| automation_decision {
        org_id: alert.org_id,
        id: DecisionId(origin.uuid_v7()),
        lead_id: lead,
        at: origin.now(),
        event: "alert_due",
        rule: "owner_notice",
        channel: None::<MessageChannel>,
        sent: false,
        reason: "someone had seen it by then",
        evidence: Json(schedule_evidence(profile, alert.is_urgent)),
        message_id: None::<MessageId>,
    });
    insert_all(tx, &[decided]).await
}

async fn list_waiting_alerts(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<StoredAlert>> {
    Ok(q!(
        conn,
        fetch_all as StoredAlert,
        "SELECT org_id, id, lead_id, kind, title, body, is_urgent, created_at, due_at, notified_at, step, escalates_at, seen_at,
             text_link, path, account_id
         FROM alert WHERE org_id = $1 AND notified_at IS NULL ORDER BY id LIMIT $2",
        org,
        MOST
    )?)
}

/// Send time under the current settings; none means now.
fn postponed_until(profile: &OrgProfile, alert: &StoredAlert, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let (settings, zone) = (&profile.settings, profile.org.zone());
    let due = notification_time::next_notify_at(settings, zone, alert.is_urgent, alert.created_at)
        .to_instant(alert.created_at);
    if due > now {
        return Some(due);
    }
    // Its time passed while no worker ran, or the hours were changed.
    if alert.is_urgent { None } else { notification_time::check_can_notify(settings, zone, now).err() }
}

async fn claim_alert(tx: &mut Tx, origin: &ClockRng, alert: &StoredAlert) -> Result<bool> {
    let sql = "UPDATE alert SET notified_at = $3 WHERE org_id = $1 AND id = $2 AND notified_at IS NULL";
    Ok(q!(tx, execute, sql, alert.org_id, alert.id, origin.now())? > 0)
}

async fn postpone_alert(tx: &mut Tx, alert: &StoredAlert, at: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE alert SET due_at = $3 WHERE org_id = $1 AND id = $2 AND notified_at IS NULL";
    q!(tx, execute, sql, alert.org_id, alert.id, at)?;
    Ok(())
}

async fn notify_single_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    url: &PublicUrl,
    profile: &OrgProfile,
    alert: &StoredAlert,
) -> Result<usize> {
    let key = format!("alert:{}", alert.id);
    let note = load_unreachable_devices(&mut *tx, profile).await?;
    let made: Vec<NewMessage> = profile
        .recipients
        .iter()
        .filter(|recipient| recipient.is_phone() || !alert.kind.has_dedicated_email())
        .map(|recipient| {
            email::build_single_alert(
                email::NotificationTarget { origin, profile, url, recipient, note: note.as_deref() },
                alert,
                &key,
            )
        })
        .collect();
    let lead: Vec<LeadId> = alert.lead_id.into_iter().collect();
    let reason = match () {
        () if alert.is_urgent => "this is urgent",
        () if was_delayed(alert) => "your notification hours have begun",
        () => "it goes out right away",
    };
    queue_notifications(
        tx,
        origin,
        profile.org.id,
        &lead,
        &made,
        &notification_reason(reason, json!(schedule_evidence(profile, alert.is_urgent))),
    )
    .await?;
    Ok(made.len())
}

#[derive(Serialize)]
struct DigestEvidence {
    #[serde(flatten)]
    schedule: ScheduleEvidence,
    alerts: usize,
}

async fn notify_digest(
    tx: &mut Tx,
    origin: &ClockRng,
    url: &PublicUrl,
    profile: &OrgProfile,
    alerts: &[StoredAlert],
) -> Result<usize> {
    let leads = distinct_leads(alerts);
    let Some(first) = alerts.first() else { return Ok(0) };
    let key = format!("digest:{}", first.id);
    let mut made = Vec::with_capacity(profile.recipients.len());
    let note = load_unreachable_devices(&mut *tx, profile).await?;
    for recipient in &profile.recipients {
        let to = email::NotificationTarget { origin, profile, url, recipient, note: note.as_deref() };
        made.push(email::build_digest(to, alerts, &leads, &key)?);
    }
    let reason = match profile.settings.notifications.frequency {
        NotificationFrequency::Immediate if alerts.iter().any(was_delayed) => {
            "your notification hours have begun: all that waited, in one message"
        }
        NotificationFrequency::Immediate => "it goes out right away, in one message",
        NotificationFrequency::Hourly => "the hourly summary",
        NotificationFrequency::Daily => "the daily summary",
        NotificationFrequency::Weekly => "the weekly summary",
    };
    let seen = DigestEvidence { schedule: schedule_evidence(profile, false), alerts: alerts.len() };
    queue_notifications(tx, origin, profile.org.id, &leads, &made, &notification_reason(reason, json!(seen))).await?;
    Ok(made.len())
}

fn was_delayed(alert: &StoredAlert) -> bool {
    alert.due_at > alert.created_at
}

async fn load_unreachable_devices(conn: &mut dyn AsConn, profile: &OrgProfile) -> Result<Option<String>> {
    Ok(email::format_unreachable_devices(
        &push_device::list_dead_devices(conn, profile.org.id).await?,
        profile.org.zone(),
    ))
}

fn distinct_leads(alerts: &[StoredAlert]) -> Vec<LeadId> {
    let mut leads: Vec<LeadId> = Vec::new();
    for lead in alerts.iter().filter_map(|alert| alert.lead_id) {
        if !leads.contains(&lead) {
            leads.push(lead);
        }
    }
    leads
}

fn notification_reason(reason: &str, evidence: Value) -> NotificationReason<'_> {
    NotificationReason { event: "alert_due", rule: "owner_notice", reason, evidence }
}
