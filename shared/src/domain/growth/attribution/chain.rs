//! Chains: each request whose money came after an automatic message, with everything that links the two.
//!
//! Which requests, and what they come to, is read from the rows of the facts (`metric_row`); what happened is read by the
//! story that these facts were made of, so that a chain shows what was counted, and nothing else.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Category,
    rule::{self, Counted},
    timeline::{self, Event, Story, What},
};
use crate::{
    domain::{growth::metrics::figures::Period, money::ledger::Kind},
    platform::{
        count_cache::Total,
        db::{AsConn, cursor::Cursor, qb},
        error::Result,
        id::{LeadId, OrgId},
        money::Cents,
    },
};

/// Which chains, and how many.
#[derive(Clone, Debug)]
pub struct ListFilter {
    /// None for all.
    pub category: Option<Category>,
    /// Money that moved on these days.
    pub period: Period,
    /// Rows of one page, 200 at most.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`ChainPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ChainPage {
    pub chains: Vec<Chain>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// What one event of a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChainStep)]
pub enum Step {
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
pub struct Linked {
    pub step: Step,
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
pub struct Chain {
    /// The request.
    pub id: LeadId,
    pub customer: String,
    /// What its money came after, each once, in the order of their precedence.
    pub categories: Vec<Category>,
    /// US dollars that moved on the days that were asked for.
    pub amount: Cents,
    /// The last of these days on which some did.
    pub last_on: NaiveDate,
    /// Oldest first: what was missed or said, what the customer did, what came of it, and all the money that counts.
    pub events: Vec<Linked>,
}

#[derive(FromRow)]
struct Row {
    id: Uuid,
    customer: String,
    cents: i64,
    day: NaiveDate,
}

/// The rows of a filter, one for each request.
macro_rules! narrowed {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(
            "SELECT r.subject_id AS id, CAST(SUM(r.amount) AS BIGINT) AS cents, MAX(r.day) AS day FROM metric_row r
             WHERE r.org_id = ",
        );
        $b.push_bind($org).push(" AND r.measure IN (");
        let mut measures = $b.separated(", ");
        for category in Category::ALL.into_iter().filter(|one| $filter.category.is_none_or(|only| only == *one)) {
            measures.push_bind(category.measure().name());
        }
        $b.push(") AND r.day >= ").push_bind($filter.period.from);
        $b.push(" AND r.day <= ").push_bind($filter.period.to).push(" GROUP BY r.subject_id");
    };
}

/// One page, the newest money first.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, zone: Tz, filter: &ListFilter) -> Result<ChainPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as Row, |b| {
        b.push("SELECT x.id, c.name AS customer, x.cents, x.day FROM (");
        narrowed!(b, org, filter);
        b.push(
            ") x JOIN lead l ON l.id = x.id JOIN customer c ON c.org_id = l.org_id AND c.id = l.customer_id
             WHERE l.org_id = ",
        );
        b.push_bind(org);
        if let Some(Cursor(day, id)) = cursor {
            b.push(" AND (x.day, x.id) < (").push_bind(day.date_naive()).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY x.day DESC, x.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next =
        rows.last().filter(|_| more).map(|row| Cursor::after(row.day.and_time(NaiveTime::MIN).and_utc(), row.id));
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut stories: BTreeMap<Uuid, Story> = timeline::of(conn, org, &ids).await?;
    let chains = rows.into_iter().map(|row| {
        let story = stories.remove(&row.id);
        row.chain(story.as_ref(), zone, filter.category)
    });
    Ok(ChainPage { chains: chains.collect(), next })
}

impl Row {
    fn chain(self, story: Option<&Story>, zone: Tz, category: Option<Category>) -> Chain {
        let mut counted = story.map(|story| rule::counted(story, zone)).unwrap_or_default();
        counted.retain(|one| category.is_none_or(|only| one.link.category == only));
        let mut categories: Vec<Category> = counted.iter().map(|one| one.link.category).collect();
        categories.sort();
        categories.dedup();
        let events = story.map(|story| linked(story, &counted)).unwrap_or_default();
        let (amount, last_on) = (Cents(self.cents), self.day);
        Chain { id: LeadId(self.id), customer: self.customer, categories, amount, last_on, events }
    }
}

/// Everything from what brought them back to their money, each event once.
fn linked(story: &Story, counted: &[Counted]) -> Vec<Linked> {
    let links: Vec<Event> = counted.iter().flat_map(|one| one.link.events.iter().copied()).collect();
    let begun = links.iter().map(|event| event.at).min();
    let paid = counted.iter().map(|one| one.money.at).max();
    let came_of_it = |event: &Event| {
        matches!(event.what, What::Planned | What::BookedThemselves | What::Approved | What::Done)
            && begun.is_some_and(|begun| event.at >= begun)
            && paid.is_some_and(|paid| event.at <= paid)
    };
    let events = story.events.iter().filter(|event| links.contains(event) || came_of_it(event));
    let happened = events.map(|event| Linked {
        step: step(event.what),
        at: event.at,
        record_id: event.id,
        amount: None,
        on: None,
    });
    let mut all: Vec<Linked> = happened.chain(moved(counted)).collect();
    all.sort_by_key(|event| event.at);
    all
}

/// The money, each payment once, though it may have paid two invoices after two reminders.
fn moved(counted: &[Counted]) -> Vec<Linked> {
    let mut all: Vec<Linked> = Vec::new();
    for Counted { money, cents, .. } in counted {
        if let Some(known) = all.iter_mut().find(|known| known.record_id == money.id) {
            known.amount = known.amount.map(|amount| Cents(amount.0 + cents));
            continue;
        }
        all.push(Linked {
            step: if money.kind == Kind::Refund { Step::Refunded } else { Step::Paid },
            at: money.at,
            record_id: money.id,
            amount: Some(Cents(*cents)),
            on: Some(money.received_on),
        });
    }
    all
}

fn step(what: What) -> Step {
    match what {
        What::Missed => Step::MissedCall,
        What::CallText => Step::CallText,
        What::Nudge => Step::CallReminder,
        What::AutoReply => Step::AutoReply,
        What::FollowUp => Step::FollowUp,
        What::Reminder => Step::Reminder,
        What::ReviewClick => Step::ReviewClick,
        What::ByPerson | What::Planned => Step::Booked,
        What::Wrote => Step::Wrote,
        What::Spoken => Step::Spoken,
        What::BookedThemselves => Step::BookedThemselves,
        What::Approved => Step::Approved,
        What::Done => Step::Done,
    }
}

/// How many requests the filter finds on all its pages, and what their money comes to.
pub async fn total(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Total> {
    let (rows, cents) = qb!(conn, fetch_one as (i64, Cents), |b| {
        b.push("SELECT COUNT(*), CAST(COALESCE(SUM(x.cents), 0) AS BIGINT) FROM (");
        narrowed!(b, org, filter);
        b.push(") x");
    })?;
    Ok(Total { amount: Some(cents), ..Total::of(rows) })
}
