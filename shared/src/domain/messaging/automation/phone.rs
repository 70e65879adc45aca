//! The rules of the phone: when a call was missed, and when somebody texts us first.

use chrono::{DateTime, Duration, NaiveTime, Utc};
use serde_json::{Value, json};

use super::{
    ByHand, Decision, Draft, Facts, Told, answer_time::Moment, not_sent, owner_notices, sends, told::ONE_VISIT,
    told_already, words,
};
use crate::{
    documents::{
        response_time::Promised,
        template::{self, Language, Variables, Wording},
    },
    domain::{
        growth::attribution::hold_out::{Group, HELD_OUT},
        intake::lead::Form,
        messaging::{
            conversation::Standing,
            message::{Channel, Kind},
            opt_out::store::State,
        },
        work::visit::today::{Heard, Today},
    },
    platform::{
        business_hours::{self, Open},
        contact_hours::{self, Class, Window},
        error::Result,
        phone::Phone,
    },
};

/// Somebody of the business spoke with them this recently: no rule cuts in (features 17).
const JUST_TALKED: Duration = Duration::minutes(30);
/// What we hear of later than this is not answered in the spirit of the moment, and after so long not at all.
const OF_THE_MOMENT: Duration = Duration::minutes(10);
const LATEST_ANSWER: Duration = Duration::hours(4);
/// A person who writes first is answered by itself once in this time.
const ANSWER_ONCE_IN: Duration = Duration::hours(24);
/// The reminder comes this long after the call.
const NUDGE_AFTER: Duration = Duration::hours(2);
/// Why no rule answers a customer whose job runs or has just ended.
pub(crate) const IN_JOB: &str = "it belongs to a job that runs or ended within seven days; you answer it";

/// What the rules of the phone know of the person and the talk with them.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    pub standing: Standing,
    pub opted_out: Option<State>,
    /// When a rule last texted them, and last because of a missed call.
    pub last_automatic_text: Option<DateTime<Utc>>,
    pub last_missed_call_text: Option<DateTime<Utc>>,
    /// Their lead was open before this.
    pub asked_before: bool,
    pub told: Told,
    /// What they wrote lately holds one of the business's emergency words.
    pub is_emergency: bool,
    /// What they wrote may mean that they want no more texts: the business is asked that, and told nothing besides.
    pub is_asked_about: bool,
    /// A job of theirs runs, or ended within the last seven days: what they write belongs to it.
    pub in_job: bool,
    /// Their visit of today, if a crew comes to them.
    pub today: Option<Today>,
    /// Where their number falls while the text after a missed call is under test; none of who has work with the business.
    pub group: Option<Group>,
}

impl Talk {
    fn language(&self) -> Language {
        self.standing.language.unwrap_or_default()
    }

    /// The crew that comes to them today and hears of this.
    fn crew_today(&self) -> Option<&str> {
        self.today.as_ref()?.crew_that_hears()
    }

    /// What the crew of today hears: each text, for it may say how to get in, and once that they called.
    #[must_use]
    pub fn heard<'a>(&self, facts: &'a Facts<'_>) -> Option<(&Today, Heard<'a>)> {
        let today = self.today.as_ref().filter(|_| !self.is_asked_about && !self.standing.is_staff)?;
        let heard = match facts.new.form {
            Form::Call if self.told.covers(false, facts.now) => return None,
            Form::Call => Heard::Call,
            _ => Heard::Text(facts.new.notes.as_deref().unwrap_or_default()),
        };
        Some((today, heard))
    }

    /// Where this call falls in the test of the text after a missed call. Whoever has an emergency, has work with the
    /// business, is visited today, or has spoken with somebody of it is in none: their silence would harm somebody, or
    /// measure something else. Who asked before stays in their group: a caller who is left out is so when they ring again.
    #[must_use]
    pub fn measured(&self) -> Option<Group> {
        let is_new = !self.is_emergency && self.crew_today().is_none() && self.standing.last_by_person_at.is_none();
        self.group.filter(|_| is_new)
    }

    fn spoke_within(&self, within: Duration, now: DateTime<Utc>) -> bool {
        self.standing.last_by_person_at.is_some_and(|at| now - at < within)
    }
}

