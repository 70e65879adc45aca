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

mod books;
pub mod card;
mod pay;
pub mod receipt;
mod refund;
mod settle;
pub(crate) mod view;

pub(crate) use crate::pipeline::hold;
pub use pay::{NewPayment, PaidForm, pay};
pub use refund::{NewRefund, RefundForm, refund, today, undo};
pub use settle::{Ahead, ahead, apply_credit, settle};
pub use view::{Allocation, InvoiceState, InvoiceSummary, LeadMoney, PaymentView, money, payment};

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
    Failed,
}

/// Where a lead's money stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// By the approved estimate, else by the open one, as far as that counts.
    pub agreed: Option<Cents>,
    /// The sum of the invoices that were issued and not taken back.
    pub invoiced: Cents,
    /// What is to be paid in all: the agreed amount, or the invoices where the last of them has gone out or they are
    /// more.
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

    fn of(agreed: Option<Cents>, invoices: &Invoiced, moved: &Moved) -> Self {
        let due = if invoices.is_final { invoices.total } else { agreed.unwrap_or_default().max(invoices.total) };
        let rest = due.0 - (moved.paid.0 - moved.refunded.0) - moved.written_off.0;
        Self {
            agreed,
            invoiced: invoices.total,
            due,
            paid: moved.paid,
            refunded: moved.refunded,
            written_off: moved.written_off,
            owed: Cents(rest.max(0)),
            credit: Cents((-rest).max(0)),
        }
    }
}

/// The issued invoices together.
#[derive(Default)]
struct Invoiced {
    total: Cents,
    /// One of them is the last: nothing more will be asked for.
    is_final: bool,
}

/// What moved, or was given up.
#[derive(FromRow)]
struct Moved {
    paid: Cents,
    refunded: Cents,
    written_off: Cents,
}

/// What the customer said yes to.
async fn approved(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
    let approved = q!(
        conn,
        fetch_one scalar Option<i64>,
        "SELECT CAST(SUM(a.total_cents) AS BIGINT) FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status = 'approved'",
        org,
        lead
    )?;
    Ok(approved.map(Cents))
}

/// What the customer agreed to pay: the approved estimates, else the newest that is open, as it was recommended.
pub async fn agreed(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Option<Cents>> {
    let approved = approved(&mut *conn, org, lead).await?;
    if approved.is_some() {
        return Ok(approved);
    }
    Ok(q!(
        conn,
        fetch_optional scalar Cents,
        "SELECT total_cents FROM estimate WHERE org_id = $1 AND lead_id = $2 AND status = 'open'
         ORDER BY created_at DESC, id DESC LIMIT 1",
        org,
        lead
    )?)
}

/// Where the money of a lead stands now, as the office reckons: what an open estimate asks for counts as due.
pub async fn balance(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Balance> {
    let agreed = agreed(&mut *conn, org, lead).await?;
    weigh(conn, org, lead, agreed).await
}

/// The same as the customer may be told: only what they approved or were billed for is due. An estimate that nobody
/// approved is no debt.
pub async fn debt(conn: &mut impl AsConn, org: OrgId, lead: LeadId) -> Result<Balance> {
    let approved = approved(&mut *conn, org, lead).await?;
    weigh(conn, org, lead, approved).await
}

async fn weigh(conn: &mut impl AsConn, org: OrgId, lead: LeadId, agreed: Option<Cents>) -> Result<Balance> {
    let rows = q!(
        &mut *conn,
        fetch_all as (Cents, Json<serde_json::Value>),
        "SELECT total_cents, content FROM invoice
         WHERE org_id = $1 AND lead_id = $2 AND status IN ('open', 'paid')",
        org,
        lead
    )?;
    let mut invoices = Invoiced::default();
    for (total, content) in rows {
        invoices.total = Cents(invoices.total.0 + total.0);
        invoices.is_final |= content["isFinal"] == true;
    }
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
    Ok(Balance::of(agreed, &invoices, &moved))
}
