//! Climbing: an urgent alert that nobody has seen goes by text to one person after the other, at any hour; by email
//! where no text can leave.
//!
//! What is not urgent does not climb: it has reached everybody on the list at once, or waits for the summary that the
//! business asked for.

use std::borrow::Cow;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::{Alert, Telling, email, find, queue};
use crate::{
    domain::{
        messaging::message::{self, Channel, send::Outgoing},
        tenancy::org::{self, Profile, Recipient},
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{AlertId, OrgId},
        live::{self, Topic},
        phone::Phone,
        public_url::PublicUrl,
        tasks::{self, NewTask},
    },
};

/// Who is told, one after the other: the phones on the list, else those that calls ring, else the business's own, and
/// without any phone the emails on the list.
pub fn ladder(profile: &Profile) -> impl Iterator<Item = Cow<'_, Recipient>> {
    let mut listed: Vec<_> = listed(profile, Channel::Sms).collect();
    let others = if listed.is_empty() { phones_of(profile) } else { Vec::new() };
    if listed.is_empty() && others.is_empty() {
        listed = self::listed(profile, Channel::Email).collect();
    }
    let others = others.into_iter().map(|address| Cow::Owned(Recipient { channel: Channel::Sms, address }));
    listed.into_iter().map(Cow::Borrowed).chain(others)
}

fn listed(profile: &Profile, channel: Channel) -> impl Iterator<Item = &Recipient> {
    profile.recipients.iter().filter(move |recipient| recipient.channel == channel)
}

/// The business's phones that are on no list. Its number at the provider is none: nobody reads what we text ourselves.
fn phones_of(profile: &Profile) -> Vec<String> {
    let rung = &profile.settings.calls.forward_to;
    if !rung.is_empty() {
        return rung.clone();
    }
    let own = profile.org.phone.as_deref().and_then(Phone::parse).filter(Phone::is_textable);
    let own = own.map(|phone| phone.as_e164().to_owned());
    own.filter(|phone| profile.org.sms_number.as_ref() != Some(phone)).into_iter().collect()
}

/// The task that looks after an alert at step `step`.
pub(super) fn task(org: OrgId, id: AlertId, step: i64, at: DateTime<Utc>) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::ClimbAlert,
        subject: Some(id.0),
        run_at: at,
        unique_key: format!("climb:{id}:{step}"),
    }
}

/// When the person after `step` is texted; none when there is nobody after them.
fn next_at(profile: &Profile, step: i64, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let pause = Duration::minutes(profile.settings.notifications.escalate_next_after_minutes);
    usize::try_from(step).ok().and_then(|step| ladder(profile).nth(step)).map(|_| now + pause)
}

/// Takes the next step if nobody has seen the alert by now. Harmless when it is not due, and when it ran before.
pub async fn step(tx: &mut Tx, origin: &Origin, url: &PublicUrl, (org, id): (OrgId, AlertId)) -> Result<()> {
    let Some(alert) = find(&mut *tx, org, id).await? else { return Ok(()) };
    let now = origin.now();
    if alert.seen_at.is_some() || alert.climbs_at.is_none_or(|at| at > now) {
        return Ok(());
    }
    let Some(org) = org::find(&mut *tx, alert.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, org).await?;
    let person = usize::try_from(alert.step).ok().and_then(|step| ladder(&profile).nth(step));
    // The list may have become shorter meanwhile.
    let next = person.as_ref().and_then(|_| next_at(&profile, alert.step + 1, now));
    if !advance(&mut *tx, &alert, person.is_some(), next).await? {
        return Ok(());
    }
    if let Some(person) = &person {
        tell(&mut *tx, origin, url, &profile, &alert, person).await?;
    }
    if let Some(at) = next {
        tasks::enqueue(&mut *tx, origin, vec![task(alert.org_id, id, alert.step + 1, at)]).await?;
    }
    live::announce(tx, origin, alert.org_id, Topic::Alert, id.0, alert.lead_id.map(|lead| lead.0)).await
}

/// False when somebody has seen it, or another worker took the step, since it was read.
async fn advance(tx: &mut Tx, alert: &Alert, is_taken: bool, next: Option<DateTime<Utc>>) -> Result<bool> {
    let changed = q!(
        tx,
        execute,
        "UPDATE alert SET step = $3, climbs_at = $4 WHERE org_id = $1 AND id = $2 AND step = $5 AND seen_at IS NULL
             AND climbs_at IS NOT NULL",
        alert.org_id,
        alert.id,
        alert.step + i64::from(is_taken),
        next,
        alert.step
    )?;
    Ok(changed > 0)
}