/// When a call was missed: one text to the caller, one reminder if they stay silent, and the business is told.
pub fn call_missed(facts: &Facts<'_>, talk: &Talk) -> Result<Vec<Decision>> {
    let text = missed_call_text(facts, talk)?;
    let texted = text.message.is_some();
    let mut decisions = vec![text];
    if texted {
        decisions.push(nudge(facts, talk)?);
    }
    let by_hand = ByHand::of(facts, &decisions);
    decisions.extend(notices(facts, talk, by_hand.as_ref())?);
    Ok(decisions)
}

/// When somebody texts us: the first of a visit is answered once, and the business is told.
pub fn text_received(facts: &Facts<'_>, talk: &Talk) -> Result<Vec<Decision>> {
    let mut decisions = vec![text_reply(facts, talk)?];
    let by_hand = ByHand::of(facts, &decisions);
    decisions.extend(notices(facts, talk, by_hand.as_ref())?);
    Ok(decisions)
}

fn notices(facts: &Facts<'_>, talk: &Talk, by_hand: Option<&ByHand>) -> Result<Vec<Decision>> {
    if talk.is_asked_about {
        let why = "you are asked instead whether they want no more texts";
        let told = not_sent("owner_notice", Channel::Email, why, json!({"mayHaveAskedToStop": true}));
        return Ok(vec![Decision { channel: None, ..told }]);
    }
    if talk.told.covers(talk.is_emergency, facts.now) {
        return Ok(vec![told_already()]);
    }
    owner_notices(facts, talk.asked_before, talk.is_emergency, by_hand)
}

