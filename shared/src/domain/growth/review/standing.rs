//! Asks as people of the business read them: who was asked, when, by which way, and of everybody else why not.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    ask,
    report::sentence,
    rule::{Cause, State, Why},
};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::{
            followup,
            message::{Channel, Status, paper::unsent_of},
        },
    },
    platform::{
        db::{AsConn, Tx, cursor::Cursor, like_anywhere, q, qb},
        error::{Error, Result},
        id::{CustomerId, JobId, LeadId, MessageId, OrgId, ReviewAskId, ReviewId},
        live::{self, Topic},
    },
};

/// One request of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewAskStep)]
pub struct Step {
    /// `review_ask`, `review_3` or `review_7`.
    pub step: String,
    pub due_at: DateTime<Utc>,
    pub state: followup::State,
    pub reason: Option<String>,
    pub channel: Option<Channel>,
    pub message_id: Option<MessageId>,
    /// Why the message has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
}

/// An ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewAsk)]
pub struct AskView {
    pub id: ReviewAskId,
    pub customer_id: CustomerId,
    pub customer_name: String,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub job_number: Option<i64>,
    pub cause: Cause,
    pub state: State,
    /// Why it ended, or what it waits for.
    pub why: Option<Why>,
    /// The same as a sentence.
    pub reason: Option<String>,
    /// When the first request is due; null while it waits for payment.
    pub planned_at: Option<DateTime<Utc>>,
    /// When the first one left, and by which way.
    pub asked_at: Option<DateTime<Utc>>,
    pub channel: Option<Channel>,
    /// When they opened the public site.
    pub clicked_at: Option<DateTime<Utc>>,
    /// What they said.
    pub review_id: Option<ReviewId>,
    pub created_at: DateTime<Utc>,
    pub steps: Vec<Step>,
    /// Whether something of it is still to come.
    pub can_stop: bool,
}

/// Which asks, and how many.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub state: Option<State>,
    pub customer: Option<CustomerId>,
    pub job: Option<JobId>,
    /// Searched in the customer's name, phone and email.
    pub q: Option<String>,
    /// Asked since then, and before then: when the first request left.
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
    pub limit: i64,
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct AskPage {
    pub asks: Vec<AskView>,
    pub next: Option<String>,
}

#[derive(FromRow)]
struct Row {
    id: ReviewAskId,
    customer_id: CustomerId,
    customer_name: String,
    lead_id: LeadId,
    job_id: Option<JobId>,
    job_number: Option<i64>,
    cause: Cause,
    state: State,
    why: Option<Why>,
    detail: Option<String>,
    planned_at: Option<DateTime<Utc>>,
    asked_at: Option<DateTime<Utc>>,
    channel: Option<Channel>,
    clicked_at: Option<DateTime<Utc>>,
    review_id: Option<ReviewId>,
    created_at: DateTime<Utc>,
}

const COLUMNS: &str = "SELECT a.id, a.customer_id, c.name AS customer_name, a.lead_id, a.job_id, j.number AS job_number,
    a.cause, a.state, a.why, a.detail, a.planned_at, a.asked_at, a.channel, a.clicked_at, a.created_at,
    (SELECT r.id FROM review r WHERE r.org_id = a.org_id AND r.ask_id = a.id ORDER BY r.received_at DESC, r.id DESC LIMIT 1)
        AS review_id
    FROM review_ask a JOIN customer c ON c.org_id = a.org_id AND c.id = a.customer_id
    LEFT JOIN job j ON j.org_id = a.org_id AND j.id = a.job_id WHERE a.org_id = ";

#[derive(FromRow)]
struct StepRow {
    about_id: Uuid,
    step: String,
    due_at: DateTime<Utc>,
    state: followup::State,
    reason: Option<String>,
    channel: Option<Channel>,
    message_id: Option<MessageId>,
    message_status: Option<Status>,
    message_reason: Option<String>,
}

impl From<StepRow> for Step {
    fn from(row: StepRow) -> Self {
        Self {
            step: row.step,
            due_at: row.due_at,
            state: row.state,
            reason: row.reason,
            channel: row.channel,
            message_id: row.message_id,
            unsent: row.message_status.and_then(|status| unsent_of(status, row.message_reason)),
        }
    }
}

