//! Refunds, and undo of payments recorded by mistake.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    LeadBalance, PaymentKind, PaymentMethod, PaymentStatus, PaymentView, card, load_balance, pay,
    pay::{LedgerEntry, insert_entry},
    recalculate::{LedgerChange, PaidDeclaration, apply_change},
    view,
};
use crate::{
    conflicts::{ConflictCode, ConflictReason},
    domain::{
        messaging::{followup, message},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgProfile,
        },
        work::{activity::UNDO_WINDOW, pipeline},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{CustomerId, EventId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
        sequence::{self, NumberSeries},
        tasks::{self, NewTask},
    },
};

/// Margin after the one-minute undo period.
const AFTER_UNDO: chrono::Duration = chrono::Duration::seconds(1);

/// Ledger note of an amount that is not asked for again.
const FORGIVEN: &str = "taken off the bill";

/// A refund to be recorded.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = RefundRequest)]
pub struct RefundForm {
    /// US dollars; what is left of the payment when absent.
    #[serde(default)]
    #[schema(value_type = Option<f64>)]
    pub amount: Value,
    /// As it was paid when absent.
    pub method: Option<PaymentMethod>,
    #[schema(schema_with = field_schemas::nullable_text::<500>)]
    pub note: Option<String>,
    /// It is also taken off the invoice and not collected again; owed again when absent.
    pub forgive: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRefund {
    pub amount: Option<Cents>,
    pub method: Option<PaymentMethod>,
    pub note: Option<String>,
    pub forgive: bool,
}

impl RefundForm {
    /// Errors: [`Error::Invalid`], naming every field that does not fit.
    pub fn to_new_refund(&self) -> Result<NewRefund> {
        let mut errors = FieldErrors::default();
        let new = NewRefund {
            amount: (!self.amount.is_null()).then(|| pay::parse_amount(&self.amount, &mut errors)),
            method: self.method.map(|method| pay::parse_method(Some(method), &mut errors)),
            note: pay::parse_note(self.note.as_deref(), &mut errors),
            forgive: self.forgive.unwrap_or_default(),
        };
        errors.into_result()?;
        Ok(new)
    }
}

#[derive(Clone, Debug, FromRow)]
pub(super) struct StoredPayment {
    pub lead_id: LeadId,
    pub customer_id: CustomerId,
    pub kind: PaymentKind,
    method: PaymentMethod,
    pub status: PaymentStatus,
    provider_id: Option<String>,
    pub amount_cents: Cents,
    pub event_id: Option<EventId>,
    created_at: DateTime<Utc>,
    pub attempted_at: Option<DateTime<Utc>>,
    pub undone_at: Option<DateTime<Utc>>,
}

impl StoredPayment {
    /// A refund that Stripe has not confirmed.
    pub fn is_unknown_to_provider(&self) -> bool {
        self.kind == PaymentKind::Refund && self.provider_id.is_none()
    }
}

/// Locks the lead until the end of the transaction.
pub(super) async fn lock_payment(tx: &mut Tx, org: OrgId, id: PaymentId) -> Result<StoredPayment> {
    let lead = "SELECT lead_id FROM payment WHERE org_id = $1 AND id = $2";
    let lead = q!(&mut *tx, fetch_optional scalar LeadId, lead, org, id)?.ok_or(Error::NotFound)?;
    pipeline::lock_stage(tx, org, lead).await?;
    // Read again: it may have been undone during the wait.
    Ok(q!(
        tx,
        fetch_one as StoredPayment,
        "SELECT lead_id, customer_id, kind, method, status, provider_id, amount_cents, event_id, created_at,
             attempted_at, undone_at
         FROM payment WHERE org_id = $1 AND id = $2",
        org,
        id
    )?)
}

/// Includes pending refunds.
async fn sum_refunded(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<Cents> {
    let sql = "SELECT CAST(COALESCE(SUM(amount_cents), 0) AS BIGINT) FROM payment
         WHERE org_id = $1 AND refund_of = $2 AND status <> 'failed' AND undone_at IS NULL";
    Ok(q!(conn, fetch_one scalar Cents, sql, org, id)?)
}

/// Refunds that have not arrived, those in their undo minute included; and the part of them that is in doubt.
async fn sum_pending_refunds(conn: &mut dyn AsConn, org: OrgId, id: PaymentId) -> Result<(Cents, Cents)> {
    let sql = "SELECT CAST(COALESCE(SUM(amount_cents), 0) AS BIGINT),
             CAST(COALESCE(SUM(CASE WHEN status = 'unknown' THEN amount_cents ELSE 0 END), 0) AS BIGINT)
         FROM payment WHERE org_id = $1 AND refund_of = $2 AND status IN ('pending', 'unknown') AND undone_at IS NULL";
    Ok(q!(conn, fetch_one as (Cents, Cents), sql, org, id)?)
}

/// Errors: [`Error::Conflict`] when less than `amount` is left, or nothing.
async fn check_rest(tx: &mut Tx, org: OrgId, of: PaymentId, (amount, left): (Cents, Cents)) -> Result<()> {
    if left > Cents::ZERO && amount <= left {
        return Ok(());
    }
    let (pending, in_doubt) = sum_pending_refunds(&mut *tx, org, of).await?;
    Err(if in_doubt > Cents::ZERO {
        ConflictReason::other_refund_in_doubt(in_doubt).into()
    } else if pending > Cents::ZERO {
        ConflictReason::other_refund_pending(pending, left.max(Cents::ZERO)).into()
    } else if left <= Cents::ZERO {
        ConflictCode::AlreadyRefunded.into_error()
    } else {
        ConflictReason::refund_exceeds_rest(left).into()
    })
}

/// The caller writes the audit line.
/// Errors: [`Error::NotFound`]; [`Error::Conflict`] when there is not so much to give back.
pub async fn record_refund(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    of: PaymentId,
    new: &NewRefund,
    by: &ActivityActor,
) -> Result<PaymentView> {
    let (org, now) = (profile.org.id, origin.now());
    let paid = lock_payment(tx, org, of).await?;
    if paid.kind != PaymentKind::Payment || paid.status != PaymentStatus::Settled || paid.undone_at.is_some() {
        return Err(ConflictCode::PaymentNotRefundable.into_error());
    }
    let left = Cents(paid.amount_cents.0 - sum_refunded(&mut *tx, org, of).await?.0);
    let amount = new.amount.unwrap_or(left);
    check_rest(&mut *tx, org, of, (amount, left)).await?;
    let method = new.method.unwrap_or(paid.method);
    // A payment by the pay page is refunded to its card, after the undo period and once Stripe has done it.
    let to_card = method == PaymentMethod::Card && paid.provider_id.is_some();
    let (id, number) = (PaymentId(origin.uuid_v7()), sequence::next_number(tx, org, NumberSeries::Receipt).await?);
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": amount, "method": method, "refundOf": of, "number": view::receipt_number(number)}),
        ..NewEvent::new(paid.lead_id, EventKind::Refunded, now, by.clone())
    };
    let event = activity_log::record_event(tx, origin, org, event).await?;
    let entry = LedgerEntry {
        id,
        lead: paid.lead_id,
        customer: paid.customer_id,
        kind: PaymentKind::Refund,
        method,
        amount,
        received_on: org_today(profile, now),
        reference: None,
        note: new.note.as_deref(),
        refund_of: Some(of),
        estimate: None,
        number: Some(number),
        provider_id: None,
        status: if to_card { PaymentStatus::Pending } else { PaymentStatus::Settled },
        event,
    };
    let forgiven = if new.forgive { forgivable_amount(tx, org, paid.lead_id, amount).await? } else { Cents::ZERO };
    insert_entry(tx, origin, org, &entry, by).await?;
    if forgiven > Cents::ZERO {
        // Same status as the refund: one that never arrives writes nothing off.
        let id = PaymentId(origin.uuid_v7());
        let rest = LedgerEntry {
            id,
            amount: forgiven,
            kind: PaymentKind::WriteOff,
            note: Some(FORGIVEN),
            ..LedgerEntry::without_movement(&entry)
        };
        insert_entry(tx, origin, org, &rest, by).await?;
    }
    if to_card {
        tasks::enqueue(tx, origin, build_card_refund_tasks(org, id, now).into()).await?;
    }
    apply_change(tx, origin, org, &LedgerChange { event: Some(event), ..LedgerChange::new(paid.lead_id, by) }).await?;
    view::load_payment(tx, org, id, now).await
}

/// The part of `amount` that would be owed again after the refund.
async fn forgivable_amount(tx: &mut Tx, org: OrgId, lead: LeadId, amount: Cents) -> Result<Cents> {
    let under_way = q!(
        &mut *tx,
        fetch_one scalar Cents,
        "SELECT CAST(COALESCE(SUM(CASE kind WHEN 'refund' THEN amount_cents ELSE -amount_cents END), 0) AS BIGINT)
         FROM payment WHERE org_id = $1 AND lead_id = $2 AND kind IN ('refund', 'write_off')
             AND status IN ('pending', 'unknown')
             AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(owed_after_refund(&load_balance(tx, org, lead).await?, under_way, amount))
}

/// Without the overpaid amount, as far as that is not being refunded already.
fn owed_after_refund(before: &LeadBalance, under_way: Cents, amount: Cents) -> Cents {
    if before.due == Cents::ZERO {
        return Cents::ZERO;
    }
    let rest = before.due.0 - before.kept.0 - before.written_off.0 + under_way.0;
    Cents((rest + amount.0).max(0) - rest.max(0))
}

/// Requested after the undo period. An hour later at the latest the business is notified if it was not.
fn build_card_refund_tasks(org: OrgId, id: PaymentId, now: DateTime<Utc>) -> [NewTask; 2] {
    let at = |run_at: DateTime<Utc>, unique_key: String| NewTask {
        org: Some(org),
        kind: tasks::TaskKind::RefundCard,
        subject: Some(id.0),
        run_at,
        unique_key,
    };
    [
        at(now + UNDO_WINDOW + AFTER_UNDO, format!("refund:{id}")),
        at(now + card::LATE_REFUND_AFTER, format!("refund:{id}:late")),
    ]
}

/// Undoes a payment or a refund recorded within the last minute, with its effects. The caller writes the audit line.
/// Returns the lead.
/// Errors: [`Error::NotFound`], or [`Error::Conflict`] when it is too late.
pub async fn undo_payment(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: PaymentId,
    by: &ActivityActor,
) -> Result<LeadId> {
    let (row, now) = (lock_payment(tx, org, id).await?, origin.now());
    check_undoable(tx, org, id, &row, now).await?;
    let lead = row.lead_id;
    let made_paid = match row.event_id {
        Some(event) => undo_event(tx, origin, org, event, by).await?,
        None => false,
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE payment SET undone_at = $4
         WHERE org_id = $1 AND (id = $2 OR (event_id = $3 AND kind = 'write_off')) AND undone_at IS NULL",
        org,
        id,
        row.event_id,
        now
    )?;
    let event = NewEvent {
        subject: Some(id.0),
        detail: json!({"amount": row.amount_cents, "kind": row.kind}),
        ..NewEvent::new(lead, EventKind::PaymentUndone, now, by.clone())
    };
    let event = activity_log::record_event(tx, origin, org, event).await?;
    let declaration = if made_paid { PaidDeclaration::NotPaid } else { PaidDeclaration::Nothing };
    let change = LedgerChange { event: Some(event), declaration, ..LedgerChange::new(lead, by) };
    apply_change(tx, origin, org, &change).await?;
    live::publish_event(tx, origin, org, Topic::Payment, id.0, Some(lead.0)).await?;
    Ok(lead)
}

async fn check_undoable(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: PaymentId,
    row: &StoredPayment,
    now: DateTime<Utc>,
) -> Result<()> {
    if row.undone_at.is_some() {
        return Err(ConflictCode::AlreadyUndone.into_error());
    }
    if row.kind == PaymentKind::WriteOff {
        return Err(ConflictCode::WriteOffTied.into_error());
    }
    if row.provider_id.is_some() {
        return Err(ConflictCode::StripeMoneyMoved.into_error());
    }
    // The worker's clock may be ahead of ours: it has asked, and the answer may be lost.
    if row.attempted_at.is_some() {
        return Err(ConflictCode::StripeRefundAsked.into_error());
    }
    if now - row.created_at > UNDO_WINDOW {
        return Err(ConflictCode::UndoTooLate.into_error());
    }
    if sum_refunded(conn, org, id).await? > Cents::ZERO {
        return Err(ConflictCode::PaymentHasRefund.into_error());
    }
    Ok(())
}

/// Cancels the effects of the event and resumes what it stopped. True when it had made the lead paid.
async fn undo_event(tx: &mut Tx, origin: &ClockRng, org: OrgId, event: EventId, by: &ActivityActor) -> Result<bool> {
    let made_paid = activity_log::withdraw_entry(&mut *tx, org, event, origin.now()).await?;
    let why = format!("undone by {}", by.display_name());
    message::cancel_by_event(tx, origin, org, event, &why).await?;
    followup::revert_event(tx, origin, org, event, &why).await?;
    Ok(made_paid)
}

/// In the business's time zone.
#[must_use]
pub fn org_today(profile: &OrgProfile, now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&profile.org.zone()).date_naive()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refund_forgives_at_most_the_part_beyond_credit() {
        let before = |due: i64, credit: i64| LeadBalance {
            due: Cents(due),
            kept: Cents(due + credit),
            ..LeadBalance::default()
        };
        for (due, credit, under_way, amount, forgiven) in [
            (1000, 0, 0, 300, 300),
            (1000, 100, 0, 300, 200),
            (1000, 300, 0, 300, 0),
            (1000, 300, 300, 300, 300),
            (1000, 300, 100, 300, 100),
            (0, 0, 0, 300, 0),
        ] {
            let found = owed_after_refund(&before(due, credit), Cents(under_way), Cents(amount));
            assert_eq!(found, Cents(forgiven), "{due} {credit} {under_way} {amount}");
        }
    }
}
