//! Card refunds: pending until Stripe confirms them, and those made in Stripe's dashboard.

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::FromRow;

use super::{
    PaymentKind, PaymentMethod, PaymentStatus,
    pay::{LedgerEntry, insert_entry},
    recalculate::{LedgerChange, apply_change},
    refund::{StoredPayment, lock_payment, org_today},
    view,
};
use crate::{
    domain::tenancy::{
        activity_log::{self, ActivityActor, EventKind, NewEvent},
        org::OrgProfile,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
        sequence::{self, NumberSeries},
    },
};

/// The business is notified of a refund that was not requested within this time.
pub const LATE_REFUND_AFTER: chrono::Duration = chrono::Duration::hours(1);

#[derive(Clone, Debug, FromRow)]
pub struct PendingCardRefund {
    pub org_id: OrgId,
    pub lead_id: LeadId,
    pub id: PaymentId,
    pub amount_cents: Cents,
    /// Stripe's id of the refunded payment.
    pub payment: String,
    pub paid_cents: Cents,
    pub provider_id: Option<String>,
    /// The Stripe account that holds the payment; none where it was not noted.
    pub account: Option<String>,
    /// When Stripe was first asked. Without it nothing is in doubt.
    pub attempted_at: Option<DateTime<Utc>>,
    /// Stripe could not be asked the last time.
    pub is_unreachable: bool,
    pub status: PaymentStatus,
    pub created_at: DateTime<Utc>,
}

