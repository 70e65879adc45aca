//! Refunds to cards: on their way until Stripe says that they arrived, and those that were made on Stripe's own pages.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{
    Kind, Method, Status,
    pay::{Entry, enter},
    refund::{Stored, held, today},
    settle::{Change, reckon},
    view,
};
use crate::{
    domain::{
        tenancy::org::Profile,
        work::activity::{self, Doer, EventKind, NewEvent},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
        sequence::{self, Series},
    },
};

/// A refund that waits so long to be asked for is told.
pub const LATE: chrono::Duration = chrono::Duration::hours(1);

/// A refund on its way.
#[derive(Clone, Debug, FromRow)]
pub struct Waiting {
    pub org_id: OrgId,
    pub lead_id: LeadId,
    pub id: PaymentId,
    pub amount_cents: Cents,
    /// Stripe's id of the payment that is given back.
    pub payment: String,
    /// What was paid by it.
    pub paid_cents: Cents,
    /// Stripe's id of the refund, once it is known.
    pub provider_id: Option<String>,
    /// The Stripe account that holds the payment; none where it was not noted.
    pub account: Option<String>,
    /// When Stripe was first asked for it. Without it nothing is in doubt.
    pub attempted_at: Option<DateTime<Utc>>,
    /// Stripe could not be asked the last time.
    pub is_unreachable: bool,
    pub status: Status,
    pub created_at: DateTime<Utc>,
}

