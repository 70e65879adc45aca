//! Escalation of an urgent alert not yet seen: texts to one person after the other, at any hour; emails where no text
//! is possible. Other alerts do not escalate: they reached the whole list at once, or wait for the configured summary.

use std::borrow::Cow;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::{NotificationReason, StoredAlert, email, find_alert, queue_notifications};
use crate::{
    domain::{
        messaging::message::{self, MessageChannel, send::ClaimedMessage},
        tenancy::org::{self, OrgProfile},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        email_address::EmailAddress,
        error::Result,
        id::{AlertId, OrgId},
        live::{self, Topic},
        phone::Phone,
        public_url::PublicUrl,
        recipient::Recipient,
        tasks::{self, NewTask},
    },
};

/// Order: listed phones, else the phones that calls are forwarded to, else the business phone, else the listed emails.
pub fn escalation_recipients(profile: &OrgProfile) -> impl Iterator<Item = Cow<'_, Recipient>> {
    let mut listed: Vec<_> = recipients_on_channel(profile, MessageChannel::Sms).collect();
    let others = if listed.is_empty() { business_phones(profile) } else { Vec::new() };
    if listed.is_empty() && others.is_empty() {
        listed = self::recipients_on_channel(profile, MessageChannel::Email).collect();
    }
    let others = others.into_iter().map(|phone| Cow::Owned(Recipient::Phone(phone)));
    listed.into_iter().map(Cow::Borrowed).chain(others)
}

fn recipients_on_channel(profile: &OrgProfile, channel: MessageChannel) -> impl Iterator<Item = &Recipient> {
    profile.recipients.iter().filter(move |recipient| recipient.channel() == channel)
}

/// Phones of the business that are not listed. Its provider number is excluded: texts to it are our own and not read.
fn business_phones(profile: &OrgProfile) -> Vec<Phone> {
    let rung = &profile.settings.calls.forward_to;
    if !rung.is_empty() {
        return rung.iter().cloned().map(Phone::from_stored).collect();
    }
    let own = profile.org.phone.as_deref().and_then(Phone::parse).filter(Phone::is_textable);
    own.filter(|phone| profile.org.sms_number.as_deref() != Some(phone.as_e164())).into_iter().collect()
}

pub(super) fn escalation_task(org: OrgId, id: AlertId, step: i64, at: DateTime<Utc>) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::TaskKind::EscalateAlert,
        subject: Some(id.0),
        run_at: at,
        unique_key: format!("climb:{id}:{step}"),
    }
}

fn next_escalation_at(profile: &OrgProfile, step: i64, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let pause = Duration::minutes(profile.settings.notifications.escalate_next_after_minutes);
    usize::try_from(step).ok().and_then(|step| escalation_recipients(profile).nth(step)).map(|_| now + pause)
}

/// Runs the next step if the alert is still unseen. Idempotent; does nothing before its time.
pub async fn run_step(tx: &mut Tx, origin: &ClockRng, url: &PublicUrl, (org, id): (OrgId, AlertId)) -> Result<()> {
    let Some(alert) = find_alert(&mut *tx, org, id).await? else { return Ok(()) };
    let now = origin.now();
    if alert.seen_at.is_some() || alert.escalates_at.is_none_or(|at| at > now) {
        return Ok(());
    }
    let Some(org) = org::find(&mut *tx, alert.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, org).await?;
    let person = usize::try_from(alert.step).ok().and_then(|step| escalation_recipients(&profile).nth(step));
    // The list may have become shorter.
    let next = person.as_ref().and_then(|_| next_escalation_at(&profile, alert.step + 1, now));
    if !advance_step(&mut *tx, &alert, person.is_some(), next).await? {
        return Ok(());
    }
    if let Some(person) = &person {
        notify_recipient(&mut *tx, origin, url, &profile, &alert, person).await?;
    }
    if let Some(at) = next {
        tasks::enqueue(&mut *tx, origin, vec![escalation_task(alert.org_id, id, alert.step + 1, at)]).await?;
    }
    live::publish_event(tx, origin, alert.org_id, Topic::Alert, id.0, alert.lead_id.map(|lead| lead.0)).await
}

/// False when the alert was seen, or another worker took the step, since it was read.
async fn advance_step(tx: &mut Tx, alert: &StoredAlert, is_taken: bool, next: Option<DateTime<Utc>>) -> Result<bool> {
    let changed = q!(
        tx,
        execute,
        "UPDATE alert SET step = $3, escalates_at = $4 WHERE org_id = $1 AND id = $2 AND step = $5 AND seen_at IS NULL
             AND escalates_at IS NOT NULL",
        alert.org_id,
        alert.id,
        alert.step + i64::from(is_taken),
        next,
        alert.step
    )?;
    Ok(changed > 0)
}

