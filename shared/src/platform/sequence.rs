//! Numbers without gaps: what estimates, change orders, invoices, jobs and receipts are called, and whose turn it is.
//!
//! A number is taken in the transaction that stores what carries it, as late as possible: the next one waits until that
//! transaction ends, and a rollback gives the number back. Nothing that has a number is ever deleted.

use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::OrgId,
};

/// The first number of every series.
pub const FIRST: i64 = 1001;

/// What is counted, each by itself for each business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Series {
    Estimate,
    ChangeOrder,
    Invoice,
    Job,
    Receipt,
    /// Of the requests that the business's people take in turn; nobody sees it.
    LeadTurn,
}

/// The next number of a series.
pub async fn take(tx: &mut Tx, org: OrgId, series: Series) -> Result<i64> {
    tx.guard_writable(org);
    Ok(q!(
        tx,
        fetch_one scalar i64,
        "INSERT INTO number_series (org_id, kind, last) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, kind) DO UPDATE SET last = number_series.last + 1 RETURNING last",
        org,
        series,
        FIRST
    )?)
}
