//! The list of invoices, newest first.

use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        growth::metrics::figures::Period,
        money::ledger::{
            InvoiceSummary,
            view::{INVOICE_ROWS, InvoiceRow},
        },
    },
    platform::{
        count_cache::Total,
        db::{AsConn, like_anywhere, qb},
        error::{Error, FieldErrors, Result},
        id::OrgId,
        money::Cents,
    },
};

/// How an invoice stands for who asks for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = InvoiceStanding)]
pub enum Standing {
    Draft,
    /// It waits for payment and is not overdue.
    Open,
    Overdue,
    /// It waits for payment, overdue or not.
    Unpaid,
    Paid,
    Void,
}

impl Standing {
    /// Whether something is still to be paid.
    fn is_owed(self) -> bool {
        matches!(self, Self::Open | Self::Overdue | Self::Unpaid)
    }
}

/// For how many days an invoice is overdue, the first and the last among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Late {
    pub from: Option<u32>,
    pub to: Option<u32>,
}

/// Which invoices, and how many.
#[derive(Clone, Debug)]
pub struct ListFilter {
    pub standing: Option<Standing>,
    /// Only those that were issued on these days.
    pub issued: Option<Period>,
    /// Only those that are overdue for so long.
    pub late: Late,
    /// Searched in the customer and the number, without regard to case.
    pub q: Option<String>,
    /// The business's day, which decides what is overdue.
    pub today: NaiveDate,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`InvoicePage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct InvoicePage {
    pub invoices: Vec<InvoiceSummary>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// Where a page ended: the instant it is sorted by in milliseconds, and the id.
#[derive(Clone, Copy)]
struct Cursor(DateTime<Utc>, Uuid);

impl Cursor {
    fn parse(text: &str) -> Result<Self> {
        let read = || {
            let (millis, id) = text.split_once('_')?;
            Some(Self(DateTime::from_timestamp_millis(millis.parse().ok()?)?, id.parse().ok()?))
        };
        read().ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })
    }

    fn after(row: &InvoiceRow) -> String {
        format!("{}_{}", row.created_at.timestamp_millis(), row.id.0.simple())
    }
}

/// `1001` of "INV-1001" and of "1001"; nothing of a name.
fn digits(text: &str) -> Option<String> {
    let tail: String = text.chars().rev().take_while(char::is_ascii_digit).collect();
    (!tail.is_empty()).then(|| tail.chars().rev().collect())
}

/// The day that was so many days ago.
fn ago(today: NaiveDate, days: u32) -> NaiveDate {
    today.checked_sub_days(Days::new(days.into())).unwrap_or(NaiveDate::MIN)
}

/// The conditions of a filter, the same for the page and for its count.
macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" WHERE i.org_id = ").push_bind($org);
        match $filter.standing {
            None => {}
            Some(Standing::Draft) => {
                $b.push(" AND i.status IN ('draft', 'preparing')");
            }
            Some(Standing::Open) => {
                $b.push(" AND i.status = 'open' AND (i.due_on IS NULL OR i.due_on >= ")
                    .push_bind($filter.today)
                    .push(")");
            }
            Some(Standing::Overdue) => {
                $b.push(" AND i.status = 'open' AND i.due_on < ").push_bind($filter.today);
            }
            Some(Standing::Unpaid) => {
                $b.push(" AND i.status = 'open'");
            }
            Some(Standing::Paid) => {
                $b.push(" AND i.status = 'paid'");
            }
            Some(Standing::Void) => {
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

/// One page, newest first.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<InvoicePage> {
    let cursor = filter.cursor.as_deref().map(Cursor::parse).transpose()?;
    let mut rows = qb!(conn, fetch_all as InvoiceRow, |b| {
        b.push(INVOICE_ROWS);
        narrow!(b, org, filter);
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (i.created_at, i.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY i.created_at DESC, i.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(Cursor::after);
    Ok(InvoicePage { invoices: rows.into_iter().map(|row| row.view(filter.today)).collect(), next })
}

/// How many invoices the filter finds on all its pages, and what is still to be paid of them where it asks for that.
pub async fn total(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Total> {
    let is_owed = filter.standing.is_some_and(Standing::is_owed);
    let (rows, owed) = qb!(conn, fetch_one as (i64, Cents), |b| {
        b.push("SELECT COUNT(*), ");
        // Without the sum the count is read from an index alone.
        b.push(if is_owed {
            "CAST(COALESCE(SUM(i.total_cents - i.paid_cents), 0) AS BIGINT)"
        } else {
            "CAST(0 AS BIGINT)"
        });
        b.push(" FROM invoice i");
        // Who they are only matters to who looks for somebody.
        if filter.q.is_some() {
            b.push(" JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id");
        }
        narrow!(b, org, filter);
    })?;
    Ok(Total { amount: is_owed.then_some(owed), ..Total::of(rows) })
}
