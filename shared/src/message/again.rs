//! What a person decides about one message: it goes again, or it does not go.

use super::{Kind, MessageView, get, settled, wakeup};
use crate::{
    clock::Origin,
    db::{Tx, q},
    error::{Error, Result},
    id::{MessageId, OrgId},
    review, tasks,
};

/// Sends a message again because a person says so: the only way out of `unknown` that may repeat a text.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is not one that may be repeated.
pub async fn retry(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId) -> Result<MessageView> {
    let before = get(&mut *tx, org, id).await?;
    let now = origin.now();
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = NULL, fence = fence + 1, next_attempt_at = $3, deadline_at = $4,
             sent_at = NULL, delivered_at = NULL
         WHERE org_id = $1 AND id = $2 AND status IN ('failed', 'unknown', 'not_sent')",
        org,
        id,
        now,
        now + before.kind.worth_sending_for(before.channel)
    )?;
    if changed == 0 {
        return Err(Error::Conflict("This message has already been sent or is on its way."));
    }
    // What it promised it promises when it arrives: an hour from then, not from when it was lost.
    q!(&mut *tx, execute, "DELETE FROM promise WHERE org_id = $1 AND message_id = $2", org, id)?;
    tasks::enqueue(tx, origin, vec![wakeup(org, id, now, &format!("person:{}", origin.uuid()))]).await?;
    settled(tx, origin, org, before.lead_id, id).await?;
    get(tx, org, id).await
}

/// Takes back a message that has not left yet.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it has left or is leaving.
pub async fn cancel(tx: &mut Tx, origin: &Origin, org: OrgId, id: MessageId, who: &str) -> Result<MessageView> {
    let before = get(&mut *tx, org, id).await?;
    let why = format!("cancelled by {who}");
    let sql = "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND direction = 'out' AND status IN ('queued', 'held')";
    if q!(&mut *tx, execute, sql, org, id, why)? == 0 {
        return Err(Error::Conflict("This message has already left or is leaving right now."));
    }
    settled(tx, origin, org, before.lead_id, id).await?;
    if before.kind == Kind::ReviewRequest {
        review::sequence::cancelled(&mut *tx, origin, org, id).await?;
    }
    get(tx, org, id).await
}
