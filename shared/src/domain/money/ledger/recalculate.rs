//! Derived values of a lead and its invoices, updated after every change of the ledger. No other code writes them.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    LeadBalance, PaymentKind, PaymentMethod,
    allocation::{IssuedInvoice, LeadLedger},
    load_balance,
};
use crate::{
    domain::{
        intake::lead::PipelineStage,
        messaging::{
            followup::{self, FollowUpSubject},
            message,
        },
        money::{
            checkout,
            invoice::{self, InvoiceStatus},
            listener::{LeadMoneyEvent, notify_money_listeners},
        },
        tenancy::{activity_log::ActivityActor, org},
        work::pipeline::{self, StageCause},
    },
    platform::{
        access_link, business_hours,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EventId, InvoiceId, LeadId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
    },
};

/// Time of a payment on another day, so that the day is right in the business's time zone.
const NOON: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of the day");

/// A person's statement about the whole, beside the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaidDeclaration {
    Nothing,
    Paid,
    NotPaid,
}

pub(super) struct LedgerChange<'a> {
    pub lead: LeadId,
    pub by: &'a ActivityActor,
    /// Its event: an undo restores what the event stopped.
    pub event: Option<EventId>,
    /// A payment and the invoice it is allocated to first.
    pub first: Option<(PaymentId, InvoiceId)>,
    pub declaration: PaidDeclaration,
}

impl<'a> LedgerChange<'a> {
    pub fn new(lead: LeadId, by: &'a ActivityActor) -> Self {
        Self { lead, by, event: None, first: None, declaration: PaidDeclaration::Nothing }
    }
}

/// Recalculates a lead's money: allocations, status of the invoices, collected amount, and whether it is paid. Called
/// after an estimate or an invoice changed what is due.
/// Errors: [`Error::NotFound`] when the org has no such lead.
pub async fn recalculate_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    by: &ActivityActor,
) -> Result<LeadBalance> {
    apply_change(tx, origin, org, &LedgerChange::new(lead, by)).await.map(|(balance, _)| balance)
}

/// The same for a described change. True when it made the lead paid.
pub(super) async fn apply_change(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    change: &LedgerChange<'_>,
) -> Result<(LeadBalance, bool)> {
    let stage = pipeline::lock_stage(tx, org, change.lead).await?;
    let mut books = LeadLedger::load(tx, org, change.lead).await?;
    if let Some((payment, invoice)) = change.first {
        books.allocate_payment(payment, invoice);
    }
    books.recalculate_allocations();
    books.save_changes(tx, org).await?;
    // The invoice that a payment paid decides what the payment is attributed to.
    tx.mark_dirty(org, change.lead);
    update_invoices(tx, origin, org, change, &books).await?;
    let balance = load_balance(&mut *tx, org, change.lead).await?;
    let collected = load_collected(tx, org, change.lead, &balance).await?;
    let sql = "UPDATE lead SET collected_cents = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, change.lead, collected)?;
    let became_paid = match (stage == PipelineStage::Paid, is_paid(stage, &balance, change.declaration)) {
        (false, true) => mark_lead_paid(tx, origin, org, change).await?,
        (true, false) => revert_lead_paid(tx, origin, org, change).await?,
        _ => false,
    };
    if became_paid {
        notify_money_listeners(tx, origin, org, LeadMoneyEvent::Paid(change.lead)).await?;
    }
    // Expires pages whose amount is no longer due.
    checkout::enqueue_expiry_checks(tx, origin, org, change.lead).await?;
    live::publish_event(tx, origin, org, Topic::Lead, change.lead.0, None).await?;
    Ok((balance, became_paid))
}

/// Where nothing was agreed, a lead is paid when a person says so, as long as part of the money stays.
fn is_paid(stage: PipelineStage, balance: &LeadBalance, declaration: PaidDeclaration) -> bool {
    let stays = stage == PipelineStage::Paid && balance.due == Cents::ZERO && balance.net_received() > Cents::ZERO;
    match declaration {
        PaidDeclaration::Nothing => balance.is_settled() || stays,
        PaidDeclaration::Paid => balance.owed == Cents::ZERO,
        PaidDeclaration::NotPaid => balance.is_settled(),
    }
}

