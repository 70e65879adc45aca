//! The gate: whether a message may leave now. The only way out: asked when a message is claimed and again right before
//! the provider is called, so that a STOP, a switch or the hour that changed meanwhile is obeyed.
//!
//! Pure: it looks at one row of facts, and says which rule decided and what it saw.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Channel, Kind, send_budget::Spent, sms_link};
use crate::{
    domain::tenancy::{
        org::{
            Switches,
            settings::{Registration, Sending},
        },
        trust_level::{self, Trust},
    },
    platform::{
        contact_hours::{self, Class, Window},
        error::DEMO_READ_ONLY,
        phone::Phone,
    },
};

/// An answer to a call or a text that leaves later than this is no longer exempt from the recipient's hours
/// (features 87).
const ANSWERS_AT_ONCE: Duration = Duration::minutes(10);
/// The same for the answer to a form, whose sender may have gone to bed (trust requirement 35).
const ANSWERS_A_FORM_AT_ONCE: Duration = Duration::seconds(60);
/// What a person writes answers a customer who wrote within this time: a conversation has no closing hour.
const IN_CONVERSATION: Duration = Duration::hours(12);
/// The shortest time that a provider can be given to get a text out (trust requirement 34).
const LEAST_LEFT: Duration = Duration::seconds(60);
/// At most so many promotional texts to one person in 24 hours (FL 501.059, OK 775C.4).
const PROMOTIONAL_A_DAY: i64 = 3;
/// At most so many automatic emails on one day to an address that nothing but forms names: as many as texts to one number
/// usually are.
pub(super) const EMAILS_TO_ADDRESS: i64 = 6;
/// At most so many texts on one day to a customer about visits that nothing shows them to have booked; as many emails.
const BOOKED_TO_NUMBER: i64 = 6;
/// Such texts may use this part of the day's budget.
const BOOKINGS_PART: i64 = 4;
/// Why nothing of a customer's goes to an address that is not known to be theirs.
pub(crate) const NOT_THEIR_ADDRESS: &str = "this address is not confirmed as the customer's";
/// Why nothing goes to customers of a business that only reads.
pub(crate) const SUBSCRIPTION_ENDED: &str = "the subscription has ended";

/// Which channels can send at all.
#[derive(Clone, Copy, Debug)]
pub struct SetUp {
    pub sms: bool,
    /// Email always can: without SMTP it is written to a file.
    pub email: bool,
    /// Whether businesses pay for this install.
    pub takes_money: bool,
}

impl SetUp {
    /// Everything can be sent, and nobody pays.
    pub const ALL: Self = Self { sms: true, email: true, takes_money: false };
}

/// What the gate looks at.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    pub channel: Channel,
    pub kind: Kind,
    pub to: &'a str,
    pub class: Class,
    /// When the event happened that this message answers.
    pub created_at: DateTime<Utc>,
    pub deadline_at: DateTime<Utc>,
    pub switches: Switches,
    pub sending: &'a Sending,
    /// `stopped` or `paused`, when the person asked not to be texted.
    pub opted_out: Option<&'a str>,
    /// Whether the address is one of the customer's (`contact_point`).
    pub is_on_file: bool,
    pub is_blocked: bool,
    pub cannot_be_texted: bool,
    pub zip: Option<&'a str>,
    /// Whether the person agreed to offers and review requests.
    pub agreed_to_offers: bool,
    pub promotional_in_a_day: i64,
    pub spent: Spent,
    /// Whether this person ever wrote to us; of an email, whether its address is proven to be the customer's. The caps on
    /// strangers are none of theirs.
    pub has_written: bool,
    /// Whether it is about a form that came from outside: anybody can type any number there.
    pub by_form: bool,
    /// Whether a booking caused it that nothing shows to be the customer's own (`booking::unproven`).
    pub by_booking: bool,
    /// When they last rang or wrote, and last wrote.
    pub last_in_at: Option<DateTime<Utc>>,
    pub last_wrote_at: Option<DateTime<Utc>>,
    pub last_by_person_at: Option<DateTime<Utc>>,
    pub paused_until: Option<DateTime<Utc>>,
    /// Why the request for a review that this is part of has ended, if it has.
    pub ask_ended: Option<&'a str>,
    /// Why what it is about needs it no more: the invoice was paid, the estimate was declined.
    pub ended: Option<&'a str>,
    /// Whether it says nothing useful once its hour has passed.
    pub has_its_hour: bool,
    /// Whether its business has a number, or shares a service, to send from.
    pub has_sender: bool,
    /// Of the demonstration nothing leaves.
    pub is_demo: bool,
    /// Whether its business only reads, because it does not pay any more.
    pub reads_only: bool,
    /// How far the business is trusted, and what it has used.
    pub trust: Trust,
}

