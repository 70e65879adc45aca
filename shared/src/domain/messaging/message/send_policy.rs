//! Send policy: whether a message may leave now. It is asked when a message is claimed and again right before the
//! provider call, so that a STOP, a switch or an hour that changed meanwhile is obeyed. No message leaves without it.
//! Pure: from one row of facts to a verdict, with the rule that decided and what it saw.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use super::{MessageChannel, MessageKind, send_budget::SendBudgetUsage, sms_link};
use crate::{
    domain::tenancy::{
        org::{
            SendChannels, Switches,
            settings::{CarrierRegistration, Sending},
        },
        trust_level::{self, TrustContext},
    },
    platform::{
        contact_hours::{self, Class, ContactWindow},
        error::DEMO_READ_ONLY,
        phone::Phone,
        recipient::Recipient,
    },
};

mod evidence;

pub(super) use evidence::BudgetLimitEvidence;
pub use evidence::SendEvidence;

use evidence::{ContactHoursEvidence, SendBudgetEvidence};

/// A later answer to a call or a text is no longer exempt from the recipient's hours (features 87).
const ANSWERS_AT_ONCE: Duration = Duration::minutes(10);
/// The same for the answer to a form, whose sender may be asleep (trust requirement 35).
const ANSWERS_A_FORM_AT_ONCE: Duration = Duration::seconds(60);
/// A person's message answers a customer who wrote within this time: a conversation has no closing hour.
const IN_CONVERSATION: Duration = Duration::hours(12);
/// Shortest time in which a provider can get a text out (trust requirement 34).
const LEAST_LEFT: Duration = Duration::seconds(60);
/// Most promotional texts to one person in 24 hours (FL 501.059, OK 775C.4).
const PROMOTIONAL_A_DAY: i64 = 3;
/// Most automatic emails a day to an address known only from forms: the usual limit for texts to one number.
pub(super) const EMAILS_TO_ADDRESS: i64 = 6;
/// Most texts, and most emails, a day to a customer about visits that they are not proven to have booked.
const BOOKED_TO_NUMBER: i64 = 6;
/// Such texts may use the day's budget divided by this.
const BOOKINGS_PART: i64 = 4;
pub(crate) const NOT_THEIR_ADDRESS: &str = "this address is not confirmed as the customer's";
pub(crate) const KPI_REPORTING_OFF: &str = "KPI reporting is switched off";
pub(crate) const SUBSCRIPTION_ENDED: &str = "the subscription has ended";

#[derive(Clone, Debug)]
pub struct SendContext<'a> {
    pub kind: MessageKind,
    pub to: &'a Recipient,
    pub class: Class,
    /// Time of the event that this message answers.
    pub created_at: DateTime<Utc>,
    pub deadline_at: DateTime<Utc>,
    pub switches: Switches,
    pub sending: &'a Sending,
    /// `find_blocking_rule` or `paused`, when the person asked not to be texted.
    pub opted_out: Option<&'a str>,
    /// Whether the address is one of the customer's (`contact_point`).
    pub is_on_file: bool,
    pub is_blocked: bool,
    pub cannot_be_texted: bool,
    pub zip: Option<&'a str>,
    pub agreed_to_offers: bool,
    pub promotional_in_a_day: i64,
    pub spent: SendBudgetUsage,
    /// Whether this person ever wrote to us; for an email, whether its address is proven to be the customer's. The caps
    /// on strangers do not apply then.
    pub has_written: bool,
    /// Whether it is about a form from outside, where any number can be typed.
    pub by_form: bool,
    /// Caused by a booking that is not proven to be the customer's own (`booking::unproven`).
    pub by_booking: bool,
    /// Last call or message of the customer, and last message.
    pub last_in_at: Option<DateTime<Utc>>,
    pub last_wrote_at: Option<DateTime<Utc>>,
    pub last_by_person_at: Option<DateTime<Utc>>,
    pub paused_until: Option<DateTime<Utc>>,
    pub ask_ended: Option<&'a str>,
    /// Why its subject no longer needs it: the invoice was paid, the estimate was declined.
    pub ended: Option<&'a str>,
    /// Useless after its hour.
    pub has_its_hour: bool,
    pub has_sender: bool,
    /// The demo business sends nothing.
    pub is_demo: bool,
    /// The business is read-only because it does not pay any more.
    pub reads_only: bool,
    pub trust: TrustContext,
}

