//! Rules for form requests: answers to the customer and notices to the business.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use serde_json::json;

use super::{
    ManualText, OwnerNotificationHistory, RuleContext, RuleDecision, answer_time, decide_send, decide_skip, emergency,
    message_wording, owner_history,
};
use crate::{
    domain::{
        intake::lead,
        messaging::{
            alert::{self, NotificationTime, ScheduleEvidence, ScheduledAlert},
            message::MessageChannel,
        },
    },
    platform::{error::Result, phone::Phone, recipient::Recipient},
};

const ANSWER_ONCE_IN: Duration = Duration::hours(24);

/// `emailed`: last automatic email about this lead, sent while it was held in a flood.
pub fn decide_lead_created(facts: &RuleContext<'_>, emailed: Option<DateTime<Utc>>) -> Result<Vec<RuleDecision>> {
    let mut decisions = decide_auto_replies(facts, [None, emailed])?;
    let by_hand = ManualText::from_decisions(facts, &decisions);
    decisions.extend(decide_owner_notifications(facts, false, mentions_emergency(facts), by_hand.as_ref())?);
    Ok(decisions)
}

/// A request on an open lead: no second answer within the limit, and a notice to the business if it is a new visit.
/// `answered`: last automatic text and last automatic email.
pub fn decide_lead_touched(
    facts: &RuleContext<'_>,
    answered: [Option<DateTime<Utc>>; 2],
    notified: &OwnerNotificationHistory,
) -> Result<Vec<RuleDecision>> {
    let mut decisions = decide_auto_replies(facts, answered)?;
    let is_urgent = mentions_emergency(facts);
    if notified.already_notified(is_urgent, facts.now) {
        decisions.push(decide_already_notified());
    } else {
        let by_hand = ManualText::from_decisions(facts, &decisions);
        decisions.extend(decide_owner_notifications(facts, true, is_urgent, by_hand.as_ref())?);
    }
    Ok(decisions)
}

pub(super) fn decide_already_notified() -> RuleDecision {
    let evidence = json!({"oneVisitMinutes": owner_history::SAME_VISIT_WINDOW.num_minutes()});
    RuleDecision {
        channel: None,
        ..decide_skip("owner_notice", MessageChannel::Email, owner_history::ALREADY_NOTIFIED, evidence)
    }
}

/// Answers by text and email, unless given within the limit; both promise the same time.
fn decide_auto_replies(facts: &RuleContext<'_>, answered: [Option<DateTime<Utc>>; 2]) -> Result<Vec<RuleDecision>> {
    let decided = decide_auto_replies_within(facts, answered, None)?;
    let time = |channel| {
        let drafts = decided.iter().filter_map(|decision| decision.message.as_ref());
        drafts.filter(|draft| draft.channel() == channel).find_map(|draft| Some(draft.promised.as_ref()?.within))
    };
    let (text, email) = (time(MessageChannel::Sms), time(MessageChannel::Email));
    let within = answer_time::stated_time::shortest_response_time(text, email, facts.by_hand.is_none());
    if [text, email].into_iter().flatten().any(|own| Some(own) != within) {
        return decide_auto_replies_within(facts, answered, within);
    }
    Ok(decided)
}

/// As [`decide_auto_replies`], with the promised time if it differs from their own.
fn decide_auto_replies_within(
    facts: &RuleContext<'_>,
    answered: [Option<DateTime<Utc>>; 2],
    within: Option<Duration>,
) -> Result<Vec<RuleDecision>> {
    let why = "this person was answered within the last 24 hours";
    let channels = [MessageChannel::Sms, MessageChannel::Email].into_iter().zip(answered);
    let decided = channels.map(|(channel, answered)| match answered.filter(|at| facts.now - *at < ANSWER_ONCE_IN) {
        Some(_) => Ok(decide_skip("auto_reply", channel, why, json!({"repeatWindowHours": 24}))),
        None => decide_auto_reply(facts, channel, within),
    });
    decided.collect()
}

