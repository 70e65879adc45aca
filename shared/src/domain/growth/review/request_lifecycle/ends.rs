//! Ends of asks, each in the transaction of its cause: reopened work, an opt-out, an answer, a complaint.

use super::{end_customer_requests, end_requests, list_open_requests};
use crate::{
    domain::growth::review::{rule::ReviewRequestReason, sequence},
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, EventId, JobId, LeadId, OrgId, ReviewRequestId},
        live::{self, Topic},
    },
};

pub(super) async fn on_job_reverted(tx: &mut Tx, origin: &ClockRng, org: OrgId, job: JobId, by: EventId) -> Result<()> {
    let sql = "SELECT id FROM review_request WHERE org_id = $1 AND job_id = $2 AND state IN ('waiting', 'asked')";
    let ids = q!(&mut *tx, fetch_all scalar ReviewRequestId, sql, org, job)?;
    end_requests(tx, origin, org, ids, ReviewRequestReason::Reverted, Some(by)).await
}

/// After an undo: the ask that the change made ends, and those that it ended go on.
pub(super) async fn on_event_undone(tx: &mut Tx, origin: &ClockRng, org: OrgId, event: EventId) -> Result<()> {
    let sql = "SELECT id FROM review_request WHERE org_id = $1 AND event_id = $2 AND state IN ('waiting', 'asked')";
    let made = q!(&mut *tx, fetch_all scalar ReviewRequestId, sql, org, event)?;
    end_requests(&mut *tx, origin, org, made, ReviewRequestReason::Reverted, None).await?;
    let again = q!(
        &mut *tx,
        fetch_all as (ReviewRequestId, LeadId),
        "UPDATE review_request SET state = CASE WHEN asked_at IS NULL THEN 'waiting' ELSE 'asked' END, why = NULL,
             detail = NULL, ended_by = NULL
         WHERE org_id = $1 AND ended_by = $2 AND state IN ('not_asked', 'stopped') RETURNING id, lead_id",
        org,
        event
    )?;
    for (id, lead) in again {
        live::publish_event(&mut *tx, origin, org, Topic::ReviewRequest, id.0, Some(lead.0)).await?;
    }
    Ok(())
}

/// A text opt-out ends review requests on every channel.
pub(super) async fn on_number_opted_out(tx: &mut Tx, origin: &ClockRng, org: OrgId, number: &str) -> Result<()> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
    match q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, number)? {
        Some(customer) => end_customer_requests(tx, origin, org, customer, ReviewRequestReason::OptedOut).await,
        None => Ok(()),
    }
}

/// A message from the customer after the request ends the sequence.
pub(super) async fn on_customer_replied(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
) -> Result<()> {
    let asked = list_open_requests(&mut *tx, org, customer).await?.into_iter().filter(|ask| ask.asked_at.is_some());
    let ids: Vec<ReviewRequestId> = asked.map(|ask| ask.id).collect();
    end_requests(tx, origin, org, ids, ReviewRequestReason::Replied, None).await
}

/// Ends open asks if the changed record has a reason against asking.
pub(crate) async fn on_customer_changed(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
) -> Result<()> {
    let person = sequence::load_restrictions(&mut *tx, org, customer).await?;
    match person.never_ask_reason() {
        Some(why) => end_customer_requests(tx, origin, org, customer, why).await,
        None => Ok(()),
    }
}

/// Of two sequences the one that has come further goes on.
pub(crate) async fn on_customers_merged(tx: &mut Tx, origin: &ClockRng, org: OrgId, kept: CustomerId) -> Result<()> {
    let mut both = list_open_requests(&mut *tx, org, kept).await?;
    both.sort_by_key(|ask| (ask.asked_at.is_none(), ask.asked_at, ask.created_at));
    let rest: Vec<ReviewRequestId> = both.into_iter().skip(1).map(|ask| ask.id).collect();
    end_requests(&mut *tx, origin, org, rest, ReviewRequestReason::Merged, None).await?;
    on_customer_changed(tx, origin, org, kept).await
}

/// The same for the customer of a lead, for example when an invoice is disputed.
pub(super) async fn on_lead_changed(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    match q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, lead)? {
        Some(customer) => on_customer_changed(tx, origin, org, customer).await,
        None => Ok(()),
    }
}
