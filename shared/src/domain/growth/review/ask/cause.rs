//! What an ask is made for: a job that was done, or a payment.

use chrono::{DateTime, Duration, Utc};

use super::{New, insert, plan};
use crate::{
    domain::{
        growth::review::rule::Cause,
        tenancy::org::{self, Profile, settings::AskWhen},
        work::{activity::UNDO, job::Job},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, EventId, LeadId, OrgId, ReviewAskId},
    },
};

/// Nobody is asked while the tap on Done can still be taken back.
const AFTER_UNDO: Duration = Duration::seconds(1);

/// A job is done: its customer is asked a while later, or once it is paid.
pub(crate) async fn job_done(tx: &mut Tx, origin: &Origin, profile: &Profile, job: &Job, event: EventId) -> Result<()> {
    let org = profile.org.id;
    let waits = profile.settings.reviews.ask_when == AskWhen::Paid && !is_paid(&mut *tx, org, job.lead_id).await?;
    let cause =
        if profile.settings.reviews.ask_when == AskWhen::Paid { Cause::InvoicePaid } else { Cause::JobCompleted };
    let new = New {
        customer: job.customer_id,
        lead: job.lead_id,
        job: Some(job.id),
        cause,
        event: Some(event),
        by: None,
        is_override: false,
    };
    let id = insert(&mut *tx, origin, org, &new).await?;
    if waits {
        return Ok(());
    }
    let done_at = job.completed_at.unwrap_or(origin.now());
    plan(tx, origin, profile, id, after(origin, profile, done_at), Some(event)).await
}

/// So long after something happened, and never while it can be taken back.
fn after(origin: &Origin, profile: &Profile, happened: DateTime<Utc>) -> DateTime<Utc> {
    let delay = Duration::minutes(profile.settings.reviews.delay_minutes);
    (happened + delay).max(origin.now() + UNDO + AFTER_UNDO)
}

pub(in crate::domain::growth::review) async fn is_paid(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND stage = 'paid')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, lead)?)
}

/// A lead has been paid: who waited for that is asked a while later. So is, where that is what the business wished, who
/// had no job here at all.
///
/// Should the payment be taken back, its request finds that out when its time comes, and waits for the next one.
pub(crate) async fn paid(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar ReviewAskId,
        "SELECT id FROM review_ask WHERE org_id = $1 AND lead_id = $2 AND state = 'waiting' AND planned_at IS NULL
         ORDER BY created_at, id",
        org,
        lead
    )?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    let at = after(origin, &profile, origin.now());
    for id in &waiting {
        plan(&mut *tx, origin, &profile, *id, at, None).await?;
    }
    if !waiting.is_empty() || profile.settings.reviews.ask_when != AskWhen::Paid {
        return Ok(());
    }
    let Some(customer) = without_job(&mut *tx, org, lead).await? else { return Ok(()) };
    let cause = Cause::InvoicePaid;
    let new = New { customer, lead, job: None, cause, event: None, by: None, is_override: false };
    let id = insert(&mut *tx, origin, org, &new).await?;
    plan(tx, origin, &profile, id, at, None).await
}

/// The customer of a lead that has no job and was not asked about.
async fn without_job(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<CustomerId>> {
    Ok(q!(
        conn,
        fetch_optional scalar CustomerId,
        "SELECT l.customer_id FROM lead l WHERE l.org_id = $1 AND l.id = $2
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = l.org_id AND j.lead_id = l.id)
             AND NOT EXISTS (SELECT 1 FROM review_ask a WHERE a.org_id = l.org_id AND a.lead_id = l.id)",
        org,
        lead
    )?)
}
