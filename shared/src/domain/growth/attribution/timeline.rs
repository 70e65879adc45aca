//! Events and payments of leads for attribution, read for many leads at once.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    domain::{messaging::message, money::ledger::PaymentKind},
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineEventKind {
    Missed,
    /// Automatic messages.
    CallText,
    Nudge,
    AutoReply,
    FollowUp,
    Reminder,
    /// A person of the business wrote, sent something, or recorded a conversation.
    ByPerson,
    /// A person of the business planned a visit.
    Planned,
    Done,
    Wrote,
    Spoken,
    BookedThemselves,
    Approved,
    /// Clicked the link of a review request before asking for this work.
    ReviewClick,
}

impl TimelineEventKind {
    #[must_use]
    pub fn is_by_customer(self) -> bool {
        matches!(self, Self::Wrote | Self::Spoken | Self::BookedThemselves | Self::Approved)
    }

    #[must_use]
    pub fn is_by_staff(self) -> bool {
        matches!(self, Self::ByPerson | Self::Planned)
    }

    fn from_name(name: &str) -> Option<Self> {
        let known = EVENT_NAMES.iter().find(|(known, _)| *known == name).map(|(_, what)| *what);
        known.or_else(|| MESSAGE_EVENTS.iter().find(|(known, ..)| *known == name).map(|(.., what)| *what))
    }
}

/// Events other than our messages, by their name in SQL.
const EVENT_NAMES: [(&str, TimelineEventKind); 9] = [
    ("missed", TimelineEventKind::Missed),
    ("wrote", TimelineEventKind::Wrote),
    ("spoken", TimelineEventKind::Spoken),
    ("job_scheduled", TimelineEventKind::Planned),
    ("booked", TimelineEventKind::BookedThemselves),
    ("estimate_approved", TimelineEventKind::Approved),
    ("completed", TimelineEventKind::Done),
    // Recorded by a person who spoke to the customer by phone or on site.
    ("answered", TimelineEventKind::ByPerson),
    ("clicked", TimelineEventKind::ReviewClick),
];

