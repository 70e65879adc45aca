//! What happened to a request, as far as it tells what brought its money: read at once for many requests.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    domain::{messaging::message, money::ledger::Kind},
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A call of theirs that nobody took.
    Missed,
    /// What rules said.
    CallText,
    Nudge,
    AutoReply,
    FollowUp,
    Reminder,
    /// A person of the business wrote, had something sent, or noted that they have spoken.
    ByPerson,
    /// A person of the business planned a visit.
    Planned,
    Done,
    /// What the customer did.
    Wrote,
    /// Their call was taken.
    Spoken,
    BookedThemselves,
    Approved,
    /// They pressed the link in a request for a review, before they asked for this work.
    ReviewClick,
}

impl What {
    /// Whether the customer did it.
    #[must_use]
    pub fn is_theirs(self) -> bool {
        matches!(self, Self::Wrote | Self::Spoken | Self::BookedThemselves | Self::Approved)
    }

    /// Whether a person of the business did it.
    #[must_use]
    pub fn is_by_a_person(self) -> bool {
        matches!(self, Self::ByPerson | Self::Planned)
    }

    fn named(name: &str) -> Option<Self> {
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, what)| *what);
        known.or_else(|| SAID.iter().find(|(known, ..)| *known == name).map(|(.., what)| *what))
    }
}

/// Whatever is no message of ours, by the name it is read under.
const NAMES: [(&str, What); 9] = [
    ("missed", What::Missed),
    ("wrote", What::Wrote),
    ("spoken", What::Spoken),
    ("job_scheduled", What::Planned),
    ("booked", What::BookedThemselves),
    ("estimate_approved", What::Approved),
    ("completed", What::Done),
    // Somebody noted that they have spoken: from their own phone, or at the door.
    ("answered", What::ByPerson),
    ("clicked", What::ReviewClick),
];

/// Messages of ours. Papers are sent by a person; a receipt, a signed copy and what is told of a visit follow from
/// something else, and bring nobody back.
const SAID: [(&str, message::Kind, What); 11] = [
    ("missed_call", message::Kind::MissedCall, What::CallText),
    ("nudge", message::Kind::Nudge, What::Nudge),
    ("auto_reply", message::Kind::AutoReply, What::AutoReply),
    ("text_reply", message::Kind::TextReply, What::AutoReply),
    ("estimate_follow_up", message::Kind::EstimateFollowUp, What::FollowUp),
    ("dunning", message::Kind::Dunning, What::Reminder),
    ("manual", message::Kind::Manual, What::ByPerson),
    ("estimate", message::Kind::Estimate, What::ByPerson),
    ("change_order", message::Kind::ChangeOrder, What::ByPerson),
    ("invoice", message::Kind::Invoice, What::ByPerson),
    ("on_the_way", message::Kind::OnTheWay, What::ByPerson),
];

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub what: What,
    pub at: DateTime<Utc>,
    /// The message, the call, the job, the estimate, or the request for a review.
    pub id: Uuid,
    /// Of a reminder: its invoice, and until when that was to be paid.
    pub about: Option<Uuid>,
    pub due_on: Option<NaiveDate>,
}

/// A row of the ledger that moved money.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Money {
    pub id: Uuid,
    pub kind: Kind,
    #[sqlx(rename = "amount_cents")]
    pub amount: Cents,
    pub received_on: NaiveDate,
    /// When it was noted.
    pub at: DateTime<Utc>,
    /// Which payment went back.
    pub refund_of: Option<Uuid>,
    /// Which invoices it paid, or was taken from, with the cents of each.
    #[sqlx(skip)]
    pub parts: Vec<(Uuid, i64)>,
}

/// A request with what happened to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    pub asked_at: DateTime<Utc>,
    /// In order. Of one instant, what the customer did comes first: nothing answers what was said at the same moment.
    pub events: Vec<Event>,
    /// In the order it was noted.
    pub money: Vec<Money>,
}

impl Story {
    /// One that has just begun.
    #[must_use]
    pub fn new(asked_at: DateTime<Utc>, mut events: Vec<Event>, money: Vec<Money>) -> Self {
        events.sort_by_key(|event| (event.at, !(event.what.is_theirs() || event.what == What::Missed)));
        Self { asked_at, events, money }
    }
}

