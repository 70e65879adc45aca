//! Rules for missed calls and incoming texts.

use chrono::{DateTime, Duration, NaiveTime, Utc};
use serde_json::{Value, json};

use super::{
    ManualText, MessageDraft, OwnerNotificationHistory, RuleContext, RuleDecision, answer_time::ReplyTiming,
    decide_already_notified, decide_owner_notifications, decide_send, decide_skip, message_wording,
    owner_history::SAME_VISIT_WINDOW,
};
use crate::{
    documents::{
        response_time::PromisedResponseTime,
        template::{self, Language, TemplateWording, WordingValues},
    },
    domain::{
        intake::lead::LeadFormKind,
        messaging::{
            alert::today_visit::{InboundContact, TodayVisit},
            automation::holdout::{HELD_OUT, HoldoutGroup},
            conversation::ConversationContext,
            message::{MessageChannel, MessageKind},
            opt_out::store::OptOutState,
        },
    },
    platform::{
        business_hours::{self, OpenState},
        contact_hours::{self, ContactClass, ContactWindow},
        error::Result,
        phone::Phone,
        recipient::Recipient,
    },
};

/// No rule answers this soon after a person of the business spoke with the customer (features 17).
const JUST_TALKED: Duration = Duration::minutes(30);
/// Events learned of later than this keep the recipient's contact hours; after the second limit they are not answered.
const OF_THE_MOMENT: Duration = Duration::minutes(10);
const LATEST_ANSWER: Duration = Duration::hours(4);
const ANSWER_ONCE_IN: Duration = Duration::hours(24);
const NUDGE_AFTER: Duration = Duration::hours(2);
pub(crate) const BELONGS_TO_JOB: &str = "it belongs to a job that runs or ended within seven days; you answer it";

#[derive(Clone, Debug, Default)]
pub struct CallerContext {
    pub conversation: ConversationContext,
    pub opted_out: Option<OptOutState>,
    /// Last automatic text, and the last one after a missed call.
    pub last_automatic_text: Option<DateTime<Utc>>,
    pub last_missed_call_text: Option<DateTime<Utc>>,
    pub asked_before: bool,
    pub notified: OwnerNotificationHistory,
    pub is_emergency: bool,
    /// Their message may be an opt-out: the business is asked about that and gets no other notice.
    pub is_asked_about: bool,
    /// A job of theirs runs, or ended within the last seven days: their messages belong to it.
    pub in_job: bool,
    pub today: Option<TodayVisit>,
    /// Holdout group of their number in the missed-call test; none for customers with work.
    pub group: Option<HoldoutGroup>,
}

impl CallerContext {
    fn language(&self) -> Language {
        self.conversation.language.unwrap_or_default()
    }

    fn crew_on_site_today(&self) -> Option<&str> {
        self.today.as_ref()?.notified_crew()
    }

    /// Notice to today's crew: each text, which may say how to get in, and one notice of calls.
    #[must_use]
    pub fn crew_notice<'a>(&self, facts: &'a RuleContext<'_>) -> Option<(&TodayVisit, InboundContact<'a>)> {
        let today = self.today.as_ref().filter(|_| !self.is_asked_about && !self.conversation.is_staff)?;
        let contact = match facts.new.form {
            LeadFormKind::Call if self.notified.already_notified(false, facts.now) => return None,
            LeadFormKind::Call => InboundContact::Call,
            _ => InboundContact::Text(facts.new.notes.as_deref().unwrap_or_default()),
        };
        Some((today, contact))
    }

    /// Holdout group of this call in the missed-call test. Excluded: emergencies, customers with work or a visit today,
    /// and customers who spoke with a person of the business; no text would harm them or distort the measurement. A
    /// repeated caller keeps the group.
    #[must_use]
    pub fn holdout_group(&self) -> Option<HoldoutGroup> {
        let is_new =
            !self.is_emergency && self.crew_on_site_today().is_none() && self.conversation.last_by_person_at.is_none();
        self.group.filter(|_| is_new)
    }

    fn has_talked_within(&self, within: Duration, now: DateTime<Utc>) -> bool {
        self.conversation.last_by_person_at.is_some_and(|at| now - at < within)
    }
}