/// A refund that is still on its way or in doubt; none when it arrived, failed, or was taken back.
pub async fn waiting(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Option<Waiting>> {
    Ok(q!(
        conn,
        fetch_optional as Waiting,
        "SELECT r.org_id, r.lead_id, r.id, r.amount_cents, p.provider_id AS payment,
             p.amount_cents AS paid_cents, r.provider_id, p.account, r.attempted_at, r.is_unreachable,
             r.status, r.created_at
         FROM payment r JOIN payment p ON p.org_id = r.org_id AND p.id = r.refund_of
         WHERE r.org_id = $1 AND r.id = $2 AND r.kind = 'refund' AND r.status IN ('pending', 'unknown')
             AND r.undone_at IS NULL AND p.provider_id IS NOT NULL",
        org,
        id
    )?)
}

/// Notes that Stripe is asked for a refund now. Which key it is asked with; none when it was taken back or settled.
pub async fn attempted(tx: &mut Tx, origin: &Origin, org: OrgId, id: PaymentId, step: i64) -> Result<Option<i64>> {
    // One that is being taken back at this moment comes first, or last and is refused.
    held(&mut *tx, org, id).await?;
    let sql = "UPDATE payment SET attempted_at = COALESCE(attempted_at, $3), key_no = key_no + $4
         WHERE org_id = $1 AND id = $2 AND kind = 'refund' AND status IN ('pending', 'unknown') AND undone_at IS NULL
         RETURNING key_no";
    Ok(q!(tx, fetch_optional scalar i64, sql, org, id, origin.now(), step)?)
}

/// What Stripe says of a refund of ours. One that Stripe knows and that failed stays failed; arrived, it may still fail.
/// One of which Stripe was never heard may turn out to have been made. How it stood before; none where this changed
/// nothing.
pub async fn stands(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: PaymentId,
    provider_id: Option<&str>,
    to: Status,
) -> Result<Option<Status>> {
    let row = held(tx, org, id).await?;
    let moves = matches!(
        (row.status, to),
        (Status::Pending, Status::Settled | Status::Failed | Status::Unknown)
            | (Status::Unknown, Status::Settled | Status::Failed | Status::Pending)
            | (Status::Settled, Status::Failed)
    ) || row.status == Status::Failed && row.is_unheard() && provider_id.is_some() && to != Status::Failed;
    let sql = "UPDATE payment SET provider_id = COALESCE(provider_id, $3) WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, provider_id)?;
    if moves {
        change(tx, origin, org, (id, &row), (to, &Doer::System)).await?;
    }
    Ok(moves.then_some(row.status))
}

/// Notes whether Stripe can be asked how a refund ended.
pub async fn reach(tx: &mut Tx, origin: &Origin, refund: &Waiting, is_reachable: bool) -> Result<()> {
    let sql = "UPDATE payment SET is_unreachable = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, refund.org_id, refund.id, !is_reachable)?;
    live::announce(tx, origin, refund.org_id, Topic::Payment, refund.id.0, Some(refund.lead_id.0)).await
}

/// A bank that had returned the money of a dispute has taken it once more. Whether this changed anything.
pub async fn taken_again(tx: &mut Tx, origin: &Origin, org: OrgId, id: PaymentId) -> Result<bool> {
    let row = held(tx, org, id).await?;
    let moves = row.status == Status::Failed;
    if moves {
        change(tx, origin, org, (id, &row), (Status::Settled, &Doer::System)).await?;
    }
    Ok(moves)
}

pub(super) async fn change(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (id, row): (PaymentId, &Stored),
    (status, by): (Status, &Doer),
) -> Result<()> {
    let sql = "UPDATE payment SET status = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, status)?;
    // What was forgiven by it goes with it.
    let forgiven = "UPDATE payment SET status = $3 WHERE org_id = $1 AND event_id = $2 AND kind = 'write_off'";
    if let Some(event) = row.event_id {
        q!(&mut *tx, execute, forgiven, org, event, status)?;
    }
    reckon(tx, origin, org, &Change::new(row.lead_id, by)).await?;
    live::announce(tx, origin, org, Topic::Payment, id.0, Some(row.lead_id.0)).await
}

/// A payment that Stripe holds.
#[derive(Clone, Debug, FromRow)]
pub struct Held {
    /// Stripe's id of it.
    pub payment: String,
    pub account: Option<String>,
    pub method: Method,
    pub amount_cents: Cents,
    /// What went back of it in the books, is on its way, or is in doubt.
    pub back_cents: Cents,
    /// What of that Stripe does not know: cash, a check, or a refund that has not left yet.
    pub unknown_there_cents: Cents,
}

/// A payment of the business that Stripe holds; none of others.
pub async fn at_stripe(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Option<Held>> {
    Ok(q!(
        conn,
        fetch_optional as Held,
        "SELECT p.provider_id AS payment, p.account, p.method, p.amount_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status <> 'failed' AND r.undone_at IS NULL), 0) AS BIGINT) AS back_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status <> 'failed' AND r.undone_at IS NULL AND r.provider_id IS NULL), 0) AS BIGINT)
                 AS unknown_there_cents
         FROM payment p WHERE p.org_id = $1 AND p.id = $2 AND p.kind = 'payment' AND p.status = 'settled'
             AND p.provider_id IS NOT NULL",
        org,
        id
    )?)
}

/// The refund that Stripe knows under one of these names.
pub async fn known(
    conn: &mut dyn AsConn,
    org: OrgId,
    own: Option<PaymentId>,
    provider_id: &str,
) -> Result<Option<PaymentId>> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND (provider_id = $2 OR id = $3)";
    Ok(q!(conn, fetch_optional scalar PaymentId, sql, org, provider_id, own)?)
}

/// Of a payment, what the business gave back in cash or in another way that Stripe does not know.
pub async fn back_otherwise(conn: &mut dyn AsConn, org: OrgId, payment: &str) -> Result<Cents> {
    let sql = "SELECT CAST(COALESCE(SUM(r.amount_cents), 0) AS BIGINT) FROM payment p
         JOIN payment r ON r.org_id = p.org_id AND r.refund_of = p.id
         WHERE p.org_id = $1 AND p.provider_id = $2 AND p.kind = 'payment' AND r.method <> 'card'
             AND r.status = 'settled' AND r.undone_at IS NULL";
    Ok(q!(conn, fetch_one scalar Cents, sql, org, payment)?)
}

/// Records what went back of a payment without us: given back on Stripe's own pages, or taken by the payer's bank. None
/// when the payment is none of ours. Stripe's word counts, also where more goes back than came in: a bank may take all of
/// a payment of which a part was given back before.
pub async fn found(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    payment: &str,
    (provider_id, amount, status): (&str, Cents, Status),
    note: &str,
) -> Result<Option<PaymentId>> {
    let org = profile.org.id;
    let sql =
        "SELECT id FROM payment WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment' AND status = 'settled'";
    let Some(of) = q!(&mut *tx, fetch_optional scalar PaymentId, sql, org, payment)? else { return Ok(None) };
    let paid = held(tx, org, of).await?;
    if amount <= Cents::ZERO {
        return Ok(None);
    }
    let (id, number) = (PaymentId(origin.uuid()), sequence::take(tx, org, Series::Receipt).await?);
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": Method::Card, "refundOf": of, "number": view::receipt_number(number)}),
        ..NewEvent::new(paid.lead_id, EventKind::Refunded, origin.now(), Doer::System)
    };
    let event = activity::record(tx, origin, org, event).await?;
    let entry = Entry {
        id,
        lead: paid.lead_id,
        customer: paid.customer_id,
        kind: Kind::Refund,
        method: Method::Card,
        status,
        amount,
        received_on: today(profile, origin.now()),
        reference: None,
        note: Some(note),
        refund_of: Some(of),
        estimate: None,
        number: Some(number),
        provider_id: Some(provider_id),
        event,
    };
    enter(tx, origin, org, &entry, &Doer::System).await?;
    reckon(tx, origin, org, &Change { event: Some(event), ..Change::new(paid.lead_id, &Doer::System) }).await?;
    Ok(Some(id))
}

/// Records a payment of Stripe's test mode: it is shown, and counts nowhere.
pub async fn paid_in_test(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    lead: LeadId,
    (amount, provider_id): (Cents, &str),
) -> Result<()> {
    let org = profile.org.id;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, lead)?;
    let id = PaymentId(origin.uuid());
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": Method::Card, "isTest": true}),
        ..NewEvent::new(lead, EventKind::PaymentRecorded, origin.now(), Doer::System)
    };
    let event = activity::record(tx, origin, org, event).await?;
    let entry = Entry {
        id,
        lead,
        customer,
        kind: Kind::Payment,
        method: Method::Card,
        status: Status::Test,
        amount,
        received_on: today(profile, origin.now()),
        reference: None,
        note: Some("Stripe test mode: no money moved"),
        refund_of: None,
        estimate: None,
        number: None,
        provider_id: Some(provider_id),
        event,
    };
    enter(tx, origin, org, &entry, &Doer::System).await
}
