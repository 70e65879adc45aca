//! The ledger of a lead: what was agreed, what came in, what is still owed. Everything is reckoned anew from the rows
//! of payments and papers; what stands on the lead and its invoices is written by [`settle`] alone.

use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use crate::{
    db::{AsConn, q},
    error::Result,
    id::{LeadId, OrgId},
    money::Cents,
};

mod agreed;
mod books;
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

pub(crate) use crate::pipeline::hold;
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
        let rest = due.0 - (moved.paid.0 - moved.refunded.0) - moved.written_off.0;
        Self {
            agreed: agreed.total(),
            changes: agreed.changes.unwrap_or_default(),
            invoiced: invoices.total,
            is_final: invoices.last.is_some(),
            due,
            paid: moved.paid,
            refunded: moved.refunded,
            written_off: moved.written_off,
            owed: Cents(rest.max(0)),
            credit: Cents((-rest).max(0)),
        }
    }
}

/// What moved, or was given up.
#[derive(FromRow)]
struct Moved {
    paid: Cents,
    refunded: Cents,
    written_off: Cents,
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
    let moved = q!(
        conn,
        fetch_one as Moved,
        "SELECT CAST(COALESCE(SUM(CASE WHEN kind = 'payment' THEN amount_cents ELSE 0 END), 0) AS BIGINT) AS paid,
             CAST(COALESCE(SUM(CASE WHEN kind = 'refund' THEN amount_cents ELSE 0 END), 0) AS BIGINT) AS refunded,
             CAST(COALESCE(SUM(CASE WHEN kind = 'write_off' THEN amount_cents ELSE 0 END), 0) AS BIGINT) AS written_off
         FROM payment WHERE org_id = $1 AND lead_id = $2 AND status = 'settled' AND undone_at IS NULL",
        org,
        lead
    )?;
    Ok(Balance::of(agreed, &Invoiced::of(invoices), &moved))
}
