//! Send policy: whether a message may leave now. It is asked when a message is claimed and again right before the
//! provider call, so that a STOP, a switch or an hour that changed meanwhile is obeyed. No message leaves without it.
//! Pure: from one row of facts to a verdict, with the rule that decided and what it saw.

use chrono::{DateTime, Duration, Utc};

use super::{MessageChannel, MessageKind, send_budget::SendBudgetUsage, sms_link};
use crate::{
    domain::tenancy::{
        org::{CarrierRegistration, FeatureSwitches, SendChannels, SendingSettings},
        trust_level::{self, TrustContext},
    },
    platform::{contact_hours::ContactClass, error::DEMO_READ_ONLY, phone::Phone, recipient::Recipient},
};

pub(crate) mod budget_limit;
mod evidence;
mod recipient_hours;

pub(super) use evidence::BudgetLimitEvidence;
pub use evidence::SendEvidence;

use budget_limit::{EMAILS_TO_ADDRESS, email_budget_limit, is_email_capped, reached_budget_limit};
use evidence::SendBudgetEvidence;
use recipient_hours::{check_contact_hours, next_contact_opening};

/// Most promotional texts to one person in 24 hours (FL 501.059, OK 775C.4).
const PROMOTIONAL_A_DAY: i64 = 3;
pub(crate) const NOT_THEIR_ADDRESS: &str = "this address is not confirmed as the customer's";
pub(crate) const KPI_REPORTING_OFF: &str = "KPI reporting is switched off";
pub(crate) const SUBSCRIPTION_ENDED: &str = "the subscription has ended";

#[derive(Clone, Debug)]
pub struct SendContext<'a> {
    pub kind: MessageKind,
    pub to: &'a Recipient,
    pub class: ContactClass,
    /// Time of the event that this message answers.
    pub created_at: DateTime<Utc>,
    pub deadline_at: DateTime<Utc>,
    pub switches: FeatureSwitches,
    pub sending: &'a SendingSettings,
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
    HoldMessage {
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
        SendVerdict::HoldMessage { until, why } if facts.has_its_hour && until > facts.deadline_at => {
            SendVerdict::No(format!("{why}, {TOO_LATE_TO_BE_USEFUL}"))
        }
        other => other,
    }
}

/// End of the reason when the recipient's hours would hold a message for too long.
pub(super) const TOO_LATE_TO_BE_USEFUL: &str = "and after that it would be of no use";

pub(super) fn held_message_deadline(
    kind: MessageKind,
    channel: MessageChannel,
    deadline: DateTime<Utc>,
    until: DateTime<Utc>,
) -> DateTime<Utc> {
    if kind.expires_after_contact_hours() { deadline } else { deadline.max(until + kind.max_age(channel)) }
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
        _ if !is_text && facts.class == ContactClass::Promotional => Some("they asked for no more such emails"),
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
    if facts.class == ContactClass::Promotional {
        if !facts.agreed_to_offers {
            return Some(SendVerdict::No("they did not agree to get offers and review requests by text".to_owned()));
        }
        if facts.promotional_in_a_day >= PROMOTIONAL_A_DAY {
            let why = format!("they got {PROMOTIONAL_A_DAY} such texts within 24 hours");
            return Some(SendVerdict::HoldMessage {
                until: next_contact_opening(facts, now + Duration::hours(24)),
                why,
            });
        }
    }
    reached_budget_limit(facts).map(|brake| SendVerdict::No(brake.limit_reason(facts.sending)))
}

#[cfg(test)]
mod tests;
