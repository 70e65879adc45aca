//! Chains: each lead whose money came after an automatic message, with the events that link the two.
//!
//! Leads and sums are read from `metric_row`, events from the story of which these facts were made, so a chain shows
//! exactly what was counted.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    AttributionCategory,
    rule::{self, AttributedPayment},
    timeline::{self, LeadTimeline, TimelineEvent, TimelineEventKind},
};
use crate::{
    domain::money::ledger::PaymentKind,
    platform::{
        count_cache::ListTotal,
        db::{AsConn, cursor::PageCursor, qb},
        error::Result,
        id::{LeadId, OrgId},
        money::Cents,
        period::Period,
    },
};

#[derive(Clone, Debug)]
pub struct AttributionPathFilter {
    pub category: Option<AttributionCategory>,
    /// Money that moved on these days.
    pub period: Period,
    /// Rows of one page, 200 at most.
    pub limit: i64,
    /// Opaque cursor from [`AttributionPathPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct AttributionPathPage {
    pub chains: Vec<AttributionPath>,
    pub next: Option<String>,
}

/// What one event of a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChainStep)]
pub enum AttributionStep {
    MissedCall,
    CallText,
    CallReminder,
    AutoReply,
    FollowUp,
    Reminder,
    ReviewClick,
    /// The customer wrote.
    Wrote,
    /// The customer rang, and was spoken to.
    Spoken,
    BookedThemselves,
    Approved,
    /// The business planned a visit.
    Booked,
    Done,
    Paid,
    Refunded,
}

/// One event of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChainEvent)]
pub struct AttributionEvent {
    pub step: AttributionStep,
    pub at: DateTime<Utc>,
    /// The call, message, job, estimate, payment, or request for a review that it is.
    pub record_id: Uuid,
    /// Of money: US dollars; what went back is below nothing.
    pub amount: Option<Cents>,
    /// Of money: the day it moved.
    pub on: Option<NaiveDate>,
}

/// A request whose money came after an automatic message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RecoveredChain)]
pub struct AttributionPath {
    /// The request.
    pub id: LeadId,
    pub customer: String,
    /// What its money came after, each once, in the order of their precedence.
    pub categories: Vec<AttributionCategory>,
    /// US dollars that moved on the days that were asked for.
    pub amount: Cents,
    /// The last of these days on which some did.
    pub last_on: NaiveDate,
    /// Oldest first: calls and messages, what the customer did, the results, and all payments that count.
    pub events: Vec<AttributionEvent>,
}

#[derive(FromRow)]
struct ChainRow {
    id: Uuid,
    customer: String,
    cents: i64,
    day: NaiveDate,
}

macro_rules! narrowed {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(
            "SELECT r.subject_id AS id, CAST(SUM(r.amount) AS BIGINT) AS cents, MAX(r.day) AS day FROM metric_row r
             WHERE r.org_id = ",
        );
        $b.push_bind($org).push(" AND r.measure IN (");
        let mut measures = $b.separated(", ");
        for category in
            AttributionCategory::ALL.into_iter().filter(|one| $filter.category.is_none_or(|only| only == *one))
        {
            measures.push_bind(category.measure().name());
        }
        $b.push(") AND r.day >= ").push_bind($filter.period.from);
        $b.push(" AND r.day <= ").push_bind($filter.period.to).push(" GROUP BY r.subject_id");
    };
}

