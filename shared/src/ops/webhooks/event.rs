//! Events for other programs, and their origin in the business's own timeline.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        messaging::inbound::MessageReceived,
        tenancy::activity_log::{ActivityRecorded, EventKind},
    },
    platform::id::{JobId, LeadId},
};

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $text:tt,)*) => {
        /// Something that happened. Add, never rename: other programs are written against these words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
                pub enum WebhookEvent {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl WebhookEvent {
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// As stored and documented: `lead.created`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

events! {
    /// A request came in that is not held, or a held one was released.
    LeadCreated = "lead.created",
    LeadStageChanged = "lead.stage_changed",
    /// A customer wrote.
    MessageReceived = "message.received",
    EstimateSent = "estimate.sent",
    EstimateApproved = "estimate.approved",
    EstimateDeclined = "estimate.declined",
    JobCreated = "job.created",
    /// When it is done, or by whom, is set or has changed.
    JobScheduled = "job.scheduled",
    JobCompleted = "job.completed",
    JobCancelled = "job.cancelled",
    InvoiceSent = "invoice.sent",
    InvoiceVoided = "invoice.voided",
    PaymentRecorded = "payment.recorded",
    /// It was undone or refunded.
    PaymentReversed = "payment.reversed",
    ReviewReceived = "review.received",
}

/// Event of "Send a test"; it cannot be subscribed to.
pub(super) const TEST_EVENT: &str = "test";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookTrigger {
    pub event: WebhookEvent,
    pub lead: Option<LeadId>,
    pub job: Option<JobId>,
    /// Id of the estimate, invoice, payment, review or message.
    pub subject: Option<Uuid>,
}

impl WebhookEvent {
    /// None for kinds without a webhook event.
    #[must_use]
    pub fn from_activity(kind: EventKind) -> Option<Self> {
        Some(match kind {
            EventKind::StageChanged => Self::LeadStageChanged,
            EventKind::EstimateSent => Self::EstimateSent,
            EventKind::EstimateApproved => Self::EstimateApproved,
            EventKind::EstimateDeclined => Self::EstimateDeclined,
            EventKind::JobCreated => Self::JobCreated,
            EventKind::JobScheduled
            | EventKind::JobMoved
            | EventKind::JobUnscheduled
            | EventKind::JobAssigned
            | EventKind::Booked
            | EventKind::MovedByCustomer
            | EventKind::Reopened
            | EventKind::Restored => Self::JobScheduled,
            EventKind::Completed => Self::JobCompleted,
            EventKind::Cancelled | EventKind::CancelledByCustomer => Self::JobCancelled,
            EventKind::InvoiceSent => Self::InvoiceSent,
            EventKind::InvoiceVoided => Self::InvoiceVoided,
            EventKind::PaymentRecorded => Self::PaymentRecorded,
            EventKind::PaymentUndone | EventKind::Refunded => Self::PaymentReversed,
            EventKind::ReviewReceived => Self::ReviewReceived,
            _ => return None,
        })
    }

    /// Name of its subject in the body; none when the lead or the job says it all.
    #[must_use]
    pub(super) fn subject_field(self) -> Option<&'static str> {
        Some(match self {
            Self::LeadCreated
            | Self::LeadStageChanged
            | Self::JobCreated
            | Self::JobScheduled
            | Self::JobCompleted
            | Self::JobCancelled => return None,
            Self::MessageReceived => "messageId",
            Self::EstimateSent | Self::EstimateApproved | Self::EstimateDeclined => "estimateId",
            Self::InvoiceSent | Self::InvoiceVoided => "invoiceId",
            Self::PaymentRecorded | Self::PaymentReversed => "paymentId",
            Self::ReviewReceived => "reviewId",
        })
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }
}

impl WebhookTrigger {
    #[must_use]
    pub fn from_activity(new: &ActivityRecorded) -> Option<Self> {
        let event = WebhookEvent::from_activity(new.kind)?;
        Some(Self { event, lead: Some(new.lead), job: new.job, subject: new.subject })
    }

    #[must_use]
    pub fn message_received(new: &MessageReceived) -> Self {
        Self { event: WebhookEvent::MessageReceived, lead: new.lead, job: None, subject: Some(new.message.0) }
    }

    #[must_use]
    pub fn lead_created(lead: LeadId) -> Self {
        Self { event: WebhookEvent::LeadCreated, lead: Some(lead), job: None, subject: None }
    }
}

/// Parses the stored form. Events unknown to this version are ignored.
#[must_use]
pub(super) fn parse_events(stored: &str) -> Vec<WebhookEvent> {
    stored.split(' ').filter_map(WebhookEvent::from_name).collect()
}

/// In the order of the list, each once.
#[must_use]
pub(super) fn format_events(events: &[WebhookEvent]) -> String {
    let names: Vec<&str> =
        WebhookEvent::ALL.iter().filter(|event| events.contains(event)).map(|event| event.name()).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_events_round_trip_and_unknown_event_is_skipped() {
        let given = [WebhookEvent::JobCompleted, WebhookEvent::LeadCreated, WebhookEvent::JobCompleted];
        assert_eq!(format_events(&given), "lead.created job.completed");
        assert_eq!(
            parse_events("lead.created job.completed moon.landed "),
            [WebhookEvent::LeadCreated, WebhookEvent::JobCompleted]
        );
        assert_eq!(parse_events(TEST_EVENT), []);
        assert_eq!(serde_json::to_string(&WebhookEvent::PaymentReversed).unwrap(), "\"payment.reversed\"");
    }

    #[test]
    fn event_names_are_unique_and_read_back() {
        for (i, one) in WebhookEvent::ALL.iter().enumerate() {
            assert!(WebhookEvent::ALL[i + 1..].iter().all(|other| other.name() != one.name()), "{}", one.name());
            assert_eq!(WebhookEvent::from_name(one.name()), Some(*one));
        }
    }
}