/// None while nothing was ever paid.
async fn load_collected(tx: &mut Tx, org: OrgId, lead: LeadId, balance: &LeadBalance) -> Result<Option<Cents>> {
    let sql = "SELECT EXISTS (SELECT 1 FROM payment WHERE org_id = $1 AND lead_id = $2 AND kind = 'payment'
         AND status = 'settled' AND undone_at IS NULL)";
    let was_paid = q!(tx, fetch_one scalar bool, sql, org, lead)?;
    Ok(was_paid.then(|| balance.net_received()))
}

async fn update_invoices(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    change: &LedgerChange<'_>,
    books: &LeadLedger,
) -> Result<()> {
    for bill in &books.bills {
        let paid = Cents(books.paid_amount(bill.id));
        let status = if paid == bill.total_cents { InvoiceStatus::Paid } else { InvoiceStatus::Open };
        if paid == bill.paid_cents && status == bill.status {
            continue;
        }
        let settled_at = (status == InvoiceStatus::Paid).then(|| origin.now());
        invoice::store_paid_amount(&mut *tx, org, bill.id, paid, (status, settled_at)).await?;
        if status == InvoiceStatus::Paid {
            let why = "the invoice was paid";
            followup::cancel_plans(&mut *tx, origin, org, bill.id.0, why, change.event).await?;
            message::cancel_all_about(&mut *tx, origin, org, bill.id.0, why).await?;
            access_link::schedule_expiry(tx, origin, org, access_link::LinkKind::Invoice, bill.id.0).await?;
        } else if bill.status == InvoiceStatus::Paid {
            reopen_invoice(tx, origin, org, bill.id).await?;
        }
        live::publish_event(tx, origin, org, Topic::Invoice, bill.id.0, Some(change.lead.0)).await?;
    }
    Ok(())
}

async fn reopen_invoice(tx: &mut Tx, origin: &ClockRng, org: OrgId, invoice: InvoiceId) -> Result<()> {
    if access_link::find_active(&mut *tx, org, access_link::LinkKind::Invoice, invoice.0).await?.is_some() {
        access_link::ensure_link(tx, origin, org, access_link::LinkKind::Invoice, invoice.0, None).await?;
    }
    invoice::dunning::disable_reminders(tx, org, invoice).await
}

async fn mark_lead_paid(tx: &mut Tx, origin: &ClockRng, org: OrgId, change: &LedgerChange<'_>) -> Result<bool> {
    let lead = change.lead;
    let moved =
        pipeline::advance_stage(tx, origin, org, lead, PipelineStage::Paid, StageCause::PaidInFull, change.by, None)
            .await?;
    if moved.is_none() {
        return Ok(false);
    }
    let at = resolve_paid_at(tx, origin, org, lead).await?;
    q!(&mut *tx, execute, "UPDATE lead SET paid_at = $3 WHERE org_id = $1 AND id = $2", org, lead, at)?;
    followup::cancel_plans_for_lead(tx, origin, org, lead, FollowUpSubject::Estimate, "it was paid", change.event)
        .await?;
    Ok(true)
}

async fn revert_lead_paid(tx: &mut Tx, origin: &ClockRng, org: OrgId, change: &LedgerChange<'_>) -> Result<bool> {
    let lead = change.lead;
    let to = pipeline::find_stage_before_paid(&mut *tx, org, lead).await?;
    pipeline::advance_stage(tx, origin, org, lead, to, StageCause::PaymentUndone, change.by, None).await?;
    q!(tx, execute, "UPDATE lead SET paid_at = NULL WHERE org_id = $1 AND id = $2", org, lead)?;
    Ok(false)
}

