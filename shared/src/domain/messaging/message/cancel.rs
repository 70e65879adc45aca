//! Stopping what still waits: somebody said STOP, wrote back, talks to them, or the reason is gone.

use uuid::Uuid;

use super::{Kind, settled};
use crate::{
    domain::{
        growth::review,
        messaging::{alert, followup},
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, EventId, LeadId, MessageId, OrgId},
    },
};

/// Stops what rules still wanted to write to this customer by itself: somebody is talking to them now.
pub async fn stop_rules(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, why: &str) -> Result<()> {
    stop_answers(&mut *tx, origin, org, customer, why).await?;
    followup::stop_talk(tx, origin, org, customer, why).await
}

/// Stops what rules still wanted to answer to this customer's last word. What is asked about papers goes on.
pub async fn stop_answers(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, why: &str) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('queued', 'held')
             AND kind IN ('nudge', 'missed_call', 'text_reply')
         RETURNING id, lead_id",
        org,
        customer,
        why
    )?;
    all_settled(tx, origin, org, stopped).await
}

/// Stops the reminder of a customer who has written back.
pub async fn stop_nudges(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = 'they wrote back', fence = fence + 1
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('queued', 'held') AND kind = 'nudge'
         RETURNING id, lead_id",
        org,
        customer
    )?;
    all_settled(tx, origin, org, stopped).await
}

/// Stops everything that still waits to be texted to `address`, whoever wrote it: they said STOP. Nor are they asked for
/// a review any more, by no way.
pub async fn stop_all_to(tx: &mut Tx, origin: &Origin, org: OrgId, address: &str, why: &str) -> Result<()> {
    review::ask::number_opted_out(&mut *tx, origin, org, address).await?;
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND to_address = $2 AND channel = 'sms' AND direction = 'out' AND status IN ('queued', 'held')
         RETURNING id, lead_id",
        org,
        address,
        why
    )?;
    alert::not_to_be_texted(tx, origin, org, address).await?;
    all_settled(tx, origin, org, stopped).await
}

/// Stops everything of a business that still waits to leave, but mails about its accounts.
pub(crate) async fn drop_waiting(tx: &mut Tx, org: OrgId, why: &str) -> Result<()> {
    let sql = "UPDATE message SET status = 'not_sent', reason = $2, fence = fence + 1
         WHERE org_id = $1 AND direction = 'out' AND status IN ('queued', 'held') AND kind <> 'account_notice'";
    q!(tx, execute, sql, org, why)?;
    Ok(())
}

/// Stops what rules still wanted to say about a thing at its hour; what a person sent, and what confirms a deed, goes.
pub(crate) async fn stop_about(tx: &mut Tx, origin: &Origin, org: OrgId, about: Uuid, why: &str) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all as (MessageId, Kind),
        "SELECT id, kind FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')
             AND direction = 'out'",
        org,
        about
    )?;
    let stopped = waiting.into_iter().filter(|(_, kind)| kind.has_its_hour()).map(|(id, _)| id).collect();
    stop_each(tx, origin, org, stopped, why).await
}

/// Stops all that still waits about a thing that has ended, by rule or by person: it was paid, or answered. Confirmations
/// leave.
pub(crate) async fn stop_ended(tx: &mut Tx, origin: &Origin, org: OrgId, about: Uuid, why: &str) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT id FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')
             AND direction = 'out' AND kind NOT IN ('receipt', 'signed')",
        org,
        about
    )?;
    stop_each(tx, origin, org, waiting, why).await
}

/// Stops what follows from a change that was taken back.
pub(crate) async fn stop_of_event(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId, why: &str) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT id FROM message WHERE org_id = $1 AND event_id = $2 AND status IN ('queued', 'held')",
        org,
        event
    )?;
    stop_each(tx, origin, org, waiting, why).await
}

async fn stop_each(tx: &mut Tx, origin: &Origin, org: OrgId, waiting: Vec<MessageId>, why: &str) -> Result<()> {
    for id in waiting {
        let stopped = q!(
            &mut *tx,
            fetch_all as (MessageId, Option<LeadId>),
            "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
             WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') RETURNING id, lead_id",
            org,
            id,
            why
        )?;
        all_settled(tx, origin, org, stopped).await?;
    }
    Ok(())
}

/// After messages changed together: see [`settled`].
async fn all_settled(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    stopped: Vec<(MessageId, Option<LeadId>)>,
) -> Result<()> {
    for (id, lead) in stopped {
        settled(tx, origin, org, lead, id).await?;
    }
    Ok(())
}
