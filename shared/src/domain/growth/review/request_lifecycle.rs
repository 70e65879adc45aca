//! Review requests: the row of each completed job, created with it, ended in the transaction of the event that ends it.
//!
//! Lock order: the steps of a sequence, its messages, the ask.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::rule::{ReviewRequestCause, ReviewRequestReason, ReviewRequestState, ReviewSequenceStep, SEND_WINDOW};
use crate::{
    domain::{
        intake::{contact_point, customer::address_key},
        messaging::followup::{self, FollowUpStep, FollowUpSubject, PlannedStep},
        tenancy::org::OrgProfile,
    },
    platform::{
        access_link,
        clock::ClockRng,
        contact_hours::courtesy::{self, CourtesyRecipient},
        db::{AsConn, Tx, batch::insert_all, batch_row, q, qb},
        error::Result,
        id::{AccountId, CustomerId, EventId, JobId, LeadId, OrgId, ReviewRequestId},
        live::{self, Topic},
        phone::Phone,
    },
};

mod cause;
mod ends;
pub(crate) mod listener;

pub(super) use cause::is_lead_paid;
pub(super) use ends::on_customer_changed;
pub(crate) use ends::on_customers_merged;

pub(super) struct NewReviewRequest {
    pub customer: CustomerId,
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub cause: ReviewRequestCause,
    pub event: Option<EventId>,
    pub by: Option<AccountId>,
    pub is_override: bool,
}

#[derive(Clone, Debug, FromRow)]
pub(super) struct ReviewRequest {
    pub id: ReviewRequestId,
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub cause: ReviewRequestCause,
    pub state: ReviewRequestState,
    pub is_override: bool,
    pub begun_at: Option<DateTime<Utc>>,
    pub asked_at: Option<DateTime<Utc>>,
    pub channel: Option<crate::domain::messaging::message::MessageChannel>,
    pub sms_stop_reason: Option<String>,
    pub household: Option<String>,
    pub created_at: DateTime<Utc>,
}

const COLUMNS: &str = "SELECT id, customer_id, lead_id, job_id, cause, state, is_override, begun_at, asked_at, channel,
    sms_stop_reason, household, created_at FROM review_request WHERE org_id = ";

pub(super) async fn find_request(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: ReviewRequestId,
) -> Result<Option<ReviewRequest>> {
    Ok(qb!(conn, fetch_optional as ReviewRequest, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND id = ").push_bind(id);
    })?)
}

pub(super) async fn list_open_requests(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<ReviewRequest>> {
    Ok(qb!(conn, fetch_all as ReviewRequest, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND customer_id = ").push_bind(customer);
        b.push(" AND ").push(UNDER_WAY).push(" ORDER BY created_at, id");
    })?)
}

/// Asks with a step or message still to come. A completed sequence keeps its state.
const UNDER_WAY: &str = "(review_request.state = 'waiting' OR (review_request.state = 'asked' AND (
    EXISTS (SELECT 1 FROM follow_up f WHERE f.org_id = review_request.org_id AND f.about_id = review_request.id
        AND f.state = 'waiting')
    OR EXISTS (SELECT 1 FROM message m WHERE m.org_id = review_request.org_id AND m.about_id = review_request.id
        AND m.status IN ('queued', 'held')))))";

pub(super) async fn insert_request(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewReviewRequest,
) -> Result<ReviewRequestId> {
    let id = ReviewRequestId(origin.uuid_v7());
    let household = household_key(&mut *tx, org, new.lead, new.job).await?;
    let row = batch_row!(review_request {
        org_id: org,
        id,
        customer_id: new.customer,
        lead_id: new.lead,
        job_id: new.job,
        cause: new.cause,
        state: ReviewRequestState::Waiting,
        is_override: new.is_override,
        household,
        event_id: new.event,
        account_id: new.by,
        created_at: origin.now(),
    });
    let event = live::build_event_insert(origin, org, Topic::ReviewRequest, id.0, Some(new.lead.0));
    insert_all(&mut *tx, &[row, event]).await?;
    access_link::ensure_link(tx, origin, org, access_link::LinkKind::Review, id.0, None).await?;
    Ok(id)
}

