//! The recipient's hours for texts: what class a message has now, and until when it is held.

use chrono::{DateTime, Duration, Utc};

use super::{
    SendContext, SendVerdict,
    evidence::{ContactHoursEvidence, SendEvidence},
};
use crate::{
    domain::messaging::message::MessageKind,
    platform::contact_hours::{self, ContactClass, ContactWindow},
};

/// A later answer to a call or a text is no longer exempt from the recipient's hours (features 87).
const ANSWERS_AT_ONCE: Duration = Duration::minutes(10);
/// The same for the answer to a form, whose sender may be asleep (trust requirement 35).
const ANSWERS_A_FORM_AT_ONCE: Duration = Duration::seconds(60);
/// A person's message answers a customer who wrote within this time: a conversation has no closing hour.
const IN_CONVERSATION: Duration = Duration::hours(12);
/// Shortest time in which a provider can get a text out (trust requirement 34).
pub(super) const LEAST_LEFT: Duration = Duration::seconds(60);

/// The first instant from `at` on at which the recipient's hours allow a text of this class.
pub(super) fn next_contact_opening(facts: &SendContext<'_>, at: DateTime<Utc>) -> DateTime<Utc> {
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

pub(super) fn effective_class(facts: &SendContext<'_>, now: DateTime<Utc>) -> ContactClass {
    let talked = |at: Option<DateTime<Utc>>, within: Duration| at.is_some_and(|at| now - at <= within);
    match facts.kind {
        MessageKind::HelpReply | MessageKind::StopConfirmation => ContactClass::Conversational,
        // Sent by a person to a customer who is talking to them.
        MessageKind::Manual | MessageKind::Estimate | MessageKind::ChangeOrder | MessageKind::Invoice
            if talked(facts.last_in_at, IN_CONVERSATION) =>
        {
            ContactClass::Conversational
        }
        MessageKind::Manual | MessageKind::Signed | MessageKind::Receipt => ContactClass::Informational,
        _ if facts.class != ContactClass::Conversational => facts.class,
        MessageKind::AutoReply if now - facts.created_at > ANSWERS_A_FORM_AT_ONCE => ContactClass::Informational,
        _ if facts.sending.hold_replies_at_night || now - facts.created_at > ANSWERS_AT_ONCE => {
            ContactClass::Informational
        }
        _ => ContactClass::Conversational,
    }
}

pub(super) fn check_contact_hours(
    facts: &SendContext<'_>,
    now: DateTime<Utc>,
    evidence: &mut SendEvidence,
) -> SendVerdict {
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
                ContactWindow::Closed { opens, .. } => SendVerdict::HoldMessage { until: opens, why },
                ContactWindow::Open { .. } => SendVerdict::HoldMessage { until, why },
            }
        }
        ContactWindow::Open { until } => SendVerdict::Yes { until },
        ContactWindow::Closed { opens, why } => SendVerdict::HoldMessage { until: opens, why },
    }
}
