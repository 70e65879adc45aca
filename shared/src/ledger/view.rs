//! The money of a lead as people of the business see it.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CardCredit, GiveBack, card_credit};
use crate::{
    db::{AsConn, q},
    error::{Error, Result},
    id::{LeadId, OrgId},
    money::Cents,
};

mod invoice;
mod payment;

pub(crate) use invoice::{INVOICE_ROWS, InvoiceRow, invoice_number};
pub use invoice::{InvoiceState, InvoiceSummary};
pub use payment::{Allocation, PaymentView, payment};
pub(crate) use payment::{payments, receipt_number};

use invoice::invoices;

/// The money of one lead. Amounts are US dollars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadMoney {
    /// By the approved estimate, else by the open one, and by the approved change orders; null without.
    pub agreed: Option<Cents>,
    /// How much of it is by change orders; below nothing where they take something off.
    pub change_orders: Cents,
    pub invoiced: Cents,
    /// What came in and stayed.
    pub collected: Cents,
    pub refunded: Cents,
    pub written_off: Cents,
    pub owed: Cents,
    /// Paid beyond what is due. Where nothing was agreed or invoiced, only what came by the pay page and nothing asked for.
    pub credit: Cents,
    /// The payment by which the credit can be given back with one tap; null when it did not come by card.
    pub give_back: Option<GiveBack>,
    /// What is left to pay of the approved deposit.
    pub deposit_due: Cents,
    pub deposit_paid: Cents,
    /// Newest first; without what was taken back.
    pub payments: Vec<PaymentView>,
    pub invoices: Vec<InvoiceSummary>,
}

/// The deposit of what was approved.
async fn deposit(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Cents> {
    Ok(q!(
        conn,
        fetch_one scalar Cents,
        "SELECT CAST(COALESCE(SUM(a.deposit_cents), 0) AS BIGINT) FROM estimate e
         JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
         WHERE e.org_id = $1 AND e.lead_id = $2 AND e.status = 'approved'",
        org,
        lead
    )?)
}

/// Everything about the money of a lead. `today` is the business's.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn money(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<LeadMoney> {
    let known = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *conn, fetch_one scalar bool, known, org, lead)? {
        return Err(Error::NotFound);
    }
    let CardCredit { balance, credit, give_back } = card_credit(&mut *conn, org, lead).await?;
    let deposit = deposit(&mut *conn, org, lead).await?;
    let received = balance.received();
    Ok(LeadMoney {
        agreed: balance.agreed,
        change_orders: balance.changes,
        invoiced: balance.invoiced,
        collected: received,
        refunded: balance.refunded,
        written_off: balance.written_off,
        owed: balance.owed,
        credit,
        give_back,
        deposit_due: Cents((deposit.0 - received.0).max(0)),
        deposit_paid: deposit.min(received),
        payments: payments(&mut *conn, org, lead, now).await?,
        invoices: invoices(conn, org, lead, today).await?,
    })
}
