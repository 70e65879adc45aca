//! Messages: one SMS or email each. The row is authoritative; the task that carries it is only a wake-up.
//!
//! `queued → sending → sent → delivered`, or `filed` (saved as a file because email is not set up), `held`, `not_sent`
//! (a rule stopped it), `failed` (the provider refused it), `unknown` (it may have been accepted: never repeated on its
//! own).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::intake::lead,
    platform::{
        clock::ClockRng,
        db::Tx,
        error::Result,
        id::{LeadId, MessageId, OrgId},
        live::{self, Topic},
    },
};

pub(crate) mod access_listener;
mod automatic_answer;
mod cancel;
pub mod cost;
pub mod delivery;
pub(crate) mod document_send;
mod draft;
pub mod email_attachment;
mod email_fallback;
mod kind;
pub mod link_copies;
pub mod outlook;
mod planned_message;
pub mod provider_pause;
pub mod provider_trouble;
mod queue;
pub mod reconcile;
mod refusal;
mod resend;
pub mod send;
pub mod send_budget;
pub mod send_forecast;
pub mod send_policy;
pub mod send_rate;
pub(crate) mod send_readiness;
mod sms_health;
pub mod sms_link;
pub mod subject;
pub mod sweep;
pub mod test_send;
pub mod view;

pub use crate::platform::message_channel::MessageChannel;
pub(crate) use automatic_answer::list_automatic_answers;
pub use cancel::{cancel_auto_replies, cancel_automatic_messages, cancel_nudges, cancel_texts_to_address};
pub(crate) use document_send::{
    LastDocumentSend, REMINDER_KEY_PREFIX, find_unsent_document_text, is_manual_reminder, is_withdrawn,
    link_own_phone_text, load_last_document_send, replace_waiting_messages, replace_waiting_reminders,
    why_document_waits, why_unsent,
};
pub use draft::{MessageDraft, NewMessage};
pub use kind::MessageKind;
pub use outlook::{OutlookState, SendOutlook, load_outlook, planned_message_outlook};
pub use planned_message::PlannedMessage;
pub use queue::queue_messages;
pub use resend::{ResendCheck, ResendPermission, cancel_message, cancel_unsent, check_resend, retry_message};
pub use send::ClaimedMessage;
pub use send_budget::{budget_day, count_budget_refusals, load_budget_usage};
pub use send_rate::{list_delayed_orgs, replies_delayed_until};
pub use sms_link::{OwnPhoneText, why_texts_blocked};
pub use subject::{MessageSubject, ResendObstacle};
pub use view::{
    MessageView, get_message, list_messages_of_customer, list_messages_of_lead, list_messages_with_shared_notices,
    status_text,
};

pub(crate) use cancel::{cancel_all_about, cancel_automatic_about, cancel_by_event, cancel_form_answers};
pub(crate) use queue::{build_message_rows, build_send_tasks, store_queued};
pub(crate) use send::ALREADY_BOOKED;
pub(crate) use send_budget::REFUSED_TEXTS_PATH;
pub(crate) use send_policy::KPI_REPORTING_OFF;
pub(crate) use sms_link::load_own_phone_text;
pub(crate) use test_send::check_deliverable;

use cancel::cancel_all_waiting;
use queue::{build_repeat_task, build_send_task};

/// To us, or from us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MessageDirection {
    In,
    Out,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    Queued,
    Sending,
    Sent,
    Delivered,
    Filed,
    Held,
    NotSent,
    Failed,
    Unknown,
    /// It came to us.
    Received,
}

impl MessageStatus {
    /// Whether a person may resend it. A filed message waits for email to be set up.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown | Self::NotSent | Self::Filed)
    }

    #[must_use]
    pub fn needs_attention(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown)
    }
}

/// After a message changed: updates the lead's attention mark and notifies browsers.
async fn refresh_after_change(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: Option<LeadId>,
    id: MessageId,
) -> Result<()> {
    if let Some(lead) = lead {
        lead::refresh_attention(&mut *tx, org, lead).await?;
    }
    live::publish_event(tx, origin, org, Topic::Message, id.0, lead.map(|lead| lead.0)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_retryable_only_in_failed_unsent_filed_or_unknown_state() {
        use MessageStatus::{Delivered, Failed, Filed, Held, NotSent, Queued, Received, Sending, Sent, Unknown};
        for status in [Queued, Sending, Sent, Delivered, Filed, Held, NotSent, Failed, Unknown, Received] {
            let is_lost = matches!(status, Failed | Unknown | NotSent | Filed);
            assert_eq!(status.is_retryable(), is_lost, "{status:?}");
        }
    }
}
