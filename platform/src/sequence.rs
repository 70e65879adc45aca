//! Gapless numbers of estimates, change orders, invoices, jobs and receipts, and the turn counter of lead assignment.
//!
//! A number is taken in the transaction that stores its record, as late as possible: the next one waits until that
//! transaction ends, and a rollback returns the number. Numbered records are never deleted.

use crate::{
    db::{Tx, q},
    error::Result,
    id::OrgId,
};

pub const FIRST: i64 = 1001;

/// Counted per business.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum NumberSeries {
    Estimate,
    ChangeOrder,
    Invoice,
    Job,
    Receipt,
    /// Internal: round-robin assignment of leads.
    LeadTurn,
}

pub async fn next_number(tx: &mut Tx, org: OrgId, series: NumberSeries) -> Result<i64> {
    tx.guard_writable(org);
    Ok(q!(
        tx,
        fetch_one scalar i64,
        "INSERT INTO number_sequence (org_id, kind, last) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, kind) DO UPDATE SET last = number_sequence.last + 1 RETURNING last",
        org,
        series,
        FIRST
    )?)
}
