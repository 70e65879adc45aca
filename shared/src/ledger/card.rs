//! Refunds to cards: on their way until Stripe says that they arrived, and those that were made on Stripe's own pages.

use serde_json::json;
use sqlx::FromRow;

use super::{
    Kind, Method, Status,
    pay::{Entry, enter},
    refund::{held, refunded, today},
    settle::{Change, reckon},
    view,
};
use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{LeadId, OrgId, PaymentId},
    live::{self, Topic},
    money::Cents,
    number::{self, Series},
    org::Profile,
    work::{self, Doer, EventKind, NewEvent},
};

/// A refund on its way.
#[derive(Clone, Debug, FromRow)]
pub struct Waiting {
    pub org_id: OrgId,
    pub lead_id: LeadId,
    pub id: PaymentId,
    pub amount_cents: Cents,
    /// Stripe's id of the payment that is given back.
    pub payment: String,
    /// Stripe's id of the refund, once it was asked for.
    pub provider_id: Option<String>,
}

/// A refund that is still on its way; none when it arrived, failed, or was taken back.
pub async fn waiting(conn: &mut impl AsConn, id: PaymentId) -> Result<Option<Waiting>> {
    Ok(q!(
        conn,
        fetch_optional as Waiting,
        "SELECT r.org_id, r.lead_id, r.id, r.amount_cents, p.provider_id AS payment, r.provider_id
         FROM payment r JOIN payment p ON p.org_id = r.org_id AND p.id = r.refund_of
         WHERE r.id = $1 AND r.kind = 'refund' AND r.status = 'pending' AND r.undone_at IS NULL
             AND p.provider_id IS NOT NULL",
        id
    )?)
}

/// What Stripe says of a refund of ours. Once failed it stays failed; arrived, it may still fail. Whether this changed
/// anything.
pub async fn stands(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    id: PaymentId,
    provider_id: Option<&str>,
    to: Status,
) -> Result<bool> {
    let row = held(tx, org, id).await?;
    let moves = matches!(
        (row.status, to),
        (Status::Pending, Status::Settled | Status::Failed) | (Status::Settled, Status::Failed)
    );
    let status = if moves { to } else { row.status };
    let sql = "UPDATE payment SET status = $3, provider_id = COALESCE(provider_id, $4) WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, status, provider_id)?;
    if !moves {
        return Ok(false);
    }
    // What was forgiven by it goes with it.
    let forgiven = "UPDATE payment SET status = $3 WHERE org_id = $1 AND event_id = $2 AND kind = 'write_off'";
    if let Some(event) = row.event_id {
        q!(&mut *tx, execute, forgiven, org, event, status)?;
    }
    reckon(tx, origin, org, &Change::new(row.lead_id, &Doer::System)).await?;
    live::announce(tx, origin, org, Topic::Payment, id.0, Some(row.lead_id.0)).await?;
    Ok(true)
}

/// The refund that Stripe knows under one of these names.
pub async fn known(
    conn: &mut impl AsConn,
    org: OrgId,
    own: Option<PaymentId>,
    provider_id: &str,
) -> Result<Option<PaymentId>> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND (provider_id = $2 OR id = $3)";
    Ok(q!(conn, fetch_optional scalar PaymentId, sql, org, provider_id, own)?)
}

/// Records what went back of a payment without us: given back on Stripe's own pages, or taken by the payer's bank. None
/// when the payment is none of ours, or all of it went back before.
pub async fn found(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    payment: &str,
    (provider_id, amount, status): (&str, Cents, Status),
    note: &str,
) -> Result<Option<PaymentId>> {
    let org = profile.org.id;
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment'";
    let Some(of) = q!(&mut *tx, fetch_optional scalar PaymentId, sql, org, payment)? else { return Ok(None) };
    let paid = held(tx, org, of).await?;
    let left = paid.amount_cents.0 - refunded(&mut *tx, org, of).await?.0;
    let amount = Cents(amount.0.min(left));
    if amount <= Cents::ZERO {
        return Ok(None);
    }
    let (id, number) = (PaymentId(origin.uuid()), number::take(tx, org, Series::Receipt).await?);
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": Method::Card, "refundOf": of, "number": view::receipt_number(number)}),
        ..NewEvent::new(paid.lead_id, EventKind::Refunded, origin.now(), Doer::System)
    };
    let event = work::record(tx, origin, org, event).await?;
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
