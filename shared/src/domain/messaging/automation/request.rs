//! The rules of a request: when a form came in, who is answered, and who of the business is told.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::{ByHand, Decision, Facts, Told, answer_time, emergency, not_sent, sends, told, words};
use crate::{
    domain::{
        intake::lead,
        messaging::{
            alert::{self, Due, Raised},
            message::Channel,
        },
    },
    platform::{error::Result, phone::Phone},
};

/// A person who asks again is not answered by itself again before this has passed.
const ANSWER_ONCE_IN: Duration = Duration::hours(24);

/// When a lead has come in: answer the person by text and email, and tell the business.
///
/// `emailed` is when a rule last answered them by email, if that was about this lead: while it was held, in a flood.
pub fn lead_created(facts: &Facts<'_>, emailed: Option<DateTime<Utc>>) -> Result<Vec<Decision>> {
    let mut decisions = auto_replies(facts, [None, emailed])?;
    let by_hand = ByHand::of(facts, &decisions);
    decisions.extend(owner_notices(facts, false, is_emergency(facts), by_hand.as_ref())?);
    Ok(decisions)
}

/// When a person with an open lead asks again: no second answer, and the business is told if it is a new visit.
///
/// `answered` is when a rule last answered them by text and by email.
pub fn lead_touched(facts: &Facts<'_>, answered: [Option<DateTime<Utc>>; 2], told: &Told) -> Result<Vec<Decision>> {
    let mut decisions = auto_replies(facts, answered)?;
    let is_urgent = is_emergency(facts);
    if told.covers(is_urgent, facts.now) {
        decisions.push(told_already());
    } else {
        let by_hand = ByHand::of(facts, &decisions);
        decisions.extend(owner_notices(facts, true, is_urgent, by_hand.as_ref())?);
    }
    Ok(decisions)
}

/// The same visit: nobody is told again.
pub(super) fn told_already() -> Decision {
    let saw = json!({"oneVisitMinutes": told::ONE_VISIT.num_minutes()});
    Decision { channel: None, ..not_sent("owner_notice", Channel::Email, told::WHY_NOT, saw) }
}

/// The answers by text and by email, unless they were `answered` so lately: both name one promise.
fn auto_replies(facts: &Facts<'_>, answered: [Option<DateTime<Utc>>; 2]) -> Result<Vec<Decision>> {
    let decided = answers(facts, answered, None)?;
    let time = |channel| {
        let drafts = decided.iter().filter_map(|decision| decision.message.as_ref());
        drafts.filter(|draft| draft.channel == channel).find_map(|draft| Some(draft.promised.as_ref()?.within))
    };
    let (text, email) = (time(Channel::Sms), time(Channel::Email));
    let within = answer_time::one_time(text, email, facts.by_hand.is_none());
    if [text, email].into_iter().flatten().any(|own| Some(own) != within) {
        return answers(facts, answered, within);
    }
    Ok(decided)
}

/// As [`auto_replies`], with the time that they promise, if it is another than their own.
fn answers(facts: &Facts<'_>, answered: [Option<DateTime<Utc>>; 2], within: Option<Duration>) -> Result<Vec<Decision>> {
    let why = "this person was answered within the last 24 hours";
    let channels = [Channel::Sms, Channel::Email].into_iter().zip(answered);
    let decided = channels.map(|(channel, answered)| match answered.filter(|at| facts.now - *at < ANSWER_ONCE_IN) {
        Some(_) => Ok(not_sent("auto_reply", channel, why, json!({"repeatWindowHours": 24}))),
        None => auto_reply(facts, channel, within),
    });
    decided.collect()
}

fn auto_reply(facts: &Facts<'_>, channel: Channel, within: Option<Duration>) -> Result<Decision> {
    let (kind, rule) = (words::template_of(channel), "auto_reply");
    let wording = facts.profile.wording(kind, facts.language);
    let is_on = facts.profile.switches.automated_communications;
    let address = match channel {
        Channel::Sms => facts.new.phone_e164.as_ref().map(|p| p.as_e164().to_owned()),
        Channel::Email => facts.new.email.clone(),
    };
    let never_texted = facts.new.phone_e164.as_ref().and_then(Phone::why_never_texted);
    let saw = json!({
        "switchAutomatedCommunications": is_on, "templateEnabled": wording.enabled, "hasAddress": address.is_some(),
        "heldForAPerson": facts.held.is_some(), "language": facts.language,
    });
    let no = |why: &str| Ok(not_sent(rule, channel, why, saw.clone()));
    if let Some(why) = facts.held.filter(|why| channel == Channel::Sms || *why != lead::FLOODED) {
        return no(&format!("held for a person to look at: {why}"));
    }
    if !is_on {
        return no("automated communications are switched off");
    }
    if !wording.enabled {
        return no("this template is switched off");
    }
    let Some(to) = address else {
        return no(if channel == Channel::Sms { "no phone number was given" } else { "no email address was given" });
    };
    if let Some(why) = never_texted.filter(|_| channel == Channel::Sms) {
        return no(why);
    }
    let draft = words::auto_reply(facts, channel, &wording, to, within)?;
    Ok(sends(rule, channel, "a new request is answered at once", saw, draft))
}

/// Whether what they wrote in the form holds one of the business's emergency words.
fn is_emergency(facts: &Facts<'_>) -> bool {
    let words = &facts.profile.settings.calls.emergency_words;
    let said = [facts.new.notes.as_deref(), facts.new.timeline.as_deref()];
    said.into_iter().flatten().any(|text| emergency::is_emergency(words, text))
}

/// The business is told: its devices at once, the list of recipients when its frequency and schedule allow.
pub(super) fn owner_notices(
    facts: &Facts<'_>,
    again: bool,
    is_urgent: bool,
    by_hand: Option<&ByHand>,
) -> Result<Vec<Decision>> {
    let (rule, profile) = ("owner_notice", facts.profile);
    let is_on = profile.switches.lead_intake;
    let mut saw = alert::saw(profile, is_urgent);
    saw["switchLeadIntake"] = json!(is_on);
    saw["recipients"] = json!(profile.recipients.len());
    saw["heldForAPerson"] = json!(facts.held.is_some());
    let none = |why: &str| Decision { channel: None, ..not_sent(rule, Channel::Email, why, saw.clone()) };
    if let Some(why) = facts.held {
        return Ok(vec![none(&format!("held for a person to look at: {why}"))]);
    }
    if !is_on {
        return Ok(vec![none("lead intake is switched off")]);
    }
    let news = words::News { again, is_urgent };
    let raised = |is_told| words::alert(facts, news, by_hand).map(|new| Raised::new(profile, new, facts.now, is_told));
    if profile.recipients.is_empty() {
        let alert = Some(raised(true)?);
        return Ok(vec![Decision { alert, ..none("nobody is on the list of people to tell") }]);
    }
    let why = if again { "a person with an open lead asked again" } else { "a new lead came in" };
    if let Due::Later { why: kept, .. } = alert::due::due(&profile.settings, profile.org.zone(), is_urgent, facts.now) {
        let alert = Some(raised(false)?);
        return Ok(vec![Decision { alert, ..none(&kept) }]);
    }
    let mut decisions = Vec::with_capacity(profile.recipients.len());
    for (step, recipient) in profile.recipients.iter().enumerate() {
        let draft = words::owner_notice(facts, recipient, news, step, by_hand)?;
        decisions.push(sends(rule, recipient.channel, why, saw.clone(), draft));
    }
    if let Some(first) = decisions.first_mut() {
        first.alert = Some(raised(true)?);
    }
    Ok(decisions)
}