/// The answer of the gate.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It may go; a text must have left the provider by `until`, when the recipient's hours end.
    Yes { until: Option<DateTime<Utc>> },
    /// A rule stops it; the reason is shown.
    No(String),
    /// Kept until then, and asked again.
    Hold { until: DateTime<Utc>, why: String },
    /// It is past its deadline.
    TooLate,
    /// The provider asked for quiet until then.
    Wait(DateTime<Utc>),
}

/// Whether a message may leave at `now`, and what decided, for "why was this sent?" and "why not?".
#[must_use]
pub fn may_send(facts: &Facts<'_>, set_up: SetUp, now: DateTime<Utc>) -> (Verdict, Value) {
    let mut saw = json!({
        "clock": now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true), "switchOn": switch(facts).0,
        "class": facts.class,
    });
    let verdict = stopped(facts, set_up, now).unwrap_or_else(|| hours(facts, now, &mut saw));
    let verdict = in_time(facts, verdict);
    if facts.channel == Channel::Sms && facts.kind.is_for_customers() {
        saw["optedOut"] = json!(facts.opted_out);
        note_spent(facts, &mut saw);
        let brake = brake(facts).filter(|brake| verdict == Verdict::No(brake.why(facts.sending)));
        if let Some(brake) = brake {
            saw[BRAKE] = json!(brake);
        }
    } else if is_email_capped(facts) {
        saw["emailsToAddressToday"] = json!(facts.spent.to_number);
        saw["emailsToAddress"] = json!(EMAILS_TO_ADDRESS);
        let brake = email_brake(facts);
        if verdict == Verdict::No(brake.why(facts.sending)) {
            saw[BRAKE] = json!(brake);
        }
    }
    (verdict, saw)
}

/// What would be held until after its hour is not sent at all: nobody is told in the morning that the crew is on its way.
fn in_time(facts: &Facts<'_>, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Hold { until, why } if facts.has_its_hour && until > facts.deadline_at => {
            Verdict::No(format!("{why}, {OF_NO_USE}"))
        }
        other => other,
    }
}

/// How the reason ends that stops what the recipient's hours would keep for too long.
pub(super) const OF_NO_USE: &str = "and after that it would be of no use";

/// Until when what the gate holds is worth sending.
pub(super) fn deadline_when_held(
    kind: Kind,
    channel: Channel,
    deadline: DateTime<Utc>,
    until: DateTime<Utc>,
) -> DateTime<Utc> {
    if kind.has_its_hour() { deadline } else { deadline.max(until + kind.worth_sending_for(channel)) }
}

/// Where it stands which brake stopped a message.
pub(super) const BRAKE: &str = "brake";

fn note_spent(facts: &Facts<'_>, saw: &mut Value) {
    saw["textsToday"] = json!(facts.spent.texts);
    saw["dailyTextBudget"] = json!(facts.sending.daily_text_budget);
    if is_capped(facts) {
        saw["textsToNumberToday"] = json!(facts.spent.to_number);
        saw["textsPerNumber"] = json!(facts.sending.texts_per_number);
    }
    if is_capped(facts) && is_by_form(facts) {
        saw["numbersInExchange"] = json!(facts.spent.in_exchange);
        saw["numbersPerExchange"] = json!(facts.sending.numbers_per_exchange);
    }
    if facts.by_booking {
        saw["bookingTextsToday"] = json!(facts.spent.by_bookings);
        saw["bookingTexts"] = json!(for_bookings(facts.sending));
        saw["bookingTextsToNumberToday"] = json!(facts.spent.booked_to_number);
        saw["bookingTextsToNumber"] = json!(BOOKED_TO_NUMBER);
    }
}