/// Missed call: one text to the caller, one reminder if they stay silent, and a notice to the business.
pub fn decide_missed_call(facts: &RuleContext<'_>, talk: &CallerContext) -> Result<Vec<RuleDecision>> {
    let text = decide_missed_call_text(facts, talk)?;
    let nudge = match text.message.as_ref().map(|draft| &draft.to) {
        Some(Recipient::Phone(phone)) => Some(decide_nudge(facts, talk, phone)?),
        _ => None,
    };
    let mut decisions: Vec<RuleDecision> = [text].into_iter().chain(nudge).collect();
    let by_hand = ManualText::from_decisions(facts, &decisions);
    decisions.extend(decide_owner_notices(facts, talk, by_hand.as_ref())?);
    Ok(decisions)
}

/// Incoming text: the first of a visit is answered once, and the business is notified.
pub fn decide_text_received(facts: &RuleContext<'_>, talk: &CallerContext) -> Result<Vec<RuleDecision>> {
    let mut decisions = vec![decide_text_reply(facts, talk)?];
    let by_hand = ManualText::from_decisions(facts, &decisions);
    decisions.extend(decide_owner_notices(facts, talk, by_hand.as_ref())?);
    Ok(decisions)
}

fn decide_owner_notices(
    facts: &RuleContext<'_>,
    talk: &CallerContext,
    by_hand: Option<&ManualText>,
) -> Result<Vec<RuleDecision>> {
    if talk.is_asked_about {
        let why = "you are asked instead whether they want no more texts";
        let notified = decide_skip("owner_notice", MessageChannel::Email, why, json!({"mayHaveAskedToStop": true}));
        return Ok(vec![RuleDecision { channel: None, ..notified }]);
    }
    if talk.notified.already_notified(talk.is_emergency, facts.now) {
        return Ok(vec![decide_already_notified()]);
    }
    decide_owner_notifications(facts, talk.asked_before, talk.is_emergency, by_hand)
}

/// The number that a rule may text, or the reason why it never texts this person (features 17).
fn auto_texted_phone<'a>(facts: &RuleContext<'a>, talk: &CallerContext) -> Result<&'a Phone, &'static str> {
    if facts.new.is_anonymous_call() {
        return Err("they hide their number");
    }
    let phone = facts.new.phone_e164.as_ref().ok_or("no phone number is known")?;
    if let Some(why) = phone.untextable_reason() {
        return Err(why);
    }
    match talk.opted_out {
        Some(OptOutState::Stopped) => return Err("they said STOP"),
        Some(_) => return Err("they may have asked to stop; nothing is sent until you have looked"),
        None => {}
    }
    if talk.conversation.is_staff {
        return Err("this number belongs to staff or a relative");
    }
    if talk.conversation.is_blocked {
        return Err("you blocked this customer for automatic messages");
    }
    if talk.conversation.sms_undeliverable_since.is_some() {
        return Err("this number cannot receive texts");
    }
    if let Some(why) = why_too_late(facts, phone) {
        return Err(why);
    }
    if talk.has_talked_within(JUST_TALKED, facts.now) {
        return Err("you were in touch within the last 30 minutes");
    }
    Ok(phone)
}

