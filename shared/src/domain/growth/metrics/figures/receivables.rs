//! Receivables and their age, read from the open invoices: they are few, and their age changes every midnight.

use chrono::{Days, NaiveDate};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::rows;
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    money::Cents,
};

/// Invoices that are owed for about as long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AgeingFigure)]
pub struct ReceivablesAging {
    pub count: i64,
    /// What is still to be paid of them, in US dollars.
    pub total: Cents,
    /// Where its rows are.
    pub rows: String,
}

/// What is owed today.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receivables {
    pub open: ReceivablesAging,
    /// Past its due date.
    pub overdue: ReceivablesAging,
    /// Overdue for 1 to 30 days.
    pub to30_days: ReceivablesAging,
    /// Overdue for 31 to 60 days.
    pub to60_days: ReceivablesAging,
    /// Overdue for more than 30 days, those of more than 60 among them.
    pub over30_days: ReceivablesAging,
    /// Overdue for more than 60 days.
    pub over60_days: ReceivablesAging,
}

#[derive(FromRow)]
struct ReceivablesRow {
    open: i64,
    open_cents: Cents,
    overdue: i64,
    overdue_cents: Cents,
    over30: i64,
    over30_cents: Cents,
    over60: i64,
    over60_cents: Cents,
}

pub(super) async fn load_receivables(conn: &mut dyn AsConn, org: OrgId, today: NaiveDate) -> Result<Receivables> {
    let before = |days| today.checked_sub_days(Days::new(days)).unwrap_or(today);
    let row = q!(
        conn,
        fetch_one as ReceivablesRow,
        "SELECT COUNT(*) AS open, CAST(COALESCE(SUM(total_cents - paid_cents), 0) AS BIGINT) AS open_cents,
             CAST(COALESCE(SUM(CASE WHEN due_on < $2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue,
             CAST(COALESCE(SUM(CASE WHEN due_on < $2 THEN total_cents - paid_cents ELSE 0 END), 0) AS BIGINT) AS overdue_cents,
             CAST(COALESCE(SUM(CASE WHEN due_on < $3 THEN 1 ELSE 0 END), 0) AS BIGINT) AS over30,
             CAST(COALESCE(SUM(CASE WHEN due_on < $3 THEN total_cents - paid_cents ELSE 0 END), 0) AS BIGINT) AS over30_cents,
             CAST(COALESCE(SUM(CASE WHEN due_on < $4 THEN 1 ELSE 0 END), 0) AS BIGINT) AS over60,
             CAST(COALESCE(SUM(CASE WHEN due_on < $4 THEN total_cents - paid_cents ELSE 0 END), 0) AS BIGINT) AS over60_cents
         FROM invoice WHERE org_id = $1 AND status = 'open'",
        org,
        today,
        before(30),
        before(60)
    )?;
    Ok(row.to_receivables())
}

impl ReceivablesRow {
    fn to_receivables(&self) -> Receivables {
        let aging = |count, cents: Cents, rows| ReceivablesAging { count, total: cents, rows };
        let less = |all: (i64, Cents), some: (i64, Cents)| (all.0 - some.0, Cents(all.1.0 - some.1.0));
        let overdue = (self.overdue, self.overdue_cents);
        let (over30, over60) = ((self.over30, self.over30_cents), (self.over60, self.over60_cents));
        let (to30, to60) = (less(overdue, over30), less(over30, over60));
        Receivables {
            open: aging(self.open, self.open_cents, rows::open_invoices_path()),
            overdue: aging(overdue.0, overdue.1, rows::overdue_invoices_path(1, None)),
            to30_days: aging(to30.0, to30.1, rows::overdue_invoices_path(1, Some(30))),
            to60_days: aging(to60.0, to60.1, rows::overdue_invoices_path(31, Some(60))),
            over30_days: aging(over30.0, over30.1, rows::overdue_invoices_path(31, None)),
            over60_days: aging(over60.0, over60.1, rows::overdue_invoices_path(61, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivables_over_60_days_are_included_in_over_30_days() {
        let row = ReceivablesRow {
            open: 7,
            open_cents: Cents(7_000),
            overdue: 5,
            overdue_cents: Cents(5_000),
            over30: 3,
            over30_cents: Cents(3_000),
            over60: 1,
            over60_cents: Cents(1_000),
        };
        let owed = row.to_receivables();
        let counts = [owed.open, owed.overdue, owed.to30_days, owed.to60_days, owed.over30_days, owed.over60_days];
        assert_eq!(
            counts.map(|aging| (aging.count, aging.total.0)),
            [(7, 7_000), (5, 5_000), (2, 2_000), (2, 2_000), (3, 3_000), (1, 1_000)]
        );
    }
}