/// Now, unless the last payment came on another day.
async fn resolve_paid_at(conn: &mut dyn AsConn, origin: &ClockRng, org: OrgId, lead: LeadId) -> Result<DateTime<Utc>> {
    let last = q!(
        &mut *conn,
        fetch_optional scalar chrono::NaiveDate,
        "SELECT received_on FROM payment WHERE org_id = $1 AND lead_id = $2 AND kind = 'payment' AND status = 'settled'
             AND undone_at IS NULL ORDER BY received_on DESC LIMIT 1",
        org,
        lead
    )?;
    let zone = org::find(conn, org).await?.ok_or(Error::NotFound)?.zone();
    let (now, today) = (origin.now(), origin.now().with_timezone(&zone).date_naive());
    Ok(last.filter(|day| *day != today).map_or(now, |day| business_hours::local_to_utc(zone, day.and_time(NOON))))
}

/// Applies payments made ahead to an invoice just issued, oldest first. Returns the amount applied.
/// Errors: [`Error::NotFound`] when the org has no such invoice.
pub async fn apply_credit(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    invoice: InvoiceId,
    by: &ActivityActor,
) -> Result<Cents> {
    let lead = "SELECT lead_id FROM invoice WHERE org_id = $1 AND id = $2";
    let lead = q!(&mut *tx, fetch_optional scalar LeadId, lead, org, invoice)?.ok_or(Error::NotFound)?;
    recalculate_lead(tx, origin, org, lead, by).await?;
    let paid = "SELECT paid_cents FROM invoice WHERE org_id = $1 AND id = $2";
    Ok(q!(tx, fetch_one scalar Cents, paid, org, invoice)?)
}

/// Money paid before its invoice was issued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepayment {
    pub on: NaiveDate,
    pub method: PaymentMethod,
    pub reference: Option<String>,
    pub amount: Cents,
}

/// Payments that would cover an invoice over `total` issued now, oldest first. The caller holds the lock of the lead.
pub async fn list_prepayments(tx: &mut Tx, org: OrgId, lead: LeadId, total: Cents) -> Result<Vec<Prepayment>> {
    let mut books = LeadLedger::load(tx, org, lead).await?;
    let id = InvoiceId(Uuid::nil());
    books.bills.push(IssuedInvoice { id, total_cents: total, paid_cents: Cents::ZERO, status: InvoiceStatus::Open });
    let mut found = Vec::new();
    for row in books.rows.clone().iter().filter(|row| row.kind != PaymentKind::Refund) {
        let before = books.paid_amount(id);
        books.allocate_payment(row.id, id);
        let part = Cents(books.paid_amount(id) - before);
        if part > Cents::ZERO {
            let sql = "SELECT received_on, method, reference FROM payment WHERE org_id = $1 AND id = $2";
            let (on, method, reference) =
                q!(&mut *tx, fetch_one as (NaiveDate, PaymentMethod, Option<String>), sql, org, row.id)?;
            found.push(Prepayment { on, method, reference, amount: part });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_is_paid_when_due_is_covered_or_marked_paid() {
        let balance = |due: i64, paid: i64| LeadBalance {
            due: Cents(due),
            paid: Cents(paid),
            owed: Cents((due - paid).max(0)),
            ..LeadBalance::default()
        };
        let table = [
            (PipelineStage::Done, balance(100, 100), PaidDeclaration::Nothing, true),
            (PipelineStage::Done, balance(100, 99), PaidDeclaration::Nothing, false),
            (PipelineStage::Paid, balance(100, 99), PaidDeclaration::Nothing, false),
            (PipelineStage::New, balance(0, 50), PaidDeclaration::Nothing, false),
            (PipelineStage::New, balance(0, 50), PaidDeclaration::Paid, true),
            (PipelineStage::Paid, balance(0, 50), PaidDeclaration::Nothing, true),
            (PipelineStage::Paid, balance(0, 50), PaidDeclaration::NotPaid, false),
            (PipelineStage::Paid, balance(0, 0), PaidDeclaration::Nothing, false),
            (PipelineStage::Paid, balance(100, 100), PaidDeclaration::NotPaid, true),
        ];
        for (stage, balance, declaration, wanted) in table {
            assert_eq!(is_paid(stage, &balance, declaration), wanted, "{stage:?} {balance:?} {declaration:?}");
        }
    }
}
