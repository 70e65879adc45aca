//! One conversation in order of time: messages, calls and forms, and whether a reply can be sent.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::inbox::{self, ConversationSummary};
use crate::{
    domain::{
        intake::{
            contact_point,
            customer::{self, CustomerErasureStatus},
        },
        messaging::message::{MessageView, outlook, sms_link},
        tenancy::org::{OrgProfile, SendChannels},
    },
    platform::{
        db::AsConn,
        error::{Error, Result},
        id::{CustomerId, OrgId},
    },
};

mod conversation_item;
mod customer_card;
mod reply_permission;

pub use conversation_item::{ConversationItem, MessagePicture, TimelineCall};
pub use customer_card::{CustomerCard, LeadLine, OtherNumber};
pub use reply_permission::ReplyPermission;

/// The conversation of the business with one customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    pub customer: CustomerCard,
    pub thread: Option<ConversationSummary>,
    /// Oldest first; at most the newest 200 before `before`.
    pub items: Vec<ConversationItem>,
    pub can_text: ReplyPermission,
    pub can_email: ReplyPermission,
    /// Null while no erasure of the customer waits and none was done.
    pub erasure: Option<CustomerErasureStatus>,
}

/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn load_conversation(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (before, now): (Option<DateTime<Utc>>, DateTime<Utc>),
    set_up: SendChannels,
    profile: &OrgProfile,
) -> Result<Conversation> {
    // An older link may name a merged record.
    let customer = customer::resolve_merged(&mut *conn, org, customer).await?;
    let to = contact_point::load_customer_recipient(&mut *conn, org, customer).await?;
    let card = customer_card::load_customer_card(&mut *conn, org, customer, &to, now).await?;
    let thread = match inbox::get_conversation_summary(&mut *conn, org, customer).await {
        Ok(thread) => Some(thread),
        Err(Error::NotFound) => None,
        Err(e) => return Err(e),
    };
    let mut items = conversation_item::list_newest_items(&mut *conn, org, customer, before).await?;
    let mut messages: Vec<&mut MessageView> = items.iter_mut().filter_map(ConversationItem::message_mut).collect();
    for message in &mut messages {
        message.hide_resend_until_setup(set_up);
    }
    sms_link::clear_obsolete_links(&mut *conn, org, &mut messages, now).await?;
    outlook::mark_stalled_messages(conn, messages, now).await?;
    Ok(Conversation {
        can_text: reply_permission::can_send_text(&card, &to, set_up, profile),
        can_email: reply_permission::can_send_email(&to, set_up),
        customer: card,
        thread,
        items,
        // Known to a higher layer, which adds it.
        erasure: None,
    })
}
