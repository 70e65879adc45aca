//! Change of a conversation by the office: whose it is, snoozed, closed, and the flags of its customer.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    documents::template::Language,
    domain::intake::customer::{self, CustomerEvent, notify_customer_listeners},
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, Result},
        id::{AccountId, CustomerId, OrgId},
        live::{self, Topic},
    },
};

/// What is to change; what is absent stays, null takes away.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ThreadChange)]
pub struct ConversationPatch {
    /// Whose it is from now on.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub assigned_to: Option<Option<AccountId>>,
    /// Out of sight until then, or until they write.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    pub snoozed_until: Option<Option<DateTime<Utc>>>,
    pub is_closed: Option<bool>,
    /// No rule writes to a blocked customer.
    pub is_blocked: Option<bool>,
    /// Staff or a relative: no rule writes to them either.
    pub is_staff: Option<bool>,
    /// The language of the rules' words to them.
    #[serde(default, deserialize_with = "crate::platform::text::given")]
    #[schema(value_type = Option<Language>)]
    pub language: Option<Option<Language>>,
}

/// # Errors
/// [`Error::NotFound`] when the thread or the assignee does not exist.
pub async fn apply_patch(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    change: &ConversationPatch,
) -> Result<()> {
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    if let Some(Some(account)) = change.assigned_to {
        let sql = "SELECT EXISTS (SELECT 1 FROM account WHERE org_id = $1 AND id = $2 AND is_active)";
        if !q!(&mut *tx, fetch_one scalar bool, sql, org, account)? {
            return Err(Error::NotFound);
        }
    }
    ensure_conversation(tx, origin, org, customer).await?;
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE conversation SET assigned_account_id = CASE WHEN $3 THEN $4 ELSE assigned_account_id END,
             snoozed_until = CASE WHEN $5 THEN $6 ELSE snoozed_until END, is_closed = COALESCE($7, is_closed)
         WHERE org_id = $1 AND customer_id = $2",
        org,
        customer,
        change.assigned_to.is_some(),
        change.assigned_to.flatten(),
        change.snoozed_until.is_some(),
        change.snoozed_until.flatten(),
        change.is_closed
    )?;
    if changed == 0 {
        return Err(Error::NotFound);
    }
    let flags = (change.is_blocked, change.is_staff);
    let language = (change.language.is_some(), change.language.flatten());
    customer::store_flags(&mut *tx, org, customer, flags, language).await?;
    notify_customer_listeners(&mut *tx, origin, org, CustomerEvent::Changed(customer)).await?;
    live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await
}

/// Ensures that the thread exists: a customer of a list, or whose only form is held, has none.
async fn ensure_conversation(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO conversation (org_id, customer_id, lead_id, last_at, last_preview, last_kind, unread, is_closed)
         SELECT c.org_id, c.id, (SELECT l.id FROM lead l WHERE l.org_id = c.org_id AND l.customer_id = c.id
             ORDER BY l.created_at DESC LIMIT 1), $3, '', 'in', 0, FALSE
         FROM customer c WHERE c.org_id = $1 AND c.id = $2 ON CONFLICT (org_id, customer_id) DO NOTHING",
        org,
        customer,
        origin.now()
    )?;
    Ok(())
}
