//! Stripe webhooks about payments: each event is taken once and only triggers a look.

use sqlx::FromRow;

use super::{COLUMNS, CheckoutSession, build_settle_task};
use crate::{
    domain::tenancy::org::OrgContext,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        error::Result,
        id::OrgId,
        tasks,
    },
    providers::payments::StripeEvent,
};

/// Event kinds about a payment. All others are accepted and ignored.
const PAYMENT_EVENT_KINDS: [&str; 14] = [
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
struct InsertedEventRow {
    #[expect(dead_code, reason = "its being there is what is asked")]
    id: String,
}

/// The caller has verified the signature. A repeated event changes nothing.
pub async fn handle_event(tx: &mut Tx, ctx: &OrgContext<'_>, event: &StripeEvent) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    let visit = find_checkout(&mut *tx, org, event).await?;
    let outcome = match (&visit, PAYMENT_EVENT_KINDS.contains(&event.kind.as_str())) {
        (_, false) => "left alone",
        (None, true) => "unknown",
        (Some(_), true) => "taken",
    };
    let is_new = record_if_new(&mut *tx, origin, org, event, outcome).await?;
    let (true, "taken", Some(visit)) = (is_new, outcome, visit) else { return Ok(()) };
    let look = build_settle_task(origin, (org, visit.id), &event.id);
    tasks::enqueue(tx, origin, vec![look]).await.map(|_| ())
}

/// False when the event was stored before.
pub(crate) async fn record_if_new(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: &StripeEvent,
    outcome: &str,
) -> Result<bool> {
    let made_at = chrono::DateTime::from_timestamp(event.created, 0).unwrap_or_else(|| origin.now());
    let stored = q!(
        tx,
        fetch_optional as InsertedEventRow,
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

/// Whether Stripe ever sent a dispute event to the business's endpoint. If so, every look at a payment also reads its
/// disputes: the ledger follows Stripe's answer, never the event, even with a valid signature.
pub async fn has_dispute_events(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM stripe_event WHERE org_id = $1
         AND kind > 'charge.dispute.' AND kind < 'charge.dispute/')";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

/// By the page that the event names, else by the payment.
async fn find_checkout(tx: &mut Tx, org: OrgId, event: &StripeEvent) -> Result<Option<CheckoutSession>> {
    let (column, named) = match (event.checkout_session_id(), event.payment_intent_id()) {
        (Some(session), _) => ("provider_id", session),
        (None, Some(payment)) => ("payment_provider_id", payment),
        (None, None) => return Ok(None),
    };
    Ok(qb!(tx, fetch_optional as CheckoutSession, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM checkout WHERE org_id = ").push_bind(org);
        b.push(" AND ").push(column).push(" = ").push_bind(named);
    })?)
}