/// What of the spend brake stops a message that a rule wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Brake {
    /// The day's budget is used up.
    Budget,
    /// This number got its share for today.
    Number,
    /// Its exchange did, within an hour.
    Exchange,
    /// This email address got its share for today.
    Address,
    /// Visits booked in the customers' names had their part of the budget.
    Bookings,
    /// This number or address got its share of what is told of them.
    BookingsToOne,
}

/// How many texts of the day's budget may be about visits that nothing shows the customers to have booked.
fn for_bookings(sending: &Sending) -> i64 {
    (sending.daily_text_budget / BOOKINGS_PART).max(1)
}

impl Brake {
    /// As the owner reads it.
    pub(super) fn why(self, sending: &Sending) -> String {
        match self {
            Self::Budget => format!("today's budget of {} automatic texts is used up", sending.daily_text_budget),
            Self::Number => {
                let most = sending.texts_per_number;
                format!("this number got {most} automatic texts today and never wrote back")
            }
            Self::Exchange => {
                let most = sending.numbers_per_exchange;
                format!("{most} new numbers with the same first digits were texted within an hour, as in a fraud")
            }
            Self::Address => {
                format!(
                    "this address got {EMAILS_TO_ADDRESS} automatic emails today and is not confirmed as the customer's"
                )
            }
            Self::Bookings => {
                let most = for_bookings(sending);
                format!("today's {most} texts about visits that others may have booked are used up")
            }
            Self::BookingsToOne => {
                format!(
                    "they got {BOOKED_TO_NUMBER} messages today about visits that others may have booked in their name"
                )
            }
        }
    }
}

/// Whether the caps on what strangers can cause hold for it.
pub(super) fn is_capped(facts: &Facts<'_>) -> bool {
    facts.kind.is_braked() && !facts.has_written
}

/// Whether it tells of a visit that nothing shows the customer to have booked. The question whether they did has a limit
/// of its own (`booking::request`).
fn is_of_booking(facts: &Facts<'_>) -> bool {
    facts.by_booking && facts.kind == Kind::Visit
}

/// Whether the cap on emails to one address holds for it.
pub(super) fn is_email_capped(facts: &Facts<'_>) -> bool {
    let is_capped = is_capped(facts) || is_of_booking(facts);
    facts.channel == Channel::Email && facts.kind.is_for_customers() && is_capped
}

/// What stops an email to an address that got its share.
pub(super) fn email_brake(facts: &Facts<'_>) -> Brake {
    if is_capped(facts) { Brake::Address } else { Brake::BookingsToOne }
}

/// Whether a form asked for it.
pub(super) fn is_by_form(facts: &Facts<'_>) -> bool {
    facts.by_form && facts.kind == Kind::AutoReply
}

/// The brake that stops a text, if one does.
pub(super) fn brake(facts: &Facts<'_>) -> Option<Brake> {
    let (spent, sending) = (facts.spent, facts.sending);
    if !facts.kind.is_braked() {
        None
    } else if spent.texts >= sending.daily_text_budget {
        Some(Brake::Budget)
    } else if facts.by_booking && spent.by_bookings >= for_bookings(sending) {
        Some(Brake::Bookings)
    } else if is_of_booking(facts) && spent.booked_to_number >= BOOKED_TO_NUMBER {
        Some(Brake::BookingsToOne)
    } else if !is_capped(facts) {
        None
    } else if spent.to_number >= sending.texts_per_number {
        Some(Brake::Number)
    } else {
        (is_by_form(facts) && spent.in_exchange >= sending.numbers_per_exchange).then_some(Brake::Exchange)
    }
}