/// A list of ids in parentheses.
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
struct LeadRow {
    id: Uuid,
    created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct EventRow {
    lead_id: Uuid,
    what: String,
    at: DateTime<Utc>,
    id: Uuid,
    about: Option<Uuid>,
    due_on: Option<NaiveDate>,
}

#[derive(FromRow)]
struct MoneyRow {
    lead_id: Uuid,
    #[sqlx(flatten)]
    money: Money,
}

/// The stories of these requests, of a page's length at most.
pub async fn of(conn: &mut dyn AsConn, org: OrgId, leads: &[Uuid]) -> Result<BTreeMap<Uuid, Story>> {
    if leads.is_empty() {
        return Ok(BTreeMap::new());
    }
    let begun = qb!(&mut *conn, fetch_all as LeadRow, |b| {
        b.push("SELECT id, created_at FROM lead WHERE org_id = ").push_bind(org).push(" AND id IN ");
        listed!(b, leads);
    })?;
    let (mut events, mut money) = (BTreeMap::<Uuid, Vec<Event>>::new(), BTreeMap::<Uuid, Vec<Money>>::new());
    for EventRow { lead_id, what, at, id, about, due_on } in happened(&mut *conn, org, leads).await? {
        let event = What::named(&what).map(|what| Event { what, at, id, about, due_on });
        events.entry(lead_id).or_default().extend(event);
    }
    for row in moved(conn, org, leads).await? {
        money.entry(row.lead_id).or_default().push(row.money);
    }
    let told = begun.into_iter().map(|LeadRow { id, created_at }| {
        (id, Story::new(created_at, events.remove(&id).unwrap_or_default(), money.remove(&id).unwrap_or_default()))
    });
    Ok(told.collect())
}

/// Everything but the money in one round trip. What a provider took and lost later was not said; what was taken back
/// never was.
async fn happened(conn: &mut dyn AsConn, org: OrgId, leads: &[Uuid]) -> Result<Vec<EventRow>> {
    Ok(qb!(conn, fetch_all as EventRow, |b| {
        b.push(
            "SELECT m.lead_id, m.kind AS what, m.sent_at AS at, m.id, i.id AS about, i.due_on
             FROM message m
             LEFT JOIN invoice i ON m.kind = 'dunning' AND i.org_id = m.org_id AND i.id = m.about_id
             WHERE m.direction = 'out' AND m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND m.kind IN (",
        );
        let mut kinds = b.separated(", ");
        for (_, kind, _) in SAID {
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
             FROM lead l JOIN review_ask a ON a.org_id = l.org_id AND a.customer_id = l.customer_id
             WHERE a.clicked_at < l.created_at AND l.org_id = ",
        );
        b.push_bind(org).push(" AND l.id IN ");
        listed!(b, leads);
    })?)
}

/// The money that came in and went back, as it stands: what was taken back, failed or is on its way moved nothing.
async fn moved(conn: &mut dyn AsConn, org: OrgId, leads: &[Uuid]) -> Result<Vec<MoneyRow>> {
    let mut rows = qb!(&mut *conn, fetch_all as MoneyRow, |b| {
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
            "SELECT a.payment_id, a.invoice_id, a.cents FROM allocation a
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
    fn what_is_asked_for_is_known_by_the_name_it_is_stored_under() {
        for (name, kind, what) in SAID {
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
            assert_eq!(What::named(name), Some(what));
        }
        assert_eq!(What::named("what a newer program does"), None);
    }

    #[test]
    fn of_one_instant_the_customer_comes_first() {
        let at = DateTime::UNIX_EPOCH;
        let event = |what| Event { what, at, id: Uuid::nil(), about: None, due_on: None };
        let story = Story::new(at, vec![event(What::AutoReply), event(What::Wrote)], Vec::new());
        assert_eq!(story.events.iter().map(|event| event.what).collect::<Vec<_>>(), [What::Wrote, What::AutoReply]);
    }
}
