//! Ledger of a lead: agreed, received and owed amounts. Everything is calculated from the rows of payments and papers;
//! only `recalculate` writes results to the lead and its invoices.

use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId, PaymentId},
    money::Cents,
};

mod agreed;
mod allocation;
pub mod card;
mod credit;
mod deposit;
pub mod export;
pub mod list;
pub(crate) mod message_subject;
mod pay;
mod recalculate;
pub mod receipt;
mod refund;
pub(crate) mod refund_title;
mod settle_refund;
pub(crate) mod stripe_fields;
pub(crate) mod view;

pub use agreed::{AgreedAmounts, load_agreed_amounts, load_quoted_amount};
pub(crate) use agreed::{BilledContent, CountedChangeOrder};
pub use credit::{CardCredit, CreditRefund, load_card_credit};
pub use deposit::{EstimateDeposit, list_deposits};
pub use pay::{NewPayment, PaymentForm, record_payment};
pub use recalculate::{Prepayment, apply_credit, list_prepayments, recalculate_lead};
pub use refund::{NewRefund, RefundForm, org_today, record_refund, undo_payment};
pub use settle_refund::{RefundOutcome, RefundSettlement, RefundSettlementForm, settle_refund};
pub use view::{
    InvoiceState, InvoiceSummary, LeadMoney, PaymentAllocation, PaymentView, load_lead_money, load_payment,
};

use agreed::{InvoicedAmounts, load_approved_amounts};
use allocation::LedgerRow;

/// What a row of the ledger is. The amount is above nothing in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PaymentKind {
    Payment,
    Refund,
    /// Given up: it settles, but was never collected.
    WriteOff,
}

/// Method of a payment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PaymentMethod {
    Cash,
    Check,
    Card,
    Bank,
    #[default]
    Other,
    /// Of a write-off: no money moved.
    None,
}

/// How far a row has come. Only what is settled counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PaymentStatus {
    Settled,
    /// A refund on its way to a card.
    Pending,
    /// A refund that was asked for and that Stripe has not confirmed: it may have been made.
    Unknown,
    Failed,
    /// A payment in Stripe's test mode: no money moved, and it counts nowhere.
    Test,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeadBalance {
    /// The approved estimate, else the open one as far as it counts, and the approved change orders.
    pub agreed: Option<Cents>,
    pub changes: Cents,
    /// Sum of issued invoices that are not void.
    pub invoiced: Cents,
    pub is_final: bool,
    /// Total to pay: the agreed amount, or the invoices where they are more. Once the final invoice has gone out, the
    /// invoices until then and later additions by change orders.
    pub due: Cents,
    /// All payments, before refunds.
    pub paid: Cents,
    pub refunded: Cents,
    /// Sum of what stayed of each payment. Refunds beyond a payment are not deducted from the others.
    pub kept: Cents,
    pub written_off: Cents,
    pub owed: Cents,
    /// Paid beyond `due`.
    pub credit: Cents,
}

impl LeadBalance {
    #[must_use]
    pub fn net_received(&self) -> Cents {
        Cents(self.paid.0 - self.refunded.0)
    }

    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.due > Cents::ZERO && self.owed == Cents::ZERO
    }

    /// The part of `owed` that no invoice asks for yet.
    #[must_use]
    pub fn owed_not_invoiced(&self) -> Cents {
        let asked = (self.invoiced.0 - self.kept.0 - self.written_off.0).max(0);
        Cents((self.owed.0 - asked).max(0))
    }

    fn compute(agreed: AgreedAmounts, invoices: &InvoicedAmounts, moved: &PaymentTotals) -> Self {
        let due = invoices.amount_due(agreed);
        let beyond = moved.paid.0 - moved.refunded.0 + moved.written_off.0 - due.0;
        Self {
            agreed: agreed.total(),
            changes: agreed.changes.unwrap_or_default(),
            invoiced: invoices.total,
            is_final: invoices.last.is_some(),
            due,
            paid: moved.paid,
            refunded: moved.refunded,
            kept: moved.kept,
            written_off: moved.written_off,
            owed: Cents((due.0 - moved.kept.0 - moved.written_off.0).max(0)),
            credit: Cents(beyond.max(0)),
        }
    }
}