fn switch(facts: &Facts<'_>) -> (bool, &'static str) {
    match facts.kind {
        Kind::AutoReply | Kind::MissedCall | Kind::Nudge | Kind::TextReply => {
            (facts.switches.automated_communications, "automated communications are switched off")
        }
        Kind::OwnerNotice | Kind::Digest => (facts.switches.lead_intake, "lead intake is switched off"),
        Kind::Pulse => (facts.switches.kpi_reporting, crate::domain::growth::kpi_pulse::SWITCHED_OFF),
        Kind::EstimateFollowUp | Kind::ChangeOrderFollowUp | Kind::Visit | Kind::OnTheWay | Kind::Dunning => {
            (facts.switches.job_tracking, "job tracking is switched off")
        }
        Kind::ReviewRequest => (facts.switches.review_collection, "review collection is switched off"),
        Kind::AccountNotice
        | Kind::HelpReply
        | Kind::StopConfirmation
        | Kind::Manual
        | Kind::Incoming
        | Kind::Test
        | Kind::Estimate
        | Kind::ChangeOrder
        | Kind::Signed
        | Kind::Invoice
        | Kind::Receipt => (true, ""),
    }
}

/// Everything that stops or delays a message whatever the hour, the strongest first.
fn stopped(facts: &Facts<'_>, set_up: SetUp, now: DateTime<Utc>) -> Option<Verdict> {
    let no = |why: &str| Some(Verdict::No(why.to_owned()));
    if facts.is_demo {
        return no(DEMO_READ_ONLY);
    }
    // What the law asks to be answered is answered all the same.
    let is_owed = matches!(facts.kind, Kind::StopConfirmation | Kind::HelpReply);
    if facts.reads_only && facts.kind.is_for_customers() && !is_owed {
        return no(SUBSCRIPTION_ENDED);
    }
    if facts.kind.is_about_their_matter() && !facts.is_on_file {
        return no(NOT_THEIR_ADDRESS);
    }
    let is_text = facts.channel == Channel::Sms;
    if let Some(why) = Phone::stored(facts.to).filter(|_| is_text).and_then(|phone| phone.why_never_texted()) {
        return no(why);
    }
    if let Some(why) = said_no(facts) {
        return no(why);
    }
    if let Some(why) = trust_level::refusal(facts.trust, is_text).filter(|_| !is_owed) {
        return Some(Verdict::No(why));
    }
    if let Some(why) = facts.ask_ended.or(facts.ended) {
        return no(why);
    }
    let (is_on, why_not) = switch(facts);
    if !is_on {
        return no(why_not);
    }
    if facts.is_blocked && facts.kind.is_automatic() && facts.kind.is_for_customers() {
        return no("you blocked this customer for automatic messages");
    }
    match facts.channel {
        Channel::Sms if !set_up.sms => return no(sms_link::NOT_SET_UP),
        Channel::Sms if !facts.has_sender => return no(sms_link::NO_NUMBER),
        Channel::Email if !set_up.email => return no("email is not set up"),
        Channel::Sms | Channel::Email => {}
    }
    // Carriers drop what an unregistered number sends, whoever it is for.
    if is_text && facts.sending.registration == Registration::Pending {
        return no(sms_link::NOT_REGISTERED);
    }
    if now > facts.deadline_at {
        return Some(Verdict::TooLate);
    }
    let said_after = |at: Option<DateTime<Utc>>| at.is_some_and(|at| at > facts.created_at);
    // Another missed call is no answer.
    if facts.kind == Kind::Nudge && (said_after(facts.last_wrote_at) || said_after(facts.last_by_person_at)) {
        return no("you have been in touch meanwhile");
    }
    let limits = match facts.channel {
        Channel::Sms if facts.kind.is_for_customers() => text_limits(facts, now),
        Channel::Sms => None,
        Channel::Email => email_limits(facts),
    };
    limits.or(facts.paused_until.filter(|until| *until > now).map(Verdict::Wait))
}

