//! What Stripe tells us by itself: each call is taken once, and only ever says where to look.

use sqlx::FromRow;

use super::{COLUMNS, Checkout, look_now};
use crate::{
    domain::intake::lead::Intake,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::OrgId,
        tasks,
    },
    providers::payments::Event,
};

/// The kinds that are news of a payment. All others are taken and left alone.
const NEWS: [&str; 14] = [
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "charge.refunded",
    "charge.refund.updated",
    "refund.created",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.updated",
    "charge.dispute.closed",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
];

#[derive(FromRow)]
struct Taken {
    #[expect(dead_code, reason = "its being there is what is asked")]
    id: String,
}

/// Takes a call whose signature was good. One that comes again changes nothing.
pub async fn take(tx: &mut Tx, house: &Intake<'_>, event: &Event) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    let visit = visit_of(&mut *tx, org, event).await?;
    let outcome = match (&visit, NEWS.contains(&event.kind.as_str())) {
        (_, false) => "left alone",
        (None, true) => "unknown",
        (Some(_), true) => "taken",
    };
    let is_new = is_new(&mut *tx, origin, org, event, outcome).await?;
    let (true, "taken", Some(visit)) = (is_new, outcome, visit) else { return Ok(()) };
    let look = look_now(origin, (org, visit.id), &event.id);
    tasks::enqueue(tx, origin, vec![look]).await.map(|_| ())
}

/// Writes an event down for a business. False when it was taken before.
pub(crate) async fn is_new(tx: &mut Tx, origin: &Origin, org: OrgId, event: &Event, outcome: &str) -> Result<bool> {
    let made_at = chrono::DateTime::from_timestamp(event.created, 0).unwrap_or_else(|| origin.now());
    let stored = q!(
        tx,
        fetch_optional as Taken,
        "INSERT INTO stripe_event (org_id, id, kind, made_at, received_at, outcome) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, id) DO NOTHING RETURNING id",
        org,
        &event.id,
        &event.kind,
        made_at,
        origin.now(),
        outcome
    )?;
    Ok(stored.is_some())
}

/// Whether Stripe ever told a business's endpoint of a dispute. Where it did, every look at a payment asks for its
/// disputes too: what moves the books is Stripe's answer, never the call, whoever signed it.
pub async fn may_be_disputed(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM stripe_event WHERE org_id = $1
         AND kind > 'charge.dispute.' AND kind < 'charge.dispute/')";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

/// The visit it is about: by the page it names, else by the payment.
async fn visit_of(tx: &mut Tx, org: OrgId, event: &Event) -> Result<Option<Checkout>> {
    let (column, named) = match (event.session(), event.payment()) {
        (Some(session), _) => ("provider_id", session),
        (None, Some(payment)) => ("payment_provider_id", payment),
        (None, None) => return Ok(None),
    };
    Ok(qb!(tx, fetch_optional as Checkout, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND ").push(column).push(" = ").push_bind(named);
    })?)
}
