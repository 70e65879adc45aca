//! Climbing: an urgent alert that nobody has seen goes by text to one person after the other, at any hour.
//!
//! What is not urgent does not climb: it has reached everybody on the list at once, or waits for the summary that the
//! business asked for.

use std::borrow::Cow;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::{Alert, Telling, find, queue, words};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    id::{AlertId, OrgId},
    live::{self, Topic},
    message::Channel,
    org::{self, Profile, Recipient},
    phone::Phone,
    settings::PublicUrl,
    tasks::{self, NewTask},
};

/// Who is texted, one after the other: the phones on the list, else those that calls ring, else the business's own.
pub fn ladder(profile: &Profile) -> impl Iterator<Item = Cow<'_, Recipient>> {
    let listed: Vec<_> = profile.recipients.iter().filter(|recipient| recipient.channel == Channel::Sms).collect();
    let others = if listed.is_empty() { phones_of(profile) } else { Vec::new() };
    let others = others.into_iter().map(|address| Cow::Owned(Recipient { channel: Channel::Sms, address }));
    listed.into_iter().map(Cow::Borrowed).chain(others)
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
pub async fn step(tx: &mut Tx, origin: &Origin, url: &PublicUrl, id: AlertId) -> Result<()> {
    let Some(alert) = find(&mut *tx, id).await? else { return Ok(()) };
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
        text(&mut *tx, origin, url, &profile, &alert, person).await?;
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

async fn text(
    tx: &mut Tx,
    origin: &Origin,
    url: &PublicUrl,
    profile: &Profile,
    alert: &Alert,
    person: &Recipient,
) -> Result<()> {
    let minutes = (origin.now() - alert.created_at).num_minutes();
    let to = words::To { origin, profile, url, recipient: person };
    let message = words::climbed(to, alert, &format!("alert:{}:climb:{}", alert.id, alert.step));
    let reason = format!("nobody had looked at this urgent alert after {minutes} minutes");
    let saw = json!({"urgent": true, "step": alert.step + 1, "minutesUnseen": minutes});
    let why = Telling { event: "alert_unseen", rule: "escalation", reason: &reason, saw };
    let leads: Vec<_> = alert.lead_id.into_iter().collect();
    queue(tx, origin, alert.org_id, &leads, &[message], &why).await
}
