//! Money of a lead as shown to the business.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{CardCredit, CreditRefund, list_deposits, load_card_credit};
use crate::platform::{
    db::{AsConn, q},
    error::{Error, Result},
    id::{LeadId, OrgId},
    money::Cents,
};

mod external_returns;
mod invoice;
mod payment;

pub(crate) use invoice::{INVOICE_SUMMARY_SQL, InvoiceSummaryRow};
pub use invoice::{InvoiceState, InvoiceSummary};
pub use payment::{PaymentAllocation, PaymentView, load_payment};
pub(crate) use payment::{list_payments, receipt_number};

use invoice::list_invoices;

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
    /// What is open of the agreed and invoiced amounts.
    pub owed: Cents,
    /// How much of it is a debt: an estimate that is not approved is none.
    pub owed_approved: Cents,
    /// Paid beyond what is approved and invoiced. Where that is nothing, only what came by the pay page, or beyond an open estimate.
    pub credit: Cents,
    /// The payment by which the credit can be given back with one tap; null when it did not come by card.
    pub give_back: Option<CreditRefund>,
    /// What is still asked for of the approved deposits: no more than is owed beside what the open invoices ask for.
    pub deposit_due: Cents,
    pub deposit_paid: Cents,
    /// Newest first; undone entries are left out.
    pub payments: Vec<PaymentView>,
    pub invoices: Vec<InvoiceSummary>,
}

/// `today` is in the business's time zone.
/// Errors: [`Error::NotFound`] when the org has no such lead.
pub async fn load_lead_money(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    now: DateTime<Utc>,
    today: NaiveDate,
) -> Result<LeadMoney> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *conn, fetch_one scalar bool, sql, org, lead)? {
        return Err(Error::NotFound);
    }
    let CardCredit { balance, approved, credit, give_back } = load_card_credit(&mut *conn, org, lead).await?;
    let deposits = list_deposits(&mut *conn, org, lead).await?;
    Ok(LeadMoney {
        agreed: balance.agreed,
        change_orders: balance.changes,
        invoiced: balance.invoiced,
        collected: balance.net_received(),
        refunded: balance.refunded,
        written_off: balance.written_off,
        owed: balance.owed,
        owed_approved: approved.owed,
        credit,
        give_back,
        deposit_due: deposits.iter().map(|one| one.due).sum(),
        deposit_paid: deposits.iter().map(|one| one.paid).sum(),
        payments: list_payments(&mut *conn, org, lead, now).await?,
        invoices: list_invoices(conn, org, lead, today).await?,
    })
}
