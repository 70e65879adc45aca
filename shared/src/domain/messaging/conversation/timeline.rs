//! One conversation as a person reads it: messages, calls and forms in the order they came, and what may be said next.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::inbox::{self, Thread};
use crate::{
    domain::{
        intake::{contact_point, customer},
        messaging::message::{MessageView, outlook, send_policy::SetUp, sms_link},
        tenancy::org::Profile,
    },
    platform::{
        db::AsConn,
        error::{Error, Result},
        id::{CustomerId, OrgId},
    },
};

mod card;
mod item;
mod may_write;

pub use card::{CustomerCard, LeadLine, OtherNumber};
pub use item::{Call, Item, Picture};
pub use may_write::CanWrite;

/// Everything said between the business and one customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    pub customer: CustomerCard,
    pub thread: Option<Thread>,
    /// Oldest first; at most the newest 200 before `before`.
    pub items: Vec<Item>,
    pub can_text: CanWrite,
    pub can_email: CanWrite,
}

/// # Errors
/// [`Error::NotFound`] when the org has no such customer.
pub async fn load(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    (before, now): (Option<DateTime<Utc>>, DateTime<Utc>),
    set_up: SetUp,
    profile: &Profile,
) -> Result<Conversation> {
    // An older link may name a record that was merged into another.
    let customer = customer::standing_for(&mut *conn, org, customer).await?;
    let to = contact_point::of_customer(&mut *conn, org, customer).await?;
    let card = card::load(&mut *conn, org, customer, &to, now).await?;
    let thread = match inbox::get(&mut *conn, org, customer).await {
        Ok(thread) => Some(thread),
        Err(Error::NotFound) => None,
        Err(e) => return Err(e),
    };
    let mut items = item::newest(&mut *conn, org, customer, before).await?;
    let mut messages: Vec<&mut MessageView> = items.iter_mut().filter_map(Item::message).collect();
    for message in &mut messages {
        message.offer(set_up);
    }
    sms_link::note_ended(&mut *conn, org, &mut messages, now).await?;
    outlook::note_stalled(conn, messages, now).await?;
    Ok(Conversation {
        can_text: may_write::by_text(&card, &to, set_up, profile),
        can_email: may_write::by_email(&to, set_up),
        customer: card,
        thread,
        items,
    })
}