/// A refund that is pending or in doubt; none when it arrived, failed, or was undone.
pub async fn find_pending_refund(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: PaymentId,
) -> Result<Option<PendingCardRefund>> {
    Ok(q!(
        conn,
        fetch_optional as PendingCardRefund,
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

/// Records that Stripe is asked now. Returns the number of the key; none when it was undone or settled, or when another
/// run has made the first request since `refund` was read: that run sees it through.
pub async fn record_refund_attempt(
    tx: &mut Tx,
    origin: &ClockRng,
    refund: &PendingCardRefund,
    step: i64,
) -> Result<Option<i64>> {
    let (org, id) = (refund.org_id, refund.id);
    // The lock orders this against an undo: that comes first, or comes later and is refused.
    let row = lock_payment(&mut *tx, org, id).await?;
    if step == 0 && refund.attempted_at.is_none() && row.attempted_at.is_some() {
        return Ok(None);
    }
    let sql = "UPDATE payment SET attempted_at = COALESCE(attempted_at, $3), key_no = key_no + $4
         WHERE org_id = $1 AND id = $2 AND kind = 'refund' AND status IN ('pending', 'unknown') AND undone_at IS NULL
         RETURNING key_no";
    Ok(q!(tx, fetch_optional scalar i64, sql, org, id, origin.now(), step)?)
}

/// Whether Stripe was ever asked for it. Locks the lead, so that no other run asks before the transaction ends.
pub async fn was_refund_requested(tx: &mut Tx, refund: &PendingCardRefund) -> Result<bool> {
    Ok(lock_payment(tx, refund.org_id, refund.id).await?.attempted_at.is_some())
}

/// Applies Stripe's status to a refund of ours. A failed refund that Stripe knows stays failed; one that arrived may
/// still fail; one without an answer may turn out to have been made. Returns the previous status; none when nothing
/// changed.
pub async fn apply_refund_status(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: PaymentId,
    provider_id: Option<&str>,
    to: PaymentStatus,
) -> Result<Option<PaymentStatus>> {
    let row = lock_payment(tx, org, id).await?;
    let moves = matches!(
        (row.status, to),
        (PaymentStatus::Pending, PaymentStatus::Settled | PaymentStatus::Failed | PaymentStatus::Unknown)
            | (PaymentStatus::Unknown, PaymentStatus::Settled | PaymentStatus::Failed | PaymentStatus::Pending)
            | (PaymentStatus::Settled, PaymentStatus::Failed)
    ) || row.status == PaymentStatus::Failed
        && row.is_unknown_to_provider()
        && provider_id.is_some()
        && to != PaymentStatus::Failed;
    let sql = "UPDATE payment SET provider_id = COALESCE(provider_id, $3) WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, provider_id)?;
    if moves {
        set_payment_status(tx, origin, org, (id, &row), (to, &ActivityActor::System)).await?;
    }
    Ok(moves.then_some(row.status))
}

pub async fn record_reachability(
    tx: &mut Tx,
    origin: &ClockRng,
    refund: &PendingCardRefund,
    is_reachable: bool,
) -> Result<()> {
    let sql = "UPDATE payment SET is_unreachable = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, refund.org_id, refund.id, !is_reachable)?;
    live::publish_event(tx, origin, refund.org_id, Topic::Payment, refund.id.0, Some(refund.lead_id.0)).await
}

/// A bank that had returned the money of a dispute has taken it again. True when this changed anything.
pub async fn reapply_dispute(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: PaymentId) -> Result<bool> {
    let row = lock_payment(tx, org, id).await?;
    let moves = row.status == PaymentStatus::Failed;
    if moves {
        set_payment_status(tx, origin, org, (id, &row), (PaymentStatus::Settled, &ActivityActor::System)).await?;
    }
    Ok(moves)
}

/// Stores what the payer's bank holds now by a dispute.
pub async fn set_refund_amount(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: PaymentId, amount: Cents) -> Result<()> {
    let row = lock_payment(tx, org, id).await?;
    if amount == row.amount_cents {
        return Ok(());
    }
    q!(&mut *tx, execute, "UPDATE payment SET amount_cents = $3 WHERE org_id = $1 AND id = $2", org, id, amount)?;
    // It is allocated anew: parts of the former amount would stay on the invoices.
    q!(&mut *tx, execute, "DELETE FROM payment_allocation WHERE org_id = $1 AND payment_id = $2", org, id)?;
    apply_change(tx, origin, org, &LedgerChange::new(row.lead_id, &ActivityActor::System)).await?;
    live::publish_event(tx, origin, org, Topic::Payment, id.0, Some(row.lead_id.0)).await
}

pub(super) async fn set_payment_status(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (id, row): (PaymentId, &StoredPayment),
    (status, by): (PaymentStatus, &ActivityActor),
) -> Result<()> {
    let sql = "UPDATE payment SET status = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, status)?;
    // The write-off of the same event gets the same status.
    let forgiven = "UPDATE payment SET status = $3 WHERE org_id = $1 AND event_id = $2 AND kind = 'write_off'";
    if let Some(event) = row.event_id {
        q!(&mut *tx, execute, forgiven, org, event, status)?;
    }
    apply_change(tx, origin, org, &LedgerChange::new(row.lead_id, by)).await?;
    live::publish_event(tx, origin, org, Topic::Payment, id.0, Some(row.lead_id.0)).await
}

#[derive(Clone, Debug, FromRow)]
pub struct StripePayment {
    pub payment: String,
    pub account: Option<String>,
    pub method: PaymentMethod,
    pub amount_cents: Cents,
    /// Refunded in the ledger, including pending and in doubt.
    pub back_cents: Cents,
    /// The part of that unknown to Stripe: cash, a check, or a refund not sent yet.
    pub unknown_there_cents: Cents,
    /// Of the refunds unknown to Stripe, those to the card: not sent yet, or in doubt.
    pub pending_cents: Cents,
    /// The part of those in doubt.
    pub in_doubt_cents: Cents,
}

/// None when Stripe does not hold the payment.
pub async fn find_stripe_payment(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Option<StripePayment>> {
    Ok(q!(
        conn,
        fetch_optional as StripePayment,
        "SELECT p.provider_id AS payment, p.account, p.method, p.amount_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status <> 'failed' AND r.undone_at IS NULL), 0) AS BIGINT) AS back_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status <> 'failed' AND r.undone_at IS NULL AND r.provider_id IS NULL), 0) AS BIGINT)
                 AS unknown_there_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status IN ('pending', 'unknown') AND r.undone_at IS NULL AND r.provider_id IS NULL), 0) AS BIGINT)
                 AS pending_cents,
             CAST(COALESCE((SELECT SUM(r.amount_cents) FROM payment r WHERE r.org_id = $1 AND r.refund_of = p.id
                 AND r.status = 'unknown' AND r.undone_at IS NULL AND r.provider_id IS NULL), 0) AS BIGINT)
                 AS in_doubt_cents
         FROM payment p WHERE p.org_id = $1 AND p.id = $2 AND p.kind = 'payment' AND p.status = 'settled'
             AND p.provider_id IS NOT NULL",
        org,
        id
    )?)
}

/// By our id or by Stripe's.
pub async fn find_refund_id(
    conn: &mut dyn AsConn,
    org: OrgId,
    own: Option<PaymentId>,
    provider_id: &str,
) -> Result<Option<PaymentId>> {
    let sql = "SELECT id FROM payment WHERE org_id = $1 AND kind = 'refund' AND (provider_id = $2 OR id = $3)";
    Ok(q!(conn, fetch_optional scalar PaymentId, sql, org, provider_id, own)?)
}

/// The part of a payment returned in cash or in another way that Stripe does not know.
pub async fn sum_refunded_elsewhere(conn: &mut dyn AsConn, org: OrgId, payment: &str) -> Result<Cents> {
    let sql = "SELECT CAST(COALESCE(SUM(r.amount_cents), 0) AS BIGINT) FROM payment p
         JOIN payment r ON r.org_id = p.org_id AND r.refund_of = p.id
         WHERE p.org_id = $1 AND p.provider_id = $2 AND p.kind = 'payment' AND r.method <> 'card'
             AND r.status = 'settled' AND r.undone_at IS NULL";
    Ok(q!(conn, fetch_one scalar Cents, sql, org, payment)?)
}

/// Records a refund made in Stripe's dashboard, or money taken by the payer's bank. None when the payment is not ours.
/// Stripe's answer counts even where more goes back than came in: a bank may take all of a payment after a partial
/// refund.
pub async fn record_external_refund(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    payment: &str,
    (provider_id, amount, status): (&str, Cents, PaymentStatus),
    note: &str,
) -> Result<Option<PaymentId>> {
    let org = profile.org.id;
    let sql =
        "SELECT id FROM payment WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment' AND status = 'settled'";
    let Some(of) = q!(&mut *tx, fetch_optional scalar PaymentId, sql, org, payment)? else { return Ok(None) };
    let paid = lock_payment(tx, org, of).await?;
    if amount <= Cents::ZERO {
        return Ok(None);
    }
    let (id, number) = (PaymentId(origin.uuid_v7()), sequence::next_number(tx, org, NumberSeries::Receipt).await?);
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": PaymentMethod::Card, "refundOf": of, "number": view::receipt_number(number)}),
        ..NewEvent::new(paid.lead_id, EventKind::Refunded, origin.now(), ActivityActor::System)
    };
    let event = activity_log::record_event(tx, origin, org, event).await?;
    let entry = LedgerEntry {
        id,
        lead: paid.lead_id,
        customer: paid.customer_id,
        kind: PaymentKind::Refund,
        method: PaymentMethod::Card,
        status,
        amount,
        received_on: org_today(profile, origin.now()),
        reference: None,
        note: Some(note),
        refund_of: Some(of),
        estimate: None,
        number: Some(number),
        provider_id: Some(provider_id),
        event,
    };
    insert_entry(tx, origin, org, &entry, &ActivityActor::System).await?;
    apply_change(
        tx,
        origin,
        org,
        &LedgerChange { event: Some(event), ..LedgerChange::new(paid.lead_id, &ActivityActor::System) },
    )
    .await?;
    Ok(Some(id))
}

/// Records a payment of Stripe's test mode: it is shown, and counts nowhere.
pub async fn record_test_payment(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    lead: LeadId,
    (amount, provider_id): (Cents, &str),
) -> Result<()> {
    let org = profile.org.id;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, lead)?;
    let id = PaymentId(origin.uuid_v7());
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": PaymentMethod::Card, "isTest": true}),
        ..NewEvent::new(lead, EventKind::PaymentRecorded, origin.now(), ActivityActor::System)
    };
    let event = activity_log::record_event(tx, origin, org, event).await?;
    let entry = LedgerEntry {
        id,
        lead,
        customer,
        kind: PaymentKind::Payment,
        method: PaymentMethod::Card,
        status: PaymentStatus::Test,
        amount,
        received_on: org_today(profile, origin.now()),
        reference: None,
        note: Some("Stripe test mode: no money moved"),
        refund_of: None,
        estimate: None,
        number: None,
        provider_id: Some(provider_id),
        event,
    };
    insert_entry(tx, origin, org, &entry, &ActivityActor::System).await
}
