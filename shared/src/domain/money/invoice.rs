//! Invoices: what is billed, from a draft that anybody may still change to the numbered paper in the customer's hands.
//!
//! A draft has no number and may be changed or thrown away. Issued, it never changes: like an estimate it gets its
//! number in one transaction ([`begin`]), its PDF with none open ([`draw`]), and goes out in another ([`finish`]); a task
//! brings to its end what was begun and left. What stands as paid on it is written by the ledger alone.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::intake::lead::Intake,
    platform::{
        clock::Origin,
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
pub mod draw;
pub mod dunning;
pub mod export;
pub mod finish;
pub mod form;
pub mod list;
pub mod make;
pub mod page;
mod row;
pub mod send;
pub mod view;

pub(crate) use change::contested;
pub use change::{dispute, promise, void};
pub use draw::{draw, unfinished};
pub use finish::new_link;
pub use finish::{begin, finish, send_again};
pub use form::{InvoiceForm, InvoicePatch};
pub use make::{change, make, remove};
pub use view::{InvoiceView, view};

/// Where an invoice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = InvoiceStatus)]
pub enum Status {
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

impl Status {
    pub const ALL: [Self; 5] = [Self::Draft, Self::Preparing, Self::Open, Self::Paid, Self::Void];

    /// Whether an invoice that stands here may come to stand there.
    #[must_use]
    pub fn may_become(self, to: Self) -> bool {
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

/// The day of the business.
fn today(house: &Intake<'_>) -> NaiveDate {
    house.origin.now().with_timezone(&house.profile.org.zone()).date_naive()
}

async fn announce(tx: &mut Tx, origin: &Origin, org: OrgId, id: InvoiceId, lead: LeadId) -> Result<()> {
    live::announce(tx, origin, org, Topic::Invoice, id.0, Some(lead.0)).await
}

/// The lead of an invoice.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such invoice.
pub async fn lead_of(conn: &mut dyn AsConn, org: OrgId, id: InvoiceId) -> Result<LeadId> {
    let sql = "SELECT lead_id FROM invoice WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar LeadId, sql, org, id)?.ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invoice_goes_only_where_the_table_lets_it() {
        use Status::{Draft, Open, Paid, Preparing, Void};
        let table = [(Draft, Preparing), (Preparing, Open), (Open, Paid), (Open, Void), (Paid, Open), (Paid, Void)];
        for from in Status::ALL {
            for to in Status::ALL {
                assert_eq!(from.may_become(to), table.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }
}