/// An event learned of late (after downtime) is answered in the recipient's hours, and after some hours not at all.
fn why_too_late(facts: &RuleContext<'_>, phone: &Phone) -> Option<&'static str> {
    let late = facts.new.happened_at.map_or_else(Duration::zero, |at| facts.now - at);
    if late > LATEST_ANSWER {
        return Some("we heard of it hours later, when an automatic answer is of no use");
    }
    let may_go_now = || {
        matches!(
            contact_hours::check_window(ContactClass::Informational, phone, None, facts.now).0,
            ContactWindow::Open { .. }
        )
    };
    (late > OF_THE_MOMENT && !may_go_now()).then_some("we heard of it late, and texts may not go there at this hour")
}

fn build_evidence(facts: &RuleContext<'_>, talk: &CallerContext, open: &OpenState, wording: &TemplateWording) -> Value {
    let since = |at: Option<DateTime<Utc>>| at.map(|at| (facts.now - at).num_minutes());
    json!({
        "switchAutomatedCommunications": facts.profile.switches.automated_communications,
        "templateEnabled": wording.enabled,
        "hours": match open { OpenState::Open => "open", OpenState::AfterHours => "after hours", OpenState::Holiday(_) => "holiday" },
        "optedOut": talk.opted_out.is_some(), "staff": talk.conversation.is_staff, "blocked": talk.conversation.is_blocked,
        "landline": talk.conversation.sms_undeliverable_since.is_some(), "emergency": talk.is_emergency,
        "minutesSinceLastAutomaticText": since(talk.last_automatic_text),
        "minutesSinceLastMissedCallText": since(talk.last_missed_call_text),
        "minutesSinceSomebodySpoke": since(talk.conversation.last_by_person_at),
    })
}

fn missed_call_template(talk: &CallerContext, open: &OpenState) -> template::TemplateKindName {
    match open {
        _ if talk.crew_on_site_today().is_some() => template::TemplateKindName::MissedCallJobToday,
        _ if talk.is_emergency => template::TemplateKindName::MissedCallEmergency,
        OpenState::Holiday(_) => template::TemplateKindName::MissedCallHoliday,
        OpenState::AfterHours => template::TemplateKindName::MissedCallAfterHours,
        OpenState::Open => template::TemplateKindName::MissedCall,
    }
}

fn decide_missed_call_text(facts: &RuleContext<'_>, talk: &CallerContext) -> Result<RuleDecision> {
    let (rule, profile, now) = ("missed_call_text", facts.profile, facts.now);
    let open = profile.settings.hours.state_at(profile.org.zone(), now);
    let kind = missed_call_template(talk, &open);
    let wording = profile.wording(kind, talk.language());
    let evidence = build_evidence(facts, talk, &open, &wording);
    let no = |why: String| Ok(decide_skip(rule, MessageChannel::Sms, &why, evidence.clone()));
    if !profile.switches.automated_communications {
        return no("automated communications are switched off".to_owned());
    }
    if !wording.enabled {
        return no("this template is switched off".to_owned());
    }
    let to = match auto_texted_phone(facts, talk) {
        Ok(phone) => phone,
        Err(why) => return no(why.to_owned()),
    };
    let repeat = profile.settings.calls.repeat_hours;
    if talk.last_missed_call_text.is_some_and(|at| now - at < Duration::hours(repeat)) {
        return no(format!("this caller got a text after a missed call within the last {repeat} hours"));
    }
    if talk.last_automatic_text.is_some_and(|at| now - at < SAME_VISIT_WINDOW) {
        return no("this person was answered within the last 10 minutes".to_owned());
    }
    if talk.holdout_group() == Some(HoldoutGroup::HeldOut) {
        return no(HELD_OUT.to_owned());
    }
    let reply = render_reply(facts, talk, kind, &wording, now)?;
    let delay = Duration::seconds(profile.settings.calls.text_delay_seconds);
    let draft = build_draft((facts, to), MessageKind::MissedCall, reply, "missed_call", Some(now + delay));
    Ok(decide_send(rule, MessageChannel::Sms, "a call was missed", evidence, draft))
}

fn decide_nudge(facts: &RuleContext<'_>, talk: &CallerContext, to: &Phone) -> Result<RuleDecision> {
    let (rule, profile) = ("missed_call_nudge", facts.profile);
    let kind = template::TemplateKindName::MissedCallNudge;
    let wording = profile.wording(kind, talk.language());
    let evidence = json!({"nudgeOn": profile.settings.calls.nudge, "templateEnabled": wording.enabled});
    if !profile.settings.calls.nudge || !wording.enabled {
        return Ok(decide_skip(rule, MessageChannel::Sms, "the reminder is switched off", evidence));
    }
    let Some(at) = nudge_at(facts) else {
        return Ok(decide_skip(rule, MessageChannel::Sms, "no opening hours are set", evidence));
    };
    let reply = render_reply(facts, talk, kind, &wording, at)?;
    let draft = build_draft((facts, to), MessageKind::Nudge, reply, "nudge", Some(at));
    Ok(decide_send(rule, MessageChannel::Sms, "if they do not write back", evidence, draft))
}

/// Two hours later if the business is open then, else 9:00 local time on its next open day.
fn nudge_at(facts: &RuleContext<'_>) -> Option<DateTime<Utc>> {
    let (hours, zone) = (&facts.profile.settings.hours, facts.profile.org.zone());
    let later = facts.now + NUDGE_AFTER;
    if matches!(hours.state_at(zone, later), OpenState::Open) {
        return Some(later);
    }
    let opens = hours.next_open_at(zone, later)?;
    let nine = NaiveTime::from_hms_opt(9, 0, 0)?;
    let local = opens.with_timezone(&zone);
    Some(if local.time() < nine { business_hours::next_local_time(zone, opens, nine) } else { opens })
}

fn decide_text_reply(facts: &RuleContext<'_>, talk: &CallerContext) -> Result<RuleDecision> {
    let (rule, profile, now) = ("text_reply", facts.profile, facts.now);
    let open = profile.settings.hours.state_at(profile.org.zone(), now);
    let kind = match open {
        // An emergency is never told that the business is closed: the team is alerted at any hour.
        _ if talk.is_emergency => template::TemplateKindName::TextReplyEmergency,
        OpenState::Open => template::TemplateKindName::TextReply,
        _ => template::TemplateKindName::TextReplyAfterHours,
    };
    let wording = profile.wording(kind, talk.language());
    let evidence = build_evidence(facts, talk, &open, &wording);
    let no = |why: &str| Ok(decide_skip(rule, MessageChannel::Sms, why, evidence.clone()));
    if !profile.switches.automated_communications {
        return no("automated communications are switched off");
    }
    if !wording.enabled {
        return no("this template is switched off");
    }
    let to = match auto_texted_phone(facts, talk) {
        Ok(phone) => phone,
        Err(why) => return no(why),
    };
    if talk.in_job && !talk.is_emergency {
        return no(BELONGS_TO_JOB);
    }
    if talk.last_automatic_text.is_some_and(|at| now - at < ANSWER_ONCE_IN) {
        return no("this person was answered within the last 24 hours");
    }
    if talk.has_talked_within(ANSWER_ONCE_IN, now) {
        return no("you are in conversation with them");
    }
    let reply = render_reply(facts, talk, kind, &wording, now)?;
    Ok(decide_send(
        rule,
        MessageChannel::Sms,
        "someone wrote to you first",
        evidence,
        build_draft((facts, to), MessageKind::TextReply, reply, "text_reply", None),
    ))
}

struct PhoneReply {
    body: String,
    promised: Option<PromisedResponseTime>,
    promise_starts_at: Option<DateTime<Utc>>,
}

/// Worded now for the moment at which it is to leave.
fn render_reply(
    facts: &RuleContext<'_>,
    talk: &CallerContext,
    kind: template::TemplateKindName,
    wording: &TemplateWording,
    leaves_at: DateTime<Utc>,
) -> Result<PhoneReply> {
    let org = &facts.profile.org;
    let zone = org.zone();
    let moment = ReplyTiming::new(facts.profile, facts.now, facts.told_from, talk.language()).at_later_time(leaves_at);
    let variables = WordingValues {
        language: talk.language(),
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: facts.new.name.clone(),
        customer_phone: Some(facts.new.phone.clone()),
        customer_message: facts.new.notes.as_deref().map(|notes| message_wording::truncate_line(notes, 80)),
        timestamp: message_wording::format_time(facts.now, zone),
        booking_link: facts.profile.booking_link(facts.public_url),
        crew_name: talk.crew_on_site_today().map(ToOwned::to_owned),
        reopens_at: moment
            .reopens_at(kind)
            .map(|at| message_wording::format_opening(at, leaves_at, zone, talk.language())),
        ..WordingValues::default()
    };
    Ok(PhoneReply {
        body: moment.render_text(kind, wording, &variables)?.body,
        promised: moment.text_promise(kind, wording, &variables)?,
        promise_starts_at: moment.text_promise_starts_at(kind),
    })
}

fn build_draft(
    (facts, to): (&RuleContext<'_>, &Phone),
    kind: MessageKind,
    reply: PhoneReply,
    step: &str,
    not_before: Option<DateTime<Utc>>,
) -> MessageDraft {
    MessageDraft {
        customer: Some(facts.customer),
        not_before,
        promised: reply.promised,
        promise_starts_at: reply.promise_starts_at,
        ..MessageDraft::new(kind, to.clone(), reply.body, format!("touch:{}:{step}:sms", facts.touch))
    }
}