impl Row {
    fn view(self, steps: Vec<Step>) -> AskView {
        let waits = self.state == State::Waiting;
        let unpaid = (waits && self.planned_at.is_none()).then_some(Why::NotPaid);
        let why = self.why.or(unpaid);
        // What is put off says why until its time comes.
        let put_off = || steps.iter().rev().find(|step| step.state == followup::State::Waiting)?.reason.clone();
        let is_open = steps.iter().any(|step| step.state == followup::State::Waiting);
        AskView {
            id: self.id,
            customer_id: self.customer_id,
            customer_name: self.customer_name,
            lead_id: self.lead_id,
            job_id: self.job_id,
            job_number: self.job_number,
            cause: self.cause,
            state: self.state,
            why,
            reason: why.map(|why| sentence(why, self.detail.as_deref())).or_else(put_off),
            planned_at: self.planned_at,
            asked_at: self.asked_at,
            channel: self.channel,
            clicked_at: self.clicked_at,
            review_id: self.review_id,
            created_at: self.created_at,
            can_stop: waits || (self.state == State::Asked && is_open),
            steps,
        }
    }
}

/// The conditions of a filter, the same for the page and for its count.
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

/// One page, the newest first.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &Filter) -> Result<AskPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as Row, |b| {
        b.push(COLUMNS).push_bind(org);
        narrow!(b, filter);
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (a.created_at, a.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY a.created_at DESC, a.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| Cursor::after(row.created_at, row.id.0));
    Ok(AskPage { asks: views(conn, org, rows).await?, next })
}

/// How many match.
pub async fn count(conn: &mut dyn AsConn, org: OrgId, filter: &Filter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM review_ask a JOIN customer c ON c.org_id = a.org_id AND c.id = a.customer_id");
        b.push(" WHERE a.org_id = ").push_bind(org);
        narrow!(b, filter);
    })?)
}

/// # Errors
/// [`Error::NotFound`] when the org has no such ask.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: ReviewAskId) -> Result<AskView> {
    let found = qb!(&mut *conn, fetch_optional as Row, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND a.id = ").push_bind(id);
    })?;
    let mut views = views(conn, org, vec![found.ok_or(Error::NotFound)?]).await?;
    views.pop().ok_or(Error::NotFound)
}

async fn views(conn: &mut dyn AsConn, org: OrgId, rows: Vec<Row>) -> Result<Vec<AskView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let found = qb!(conn, fetch_all as StepRow, |b| {
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
    let mut steps: HashMap<Uuid, Vec<Step>> = HashMap::new();
    for row in found {
        steps.entry(row.about_id).or_default().push(row.into());
    }
    let with_steps = rows.into_iter().map(|row| (steps.remove(&row.id.0).unwrap_or_default(), row));
    Ok(with_steps.map(|(steps, row)| row.view(steps)).collect())
}

/// What became of asking about a job, in short: the one that left, else the last. None when nobody was to be asked.
pub async fn of_job(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Option<AskView>> {
    let filter = Filter { job: Some(job), limit: 20, ..Filter::default() };
    let asks = list(conn, org, &filter).await?.asks;
    Ok(asks.iter().find(|ask| ask.asked_at.is_some()).or(asks.first()).cloned())
}

/// A person stops it. With a problem, nobody asks this customer at all while that stands.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when nothing of it is to come any more.
pub async fn stop(tx: &mut Tx, house: &Intake<'_>, id: ReviewAskId, is_problem: bool) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let stands = get(&mut *tx, org, id).await?;
    if is_problem {
        let sql = "UPDATE customer SET complaint_at = COALESCE(complaint_at, $3) WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, stands.customer_id, origin.now())?;
        live::announce(&mut *tx, origin, org, Topic::Customer, stands.customer_id.0, None).await?;
        return ask::person_changed(tx, origin, org, stands.customer_id).await;
    }
    if !stands.can_stop {
        return Err(Error::Conflict("Nothing of it is to come any more."));
    }
    ask::end(tx, origin, org, id, (Why::ByHand, None), None).await.map(|_| ())
}