/// Our messages. Documents are sent by a person; receipts, signed copies and visit messages have another cause and do
/// not count.
const MESSAGE_EVENTS: [(&str, message::MessageKind, TimelineEventKind); 11] = [
    ("missed_call", message::MessageKind::MissedCall, TimelineEventKind::CallText),
    ("nudge", message::MessageKind::Nudge, TimelineEventKind::Nudge),
    ("auto_reply", message::MessageKind::AutoReply, TimelineEventKind::AutoReply),
    ("text_reply", message::MessageKind::TextReply, TimelineEventKind::AutoReply),
    ("estimate_follow_up", message::MessageKind::EstimateFollowUp, TimelineEventKind::FollowUp),
    ("dunning", message::MessageKind::Dunning, TimelineEventKind::Reminder),
    ("manual", message::MessageKind::Manual, TimelineEventKind::ByPerson),
    ("estimate", message::MessageKind::Estimate, TimelineEventKind::ByPerson),
    ("change_order", message::MessageKind::ChangeOrder, TimelineEventKind::ByPerson),
    ("invoice", message::MessageKind::Invoice, TimelineEventKind::ByPerson),
    ("on_the_way", message::MessageKind::OnTheWay, TimelineEventKind::ByPerson),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineEvent {
    pub what: TimelineEventKind,
    pub at: DateTime<Utc>,
    /// Id of the message, call, job, estimate or review request.
    pub id: Uuid,
    /// Of a reminder: its invoice and that invoice's due date.
    pub about: Option<Uuid>,
    pub due_on: Option<NaiveDate>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct MoneyMovement {
    pub id: Uuid,
    pub kind: PaymentKind,
    #[sqlx(rename = "amount_cents")]
    pub amount: Cents,
    pub received_on: NaiveDate,
    /// When it was recorded.
    pub at: DateTime<Utc>,
    pub refund_of: Option<Uuid>,
    /// Invoices paid or refunded, with the cents of each.
    #[sqlx(skip)]
    pub parts: Vec<(Uuid, i64)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadTimeline {
    pub asked_at: DateTime<Utc>,
    /// In order. At one instant, customer actions sort first: they cannot answer a message of the same instant.
    pub events: Vec<TimelineEvent>,
    /// In order of recording.
    pub money: Vec<MoneyMovement>,
}

impl LeadTimeline {
    #[must_use]
    pub fn new(asked_at: DateTime<Utc>, mut events: Vec<TimelineEvent>, money: Vec<MoneyMovement>) -> Self {
        events
            .sort_by_key(|event| (event.at, !(event.what.is_by_customer() || event.what == TimelineEventKind::Missed)));
        Self { asked_at, events, money }
    }
}

macro_rules! listed {
    ($b:ident, $ids:expr) => {
        $b.push("(");
        let mut list = $b.separated(", ");
        for id in $ids {
            list.push_bind(*id);
        }
        $b.push(")");
    };
}

#[derive(FromRow)]
struct TimelineLeadRow {
    id: Uuid,
    created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct TimelineEventRow {
    lead_id: Uuid,
    what: String,
    at: DateTime<Utc>,
    id: Uuid,
    about: Option<Uuid>,
    due_on: Option<NaiveDate>,
}

#[derive(FromRow)]
struct MoneyMovementRow {
    lead_id: Uuid,
    #[sqlx(flatten)]
    money: MoneyMovement,
}

/// Takes at most one page of ids.
pub async fn load_timelines(conn: &mut dyn AsConn, org: OrgId, leads: &[Uuid]) -> Result<BTreeMap<Uuid, LeadTimeline>> {
    if leads.is_empty() {
        return Ok(BTreeMap::new());
    }
    let begun = qb!(&mut *conn, fetch_all as TimelineLeadRow, |b| {
        b.push("SELECT id, created_at FROM lead WHERE org_id = ").push_bind(org).push(" AND id IN ");
        listed!(b, leads);
    })?;
    let (mut events, mut money) =
        (BTreeMap::<Uuid, Vec<TimelineEvent>>::new(), BTreeMap::<Uuid, Vec<MoneyMovement>>::new());
    for TimelineEventRow { lead_id, what, at, id, about, due_on } in load_events(&mut *conn, org, leads).await? {
        let event = TimelineEventKind::from_name(&what).map(|what| TimelineEvent { what, at, id, about, due_on });
        events.entry(lead_id).or_default().extend(event);
    }
    for row in load_money_movements(conn, org, leads).await? {
        money.entry(row.lead_id).or_default().push(row.money);
    }
    let opened = begun.into_iter().map(|TimelineLeadRow { id, created_at }| {
        (
            id,
            LeadTimeline::new(
                created_at,
                events.remove(&id).unwrap_or_default(),
                money.remove(&id).unwrap_or_default(),
            ),
        )
    });
    Ok(opened.collect())
}

/// All events but money, in one round trip. Messages lost after the provider accepted them, and undone events, are left
/// out.
async fn load_events(conn: &mut dyn AsConn, org: OrgId, leads: &[Uuid]) -> Result<Vec<TimelineEventRow>> {
    Ok(qb!(conn, fetch_all as TimelineEventRow, |b| {
        b.push(
            "SELECT m.lead_id, m.kind AS what, m.sent_at AS at, m.id, i.id AS about, i.due_on
             FROM message m
             LEFT JOIN invoice i ON m.kind = 'dunning' AND i.org_id = m.org_id AND i.id = m.about_id
             WHERE m.direction = 'out' AND m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND m.kind IN (",
        );
        let mut kinds = b.separated(", ");
        for (_, kind, _) in MESSAGE_EVENTS {
            kinds.push_bind(kind);
        }
        b.push(") AND m.org_id = ").push_bind(org).push(" AND m.lead_id IN ");
        listed!(b, leads);
        b.push(
            " UNION ALL SELECT m.lead_id, 'wrote', m.created_at, m.id, CAST(NULL AS UUID), CAST(NULL AS DATE) FROM message m
             WHERE m.direction = 'in' AND m.org_id = ",
        );
        b.push_bind(org).push(" AND m.lead_id IN ");
        listed!(b, leads);
        b.push(
            " UNION ALL SELECT l.id, 'missed', c.started_at, c.id, CAST(NULL AS UUID), CAST(NULL AS DATE)
             FROM lead l JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id AND c.lead_id = l.id
             WHERE c.status = 'missed' AND l.org_id = ",
        );
        b.push_bind(org).push(" AND l.id IN ");
        listed!(b, leads);
        b.push(
            " UNION ALL SELECT l.id, 'spoken', c.accepted_at, c.id, CAST(NULL AS UUID), CAST(NULL AS DATE)
             FROM lead l JOIN call c ON c.org_id = l.org_id AND c.customer_id = l.customer_id
             WHERE c.accepted_at >= l.created_at AND l.org_id = ",
        );
        b.push_bind(org).push(" AND l.id IN ");
        listed!(b, leads);
        b.push(
            " UNION ALL SELECT e.lead_id, e.kind, e.at, COALESCE(e.job_id, e.subject_id, e.id), CAST(NULL AS UUID), CAST(NULL AS DATE)
             FROM work_event e WHERE (e.kind IN ('booked', 'estimate_approved', 'completed', 'answered')
                 OR (e.kind = 'job_scheduled' AND e.actor_kind = 'account')) AND e.undone_at IS NULL AND e.org_id = ",
        );
        b.push_bind(org).push(" AND e.lead_id IN ");
        listed!(b, leads);
        b.push(
            " UNION ALL SELECT l.id, 'clicked', a.clicked_at, a.id, CAST(NULL AS UUID), CAST(NULL AS DATE)
             FROM lead l JOIN review_request a ON a.org_id = l.org_id AND a.customer_id = l.customer_id
             WHERE a.clicked_at < l.created_at AND l.org_id = ",
        );
        b.push_bind(org).push(" AND l.id IN ");
        listed!(b, leads);
    })?)
}

/// Payments and refunds in their current state; withdrawn, failed and pending rows moved nothing.
async fn load_money_movements(conn: &mut dyn AsConn, org: OrgId, leads: &[Uuid]) -> Result<Vec<MoneyMovementRow>> {
    let mut rows = qb!(&mut *conn, fetch_all as MoneyMovementRow, |b| {
        b.push(
            "SELECT p.lead_id, p.id, p.kind, p.amount_cents, p.received_on, p.created_at AS at, p.refund_of FROM payment p
             WHERE p.kind IN ('payment', 'refund') AND p.status = 'settled' AND p.undone_at IS NULL AND p.org_id = ",
        );
        b.push_bind(org).push(" AND p.lead_id IN ");
        listed!(b, leads);
        b.push(" ORDER BY p.created_at, p.id");
    })?;
    if rows.is_empty() {
        return Ok(rows);
    }
    let parts = qb!(conn, fetch_all as (Uuid, Uuid, i64), |b| {
        b.push(
            "SELECT a.payment_id, a.invoice_id, a.cents FROM payment_allocation a
             JOIN payment p ON p.org_id = a.org_id AND p.id = a.payment_id WHERE p.org_id = ",
        );
        b.push_bind(org).push(" AND p.lead_id IN ");
        listed!(b, leads);
        b.push(" ORDER BY a.payment_id, a.invoice_id");
    })?;
    let mut of = BTreeMap::<Uuid, Vec<(Uuid, i64)>>::new();
    for (payment, invoice, cents) in parts {
        of.entry(payment).or_default().push((invoice, cents));
    }
    for row in &mut rows {
        row.money.parts = of.remove(&row.money.id).unwrap_or_default();
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_kind_is_found_by_its_stored_name() {
        for (name, kind, what) in MESSAGE_EVENTS {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
            assert_eq!(TimelineEventKind::from_name(name), Some(what));
        }
        assert_eq!(TimelineEventKind::from_name("what a newer program does"), None);
    }

    #[test]
    fn customer_event_precedes_our_event_at_same_instant() {
        let at = DateTime::UNIX_EPOCH;
        let event = |what| TimelineEvent { what, at, id: Uuid::nil(), about: None, due_on: None };
        let story = LeadTimeline::new(
            at,
            vec![event(TimelineEventKind::AutoReply), event(TimelineEventKind::Wrote)],
            Vec::new(),
        );
        assert_eq!(
            story.events.iter().map(|event| event.what).collect::<Vec<_>>(),
            [TimelineEventKind::Wrote, TimelineEventKind::AutoReply]
        );
    }
}
