//! What a provider reports later about a text it took: on its way, delivered, or not.
//!
//! Reports come late, twice, in any order, and before the answer to the request they are about. A report never moves a
//! message back; one that comes for a message in doubt is the evidence that it was accepted (trust requirements 1.1 and
//! 76). What cannot be matched yet is kept, and joined when the provider's number of the text is known.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{Kind, Status, refusal, settled};
use crate::{
    domain::{growth::review, messaging::response_sla},
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
    },
};

mod early;
mod rule;

pub(super) use early::tidy;

use early::{join, keep};
use rule::{About, Says, next, says};

/// One report of Twilio's status callback (twilio.com/docs/messaging/guides/track-outbound-message-status).
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Ours, if it stands in the address that Twilio called.
    pub message: Option<MessageId>,
    /// Twilio's own id of the text.
    pub provider_id: &'a str,
    /// `queued`, `sent`, `delivered`, `undelivered`, `failed`, …
    pub status: &'a str,
    pub code: Option<i32>,
    pub received_at: DateTime<Utc>,
}

/// The message of a report, and where it stands.
#[derive(Clone, Debug, FromRow)]
struct Known {
    org_id: OrgId,
    id: MessageId,
    kind: Kind,
    lead_id: Option<LeadId>,
    status: Status,
    attempts: i64,
    provider_id: Option<String>,
}

/// Takes a report in, in the open transaction. The same one again changes nothing.
pub async fn report(tx: &mut Tx, origin: &Origin, report: &Report<'_>) -> Result<()> {
    let Some(says) = says(report.status) else { return Ok(()) };
    match find(tx, report).await? {
        None => keep(tx, report).await,
        // While it is being sent its worker holds it, and will ask for what was kept.
        Some(message) if message.status == Status::Sending => note(tx, &message, report).await,
        Some(message) => apply(tx, origin, &message, says, report).await,
    }
}

/// Finds the message and holds its row, so that reports and the worker that records come one after the other.
async fn find(tx: &mut Tx, report: &Report<'_>) -> Result<Option<Known>> {
    if let Some(id) = report.message {
        let found = q!(
            &mut *tx,
            fetch_optional as Known,
            "UPDATE message SET fence = fence WHERE id = $1 AND channel = 'sms' AND direction = 'out'
             RETURNING org_id, id, kind, lead_id, status, attempts, provider_id",
            id
        )?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(q!(
        tx,
        fetch_optional as Known,
        "UPDATE message SET fence = fence WHERE provider_id = $1 AND channel = 'sms' AND direction = 'out'
         RETURNING org_id, id, kind, lead_id, status, attempts, provider_id",
        report.provider_id
    )?)
}

/// The report came before the answer. It is kept, and the message remembers that the provider has it: should the
/// answer never come, there is no doubt.
async fn note(tx: &mut Tx, message: &Known, report: &Report<'_>) -> Result<()> {
    if is_earlier(tx, message, report.provider_id).await? {
        return Ok(());
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET provider_id = $3 WHERE org_id = $1 AND id = $2 AND provider_id IS NULL",
        message.org_id,
        message.id,
        report.provider_id
    )?;
    keep(tx, report).await
}

/// Whether an attempt whose end is known bears this number of the provider's.
async fn is_earlier(tx: &mut Tx, message: &Known, provider_id: &str) -> Result<bool> {
    Ok(q!(
        tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND detail = $3)",
        message.org_id,
        message.id,
        provider_id
    )?)
}

async fn apply(tx: &mut Tx, origin: &Origin, message: &Known, says: Says, report: &Report<'_>) -> Result<()> {
    if message.attempts == 0 {
        return Ok(());
    }
    let about = if message.provider_id.as_deref() == Some(report.provider_id) {
        About::This
    } else if is_earlier(tx, message, report.provider_id).await? {
        About::Earlier
    } else {
        About::Unheard
    };
    let Some(then) = next(message.status, says, about) else { return Ok(()) };
    if about == About::Unheard {
        remember(tx, message.org_id, message.id, message.attempts, report.provider_id).await?;
    }
    move_on(tx, message, then, report).await?;
    if then == Status::Failed {
        return refusal::not_delivered(tx, origin, message.id, report.code).await;
    }
    gone_out(tx, origin, message).await
}

/// After it was learned that the provider has it.
async fn gone_out(tx: &mut Tx, origin: &Origin, message: &Known) -> Result<()> {
    if message.kind.may_promise() {
        response_sla::made(&mut *tx, origin, message.org_id, message.id).await?;
    }
    settled(&mut *tx, origin, message.org_id, message.lead_id, message.id).await?;
    if message.kind == Kind::ReviewRequest {
        review::sequence::left(tx, origin, message.org_id, message.id).await?;
    }
    Ok(())
}

async fn move_on(tx: &mut Tx, message: &Known, then: Status, report: &Report<'_>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = $3, reason = NULL, provider_id = $4, delivered_at = $5, doubt_since = NULL,
             fence = fence + 1, sent_at = COALESCE(sent_at, $6)
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        then,
        report.provider_id,
        (then == Status::Delivered).then_some(report.received_at),
        report.received_at
    )?;
    Ok(())
}

/// Writes the provider's number of an attempt into its row: what comes later about it is known again.
async fn remember(tx: &mut Tx, org: OrgId, id: MessageId, number: i64, provider_id: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message_attempt SET outcome = 'accepted', detail = $4
         WHERE org_id = $1 AND message_id = $2 AND number = $3",
        org,
        id,
        number,
        provider_id
    )?;
    Ok(())
}

/// The provider has the message under this number: from its answer, its list or its report. Joins what was reported
/// before that was known.
pub(super) async fn accepted(
    tx: &mut Tx,
    origin: &Origin,
    (org, id): (OrgId, MessageId),
    provider_id: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    let message = q!(
        &mut *tx,
        fetch_optional as Known,
        "UPDATE message SET status = 'sent', reason = NULL, provider_id = $3, sent_at = COALESCE(sent_at, $4),
             doubt_since = NULL, fence = fence + 1
         WHERE org_id = $1 AND id = $2 RETURNING org_id, id, kind, lead_id, status, attempts, provider_id",
        org,
        id,
        provider_id,
        at
    )?;
    let Some(message) = message else { return Ok(()) };
    remember(tx, org, id, message.attempts, provider_id).await?;
    gone_out(tx, origin, &message).await?;
    join(tx, origin, provider_id).await
}

/// What the provider reported of a message while it was being sent: its number there, if anything.
pub(super) async fn noted(tx: &mut Tx, org: OrgId, id: MessageId) -> Result<Option<String>> {
    let sql = "SELECT provider_id FROM message WHERE org_id = $1 AND id = $2 AND channel = 'sms'";
    Ok(q!(tx, fetch_optional scalar Option<String>, sql, org, id)?.flatten())
}