async fn notify_recipient(
    tx: &mut Tx,
    origin: &ClockRng,
    url: &PublicUrl,
    profile: &OrgProfile,
    alert: &StoredAlert,
    person: &Recipient,
) -> Result<()> {
    let minutes = (origin.now() - alert.created_at).num_minutes();
    let to = email::NotificationTarget { origin, profile, url, recipient: person, note: None };
    let message = email::build_escalation(to, alert, &step_dedupe_key(alert.id, alert.step));
    let reason = format!("no one had looked at this urgent alert after {minutes} minutes");
    let evidence = json!({"urgent": true, "step": alert.step + 1, "minutesUnseen": minutes});
    let why = NotificationReason { event: "alert_unseen", rule: "escalation", reason: &reason, evidence };
    let leads: Vec<_> = alert.lead_id.into_iter().collect();
    queue_notifications(tx, origin, alert.org_id, &leads, &[message], &why).await
}

fn step_dedupe_key(id: AlertId, step: i64) -> String {
    format!("alert:{id}:climb:{step}")
}

fn parse_step_key(key: &str) -> Option<(AlertId, i64)> {
    let (id, rest) = key.strip_prefix("alert:")?.split_once(":climb:")?;
    let (step, _) = rest.split_once(':')?;
    Some((AlertId(id.parse().ok()?), step.parse().ok()?))
}

/// Sends an escalation step by email when its text was refused or is delayed.
pub(crate) async fn escalate_by_email(
    tx: &mut Tx,
    origin: &ClockRng,
    text: &ClaimedMessage,
    reason: &str,
) -> Result<()> {
    if text.to.is_email()
        || !matches!(text.kind, message::MessageKind::OwnerNotice | message::MessageKind::AccountNotice)
    {
        return Ok(());
    }
    let sql = "SELECT dedupe_key FROM message WHERE org_id = $1 AND id = $2";
    let climbed = q!(&mut *tx, fetch_optional scalar String, sql, text.org_id, text.id)?;
    let Some((id, step)) = climbed.as_deref().and_then(parse_step_key) else { return Ok(()) };
    let alert = find_alert(&mut *tx, text.org_id, id).await?.filter(|alert| alert.seen_at.is_none());
    let Some(alert) = alert else { return Ok(()) };
    let Some(recipient) = find_email_recipient(&mut *tx, alert.org_id, step).await? else { return Ok(()) };
    let blank = email::build_empty_message(origin, &recipient, text.kind, alert.lead_id, &step_dedupe_key(id, step));
    // The link comes from the text: the public address of this install is not known at send time.
    let link = text.body.split_whitespace().find(|word| word.starts_with("http")).map(ToOwned::to_owned);
    let message = email::build_escalation_email(blank, &alert, link);
    let reason = format!("the text to the next person could not leave: {reason}");
    let evidence = json!({"urgent": true, "step": step + 1});
    let why = NotificationReason { event: "alert_unseen", rule: "escalation", reason: &reason, evidence };
    let leads: Vec<_> = alert.lead_id.into_iter().collect();
    queue_notifications(tx, origin, alert.org_id, &leads, &[message], &why).await
}

/// Recipient of a step's email: the listed emails in rotation, else the owner.
async fn find_email_recipient(tx: &mut Tx, org: OrgId, step: i64) -> Result<Option<Recipient>> {
    let Some(org) = org::find(&mut *tx, org).await? else { return Ok(None) };
    let profile = org::load_profile(&mut *tx, org).await?;
    let step = usize::try_from(step).unwrap_or_default();
    let count = recipients_on_channel(&profile, MessageChannel::Email).count();
    if count > 0 {
        return Ok(recipients_on_channel(&profile, MessageChannel::Email).nth(step % count).cloned());
    }
    let sql = "SELECT email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE ORDER BY id LIMIT 1";
    let owner = q!(tx, fetch_optional scalar EmailAddress, sql, profile.org.id)?;
    Ok(owner.map(Recipient::Email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escalation_step_is_parsed_from_its_key_only() {
        let id = AlertId(uuid::Uuid::from_u128(7));
        assert_eq!(parse_step_key(&format!("{}:sms:+15125550111", step_dedupe_key(id, 3))), Some((id, 3)));
        for other in [
            format!("alert:{id}:sms:+15125550111"),
            "digest:7:sms:+1".to_owned(),
            format!("alert:x{id}:climb:0:sms:+1"),
        ] {
            assert_eq!(parse_step_key(&other), None, "{other}");
        }
    }
}