fn decide_auto_reply(
    facts: &RuleContext<'_>,
    channel: MessageChannel,
    within: Option<Duration>,
) -> Result<RuleDecision> {
    let (kind, rule) = (message_wording::auto_reply_template(channel), "auto_reply");
    let wording = facts.profile.wording(kind, facts.language);
    let is_on = facts.profile.switches.automated_communications;
    let address: Option<Recipient> = match channel {
        MessageChannel::Sms => facts.new.phone_e164.clone().map(Into::into),
        MessageChannel::Email => facts.new.email.clone().map(Into::into),
    };
    let never_texted = facts.new.phone_e164.as_ref().and_then(Phone::untextable_reason);
    let evidence = json!({
        "switchAutomatedCommunications": is_on, "templateEnabled": wording.enabled, "hasAddress": address.is_some(),
        "heldForAPerson": facts.quarantine_reason.is_some(), "language": facts.language,
    });
    let no = |why: &str| Ok(decide_skip(rule, channel, why, evidence.clone()));
    if let Some(why) =
        facts.quarantine_reason.filter(|why| channel == MessageChannel::Sms || *why != lead::FLOOD_REASON)
    {
        return no(&format!("held for a person to look at: {why}"));
    }
    if !is_on {
        return no("automated communications are switched off");
    }
    if !wording.enabled {
        return no("this template is switched off");
    }
    let Some(to) = address else {
        return no(if channel == MessageChannel::Sms {
            "no phone number was given"
        } else {
            "no email address was given"
        });
    };
    if let Some(why) = never_texted.filter(|_| channel == MessageChannel::Sms) {
        return no(why);
    }
    let draft = message_wording::build_auto_reply(facts, to, &wording, within)?;
    Ok(decide_send(rule, channel, "a new request is answered right away", evidence, draft))
}

fn mentions_emergency(facts: &RuleContext<'_>) -> bool {
    let words = &facts.profile.settings.calls.emergency_words;
    let texts = [facts.new.notes.as_deref(), facts.new.timeline.as_deref()];
    texts.into_iter().flatten().any(|text| emergency::is_emergency(words, text))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnerNoticeEvidence {
    #[serde(flatten)]
    schedule: ScheduleEvidence,
    switch_lead_intake: bool,
    recipients: usize,
    held_for_a_person: bool,
}

/// Devices are notified at once, the recipient list by frequency and schedule.
pub(super) fn decide_owner_notifications(
    facts: &RuleContext<'_>,
    again: bool,
    is_urgent: bool,
    by_hand: Option<&ManualText>,
) -> Result<Vec<RuleDecision>> {
    let (rule, profile) = ("owner_notice", facts.profile);
    let is_on = profile.switches.lead_intake;
    let evidence = json!(OwnerNoticeEvidence {
        schedule: alert::schedule_evidence(profile, is_urgent),
        switch_lead_intake: is_on,
        recipients: profile.recipients.len(),
        held_for_a_person: facts.quarantine_reason.is_some(),
    });
    let none =
        |why: &str| RuleDecision { channel: None, ..decide_skip(rule, MessageChannel::Email, why, evidence.clone()) };
    if let Some(why) = facts.quarantine_reason {
        return Ok(vec![none(&format!("held for a person to look at: {why}"))]);
    }
    if !is_on {
        return Ok(vec![none("lead intake is switched off")]);
    }
    let news = message_wording::RequestNews { again, is_urgent };
    let raised = |is_told| {
        message_wording::build_owner_alert(facts, news, by_hand)
            .map(|new| ScheduledAlert::new(profile, new, facts.now, is_told))
    };
    if profile.recipients.is_empty() {
        let alert = Some(raised(true)?);
        return Ok(vec![RuleDecision { alert, ..none("no one is on the list of people to tell") }]);
    }
    let why = if again { "a person with an open lead asked again" } else { "a new lead came in" };
    if let NotificationTime::Later { why: kept, .. } =
        alert::notification_time::next_notify_at(&profile.settings, profile.org.zone(), is_urgent, facts.now)
    {
        let alert = Some(raised(false)?);
        return Ok(vec![RuleDecision { alert, ..none(&kept) }]);
    }
    let mut decisions = Vec::with_capacity(profile.recipients.len());
    for (step, recipient) in profile.recipients.iter().enumerate() {
        let draft = message_wording::build_owner_notice(facts, recipient, news, step, by_hand)?;
        decisions.push(decide_send(rule, recipient.channel(), why, evidence.clone(), draft));
    }
    if let Some(first) = decisions.first_mut() {
        first.alert = Some(raised(true)?);
    }
    Ok(decisions)
}