async fn tell(
    tx: &mut Tx,
    origin: &Origin,
    url: &PublicUrl,
    profile: &Profile,
    alert: &Alert,
    person: &Recipient,
) -> Result<()> {
    let minutes = (origin.now() - alert.created_at).num_minutes();
    let to = email::To { origin, profile, url, recipient: person, note: None };
    let message = email::climbed(to, alert, &key(alert.id, alert.step));
    let reason = format!("nobody had looked at this urgent alert after {minutes} minutes");
    let saw = json!({"urgent": true, "step": alert.step + 1, "minutesUnseen": minutes});
    let why = Telling { event: "alert_unseen", rule: "escalation", reason: &reason, saw };
    let leads: Vec<_> = alert.lead_id.into_iter().collect();
    queue(tx, origin, alert.org_id, &leads, &[message], &why).await
}

fn key(id: AlertId, step: i64) -> String {
    format!("alert:{id}:climb:{step}")
}

/// The alert and the step behind a message's key, if it is a climb's.
fn step_of(key: &str) -> Option<(AlertId, i64)> {
    let (id, rest) = key.strip_prefix("alert:")?.split_once(":climb:")?;
    let (step, _) = rest.split_once(':')?;
    Some((AlertId(id.parse().ok()?), step.parse().ok()?))
}

/// A text to the people of the business did not leave, or waits. If it was a step of a climb, the step goes by email.
pub(crate) async fn not_texted(tx: &mut Tx, origin: &Origin, text: &Outgoing, reason: &str) -> Result<()> {
    if text.channel != Channel::Sms || !matches!(text.kind, message::Kind::OwnerNotice | message::Kind::AccountNotice) {
        return Ok(());
    }
    let sql = "SELECT dedupe_key FROM message WHERE org_id = $1 AND id = $2";
    let climbed = q!(&mut *tx, fetch_optional scalar String, sql, text.org_id, text.id)?;
    let Some((id, step)) = climbed.as_deref().and_then(step_of) else { return Ok(()) };
    let alert = find(&mut *tx, text.org_id, id).await?.filter(|alert| alert.seen_at.is_none());
    let Some(alert) = alert else { return Ok(()) };
    let Some(recipient) = by_email(&mut *tx, alert.org_id, step).await? else { return Ok(()) };
    let blank = email::blank(origin, &recipient, text.kind, alert.lead_id, &key(id, step));
    // The text has the address of this install; a message being sent knows of no other.
    let link = text.body.split_whitespace().find(|word| word.starts_with("http")).map(ToOwned::to_owned);
    let message = email::climbed_by_email(blank, &alert, link);
    let reason = format!("the text to the next person could not leave: {reason}");
    let saw = json!({"urgent": true, "step": step + 1});
    let why = Telling { event: "alert_unseen", rule: "escalation", reason: &reason, saw };
    let leads: Vec<_> = alert.lead_id.into_iter().collect();
    queue(tx, origin, alert.org_id, &leads, &[message], &why).await
}

/// Who gets the email of a step: the emails on the list in turn, without any the owner.
async fn by_email(tx: &mut Tx, org: OrgId, step: i64) -> Result<Option<Recipient>> {
    let Some(org) = org::find(&mut *tx, org).await? else { return Ok(None) };
    let profile = org::profile(&mut *tx, org).await?;
    let step = usize::try_from(step).unwrap_or_default();
    let count = listed(&profile, Channel::Email).count();
    if count > 0 {
        return Ok(listed(&profile, Channel::Email).nth(step % count).cloned());
    }
    let sql = "SELECT email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE ORDER BY id LIMIT 1";
    let owner = q!(tx, fetch_optional scalar String, sql, profile.org.id)?;
    Ok(owner.map(|address| Recipient { channel: Channel::Email, address }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_known_by_its_key_and_nothing_else_is_one() {
        let id = AlertId(uuid::Uuid::from_u128(7));
        assert_eq!(step_of(&format!("{}:sms:+15125550111", key(id, 3))), Some((id, 3)));
        for other in [
            format!("alert:{id}:sms:+15125550111"),
            "digest:7:sms:+1".to_owned(),
            format!("alert:x{id}:climb:0:sms:+1"),
        ] {
            assert_eq!(step_of(&other), None, "{other}");
        }
    }
}
