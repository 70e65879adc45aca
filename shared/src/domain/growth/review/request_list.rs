//! Lists of asks for the business: when and by which channel customers were asked, or why not.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    report::format_reason,
    request_lifecycle,
    rule::{ReviewRequestCause, ReviewRequestReason, ReviewRequestState},
};
use crate::{
    conflicts::{ConflictCode, reword_stored_reason},
    domain::{
        intake::customer,
        messaging::{
            followup,
            message::{MessageChannel, MessageStatus, why_unsent},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, Tx, cursor::PageCursor, like_anywhere, qb},
        error::{Error, Result},
        id::{CustomerId, JobId, LeadId, MessageId, OrgId, ReviewId, ReviewRequestId},
        live::{self, Topic},
    },
};

/// One request of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewAskStep)]
pub struct ReviewRequestStep {
    /// `review_ask`, `review_3` or `review_7`.
    pub step: String,
    pub due_at: DateTime<Utc>,
    pub state: followup::FollowUpState,
    pub reason: Option<String>,
    pub channel: Option<MessageChannel>,
    pub message_id: Option<MessageId>,
    /// Why the message has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
}

/// An ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewAsk)]
pub struct ReviewRequestView {
    pub id: ReviewRequestId,
    pub customer_id: CustomerId,
    pub customer_name: String,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub job_number: Option<i64>,
    pub cause: ReviewRequestCause,
    pub state: ReviewRequestState,
    /// Why it ended, or what it waits for.
    pub why: Option<ReviewRequestReason>,
    /// The same as a sentence.
    pub reason: Option<String>,
    /// When the first request is due; null while it waits for payment.
    pub planned_at: Option<DateTime<Utc>>,
    /// When the first one left, and by which way.
    pub asked_at: Option<DateTime<Utc>>,
    pub channel: Option<MessageChannel>,
    /// When they opened the public site.
    pub clicked_at: Option<DateTime<Utc>>,
    /// Their comment.
    pub review_id: Option<ReviewId>,
    pub created_at: DateTime<Utc>,
    pub steps: Vec<ReviewRequestStep>,
    /// Whether something of it is still to come.
    pub can_stop: bool,
}

#[derive(Clone, Debug, Default)]
pub struct ReviewRequestFilter {
    pub state: Option<ReviewRequestState>,
    pub customer: Option<CustomerId>,
    pub job: Option<JobId>,
    pub q: Option<String>,
    /// When the first request left: from inclusive, to exclusive.
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
    pub limit: i64,
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ReviewRequestPage {
    pub asks: Vec<ReviewRequestView>,
    pub next: Option<String>,
}

#[derive(FromRow)]
struct ReviewRequestRow {
    id: ReviewRequestId,
    customer_id: CustomerId,
    customer_name: String,
    lead_id: LeadId,
    job_id: Option<JobId>,
    job_number: Option<i64>,
    cause: ReviewRequestCause,
    state: ReviewRequestState,
    why: Option<ReviewRequestReason>,
    detail: Option<String>,
    planned_at: Option<DateTime<Utc>>,
    asked_at: Option<DateTime<Utc>>,
    channel: Option<MessageChannel>,
    clicked_at: Option<DateTime<Utc>>,
    review_id: Option<ReviewId>,
    created_at: DateTime<Utc>,
}

const COLUMNS: &str = "SELECT a.id, a.customer_id, c.name AS customer_name, a.lead_id, a.job_id, j.number AS job_number,
    a.cause, a.state, a.why, a.detail, a.planned_at, a.asked_at, a.channel, a.clicked_at, a.created_at,
    (SELECT r.id FROM review r WHERE r.org_id = a.org_id AND r.request_id = a.id ORDER BY r.received_at DESC, r.id DESC LIMIT 1)
        AS review_id
    FROM review_request a JOIN customer c ON c.org_id = a.org_id AND c.id = a.customer_id
    LEFT JOIN job j ON j.org_id = a.org_id AND j.id = a.job_id WHERE a.org_id = ";

#[derive(FromRow)]
struct RequestStepRow {
    about_id: Uuid,
    step: String,
    due_at: DateTime<Utc>,
    state: followup::FollowUpState,
    reason: Option<String>,
    channel: Option<MessageChannel>,
    message_id: Option<MessageId>,
    message_status: Option<MessageStatus>,
    message_reason: Option<String>,
}

impl From<RequestStepRow> for ReviewRequestStep {
    fn from(row: RequestStepRow) -> Self {
        Self {
            step: row.step,
            due_at: row.due_at,
            state: row.state,
            reason: row.reason.map(|why| reword_stored_reason(&why).into_owned()),
            channel: row.channel,
            message_id: row.message_id,
            unsent: row.message_status.and_then(|status| why_unsent(status, row.message_reason)),
        }
    }
}

impl ReviewRequestRow {
    fn into_view(self, steps: Vec<ReviewRequestStep>) -> ReviewRequestView {
        let waits = self.state == ReviewRequestState::Waiting;
        let unpaid = (waits && self.planned_at.is_none()).then_some(ReviewRequestReason::NotPaid);
        let why = self.why.or(unpaid);
        // A delayed ask shows the reason until it is due.
        let put_off = || steps.iter().rev().find(|step| step.state == followup::FollowUpState::Waiting)?.reason.clone();
        let is_open = steps.iter().any(|step| step.state == followup::FollowUpState::Waiting);
        ReviewRequestView {
            id: self.id,
            customer_id: self.customer_id,
            customer_name: self.customer_name,
            lead_id: self.lead_id,
            job_id: self.job_id,
            job_number: self.job_number,
            cause: self.cause,
            state: self.state,
            why,
            reason: why.map(|why| format_reason(why, self.detail.as_deref())).or_else(put_off),
            planned_at: self.planned_at,
            asked_at: self.asked_at,
            channel: self.channel,
            clicked_at: self.clicked_at,
            review_id: self.review_id,
            created_at: self.created_at,
            can_stop: waits || (self.state == ReviewRequestState::Asked && is_open),
            steps,
        }
    }
}

macro_rules! narrow {
    ($b:ident, $filter:expr) => {
        if let Some(state) = $filter.state {
            $b.push(" AND a.state = ").push_bind(state);
        }
        if let Some(customer) = $filter.customer {
            $b.push(" AND a.customer_id = ").push_bind(customer);
        }
        if let Some(job) = $filter.job {
            $b.push(" AND a.job_id = ").push_bind(job);
        }
        if let Some(text) = &$filter.q {
            $b.push(" AND c.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
        if let Some(from) = $filter.from {
            $b.push(" AND a.asked_at >= ").push_bind(from);
        }
        if let Some(to) = $filter.to {
            $b.push(" AND a.asked_at < ").push_bind(to);
        }
    };
}

/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it cannot be read.
pub async fn list_requests(
    conn: &mut dyn AsConn,
    org: OrgId,
    filter: &ReviewRequestFilter,
) -> Result<ReviewRequestPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as ReviewRequestRow, |b| {
        b.push(COLUMNS).push_bind(org);
        narrow!(b, filter);
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" AND (a.created_at, a.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY a.created_at DESC, a.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| PageCursor::encode_after(row.created_at, row.id.0));
    Ok(ReviewRequestPage { asks: build_views(conn, org, rows).await?, next })
}

pub async fn count_requests(conn: &mut dyn AsConn, org: OrgId, filter: &ReviewRequestFilter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM review_request a JOIN customer c ON c.org_id = a.org_id AND c.id = a.customer_id");
        b.push(" WHERE a.org_id = ").push_bind(org);
        narrow!(b, filter);
    })?)
}

