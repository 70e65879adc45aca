//! What ends an ask, each in its own transaction: work that was not done after all, an opt-out, an answer, a complaint.

use super::{end_each, end_for, under_way};
use crate::{
    domain::growth::review::{rule::Why, sequence},
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, EventId, JobId, LeadId, OrgId, ReviewAskId},
        live::{self, Topic},
    },
};

/// The job is open again, or never was done.
pub(crate) async fn job_reverted(tx: &mut Tx, origin: &Origin, org: OrgId, job: JobId, by: EventId) -> Result<()> {
    let sql = "SELECT id FROM review_ask WHERE org_id = $1 AND job_id = $2 AND state IN ('waiting', 'asked')";
    let ids = q!(&mut *tx, fetch_all scalar ReviewAskId, sql, org, job)?;
    end_each(tx, origin, org, ids, Why::Reverted, Some(by)).await
}

/// A change was taken back: the ask that it made ends, and those that it ended go on.
pub(crate) async fn undone(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId) -> Result<()> {
    let sql = "SELECT id FROM review_ask WHERE org_id = $1 AND event_id = $2 AND state IN ('waiting', 'asked')";
    let made = q!(&mut *tx, fetch_all scalar ReviewAskId, sql, org, event)?;
    end_each(&mut *tx, origin, org, made, Why::Reverted, None).await?;
    let again = q!(
        &mut *tx,
        fetch_all as (ReviewAskId, LeadId),
        "UPDATE review_ask SET state = CASE WHEN asked_at IS NULL THEN 'waiting' ELSE 'asked' END, why = NULL,
             detail = NULL, ended_by = NULL
         WHERE org_id = $1 AND ended_by = $2 AND state IN ('not_asked', 'stopped') RETURNING id, lead_id",
        org,
        event
    )?;
    for (id, lead) in again {
        live::announce(&mut *tx, origin, org, Topic::ReviewAsk, id.0, Some(lead.0)).await?;
    }
    Ok(())
}

/// Somebody asked not to be texted at this number: nobody asks them for a review by any way.
pub(crate) async fn number_opted_out(tx: &mut Tx, origin: &Origin, org: OrgId, number: &str) -> Result<()> {
    let sql = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
    match q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, number)? {
        Some(customer) => end_for(tx, origin, org, customer, Why::OptedOut).await,
        None => Ok(()),
    }
}

/// They wrote to us after they were asked: people are talking.
pub(crate) async fn replied(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    let asked = under_way(&mut *tx, org, customer).await?.into_iter().filter(|ask| ask.asked_at.is_some());
    let ids: Vec<ReviewAskId> = asked.map(|ask| ask.id).collect();
    end_each(tx, origin, org, ids, Why::Replied, None).await
}

/// What is known of a customer changed: what speaks against asking them ends what is under way.
pub(crate) async fn person_changed(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId) -> Result<()> {
    let person = sequence::person(&mut *tx, org, customer).await?;
    match person.why_never() {
        Some(why) => end_for(tx, origin, org, customer, why).await,
        None => Ok(()),
    }
}

/// Two records became one: of two sequences the one that has come further goes on.
pub(crate) async fn merged(tx: &mut Tx, origin: &Origin, org: OrgId, kept: CustomerId) -> Result<()> {
    let mut both = under_way(&mut *tx, org, kept).await?;
    both.sort_by_key(|ask| (ask.asked_at.is_none(), ask.asked_at, ask.created_at));
    let rest: Vec<ReviewAskId> = both.into_iter().skip(1).map(|ask| ask.id).collect();
    end_each(&mut *tx, origin, org, rest, Why::Merged, None).await?;
    person_changed(tx, origin, org, kept).await
}

/// The same, of whoever a lead belongs to: an invoice of theirs is disputed.
pub(crate) async fn lead_changed(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    match q!(&mut *tx, fetch_optional scalar CustomerId, sql, org, lead)? {
        Some(customer) => person_changed(tx, origin, org, customer).await,
        None => Ok(()),
    }
}
