//! A message: one SMS or email. Its row is the truth; the task that carries it is only a wake-up.
//!
//! `queued → sending → sent → delivered`, or `filed` (stands as a file because email is not set up), `held`,
//! `not_sent` (a rule stopped it), `failed` (the provider refused it), `unknown` (it may have been accepted: never
//! repeated on its own).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    id::{LeadId, MessageId, OrgId},
    live::{self, Topic},
};

pub mod account;
pub mod attached;
mod cancel;
pub mod cost;
pub mod delivery;
mod draft;
mod email_fallback;
pub mod foresee;
mod kind;
pub mod link_copies;
pub mod outlook;
pub(crate) mod paper;
mod queue;
pub mod reconcile;
mod refusal;
mod resend;
pub mod send;
pub mod send_budget;
pub mod send_policy;
pub mod send_rate;
mod sms_health;
pub mod sms_link;
pub mod sweep;
pub mod view;

pub use cancel::{stop_all_to, stop_answers, stop_nudges, stop_rules};
pub use draft::{Draft, NewMessage};
pub use kind::Kind;
pub use queue::queue;
pub use resend::{Again, AgainMay, cancel, drop_unsent, look_again, retry};
pub use view::{MessageView, get, of_customer, of_lead, status_text};

pub(crate) use cancel::{drop_waiting, stop_about, stop_ended, stop_of_event};
pub(crate) use queue::{rows, store, wakeups};

use queue::wakeup;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageChannel)]
pub enum Channel {
    Sms,
    Email,
}

/// To us, or from us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageDirection)]
pub enum Direction {
    In,
    Out,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageStatus)]
pub enum Status {
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

impl Status {
    /// Whether a person may have it sent again. What stands as a file waits for email to be set up.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown | Self::NotSent | Self::Filed)
    }

    /// Whether somebody in the business should look at it.
    #[must_use]
    pub fn needs_attention(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown)
    }
}

/// After a message changed: the lead's mark is made true again, and browsers are told.
async fn settled(tx: &mut Tx, origin: &Origin, org: OrgId, lead: Option<LeadId>, id: MessageId) -> Result<()> {
    if let Some(lead) = lead {
        q!(
            &mut *tx,
            execute,
            "UPDATE lead SET needs_attention = EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1 AND m.lead_id = $2
                 AND m.status IN ('failed', 'unknown'))
             WHERE org_id = $1 AND id = $2 AND needs_attention <> EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1
                 AND m.lead_id = $2 AND m.status IN ('failed', 'unknown'))",
            org,
            lead
        )?;
    }
    live::announce(tx, origin, org, Topic::Message, id.0, lead.map(|lead| lead.0)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_surely_not_on_its_way_may_be_repeated_by_hand() {
        use Status::{Delivered, Failed, Filed, Held, NotSent, Queued, Received, Sending, Sent, Unknown};
        for status in [Queued, Sending, Sent, Delivered, Filed, Held, NotSent, Failed, Unknown, Received] {
            let is_lost = matches!(status, Failed | Unknown | NotSent | Filed);
            assert_eq!(status.is_retryable(), is_lost, "{status:?}");
        }
    }
}