pub async fn get_request(conn: &mut dyn AsConn, org: OrgId, id: ReviewRequestId) -> Result<ReviewRequestView> {
    let found = qb!(&mut *conn, fetch_optional as ReviewRequestRow, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND a.id = ").push_bind(id);
    })?;
    let mut views = build_views(conn, org, vec![found.ok_or(Error::NotFound)?]).await?;
    views.pop().ok_or(Error::NotFound)
}

async fn build_views(conn: &mut dyn AsConn, org: OrgId, rows: Vec<ReviewRequestRow>) -> Result<Vec<ReviewRequestView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let found = qb!(conn, fetch_all as RequestStepRow, |b| {
        b.push("SELECT f.about_id, f.step, f.due_at, f.state, f.reason, m.channel, f.message_id,");
        b.push(" m.status AS message_status, m.reason AS message_reason FROM follow_up f");
        b.push(" LEFT JOIN message m ON m.org_id = f.org_id AND m.id = f.message_id WHERE f.org_id = ").push_bind(org);
        b.push(" AND f.about_id IN (");
        let mut list = b.separated(", ");
        for row in &rows {
            list.push_bind(row.id.0);
        }
        b.push(") ORDER BY f.generation, f.due_at, f.id");
    })?;
    let mut steps: HashMap<Uuid, Vec<ReviewRequestStep>> = HashMap::new();
    for row in found {
        steps.entry(row.about_id).or_default().push(row.into());
    }
    let with_steps = rows.into_iter().map(|row| (steps.remove(&row.id.0).unwrap_or_default(), row));
    Ok(with_steps.map(|(steps, row)| row.into_view(steps)).collect())
}

/// The ask that left, else the last; none when there is none.
pub async fn find_for_job(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Option<ReviewRequestView>> {
    let filter = ReviewRequestFilter { job: Some(job), limit: 20, ..ReviewRequestFilter::default() };
    let asks = list_requests(conn, org, &filter).await?.asks;
    Ok(asks.iter().find(|ask| ask.asked_at.is_some()).or(asks.first()).cloned())
}

/// Stopped by a person. With `is_problem` the customer is not asked at all while the complaint is open.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when nothing of it is to come any more.
pub async fn stop_request(tx: &mut Tx, ctx: &OrgContext<'_>, id: ReviewRequestId, is_problem: bool) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let request = get_request(&mut *tx, org, id).await?;
    if is_problem {
        customer::record_complaint(&mut *tx, org, request.customer_id, origin.now()).await?;
        live::publish_event(&mut *tx, origin, org, Topic::Customer, request.customer_id.0, None).await?;
        return request_lifecycle::on_customer_changed(tx, origin, org, request.customer_id).await;
    }
    if !request.can_stop {
        return Err(ConflictCode::ReviewRequestOver.into_error());
    }
    request_lifecycle::end_request(tx, origin, org, id, (ReviewRequestReason::ByHand, None), None).await.map(|_| ())
}