struct PaymentTotals {
    paid: Cents,
    refunded: Cents,
    kept: Cents,
    written_off: Cents,
}

impl PaymentTotals {
    fn from_rows(rows: &[LedgerRow]) -> Self {
        let sum =
            |kind: PaymentKind| rows.iter().filter(|row| row.kind == kind).map(|row| row.amount_cents.0).sum::<i64>();
        let back = |id: PaymentId| {
            rows.iter().filter(|row| row.refund_of == Some(id)).map(|row| row.amount_cents.0).sum::<i64>()
        };
        let payments = rows.iter().filter(|row| row.kind == PaymentKind::Payment);
        let beyond: i64 = payments.map(|row| (back(row.id) - row.amount_cents.0).max(0)).sum();
        let (paid, refunded) = (sum(PaymentKind::Payment), sum(PaymentKind::Refund));
        Self {
            paid: Cents(paid),
            refunded: Cents(refunded),
            kept: Cents(paid - refunded + beyond),
            written_off: Cents(sum(PaymentKind::WriteOff)),
        }
    }
}

/// Balance for the business: what an open estimate asks for counts as due.
pub async fn load_balance(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<LeadBalance> {
    let agreed = load_agreed_amounts(&mut *conn, org, lead).await?;
    compute_balance(conn, org, lead, agreed).await
}

/// Balance for the customer: only approved and billed amounts are due. An unapproved estimate is no debt.
pub async fn load_approved_balance(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<LeadBalance> {
    let approved = load_approved_amounts(&mut *conn, org, lead).await?;
    compute_balance(conn, org, lead, approved).await
}

async fn compute_balance(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    agreed: AgreedAmounts,
) -> Result<LeadBalance> {
    let invoices = q!(
        &mut *conn,
        fetch_all as (Cents, Json<BilledContent>),
        "SELECT total_cents, content FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status IN ('open', 'paid') ORDER BY number, id",
        org,
        lead
    )?;
    let rows = q!(
        conn,
        fetch_all as LedgerRow,
        "SELECT id, kind, amount_cents, refund_of FROM payment
         WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(LeadBalance::compute(agreed, &InvoicedAmounts::from_rows(invoices), &PaymentTotals::from_rows(&rows)))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn row(n: u128, kind: PaymentKind, cents: i64, refund_of: Option<u128>) -> LedgerRow {
        let id = |n| PaymentId(Uuid::from_u128(n));
        LedgerRow { id: id(n), kind, amount_cents: Cents(cents), refund_of: refund_of.map(id) }
    }

    fn balance_figures(due: i64, rows: &[LedgerRow]) -> (i64, i64, i64) {
        let agreed = AgreedAmounts { base: Some(Cents(due)), changes: None };
        let balance = LeadBalance::compute(agreed, &InvoicedAmounts::default(), &PaymentTotals::from_rows(rows));
        (balance.net_received().0, balance.owed.0, balance.credit.0)
    }

    #[test]
    fn double_refund_never_makes_owed_amount_exceed_due() {
        let mut rows = vec![row(1, PaymentKind::Payment, 100, None), row(2, PaymentKind::Refund, 100, Some(1))];
        assert_eq!(balance_figures(100, &rows), (0, 100, 0));
        rows.push(row(3, PaymentKind::Refund, 60, Some(1)));
        assert_eq!(balance_figures(100, &rows), (-60, 100, 0));
        rows.push(row(4, PaymentKind::Payment, 70, None));
        assert_eq!(balance_figures(100, &rows), (10, 30, 0), "as its invoice says");
        rows.push(row(5, PaymentKind::Payment, 50, None));
        assert_eq!(balance_figures(100, &rows), (60, 0, 0), "no credit of money that went back");
        rows.push(row(6, PaymentKind::WriteOff, 60, None));
        assert_eq!(balance_figures(100, &rows), (60, 0, 20));
    }
}
