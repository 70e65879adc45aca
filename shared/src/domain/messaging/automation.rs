//! Automation rules: one function per event, pure, from facts to decisions. Each decision, to send or not, leaves a row
//! with the rule and what it saw: the source of "why was this sent" and "why not". The send policy is checked again at
//! send time (`message::send_policy::may_send`).

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::{
    documents::template::Language,
    domain::{
        intake::{customer::UnknownContacts, lead::NewLead},
        messaging::{
            alert::ScheduledAlert,
            message::{self, MessageChannel},
        },
        tenancy::org::OrgProfile,
    },
    platform::{
        id::{CustomerId, LeadId, TouchId},
        public_url::PublicUrl,
    },
};

pub mod answer_time;
pub mod emergency;
pub mod holdout;
pub mod message_wording;
pub mod owner_history;
pub mod phone;
mod record;
mod request;
pub(crate) mod thank_you_text;
pub mod wording_preview;

pub use crate::domain::messaging::message::MessageDraft;
pub use holdout::{HELD_OUT, HoldoutGroup, MeasuredRule, active_test_group};
pub(crate) use holdout::{find_lead_phone, record_test_group};
pub use owner_history::OwnerNotificationHistory;
pub use record::{DecisionView, apply_decisions, list_decisions_of_lead};
pub(crate) use record::{build_decision_rows, draft_to_new_message};
pub use request::{decide_lead_created, decide_lead_touched};

use request::{decide_already_notified, decide_owner_notifications};

#[derive(Clone, Copy, Debug)]
pub struct RuleContext<'a> {
    pub profile: &'a OrgProfile,
    pub public_url: &'a PublicUrl,
    pub lead: LeadId,
    pub customer: CustomerId,
    pub touch: TouchId,
    pub new: &'a NewLead,
    /// Name shown to the business: that of the known customer, with a different name typed into the form.
    pub told_as: &'a str,
    /// Contact details in the request that are not on file for the customer.
    pub unknown: UnknownContacts,
    pub photo_count: usize,
    /// Language of the answer: as in earlier messages, else as the request is written.
    pub language: Language,
    pub now: DateTime<Utc>,
    pub quarantine_reason: Option<&'static str>,
    /// Why no text can be sent although a person may text them; none when texts can be sent.
    pub by_hand: Option<&'static str>,
    /// Earliest time at which the business could learn of it; none when every channel is off, and no time is promised.
    pub told_from: Option<DateTime<Utc>>,
    /// Page with the next free times for this request; none where no times are offered.
    pub times_url: Option<&'a str>,
}

/// A text that the rules could not send, offered for a personal phone.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ManualText {
    why: &'static str,
    link: String,
}

impl ManualText {
    fn from_decisions(facts: &RuleContext<'_>, decisions: &[RuleDecision]) -> Option<Self> {
        let why = facts.by_hand?;
        let text =
            decisions.iter().filter_map(|decision| decision.message.as_ref()).find(|draft| draft.to.is_phone())?;
        Some(Self { why, link: message::sms_link::build_sms_link(text.to.as_str(), &text.body) })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct RuleDecision {
    pub rule: &'static str,
    pub channel: Option<MessageChannel>,
    pub reason: String,
    /// Facts the rule saw, without personal data.
    pub evidence: Value,
    pub message: Option<MessageDraft>,
    pub alert: Option<ScheduledAlert>,
}

#[must_use]
pub fn decide_send(
    rule: &'static str,
    channel: MessageChannel,
    why: &str,
    evidence: Value,
    draft: MessageDraft,
) -> RuleDecision {
    RuleDecision { rule, channel: Some(channel), reason: why.to_owned(), evidence, message: Some(draft), alert: None }
}

#[must_use]
pub fn decide_skip(rule: &'static str, channel: MessageChannel, why: &str, evidence: Value) -> RuleDecision {
    RuleDecision { rule, channel: Some(channel), reason: why.to_owned(), evidence, message: None, alert: None }
}

/// All rules by event. Must match the table in docs/rules.md; a story test compares both with what happens.
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