impl SendContext<'_> {
    /// The number of a text. None for an email, and for a stored value that is no number.
    fn phone(&self) -> Option<&Phone> {
        match self.to {
            Recipient::Phone(phone) => Some(phone).filter(|phone| phone.is_e164()),
            Recipient::Email(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum SendVerdict {
    /// Allowed; a text must leave the provider by `until`, the end of the recipient's hours.
    Yes {
        until: Option<DateTime<Utc>>,
    },
    /// A rule stops it; the reason is shown.
    No(String),
    /// Kept until then, and checked again.
    Hold {
        until: DateTime<Utc>,
        why: String,
    },
    TooLate,
    /// Pause that the provider asked for.
    Wait(DateTime<Utc>),
}

/// Whether a message may leave at `now`, with the deciding facts for "why was this sent?" and "why not?".
#[must_use]
pub fn may_send(facts: &SendContext<'_>, set_up: SendChannels, now: DateTime<Utc>) -> (SendVerdict, SendEvidence) {
    let mut evidence = SendEvidence::from_facts(facts, now);
    let verdict =
        find_blocking_rule(facts, set_up, now).unwrap_or_else(|| check_contact_hours(facts, now, &mut evidence));
    let verdict = reject_if_too_late(facts, verdict);
    let limit = if facts.to.is_phone() && facts.kind.is_for_customers() {
        evidence.budget = Some(SendBudgetEvidence::of_text(facts));
        reached_budget_limit(facts)
    } else if is_email_capped(facts) {
        evidence.budget = Some(SendBudgetEvidence::of_email(facts));
        Some(email_budget_limit(facts))
    } else {
        None
    };
    let limit = limit.filter(|limit| verdict == SendVerdict::No(limit.limit_reason(facts.sending)));
    (verdict, evidence.with_budget_limit(limit))
}

/// A hold beyond its hour becomes a refusal: "on the way" is not sent the next morning.
fn reject_if_too_late(facts: &SendContext<'_>, verdict: SendVerdict) -> SendVerdict {
    match verdict {
        SendVerdict::Hold { until, why } if facts.has_its_hour && until > facts.deadline_at => {
            SendVerdict::No(format!("{why}, {TOO_LATE_TO_BE_USEFUL}"))
        }
        other => other,
    }
}

/// End of the reason when the recipient's hours would hold a message for too long.
pub(super) const TOO_LATE_TO_BE_USEFUL: &str = "and after that it would be of no use";

pub(super) fn deadline_when_held(
    kind: MessageKind,
    channel: MessageChannel,
    deadline: DateTime<Utc>,
    until: DateTime<Utc>,
) -> DateTime<Utc> {
    if kind.expires_after_contact_hours() { deadline } else { deadline.max(until + kind.max_age(channel)) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BudgetLimit {
    Budget,
    /// Daily limit of this number.
    Number,
    /// Limit of its exchange within an hour.
    Exchange,
    /// Daily limit of this email address.
    Address,
    /// Share of the budget for visits booked in the customers' names.
    Bookings,
    /// Daily limit of this number or address for such visits.
    BookingsToOne,
}

fn booking_text_limit(sending: &Sending) -> i64 {
    (sending.daily_text_budget / BOOKINGS_PART).max(1)
}

impl BudgetLimit {
    pub(super) fn limit_reason(self, sending: &Sending) -> String {
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
                let most = booking_text_limit(sending);
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

pub(super) fn is_capped(facts: &SendContext<'_>) -> bool {
    facts.kind.is_budget_limited() && !facts.has_written
}

/// A visit not proven to be booked by the customer. The question whether it is has its own limit (`booking::request`).
fn is_unconfirmed_booking(facts: &SendContext<'_>) -> bool {
    facts.by_booking && facts.kind == MessageKind::Visit
}

pub(super) fn is_email_capped(facts: &SendContext<'_>) -> bool {
    let is_capped = is_capped(facts) || is_unconfirmed_booking(facts);
    facts.to.is_email() && facts.kind.is_for_customers() && is_capped
}

pub(super) fn email_budget_limit(facts: &SendContext<'_>) -> BudgetLimit {
    if is_capped(facts) { BudgetLimit::Address } else { BudgetLimit::BookingsToOne }
}

pub(super) fn is_form_request(facts: &SendContext<'_>) -> bool {
    facts.by_form && facts.kind == MessageKind::AutoReply
}

pub(super) fn reached_budget_limit(facts: &SendContext<'_>) -> Option<BudgetLimit> {
    let (spent, sending) = (facts.spent, facts.sending);
    if !facts.kind.is_budget_limited() {
        None
    } else if spent.texts >= sending.daily_text_budget {
        Some(BudgetLimit::Budget)
    } else if facts.by_booking && spent.by_bookings >= booking_text_limit(sending) {
        Some(BudgetLimit::Bookings)
    } else if is_unconfirmed_booking(facts) && spent.booked_to_number >= BOOKED_TO_NUMBER {
        Some(BudgetLimit::BookingsToOne)
    } else if !is_capped(facts) {
        None
    } else if spent.to_number >= sending.texts_per_number {
        Some(BudgetLimit::Number)
    } else {
        (is_form_request(facts) && spent.in_exchange >= sending.numbers_per_exchange).then_some(BudgetLimit::Exchange)
    }
}

fn communication_switch(facts: &SendContext<'_>) -> (bool, &'static str) {
    match facts.kind {
        MessageKind::AutoReply | MessageKind::MissedCall | MessageKind::Nudge | MessageKind::TextReply => {
            (facts.switches.automated_communications, "automated communications are switched off")
        }
        MessageKind::OwnerNotice | MessageKind::Digest => (facts.switches.lead_intake, "lead intake is switched off"),
        MessageKind::Pulse => (facts.switches.kpi_reporting, KPI_REPORTING_OFF),
        MessageKind::EstimateFollowUp
        | MessageKind::ChangeOrderFollowUp
        | MessageKind::Visit
        | MessageKind::OnTheWay
        | MessageKind::Dunning => (facts.switches.job_tracking, "job tracking is switched off"),
        MessageKind::ReviewRequest => (facts.switches.review_collection, "review collection is switched off"),
        MessageKind::AccountNotice
        | MessageKind::HelpReply
        | MessageKind::StopConfirmation
        | MessageKind::Manual
        | MessageKind::Incoming
        | MessageKind::Test
        | MessageKind::Estimate
        | MessageKind::ChangeOrder
        | MessageKind::Signed
        | MessageKind::Invoice
        | MessageKind::Receipt => (true, ""),
    }
}

/// Reasons that stop or delay a message at any hour, the strongest first.
fn find_blocking_rule(facts: &SendContext<'_>, set_up: SendChannels, now: DateTime<Utc>) -> Option<SendVerdict> {
    let no = |why: &str| Some(SendVerdict::No(why.to_owned()));
    if facts.is_demo {
        return no(DEMO_READ_ONLY);
    }
    // Answers required by law are sent all the same.
    let is_owed = matches!(facts.kind, MessageKind::StopConfirmation | MessageKind::HelpReply);
    if facts.reads_only && facts.kind.is_for_customers() && !is_owed {
        return no(SUBSCRIPTION_ENDED);
    }
    if facts.kind.is_transactional() && !facts.is_on_file {
        return no(NOT_THEIR_ADDRESS);
    }
    if let Some(why) = facts.phone().and_then(Phone::untextable_reason) {
        return no(why);
    }
    if let Some(why) = why_recipient_refused(facts) {
        return no(why);
    }
    let is_text = facts.to.is_phone();
    if let Some(why) = trust_level::refusal_reason(facts.trust, is_text).filter(|_| !is_owed) {
        return Some(SendVerdict::No(why));
    }
    if let Some(why) = facts.ask_ended.or(facts.ended) {
        return no(why);
    }
    let (is_on, why_not) = communication_switch(facts);
    if !is_on {
        return no(why_not);
    }
    if facts.is_blocked && facts.kind.is_automatic() && facts.kind.is_for_customers() {
        return no("you blocked this customer for automatic messages");
    }
    match facts.to {
        Recipient::Phone(_) if !set_up.sms => return no(sms_link::NOT_SET_UP),
        Recipient::Phone(_) if !facts.has_sender => return no(sms_link::NO_NUMBER),
        Recipient::Email(_) if !set_up.email => return no("email is not set up"),
        Recipient::Phone(_) | Recipient::Email(_) => {}
    }
    // Carriers drop texts from an unregistered number, to any recipient.
    if is_text && facts.sending.registration == CarrierRegistration::Pending {
        return no(sms_link::NOT_REGISTERED);
    }
    if now > facts.deadline_at {
        return Some(SendVerdict::TooLate);
    }
    let said_after = |at: Option<DateTime<Utc>>| at.is_some_and(|at| at > facts.created_at);
    // Another missed call is no answer.
    if facts.kind == MessageKind::Nudge && (said_after(facts.last_wrote_at) || said_after(facts.last_by_person_at)) {
        return no("you have been in touch meanwhile");
    }
    let limits = match facts.to {
        Recipient::Phone(_) if facts.kind.is_for_customers() => check_text_limits(facts, now),
        Recipient::Phone(_) => None,
        Recipient::Email(_) => check_email_limits(facts),
    };
    limits.or(facts.paused_until.filter(|until| *until > now).map(SendVerdict::Wait))
}

fn why_recipient_refused(facts: &SendContext<'_>) -> Option<&'static str> {
    let is_text = facts.to.is_phone();
    match facts.opted_out? {
        // For people of the business too: their STOP to alerts counts.
        "stopped" if is_text && facts.kind != MessageKind::StopConfirmation => Some("they said STOP"),
        _ if is_text && facts.kind != MessageKind::StopConfirmation && facts.kind.is_for_customers() => {
            Some("they may have asked to stop; nothing is sent until you have looked")
        }
        // For emails it applies to offers and review requests; emails about their own matter are sent.
        _ if !is_text && facts.class == Class::Promotional => Some("they asked for no more such emails"),
        _ => None,
    }
}

/// Limits of automatic emails to an address known only from forms, or about visits booked in its name.
fn check_email_limits(facts: &SendContext<'_>) -> Option<SendVerdict> {
    let is_spent = is_email_capped(facts) && facts.spent.to_number >= EMAILS_TO_ADDRESS;
    is_spent.then(|| SendVerdict::No(email_budget_limit(facts).limit_reason(facts.sending)))
}

fn check_text_limits(facts: &SendContext<'_>, now: DateTime<Utc>) -> Option<SendVerdict> {
    if facts.cannot_be_texted {
        return Some(SendVerdict::No("this number cannot receive texts".to_owned()));
    }
    if facts.class == Class::Promotional {
        if !facts.agreed_to_offers {
            return Some(SendVerdict::No("they did not agree to get offers and review requests by text".to_owned()));
        }
        if facts.promotional_in_a_day >= PROMOTIONAL_A_DAY {
            let why = format!("they got {PROMOTIONAL_A_DAY} such texts within 24 hours");
            return Some(SendVerdict::Hold { until: next_contact_opening(facts, now + Duration::hours(24)), why });
        }
    }
    reached_budget_limit(facts).map(|brake| SendVerdict::No(brake.limit_reason(facts.sending)))
}

/// The first instant from `at` on at which the recipient's hours allow a text of this class.
fn next_contact_opening(facts: &SendContext<'_>, at: DateTime<Utc>) -> DateTime<Utc> {
    let Some(phone) = facts.phone() else { return at };
    match contact_hours::check_window(facts.class, phone, facts.zip, at).0 {
        ContactWindow::Closed { opens, .. } => opens,
        // The random delay that follows must not move it out of the window.
        ContactWindow::Open { until: Some(until) } if until - at < contact_hours::MAX_SEND_JITTER + LEAST_LEFT => {
            match contact_hours::check_window(facts.class, phone, facts.zip, until).0 {
                ContactWindow::Closed { opens, .. } => opens,
                ContactWindow::Open { .. } => at,
            }
        }
        ContactWindow::Open { .. } => at,
    }
}

fn effective_class(facts: &SendContext<'_>, now: DateTime<Utc>) -> Class {
    let talked = |at: Option<DateTime<Utc>>, within: Duration| at.is_some_and(|at| now - at <= within);
    match facts.kind {
        MessageKind::HelpReply | MessageKind::StopConfirmation => Class::Conversational,
        // Sent by a person to a customer who is talking to them.
        MessageKind::Manual | MessageKind::Estimate | MessageKind::ChangeOrder | MessageKind::Invoice
            if talked(facts.last_in_at, IN_CONVERSATION) =>
        {
            Class::Conversational
        }
        MessageKind::Manual | MessageKind::Signed | MessageKind::Receipt => Class::Informational,
        _ if facts.class != Class::Conversational => facts.class,
        MessageKind::AutoReply if now - facts.created_at > ANSWERS_A_FORM_AT_ONCE => Class::Informational,
        _ if facts.sending.hold_replies_at_night || now - facts.created_at > ANSWERS_AT_ONCE => Class::Informational,
        _ => Class::Conversational,
    }
}

fn check_contact_hours(facts: &SendContext<'_>, now: DateTime<Utc>, evidence: &mut SendEvidence) -> SendVerdict {
    if facts.to.is_email() || !facts.kind.is_for_customers() {
        return SendVerdict::Yes { until: None };
    }
    let Some(phone) = facts.phone() else {
        return SendVerdict::No("this is not a phone number".to_owned());
    };
    let class = effective_class(facts, now);
    let (window, seen) = contact_hours::check_window(class, phone, facts.zip, now);
    evidence.hours = Some(ContactHoursEvidence { hours_for: class, hours: seen });
    match window {
        ContactWindow::Open { until: Some(until) } if until - now < LEAST_LEFT => {
            // The provider could not get it out in time.
            let why = "the hours for texts there end in less than a minute".to_owned();
            match contact_hours::check_window(class, phone, facts.zip, until).0 {
                ContactWindow::Closed { opens, .. } => SendVerdict::Hold { until: opens, why },
                ContactWindow::Open { .. } => SendVerdict::Hold { until, why },
            }
        }
        ContactWindow::Open { until } => SendVerdict::Yes { until },
        ContactWindow::Closed { opens, why } => SendVerdict::Hold { until: opens, why },
    }
}

#[cfg(test)]
mod tests;
