//! The list of invoices, in one of its orders.

use chrono::{Days, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::list_order::{InvoiceCursor, InvoiceSort, InvoiceSortKey};
use crate::{
    domain::money::ledger::{
        InvoiceSummary,
        view::{INVOICE_SUMMARY_SQL, InvoiceSummaryRow},
    },
    platform::{
        count_cache::ListTotal,
        db::{AsConn, like_anywhere, qb},
        error::Result,
        id::OrgId,
        money::Cents,
        period::Period,
    },
};

/// State of an invoice for collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = InvoiceStanding)]
pub enum InvoiceCollectionState {
    Draft,
    /// It waits for payment and is not overdue.
    Open,
    Overdue,
    /// It waits for payment, overdue or not.
    Unpaid,
    Paid,
    Void,
}

impl InvoiceCollectionState {
    fn is_owed(self) -> bool {
        matches!(self, Self::Open | Self::Overdue | Self::Unpaid)
    }
}

/// Range of days overdue, inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverdueRange {
    pub from: Option<u32>,
    pub to: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct InvoiceFilter {
    pub status: Option<InvoiceCollectionState>,
    pub issued: Option<Period>,
    pub late: OverdueRange,
    /// Searched in customer and number, ignoring case.
    pub q: Option<String>,
    /// Current day of the business; it decides what is overdue.
    pub today: NaiveDate,
    pub sort: InvoiceSort,
    pub limit: i64,
    /// End of the last page: an opaque text from [`InvoicePage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct InvoicePage {
    pub invoices: Vec<InvoiceSummary>,
    pub next: Option<String>,
}

/// `1001` for "INV-1001" and for "1001"; none for a name.
fn digits(text: &str) -> Option<String> {
    let tail: String = text.chars().rev().take_while(char::is_ascii_digit).collect();
    (!tail.is_empty()).then(|| tail.chars().rev().collect())
}

fn ago(today: NaiveDate, days: u32) -> NaiveDate {
    today.checked_sub_days(Days::new(days.into())).unwrap_or(NaiveDate::MIN)
}

/// Conditions of a filter, shared by the page and its count.
macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" WHERE i.org_id = ").push_bind($org);
        match $filter.status {
            None => {}
            Some(InvoiceCollectionState::Draft) => {
                $b.push(" AND i.status IN ('draft', 'preparing')");
            }
            Some(InvoiceCollectionState::Open) => {
                $b.push(" AND i.status = 'open' AND (i.due_on IS NULL OR i.due_on >= ")
                    .push_bind($filter.today)
                    .push(")");
            }
            Some(InvoiceCollectionState::Overdue) => {
                $b.push(" AND i.status = 'open' AND i.due_on < ").push_bind($filter.today);
            }
            Some(InvoiceCollectionState::Unpaid) => {
                $b.push(" AND i.status = 'open'");
            }
            Some(InvoiceCollectionState::Paid) => {
                $b.push(" AND i.status = 'paid'");
            }
            Some(InvoiceCollectionState::Void) => {
                $b.push(" AND i.status = 'void'");
            }
        }
        if let Some(issued) = $filter.issued {
            $b.push(" AND i.issued_on >= ").push_bind(issued.from).push(" AND i.issued_on <= ").push_bind(issued.to);
        }
        if let Some(since) = $filter.late.from {
            $b.push(" AND i.due_on <= ").push_bind(ago($filter.today, since));
        }
        if let Some(until) = $filter.late.to {
            $b.push(" AND i.due_on >= ").push_bind(ago($filter.today, until));
        }
        if let Some(text) = &$filter.q {
            $b.push(" AND (LOWER(c.name) LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
            $b.push(" OR c.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
            if let Some(digits) = digits(text) {
                $b.push(" OR CAST(i.number AS TEXT) LIKE ").push_bind(like_anywhere(&digits)).push(" ESCAPE '\\'");
            }
            $b.push(")");
        }
    };
}

/// Errors: [`crate::platform::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &InvoiceFilter) -> Result<InvoicePage> {
    let sort = filter.sort;
    let cursor = filter.cursor.as_deref().map(|text| InvoiceCursor::parse_param(text, sort)).transpose()?;
    let (after, direction) = if sort.is_descending() { ("<", " DESC") } else { (">", "") };
    let mut rows = qb!(conn, fetch_all as InvoiceSummaryRow, |b| {
        b.push(INVOICE_SUMMARY_SQL);
        narrow!(b, org, filter);
        if let Some(InvoiceCursor { key, id }) = cursor {
            b.push(" AND (").push(sort.key_sql()).push(", i.id) ").push(after).push(" (");
            match key {
                InvoiceSortKey::At(at) => b.push_bind(at),
                InvoiceSortKey::Day(day) => b.push_bind(day),
                InvoiceSortKey::Amount(amount) => b.push_bind(amount),
            };
            b.push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY ").push(sort.key_sql()).push(direction).push(", i.id").push(direction);
        b.push(" LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| InvoiceCursor::of_row(row, sort).to_param(sort));
    Ok(InvoicePage { invoices: rows.into_iter().map(|row| row.into_summary(filter.today)).collect(), next })
}

/// Count over all pages, and the unpaid amount where the filter asks for unpaid invoices.
pub async fn load_total(conn: &mut dyn AsConn, org: OrgId, filter: &InvoiceFilter) -> Result<ListTotal> {
    let is_owed = filter.status.is_some_and(InvoiceCollectionState::is_owed);
    let (rows, owed) = qb!(conn, fetch_one as (i64, Cents), |b| {
        b.push("SELECT COUNT(*), ");
        // Without the sum the count is read from an index alone.
        b.push(if is_owed {
            "CAST(COALESCE(SUM(i.total_cents - i.paid_cents), 0) AS BIGINT)"
        } else {
            "CAST(0 AS BIGINT)"
        });
        b.push(" FROM invoice i");
        // The join is only needed for a search.
        if filter.q.is_some() {
            b.push(" JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id");
        }
        narrow!(b, org, filter);
    })?;
    Ok(ListTotal { amount: is_owed.then_some(owed), ..ListTotal::from_row_count(rows) })
}