/// What the person asked for.
fn said_no(facts: &Facts<'_>) -> Option<&'static str> {
    let is_text = facts.channel == Channel::Sms;
    match facts.opted_out? {
        // Whoever they are: somebody of the business who says STOP to alerts means it too.
        "stopped" if is_text && facts.kind != Kind::StopConfirmation => Some("they said STOP"),
        _ if is_text && facts.kind != Kind::StopConfirmation && facts.kind.is_for_customers() => {
            Some("they may have asked to stop; nothing is sent until you have looked")
        }
        // Of emails it holds for offers and review requests; what concerns their own matter goes.
        _ if !is_text && facts.class == Class::Promotional => Some("they asked for no more such emails"),
        _ => None,
    }
}

/// What holds for automatic emails to an address that only forms name, or about visits that were booked in its name.
fn email_limits(facts: &Facts<'_>) -> Option<Verdict> {
    let is_spent = is_email_capped(facts) && facts.spent.to_number >= EMAILS_TO_ADDRESS;
    is_spent.then(|| Verdict::No(email_brake(facts).why(facts.sending)))
}

/// What holds for texts to customers only.
fn text_limits(facts: &Facts<'_>, now: DateTime<Utc>) -> Option<Verdict> {
    if facts.cannot_be_texted {
        return Some(Verdict::No("this number cannot receive texts".to_owned()));
    }
    if facts.class == Class::Promotional {
        if !facts.agreed_to_offers {
            return Some(Verdict::No("they did not agree to get offers and review requests by text".to_owned()));
        }
        if facts.promotional_in_a_day >= PROMOTIONAL_A_DAY {
            let why = format!("they got {PROMOTIONAL_A_DAY} such texts within 24 hours");
            return Some(Verdict::Hold { until: next_open(facts, now + Duration::hours(24)), why });
        }
    }
    brake(facts).map(|brake| Verdict::No(brake.why(facts.sending)))
}

/// The first instant from `at` on at which the recipient's hours allow a text of this class.
fn next_open(facts: &Facts<'_>, at: DateTime<Utc>) -> DateTime<Utc> {
    let Some(phone) = Phone::parse(facts.to) else { return at };
    match contact_hours::window(facts.class, &phone, facts.zip, at).0 {
        Window::Closed { opens, .. } => opens,
        // Put off by chance afterwards, it must not run out of the window.
        Window::Open { until: Some(until) } if until - at < contact_hours::LONGEST_PUT_OFF + LEAST_LEFT => {
            match contact_hours::window(facts.class, &phone, facts.zip, until).0 {
                Window::Closed { opens, .. } => opens,
                Window::Open { .. } => at,
            }
        }
        Window::Open { .. } => at,
    }
}

/// The class that counts for the hours.
fn class_now(facts: &Facts<'_>, now: DateTime<Utc>) -> Class {
    let talked = |at: Option<DateTime<Utc>>, within: Duration| at.is_some_and(|at| now - at <= within);
    match facts.kind {
        Kind::HelpReply | Kind::StopConfirmation => Class::Conversational,
        // What a person has sent to somebody who is talking to them.
        Kind::Manual | Kind::Estimate | Kind::ChangeOrder | Kind::Invoice
            if talked(facts.last_in_at, IN_CONVERSATION) =>
        {
            Class::Conversational
        }
        Kind::Manual | Kind::Signed | Kind::Receipt => Class::Informational,
        _ if facts.class != Class::Conversational => facts.class,
        Kind::AutoReply if now - facts.created_at > ANSWERS_A_FORM_AT_ONCE => Class::Informational,
        _ if facts.sending.hold_replies_at_night || now - facts.created_at > ANSWERS_AT_ONCE => Class::Informational,
        _ => Class::Conversational,
    }
}

/// The recipient's hours, for texts to customers.
fn hours(facts: &Facts<'_>, now: DateTime<Utc>, saw: &mut Value) -> Verdict {
    if facts.channel != Channel::Sms || !facts.kind.is_for_customers() {
        return Verdict::Yes { until: None };
    }
    let Some(phone) = Phone::parse(facts.to) else {
        return Verdict::No("this is not a phone number".to_owned());
    };
    let class = class_now(facts, now);
    let (window, seen) = contact_hours::window(class, &phone, facts.zip, now);
    saw["hoursFor"] = json!(class);
    saw["hours"] = json!(seen);
    match window {
        Window::Open { until: Some(until) } if until - now < LEAST_LEFT => {
            // What the provider took now it could not get out in time.
            let why = "the hours for texts there end in less than a minute".to_owned();
            match contact_hours::window(class, &phone, facts.zip, until).0 {
                Window::Closed { opens, .. } => Verdict::Hold { until: opens, why },
                Window::Open { .. } => Verdict::Hold { until, why },
            }
        }
        Window::Open { until } => Verdict::Yes { until },
        Window::Closed { opens, why } => Verdict::Hold { until: opens, why },
    }
}

#[cfg(test)]
mod tests;
