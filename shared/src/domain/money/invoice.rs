//! Invoices: from the editable draft to the numbered paper that the customer gets.
//!
//! A draft has no number and may be changed or deleted. Issued, it never changes: it gets its number in one transaction
//! ([`begin_issue`]), its PDF with none open ([`render_pdf`]), and goes out in another ([`finish_issue`]); a task
//! completes what was left unfinished. Only the ledger writes its paid amount.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::tenancy::org::OrgContext,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{InvoiceId, LeadId, OrgId},
        live::{self, Topic},
    },
};

pub mod agreed;
pub mod change;
pub mod complete;
pub(crate) mod content;
pub mod dunning;
pub mod export;
pub mod finish;
pub mod form;
pub mod invoice_draft;
pub mod list;
pub mod list_order;
pub(crate) mod message_subject;
mod named_amount;
pub mod page;
pub mod render;
mod row;
pub mod send;
pub mod view;

pub use change::{set_disputed, set_promised_date, void_invoice};
pub(crate) use change::{set_payment_disputed, store_paid_amount};
pub(in crate::domain::money) use finish::mark_sent_from_own_phone;
pub use finish::rotate_link;
pub use finish::{begin_issue, finish_issue, resend_invoice};
pub use form::{InvoiceForm, InvoicePatch};
pub use invoice_draft::{create_draft, delete_draft, update_draft};
pub use render::{find_unrendered, render_pdf};
pub use view::{InvoiceView, load_view};

/// State of an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum InvoiceStatus {
    /// Without a number: it may be changed and thrown away.
    Draft,
    /// It has its number, and its PDF is being made.
    Preparing,
    /// It waits for payment.
    Open,
    Paid,
    /// Taken back: it keeps its number and asks for nothing.
    Void,
}

impl InvoiceStatus {
    pub const ALL: [Self; 5] = [Self::Draft, Self::Preparing, Self::Open, Self::Paid, Self::Void];

    #[must_use]
    pub fn can_transition_to(self, to: Self) -> bool {
        match self {
            Self::Draft => to == Self::Preparing,
            Self::Preparing => to == Self::Open,
            Self::Open => matches!(to, Self::Paid | Self::Void),
            // A refund opens it again.
            Self::Paid => matches!(to, Self::Open | Self::Void),
            Self::Void => false,
        }
    }
}

/// Today in the business's time zone.
fn org_today(ctx: &OrgContext<'_>) -> NaiveDate {
    ctx.origin.now().with_timezone(&ctx.profile.org.zone()).date_naive()
}

async fn announce_invoice(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: InvoiceId, lead: LeadId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Invoice, id.0, Some(lead.0)).await
}

/// Errors: [`Error::NotFound`] when the org has no such invoice.
pub async fn find_lead_id(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<LeadId> {
    let sql = "SELECT lead_id FROM invoice WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar LeadId, sql, org, id)?.ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoice_status_transitions_match_table() {
        use InvoiceStatus::{Draft, Open, Paid, Preparing, Void};
        let table = [(Draft, Preparing), (Preparing, Open), (Open, Paid), (Open, Void), (Paid, Open), (Paid, Void)];
        for from in InvoiceStatus::ALL {
            for to in InvoiceStatus::ALL {
                assert_eq!(from.can_transition_to(to), table.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }
}