/// Address of the work if it is more specific than a town; it identifies a household.
async fn household_key(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, job: Option<JobId>) -> Result<Option<String>> {
    let found = q!(
        conn,
        fetch_optional as (Option<String>, Option<String>),
        "SELECT COALESCE(j.address, l.address), COALESCE(j.zip, l.zip) FROM lead l
             LEFT JOIN job j ON j.org_id = l.org_id AND j.lead_id = l.id AND j.id = $3
         WHERE l.org_id = $1 AND l.id = $2",
        org,
        lead,
        job
    )?;
    let Some((Some(address), zip)) = found else { return Ok(None) };
    let is_a_house = address.contains(|c: char| c.is_ascii_digit()) && address.contains(char::is_alphabetic);
    Ok(is_a_house.then(|| address_key(&address, zip.as_deref())))
}

/// Plans the first request for the next permitted hour from `at` on.
pub(super) async fn schedule_first_step(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: ReviewRequestId,
    at: DateTime<Utc>,
    event: Option<EventId>,
) -> Result<()> {
    let org = profile.org.id;
    let Some(ask) = find_request(&mut *tx, org, id).await? else { return Ok(()) };
    let due_at = next_courtesy_hour(&mut *tx, profile, &ask, at).await?;
    let step = PlannedStep {
        step: FollowUpStep::Named(ReviewSequenceStep::First.name()),
        due_at,
        expires_at: due_at + SEND_WINDOW,
    };
    insert_steps(&mut *tx, origin, org, &ask, &[step], event).await?;
    let sql = "UPDATE review_request SET planned_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, due_at)?;
    announce_request(tx, origin, org, &ask).await
}

pub(super) async fn insert_steps(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    ask: &ReviewRequest,
    steps: &[PlannedStep],
    event: Option<EventId>,
) -> Result<()> {
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, ask.id)? + 1;
    followup::schedule_plan(tx, origin, org, ask.lead_id, FollowUpSubject::Review, ask.id.0, generation, steps, event)
        .await
}

/// Next hour from `at` on that is permitted for this customer on any channel.
pub(super) async fn next_courtesy_hour(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    ask: &ReviewRequest,
    at: DateTime<Utc>,
) -> Result<DateTime<Utc>> {
    let to = contact_point::load_lead_recipient(&mut *conn, profile.org.id, ask.lead_id).await?;
    let zip = q!(
        conn,
        fetch_optional scalar Option<String>,
        "SELECT COALESCE(l.zip, j.zip) FROM lead l LEFT JOIN job j ON j.org_id = l.org_id AND j.id = $3
         WHERE l.org_id = $1 AND l.id = $2",
        profile.org.id,
        ask.lead_id,
        ask.job_id
    )?
    .flatten();
    let phone = to.phone.filter(Phone::is_textable);
    let person = CourtesyRecipient { phone: phone.as_ref(), zip: zip.as_deref(), business: profile.org.zone() };
    Ok(courtesy::next_courtesy_time(person, profile.settings.reviews.sending_hours(), at))
}

pub(super) async fn announce_request(tx: &mut Tx, origin: &ClockRng, org: OrgId, ask: &ReviewRequest) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::ReviewRequest, ask.id.0, Some(ask.lead_id.0)).await
}

/// Ends an ask, its planned steps and its unsent messages. True when it was not over before.
pub(super) async fn end_request(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: ReviewRequestId,
    (why, detail): (ReviewRequestReason, Option<&str>),
    by: Option<EventId>,
) -> Result<bool> {
    followup::cancel_plans(&mut *tx, origin, org, id.0, why.reason_clause(), by).await?;
    let ended = q!(
        &mut *tx,
        fetch_optional scalar LeadId,
        "UPDATE review_request SET state = CASE WHEN asked_at IS NULL THEN $3 ELSE $4 END, why = $5, detail = $6, ended_by = $7
         WHERE org_id = $1 AND id = $2 AND state IN ('waiting', 'asked') RETURNING lead_id",
        org,
        id,
        why.final_state(false),
        why.final_state(true),
        why,
        detail,
        by
    )?;
    let Some(lead) = ended else { return Ok(false) };
    live::publish_event(tx, origin, org, Topic::ReviewRequest, id.0, Some(lead.0)).await?;
    Ok(true)
}

async fn end_requests(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    ids: impl IntoIterator<Item = ReviewRequestId>,
    why: ReviewRequestReason,
    by: Option<EventId>,
) -> Result<()> {
    for id in ids {
        end_request(&mut *tx, origin, org, id, (why, None), by).await?;
    }
    Ok(())
}

pub(super) async fn end_customer_requests(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    why: ReviewRequestReason,
) -> Result<()> {
    let ids = list_open_requests(&mut *tx, org, customer).await?.into_iter().map(|ask| ask.id);
    end_requests(tx, origin, org, ids, why, None).await
}