/// Who is never texted by a rule, and why (features 17).
fn never(facts: &Facts<'_>, talk: &Talk) -> Option<&'static str> {
    let phone = facts.new.phone_e164.as_ref();
    if facts.new.is_hidden() {
        return Some("they hide their number");
    }
    let Some(number) = phone else { return Some("no phone number is known") };
    if let Some(why) = number.why_never_texted() {
        return Some(why);
    }
    match talk.opted_out {
        Some(State::Stopped) => return Some("they said STOP"),
        Some(_) => return Some("they may have asked to stop; nothing is sent until you have looked"),
        None => {}
    }
    if talk.standing.is_staff {
        return Some("this number belongs to staff or a relative");
    }
    if talk.standing.is_blocked {
        return Some("you blocked this customer for automatic messages");
    }
    if talk.standing.no_sms_since.is_some() {
        return Some("this number cannot receive texts");
    }
    too_late(facts, phone)
        .or_else(|| talk.spoke_within(JUST_TALKED, facts.now).then_some("you were in touch within the last 30 minutes"))
}

/// What we heard of late (we were away, and it was found afterwards) is not an answer of the moment any more: it keeps
/// to the recipient's hours, and after some hours it is of no use.
fn too_late(facts: &Facts<'_>, phone: Option<&Phone>) -> Option<&'static str> {
    let late = facts.new.happened_at.map_or_else(Duration::zero, |at| facts.now - at);
    if late > LATEST_ANSWER {
        return Some("we heard of it hours later, when an automatic answer is of no use");
    }
    let may_go_now = |phone: &Phone| {
        matches!(contact_hours::window(Class::Informational, phone, None, facts.now).0, Window::Open { .. })
    };
    (late > OF_THE_MOMENT && !phone.is_some_and(may_go_now))
        .then_some("we heard of it late, and texts may not go there at this hour")
}

fn saw(facts: &Facts<'_>, talk: &Talk, open: &Open, wording: &Wording) -> Value {
    let since = |at: Option<DateTime<Utc>>| at.map(|at| (facts.now - at).num_minutes());
    json!({
        "switchAutomatedCommunications": facts.profile.switches.automated_communications,
        "templateEnabled": wording.enabled,
        "hours": match open { Open::Open => "open", Open::AfterHours => "after hours", Open::Holiday(_) => "holiday" },
        "optedOut": talk.opted_out.is_some(), "staff": talk.standing.is_staff, "blocked": talk.standing.is_blocked,
        "landline": talk.standing.no_sms_since.is_some(), "emergency": talk.is_emergency,
        "minutesSinceLastAutomaticText": since(talk.last_automatic_text),
        "minutesSinceLastMissedCallText": since(talk.last_missed_call_text),
        "minutesSinceSomebodySpoke": since(talk.standing.last_by_person_at),
    })
}

fn variant(talk: &Talk, open: &Open) -> template::Kind {
    match open {
        _ if talk.crew_today().is_some() => template::Kind::MissedCallJobToday,
        _ if talk.is_emergency => template::Kind::MissedCallEmergency,
        Open::Holiday(_) => template::Kind::MissedCallHoliday,
        Open::AfterHours => template::Kind::MissedCallAfterHours,
        Open::Open => template::Kind::MissedCall,
    }
}

fn missed_call_text(facts: &Facts<'_>, talk: &Talk) -> Result<Decision> {
    let (rule, profile, now) = ("missed_call_text", facts.profile, facts.now);
    let open = profile.settings.hours.at(profile.org.zone(), now);
    let kind = variant(talk, &open);
    let wording = profile.wording(kind, talk.language());
    let saw = saw(facts, talk, &open, &wording);
    let no = |why: String| Ok(not_sent(rule, Channel::Sms, &why, saw.clone()));
    if !profile.switches.automated_communications {
        return no("automated communications are switched off".to_owned());
    }
    if !wording.enabled {
        return no("this template is switched off".to_owned());
    }
    if let Some(why) = never(facts, talk) {
        return no(why.to_owned());
    }
    let repeat = profile.settings.calls.repeat_hours;
    if talk.last_missed_call_text.is_some_and(|at| now - at < Duration::hours(repeat)) {
        return no(format!("this caller got a text after a missed call within the last {repeat} hours"));
    }
    if talk.last_automatic_text.is_some_and(|at| now - at < ONE_VISIT) {
        return no("this person was answered within the last 10 minutes".to_owned());
    }
    if talk.measured() == Some(Group::HeldOut) {
        return no(HELD_OUT.to_owned());
    }
    let body = text(facts, talk, kind, &wording)?;
    let delay = Duration::seconds(profile.settings.calls.text_delay_seconds);
    let draft = draft(facts, Kind::MissedCall, body, "missed_call", Some(now + delay));
    Ok(sends(rule, Channel::Sms, "a call was missed", saw, draft))
}

fn nudge(facts: &Facts<'_>, talk: &Talk) -> Result<Decision> {
    let (rule, profile) = ("missed_call_nudge", facts.profile);
    let kind = template::Kind::MissedCallNudge;
    let wording = profile.wording(kind, talk.language());
    let saw = json!({"nudgeOn": profile.settings.calls.nudge, "templateEnabled": wording.enabled});
    if !profile.settings.calls.nudge || !wording.enabled {
        return Ok(not_sent(rule, Channel::Sms, "the reminder is switched off", saw));
    }
    let Some(at) = nudge_at(facts) else {
        return Ok(not_sent(rule, Channel::Sms, "no opening hours are set", saw));
    };
    let body = text(facts, talk, kind, &wording)?;
    let draft = draft(facts, Kind::Nudge, body, "nudge", Some(at));
    Ok(sends(rule, Channel::Sms, "if they do not write back", saw, draft))
}

/// Two hours later if the business is open then, else at nine on the next day it is.
fn nudge_at(facts: &Facts<'_>) -> Option<DateTime<Utc>> {
    let (hours, zone) = (&facts.profile.settings.hours, facts.profile.org.zone());
    let later = facts.now + NUDGE_AFTER;
    if matches!(hours.at(zone, later), Open::Open) {
        return Some(later);
    }
    let opens = hours.next_open(zone, later)?;
    let nine = NaiveTime::from_hms_opt(9, 0, 0)?;
    let local = opens.with_timezone(&zone);
    Some(if local.time() < nine { business_hours::next_local(zone, opens, nine) } else { opens })
}

fn text_reply(facts: &Facts<'_>, talk: &Talk) -> Result<Decision> {
    let (rule, profile, now) = ("text_reply", facts.profile, facts.now);
    let open = profile.settings.hours.at(profile.org.zone(), now);
    let kind = match open {
        // Nobody with water on the floor is told that we are closed: the team is alerted at any hour.
        _ if talk.is_emergency => template::Kind::TextReplyEmergency,
        Open::Open => template::Kind::TextReply,
        _ => template::Kind::TextReplyAfterHours,
    };
    let wording = profile.wording(kind, talk.language());
    let saw = saw(facts, talk, &open, &wording);
    let no = |why: &str| Ok(not_sent(rule, Channel::Sms, why, saw.clone()));
    if !profile.switches.automated_communications {
        return no("automated communications are switched off");
    }
    if !wording.enabled {
        return no("this template is switched off");
    }
    if let Some(why) = never(facts, talk) {
        return no(why);
    }
    if talk.in_job && !talk.is_emergency {
        return no(IN_JOB);
    }
    if talk.last_automatic_text.is_some_and(|at| now - at < ANSWER_ONCE_IN) {
        return no("this person was answered within the last 24 hours");
    }
    if talk.spoke_within(ANSWER_ONCE_IN, now) {
        return no("you are in conversation with them");
    }
    let body = text(facts, talk, kind, &wording)?;
    Ok(sends(
        rule,
        Channel::Sms,
        "somebody wrote to you first",
        saw,
        draft(facts, Kind::TextReply, body, "text_reply", None),
    ))
}

/// The words of a text, and what they promise.
fn text(facts: &Facts<'_>, talk: &Talk, kind: template::Kind, wording: &Wording) -> Result<(String, Option<Promised>)> {
    let org = &facts.profile.org;
    let zone = org.zone();
    let moment = Moment::new(facts.profile, facts.now, facts.told_from, talk.language());
    // "We reply after we open Monday": no day is named where nobody can be told of it.
    let is_promise = kind == template::Kind::TextReplyAfterHours;
    let opens = facts.profile.settings.hours.next_open(zone, facts.now);
    let reopens = opens.filter(|_| !is_promise || facts.told_from.is_some());
    // A person who only called or wrote is listed under their number, and nobody is greeted by a number.
    let known = Some(facts.new.name.clone()).filter(|name| name.chars().any(char::is_alphabetic));
    let variables = Variables {
        language: talk.language(),
        business_name: org.name.clone(),
        business_phone: org.phone.clone(),
        customer_name: known.unwrap_or_default(),
        customer_phone: Some(facts.new.phone.clone()),
        customer_message: facts.new.notes.as_deref().map(|notes| words::shortened(notes, 80)),
        timestamp: words::clock(facts.now, zone),
        booking_link: facts.profile.booking_link(facts.public_url),
        crew_name: talk.crew_today().map(ToOwned::to_owned),
        reopens_at: reopens.map(|at| words::weekday_and_time(at, zone, talk.language())),
        ..Variables::default()
    };
    let body = moment.render_text(kind, wording, &variables)?.body;
    Ok((body, moment.promised_by_text(kind, wording, &variables)?))
}

fn draft(
    facts: &Facts<'_>,
    kind: Kind,
    (body, promised): (String, Option<Promised>),
    step: &str,
    not_before: Option<DateTime<Utc>>,
) -> Draft {
    Draft {
        customer: Some(facts.customer),
        not_before,
        promised,
        told_from: facts.told_from,
        ..Draft::new(
            Channel::Sms,
            kind,
            facts.new.phone_e164.as_ref().map(|p| p.as_e164().to_owned()).unwrap_or_default(),
            body,
            format!("lead:{}:touch:{}:{step}:sms", facts.lead, facts.touch),
        )
    }
}
