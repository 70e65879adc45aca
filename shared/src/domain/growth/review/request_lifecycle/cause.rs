//! Creation of asks: for a completed job, or a payment.

use chrono::{DateTime, Duration, Utc};

use super::{NewReviewRequest, insert_request, schedule_first_step};
use crate::{
    domain::{
        growth::review::rule::ReviewRequestCause,
        tenancy::org::{self, OrgProfile, ReviewRequestTiming},
        work::{activity::UNDO_WINDOW, job::Job},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, EventId, LeadId, OrgId, ReviewRequestId},
    },
};

/// Margin after the undo window of the completion.
const AFTER_UNDO: Duration = Duration::seconds(1);

/// The customer is asked after a delay, or once the job is paid.
pub(super) async fn on_job_completed(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    job: &Job,
    event: EventId,
) -> Result<()> {
    let org = profile.org.id;
    let waits = profile.settings.reviews.ask_when == ReviewRequestTiming::Paid
        && !is_lead_paid(&mut *tx, org, job.lead_id).await?;
    let cause = if profile.settings.reviews.ask_when == ReviewRequestTiming::Paid {
        ReviewRequestCause::InvoicePaid
    } else {
        ReviewRequestCause::JobCompleted
    };
    let new = NewReviewRequest {
        customer: job.customer_id,
        lead: job.lead_id,
        job: Some(job.id),
        cause,
        event: Some(event),
        by: None,
        is_override: false,
    };
    let id = insert_request(&mut *tx, origin, org, &new).await?;
    if waits {
        return Ok(());
    }
    let done_at = job.completed_at.unwrap_or(origin.now());
    schedule_first_step(tx, origin, profile, id, earliest_send_at(origin, profile, done_at), Some(event)).await
}

/// Never before the undo window is over.
fn earliest_send_at(origin: &ClockRng, profile: &OrgProfile, happened: DateTime<Utc>) -> DateTime<Utc> {
    let delay = Duration::minutes(profile.settings.reviews.delay_minutes);
    (happened + delay).max(origin.now() + UNDO_WINDOW + AFTER_UNDO)
}

pub(in crate::domain::growth::review) async fn is_lead_paid(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2 AND stage = 'paid')";
    Ok(q!(conn, fetch_one scalar bool, sql, org, lead)?)
}

/// For a paid lead: plans the asks that waited for it. Where the business asks on payment, also creates one for a lead
/// without a job.
///
/// If the payment is undone, the request notices when it is due, and waits for the next payment.
pub(super) async fn on_lead_paid(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar ReviewRequestId,
        "SELECT id FROM review_request WHERE org_id = $1 AND lead_id = $2 AND state = 'waiting' AND planned_at IS NULL
         ORDER BY created_at, id",
        org,
        lead
    )?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    let at = earliest_send_at(origin, &profile, origin.now());
    for id in &waiting {
        schedule_first_step(&mut *tx, origin, &profile, *id, at, None).await?;
    }
    if !waiting.is_empty() || profile.settings.reviews.ask_when != ReviewRequestTiming::Paid {
        return Ok(());
    }
    let Some(customer) = find_customer_without_job(&mut *tx, org, lead).await? else { return Ok(()) };
    let cause = ReviewRequestCause::InvoicePaid;
    let new = NewReviewRequest { customer, lead, job: None, cause, event: None, by: None, is_override: false };
    let id = insert_request(&mut *tx, origin, org, &new).await?;
    schedule_first_step(tx, origin, &profile, id, at, None).await
}

async fn find_customer_without_job(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Option<CustomerId>> {
    Ok(q!(
        conn,
        fetch_optional scalar CustomerId,
        "SELECT l.customer_id FROM lead l WHERE l.org_id = $1 AND l.id = $2
             AND NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = l.org_id AND j.lead_id = l.id)
             AND NOT EXISTS (SELECT 1 FROM review_request a WHERE a.org_id = l.org_id AND a.lead_id = l.id)",
        org,
        lead
    )?)
}