/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the field `cursor` when it cannot be read.
pub async fn list_attribution_paths(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    filter: &AttributionPathFilter,
) -> Result<AttributionPathPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as ChainRow, |b| {
        b.push("SELECT x.id, c.name AS customer, x.cents, x.day FROM (");
        narrowed!(b, org, filter);
        b.push(
            ") x JOIN lead l ON l.id = x.id JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
             WHERE l.org_id = ",
        );
        b.push_bind(org);
        if let Some(PageCursor(day, id)) = cursor {
            b.push(" AND (x.day, x.id) < (").push_bind(day.date_naive()).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY x.day DESC, x.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows
        .last()
        .filter(|_| more)
        .map(|row| PageCursor::encode_after(row.day.and_time(NaiveTime::MIN).and_utc(), row.id));
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut stories: BTreeMap<Uuid, LeadTimeline> = timeline::load_timelines(conn, org, &ids).await?;
    let chains = rows.into_iter().map(|row| {
        let story = stories.remove(&row.id);
        row.into_path(story.as_ref(), zone, filter.category)
    });
    Ok(AttributionPathPage { chains: chains.collect(), next })
}

impl ChainRow {
    fn into_path(
        self,
        story: Option<&LeadTimeline>,
        zone: Tz,
        category: Option<AttributionCategory>,
    ) -> AttributionPath {
        let mut counted = story.map(|story| rule::attribute_payments(story, zone)).unwrap_or_default();
        counted.retain(|one| category.is_none_or(|only| one.link.category == only));
        let mut categories: Vec<AttributionCategory> = counted.iter().map(|one| one.link.category).collect();
        categories.sort();
        categories.dedup();
        let events = story.map(|story| linked_events(story, &counted)).unwrap_or_default();
        let (amount, last_on) = (Cents(self.cents), self.day);
        AttributionPath { id: LeadId(self.id), customer: self.customer, categories, amount, last_on, events }
    }
}

/// Events from the first link to the last payment, each once.
fn linked_events(story: &LeadTimeline, counted: &[AttributedPayment]) -> Vec<AttributionEvent> {
    let links: Vec<TimelineEvent> = counted.iter().flat_map(|one| one.link.events.iter().copied()).collect();
    let begun = links.iter().map(|event| event.at).min();
    let paid = counted.iter().map(|one| one.money.at).max();
    let came_of_it = |event: &TimelineEvent| {
        matches!(
            event.what,
            TimelineEventKind::Planned
                | TimelineEventKind::BookedThemselves
                | TimelineEventKind::Approved
                | TimelineEventKind::Done
        ) && begun.is_some_and(|begun| event.at >= begun)
            && paid.is_some_and(|paid| event.at <= paid)
    };
    let events = story.events.iter().filter(|event| links.contains(event) || came_of_it(event));
    let happened = events.map(|event| AttributionEvent {
        step: to_step(event.what),
        at: event.at,
        record_id: event.id,
        amount: None,
        on: None,
    });
    let mut all: Vec<AttributionEvent> = happened.chain(money_events(counted)).collect();
    all.sort_by_key(|event| event.at);
    all
}

/// Each payment once, even if it paid two invoices after two reminders.
fn money_events(counted: &[AttributedPayment]) -> Vec<AttributionEvent> {
    let mut all: Vec<AttributionEvent> = Vec::new();
    for AttributedPayment { money, cents, .. } in counted {
        if let Some(record) = all.iter_mut().find(|record| record.record_id == money.id) {
            record.amount = record.amount.map(|amount| Cents(amount.0 + cents));
            continue;
        }
        all.push(AttributionEvent {
            step: if money.kind == PaymentKind::Refund { AttributionStep::Refunded } else { AttributionStep::Paid },
            at: money.at,
            record_id: money.id,
            amount: Some(Cents(*cents)),
            on: Some(money.received_on),
        });
    }
    all
}

fn to_step(what: TimelineEventKind) -> AttributionStep {
    match what {
        TimelineEventKind::Missed => AttributionStep::MissedCall,
        TimelineEventKind::CallText => AttributionStep::CallText,
        TimelineEventKind::Nudge => AttributionStep::CallReminder,
        TimelineEventKind::AutoReply => AttributionStep::AutoReply,
        TimelineEventKind::FollowUp => AttributionStep::FollowUp,
        TimelineEventKind::Reminder => AttributionStep::Reminder,
        TimelineEventKind::ReviewClick => AttributionStep::ReviewClick,
        TimelineEventKind::ByPerson | TimelineEventKind::Planned => AttributionStep::Booked,
        TimelineEventKind::Wrote => AttributionStep::Wrote,
        TimelineEventKind::Spoken => AttributionStep::Spoken,
        TimelineEventKind::BookedThemselves => AttributionStep::BookedThemselves,
        TimelineEventKind::Approved => AttributionStep::Approved,
        TimelineEventKind::Done => AttributionStep::Done,
    }
}

pub async fn count_attribution_paths(
    conn: &mut dyn AsConn,
    org: OrgId,
    filter: &AttributionPathFilter,
) -> Result<ListTotal> {
    let (rows, cents) = qb!(conn, fetch_one as (i64, Cents), |b| {
        b.push("SELECT COUNT(*), CAST(COALESCE(SUM(x.cents), 0) AS BIGINT) FROM (");
        narrowed!(b, org, filter);
        b.push(") x");
    })?;
    Ok(ListTotal { amount: Some(cents), ..ListTotal::from_row_count(rows) })
}
