//! The rule room: every "when X then Y" of the product, one function per event.
//!
//! A rule is a pure function from what it sees to decisions. Each decision, to send or not to send, leaves a row that
//! says which rule decided and what it saw: that is what "why was this sent" and "why not" show. Whether a message may
//! leave is asked again at send time, in `message::send_policy::may_send`.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::{
    documents::template::Language,
    domain::{
        intake::lead::{NewLead, customer::Unknown},
        messaging::{
            alert::Raised,
            message::{self, Channel},
        },
        tenancy::org::Profile,
    },
    platform::{
        id::{CustomerId, LeadId, TouchId},
        public_url::PublicUrl,
    },
};

pub mod answer_time;
pub mod emergency;
pub mod phone;
mod record;
mod request;
pub(crate) mod thanks;
pub mod told;
pub mod words;

pub use crate::domain::messaging::message::Draft;
pub use record::{DecisionView, carry_out, of_lead};
pub(crate) use record::{carry_out_with, stored};
pub use request::{lead_created, lead_touched};
pub use told::Told;

use request::{owner_notices, told_already};

/// What the rules look at.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    pub profile: &'a Profile,
    pub public_url: &'a PublicUrl,
    pub lead: LeadId,
    pub customer: CustomerId,
    pub touch: TouchId,
    pub new: &'a NewLead,
    /// How the business reads their name: a known customer's own, with what a form typed where that is another one.
    pub told_as: &'a str,
    /// What it names and is not on file for them.
    pub unknown: Unknown,
    pub photo_count: usize,
    /// What the person reads: as they were spoken to before, else as they write.
    pub language: Language,
    pub now: DateTime<Utc>,
    /// Why this request waits for a person, if it does.
    pub held: Option<&'static str>,
    /// Why no text can leave to them although a person may text them; none when texts leave.
    pub by_hand: Option<&'static str>,
    /// From when on somebody of the business could have been told of it; none when no way is on, and no time is promised.
    pub told_from: Option<DateTime<Utc>>,
}

/// A text that rules would have sent, for somebody's own phone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ByHand {
    why: &'static str,
    link: String,
}

impl ByHand {
    /// The text among these decisions, if it cannot leave.
    fn of(facts: &Facts<'_>, decisions: &[Decision]) -> Option<Self> {
        let why = facts.by_hand?;
        let text =
            decisions.iter().filter_map(|decision| decision.message.as_ref()).find(|m| m.channel == Channel::Sms)?;
        Some(Self { why, link: message::sms_link::link(&text.to, &text.body) })
    }
}

/// One outcome of a rule: a message to send, or none, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub rule: &'static str,
    pub channel: Option<Channel>,
    pub reason: String,
    /// What the rule saw, without personal data.
    pub saw: Value,
    pub message: Option<Draft>,
    /// What the devices of the business show.
    pub alert: Option<Raised>,
}

/// To be sent, and why.
#[must_use]
pub fn sends(rule: &'static str, channel: Channel, why: &str, saw: Value, draft: Draft) -> Decision {
    Decision { rule, channel: Some(channel), reason: why.to_owned(), saw, message: Some(draft), alert: None }
}

/// Not to be sent, and why.
#[must_use]
pub fn not_sent(rule: &'static str, channel: Channel, why: &str, saw: Value) -> Decision {
    Decision { rule, channel: Some(channel), reason: why.to_owned(), saw, message: None, alert: None }
}

/// Every rule by the event that asks it: the table in docs/automation-rules.md says the same, and a story compares both with
/// what happens.
pub const RULES: [(&str, &str); 37] = [
    ("lead_created", "auto_reply"),
    ("lead_created", "owner_notice"),
    ("lead_touched", "auto_reply"),
    ("lead_touched", "owner_notice"),
    ("lead_released", "auto_reply"),
    ("lead_released", "owner_notice"),
    ("call_missed", "missed_call_text"),
    ("call_missed", "missed_call_nudge"),
    ("call_missed", "owner_notice"),
    ("text_received", "text_reply"),
    ("text_received", "owner_notice"),
    ("alert_due", "owner_notice"),
    ("alert_unseen", "escalation"),
    ("estimate_sent", "estimate_delivery"),
    ("estimate_due", "estimate_follow_up"),
    ("estimate_approved", "signed_copy"),
    ("estimate_approved", "owner_notice"),
    ("change_order_sent", "change_order_delivery"),
    ("change_order_due", "change_order_follow_up"),
    ("change_order_approved", "signed_copy"),
    ("change_order_approved", "owner_notice"),
    ("payment_recorded", "receipt"),
    ("job_completed", "invoice_draft"),
    ("invoice_sent", "invoice_delivery"),
    ("invoice_due", "dunning"),
    ("payment_failed", "payment_failed_notice"),
    ("reminder_asked", "send_reminder"),
    ("job_scheduled", "visit_booked"),
    ("job_moved", "visit_moved"),
    ("job_cancelled", "visit_cancelled"),
    ("visit_due", "visit_reminder"),
    ("crew_on_the_way", "visit_on_the_way"),
    ("crew_late", "visit_late"),
    ("job_completed", "visit_done"),
    ("review_due", "review_request"),
    ("pulse_due", "kpi_pulse"),
    ("promise_near", "promise_warning"),
];

#[cfg(test)]
mod tests;
