//! The ledger of a lead: what was agreed, what came in, what is still owed. Everything is reckoned anew from the rows
//! of payments and papers; what stands on the lead and its invoices is written by [`settle`] alone.

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
mod pay;
pub mod receipt;
mod refund;
mod settle;
mod settle_refund;
pub(crate) mod view;

pub(crate) use crate::domain::work::pipeline::hold;
pub(crate) use agreed::Counted;
pub use agreed::{Agreed, agreed, quoted};
pub use credit::{CardCredit, GiveBack, card_credit};
pub use deposit::{Deposit, deposits};
pub use pay::{NewPayment, PaidForm, pay};
pub use refund::{NewRefund, RefundForm, refund, today, undo};
pub use settle::{Ahead, ahead, apply_credit, settle};
pub use settle_refund::{Outcome, SettleForm, Settlement, settle_refund};
pub use view::{Allocation, InvoiceState, InvoiceSummary, LeadMoney, PaymentView, money, payment};

use agreed::{Billed, Invoiced, approved};
use allocation::Row;

/// What a row of the ledger is. The amount is above nothing in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PaymentKind)]
pub enum Kind {
    Payment,
    Refund,
    /// Given up: it settles, but was never collected.
    WriteOff,
}

/// How money changed hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PaymentMethod)]
pub enum Method {
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
#[schema(as = PaymentStatus)]
pub enum Status {
    Settled,
    /// A refund on its way to a card.
    Pending,
    /// A refund that was asked for and that Stripe has not confirmed: it may have been made.
    Unknown,
    Failed,
    /// A payment in Stripe's test mode: no money moved, and it counts nowhere.
    Test,
}

/// Where a lead's money stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// By the approved estimate, else by the open one as far as that counts, and by the approved change orders.
    pub agreed: Option<Cents>,
    /// How much of it is by change orders.
    pub changes: Cents,
    /// The sum of the invoices that were issued and not taken back.
    pub invoiced: Cents,
    /// The last invoice has gone out.
    pub is_final: bool,
    /// What is to be paid in all: the agreed amount, or the invoices where they are more. Once the last invoice has gone
    /// out, the invoices until then and what change orders have added since.
    pub due: Cents,
    /// Everything that came in, whatever went back of it.
    pub paid: Cents,
    pub refunded: Cents,
    /// What stayed of each payment, together. Where more of one went back than came in, the rest stands on no bill.
    pub kept: Cents,
    pub written_off: Cents,
    pub owed: Cents,
    /// Paid beyond what is due.
    pub credit: Cents,
}

impl Balance {
    /// What came in and stayed.
    #[must_use]
    pub fn received(&self) -> Cents {
        Cents(self.paid.0 - self.refunded.0)
    }

    /// Whether there was something to pay and nothing of it is left.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.due > Cents::ZERO && self.owed == Cents::ZERO
    }

    fn of(agreed: Agreed, invoices: &Invoiced, moved: &Moved) -> Self {
        let due = invoices.due(agreed);
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

/// What moved, or was given up.
struct Moved {
    paid: Cents,
    refunded: Cents,
    kept: Cents,
    written_off: Cents,
}

impl Moved {
    /// Of the rows that count.
    fn of(rows: &[Row]) -> Self {
        let sum = |kind: Kind| rows.iter().filter(|row| row.kind == kind).map(|row| row.amount_cents.0).sum::<i64>();
        let back = |id: PaymentId| {
            rows.iter().filter(|row| row.refund_of == Some(id)).map(|row| row.amount_cents.0).sum::<i64>()
        };
        let payments = rows.iter().filter(|row| row.kind == Kind::Payment);
        let beyond: i64 = payments.map(|row| (back(row.id) - row.amount_cents.0).max(0)).sum();
        let (paid, refunded) = (sum(Kind::Payment), sum(Kind::Refund));
        Self {
            paid: Cents(paid),
            refunded: Cents(refunded),
            kept: Cents(paid - refunded + beyond),
            written_off: Cents(sum(Kind::WriteOff)),
        }
    }
}

/// Where the money of a lead stands now, as the office reckons: what an open estimate asks for counts as due.
pub async fn balance(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Balance> {
    let agreed = agreed(&mut *conn, org, lead).await?;
    weigh(conn, org, lead, agreed).await
}

/// The same as the customer may be told: only what they approved or were billed for is due. An estimate that nobody
/// approved is no debt.
pub async fn debt(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Balance> {
    let approved = approved(&mut *conn, org, lead).await?;
    weigh(conn, org, lead, approved).await
}

async fn weigh(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, agreed: Agreed) -> Result<Balance> {
    let invoices = q!(
        &mut *conn,
        fetch_all as (Cents, Json<Billed>),
        "SELECT total_cents, content FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status IN ('open', 'paid') ORDER BY number, id",
        org,
        lead
    )?;
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT id, kind, amount_cents, refund_of FROM payment
         WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(Balance::of(agreed, &Invoiced::of(invoices), &Moved::of(&rows)))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn row(n: u128, kind: Kind, cents: i64, refund_of: Option<u128>) -> Row {
        let id = |n| PaymentId(Uuid::from_u128(n));
        Row { id: id(n), kind, amount_cents: Cents(cents), refund_of: refund_of.map(id) }
    }

    /// What came in and stayed, what is owed, and what is paid too much.
    fn stands(due: i64, rows: &[Row]) -> (i64, i64, i64) {
        let agreed = Agreed { base: Some(Cents(due)), changes: None };
        let balance = Balance::of(agreed, &Invoiced::default(), &Moved::of(rows));
        (balance.received().0, balance.owed.0, balance.credit.0)
    }

    #[test]
    fn money_that_went_back_twice_makes_nobody_owe_more_than_is_due() {
        let mut rows = vec![row(1, Kind::Payment, 100, None), row(2, Kind::Refund, 100, Some(1))];
        assert_eq!(stands(100, &rows), (0, 100, 0));
        rows.push(row(3, Kind::Refund, 60, Some(1)));
        assert_eq!(stands(100, &rows), (-60, 100, 0));
        rows.push(row(4, Kind::Payment, 70, None));
        assert_eq!(stands(100, &rows), (10, 30, 0), "as its invoice says");
        rows.push(row(5, Kind::Payment, 50, None));
        assert_eq!(stands(100, &rows), (60, 0, 0), "no credit of money that went back");
        rows.push(row(6, Kind::WriteOff, 60, None));
        assert_eq!(stands(100, &rows), (60, 0, 20));
    }
}
