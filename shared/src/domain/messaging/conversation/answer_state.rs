//! Whether a conversation waits for an answer, is read, or is snoozed, and what puts it back.

use chrono::{DateTime, Utc};

use crate::{
    domain::intake::customer,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
        live::{self, Topic},
    },
};

pub(crate) async fn is_awaiting_reply(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<bool> {
    Ok(find_awaiting_since(conn, org, customer).await?.is_some())
}

/// Since when the customer's last text or call waits for an answer. None where nobody waits, as in a closed conversation.
pub(crate) async fn find_awaiting_since(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT last_in_at FROM conversation WHERE org_id = $1 AND customer_id = $2 AND last_in_at IS NOT NULL
         AND NOT is_closed AND (last_by_person_at IS NULL OR last_by_person_at < last_in_at)
         AND (settled_at IS NULL OR settled_at < last_in_at)";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org, customer)?)
}

/// The last message was handled automatically and confirmed: no answer is due, and it is read.
pub(crate) async fn mark_answered(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql =
        "UPDATE conversation SET settled_at = last_in_at, unread = CASE WHEN unread > 0 THEN unread - 1 ELSE 0 END
         WHERE org_id = $1 AND customer_id = $2";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}

/// After a keyword such as STOP, which asks for nothing: nobody waits because of it who did not wait before, and who
/// waited before ([`find_awaiting_since`]) waits since then.
pub(crate) async fn settle_keyword(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    waited_since: Option<DateTime<Utc>>,
) -> Result<()> {
    let sql = "UPDATE conversation SET last_in_at = COALESCE($3, last_in_at),
             settled_at = CASE WHEN CAST($3 AS TIMESTAMPTZ) IS NULL THEN last_in_at ELSE settled_at END
         WHERE org_id = $1 AND customer_id = $2";
    q!(tx, execute, sql, org, customer, waited_since)?;
    Ok(())
}

/// A person says that the customer is answered, or wants no answer. Everything is read.
pub(crate) async fn settle_by_person(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "UPDATE conversation SET settled_at = last_in_at, unread = 0
         WHERE org_id = $1 AND customer_id = $2 AND (last_in_at IS NOT NULL OR unread > 0)";
    if q!(&mut *tx, execute, sql, org, customer)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

/// What the undo of a mark puts back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct ConversationAnswerState {
    pub settled_at: Option<DateTime<Utc>>,
    pub unread: i64,
    pub snoozed_until: Option<DateTime<Utc>>,
}

/// None without a conversation.
pub(crate) async fn find_answer_state(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Option<ConversationAnswerState>> {
    let sql = "SELECT settled_at, unread, snoozed_until FROM conversation WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_optional as ConversationAnswerState, sql, org, customer)?)
}

/// Takes back [`settle_by_person`], unless somebody has settled the conversation again since. Without a text or a call
/// there is no time of the settlement: then only what is unread comes back.
pub(crate) async fn restore_answer_state(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    settled_to: Option<DateTime<Utc>>,
    (settled_at, unread): (Option<DateTime<Utc>>, i64),
) -> Result<()> {
    let sql = "UPDATE conversation SET settled_at = $4, unread = $5
         WHERE org_id = $1 AND customer_id = $2
             AND (settled_at = $3 OR (CAST($3 AS TIMESTAMPTZ) IS NULL AND settled_at IS NULL AND unread = 0))";
    if q!(&mut *tx, execute, sql, org, customer, settled_to, settled_at, unread)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

/// Out of sight until then, or until they write; None wakes it up.
pub(crate) async fn set_snooze(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    until: Option<DateTime<Utc>>,
) -> Result<()> {
    let sql = "UPDATE conversation SET snoozed_until = $3 WHERE org_id = $1 AND customer_id = $2";
    if q!(&mut *tx, execute, sql, org, customer, until)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

/// A request that is stored with no event of its own ends the snooze, as a text, call or form does.
pub(crate) async fn end_snooze(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "UPDATE conversation SET snoozed_until = NULL
         WHERE org_id = $1 AND customer_id = $2 AND snoozed_until IS NOT NULL";
    if q!(&mut *tx, execute, sql, org, customer)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}

pub async fn mark_read(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let sql = "UPDATE conversation SET unread = 0 WHERE org_id = $1 AND customer_id = $2 AND unread > 0";
    if q!(&mut *tx, execute, sql, org, customer)? > 0 {
        live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
    }
    Ok(())
}
