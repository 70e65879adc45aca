//! The list of payments: money that came in and money that went back, the newest day first.
//!
//! Only what has moved stands in it: what was taken back, failed or is on its way is no money, and what was given up never
//! came. So it is one with the figures that count it ([`crate::domain::growth::metrics`]).

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{
    Allocation, Method,
    view::{invoice_number, receipt_number},
};
use crate::{
    domain::growth::metrics::figures::Period,
    platform::{
        count_cache::Total,
        db::{AsConn, cursor::Cursor, like_anywhere, qb},
        error::Result,
        id::{CustomerId, InvoiceId, LeadId, OrgId, PaymentId},
        money::Cents,
    },
};

/// Which way money went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PaymentWay)]
pub enum Way {
    /// It came in.
    Payment,
    /// It went back.
    Refund,
}

/// Which payments, and how many.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    pub way: Option<Way>,
    /// Only what moved on these days.
    pub period: Option<Period>,
    /// Searched in the customer, the reference and the number, without regard to case.
    pub q: Option<String>,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`PaymentPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PaymentPage {
    pub payments: Vec<PaymentSummary>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// A payment or a refund as a row of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentSummary {
    pub id: PaymentId,
    /// `RCP-1001`.
    pub number: Option<String>,
    pub customer: String,
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    pub kind: Way,
    pub method: Method,
    /// US dollars, above nothing also for what went back.
    pub amount: Cents,
    /// In the business's zone.
    pub received_on: NaiveDate,
    /// "Check 1042".
    pub reference: Option<String>,
    /// The invoices that it pays, or that it took something back from.
    pub allocations: Vec<Allocation>,
}

#[derive(FromRow)]
struct Row {
    id: PaymentId,
    number: Option<i64>,
    customer: String,
    customer_id: CustomerId,
    lead_id: LeadId,
    kind: Way,
    method: Method,
    amount_cents: Cents,
    received_on: NaiveDate,
    reference: Option<String>,
}

impl Row {
    fn view(self, allocations: Vec<Allocation>) -> PaymentSummary {
        PaymentSummary {
            id: self.id,
            number: self.number.map(receipt_number),
            customer: self.customer,
            customer_id: self.customer_id,
            lead_id: self.lead_id,
            kind: self.kind,
            method: self.method,
            amount: self.amount_cents,
            received_on: self.received_on,
            reference: self.reference,
            allocations,
        }
    }
}

/// `1001` of "RCP-1001" and of "1001"; nothing of a name.
fn digits(text: &str) -> Option<i64> {
    let tail: String = text.chars().rev().take_while(char::is_ascii_digit).collect();
    tail.chars().rev().collect::<String>().parse().ok()
}

/// The conditions of a filter, the same for the page and for its total.
macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" WHERE p.org_id = ").push_bind($org).push(" AND p.status = 'settled' AND p.undone_at IS NULL");
        match $filter.way {
            None => $b.push(" AND p.kind IN ('payment', 'refund')"),
            Some(way) => $b.push(" AND p.kind = ").push_bind(way),
        };
        if let Some(period) = $filter.period {
            $b.push(" AND p.received_on >= ").push_bind(period.from);
            $b.push(" AND p.received_on <= ").push_bind(period.to);
        }
        if let Some(text) = &$filter.q {
            let text = like_anywhere(&text.to_lowercase());
            $b.push(" AND (LOWER(c.name) LIKE ").push_bind(text.clone()).push(" ESCAPE '\\'");
            $b.push(" OR c.search LIKE ").push_bind(text.clone()).push(" ESCAPE '\\'");
            $b.push(" OR LOWER(p.reference) LIKE ").push_bind(text).push(" ESCAPE '\\'");
            if let Some(number) = $filter.q.as_deref().and_then(digits) {
                $b.push(" OR p.number = ").push_bind(number);
            }
            $b.push(")");
        }
    };
}

/// One page, the newest day first.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<PaymentPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as Row, |b| {
        b.push(
            "SELECT p.id, p.number, c.name AS customer, p.customer_id, p.lead_id, p.kind, p.method, p.amount_cents,
                 p.received_on, p.reference
             FROM payment p JOIN customer c ON c.org_id = p.org_id AND c.id = p.customer_id",
        );
        narrow!(b, org, filter);
        if let Some(Cursor(day, id)) = cursor {
            b.push(" AND (p.received_on, p.id) < (").push_bind(day.date_naive()).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY p.received_on DESC, p.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| Cursor::after(begins(row.received_on), row.id.0));
    let mut parts = parts(conn, org, &rows).await?;
    let payments = rows.into_iter().map(|row| {
        let allocations = parts.remove(&row.id).unwrap_or_default();
        row.view(allocations)
    });
    Ok(PaymentPage { payments: payments.collect(), next })
}

fn begins(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

#[derive(FromRow)]
struct Part {
    payment_id: PaymentId,
    invoice_id: InvoiceId,
    cents: Cents,
    number: Option<i64>,
    content: Json<serde_json::Value>,
}

/// Which invoices these payments pay.
async fn parts(conn: &mut dyn AsConn, org: OrgId, rows: &[Row]) -> Result<HashMap<PaymentId, Vec<Allocation>>> {
    let mut found: HashMap<PaymentId, Vec<Allocation>> = HashMap::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let parts = qb!(conn, fetch_all as Part, |b| {
        b.push(
            "SELECT l.payment_id, l.invoice_id, l.cents, i.number, i.content FROM allocation l
             JOIN invoice i ON i.org_id = l.org_id AND i.id = l.invoice_id WHERE l.org_id = ",
        );
        b.push_bind(org).push(" AND l.payment_id IN (");
        let mut ids = b.separated(", ");
        for row in rows {
            ids.push_bind(row.id);
        }
        b.push(") ORDER BY i.number, i.id");
    })?;
    for Part { payment_id, invoice_id, cents, number, content } in parts {
        let allocation = Allocation { invoice_id, number: invoice_number(number, &content), amount: cents };
        found.entry(payment_id).or_default().push(allocation);
    }
    Ok(found)
}

/// How many payments the filter finds on all its pages, and what they come to: what came in less what went back; of
/// refunds alone, what went back.
pub async fn total(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Total> {
    let (rows, came, back) = qb!(conn, fetch_one as (i64, Cents, Cents), |b| {
        b.push(
            "SELECT COUNT(*),
                 CAST(COALESCE(SUM(CASE WHEN p.kind = 'payment' THEN p.amount_cents ELSE 0 END), 0) AS BIGINT),
                 CAST(COALESCE(SUM(CASE WHEN p.kind = 'refund' THEN p.amount_cents ELSE 0 END), 0) AS BIGINT)
             FROM payment p",
        );
        // Who they are only matters to who looks for somebody.
        if filter.q.is_some() {
            b.push(" JOIN customer c ON c.org_id = p.org_id AND c.id = p.customer_id");
        }
        narrow!(b, org, filter);
    })?;
    let amount = if filter.way == Some(Way::Refund) { back } else { Cents(came.0 - back.0) };
    Ok(Total { amount: Some(amount), ..Total::of(rows) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::money::ledger::Kind;

    #[test]
    fn a_receipt_is_found_by_its_number_however_it_is_written() {
        assert_eq!(
            (digits("RCP-1001"), digits("1001"), digits("Ann Lee"), digits("")),
            (Some(1001), Some(1001), None, None)
        );
        assert_eq!(digits("99999999999999999999"), None);
    }

    #[test]
    fn both_ways_are_rows_of_the_ledger_by_the_same_name() {
        for (way, kind) in [(Way::Payment, Kind::Payment), (Way::Refund, Kind::Refund)] {
            assert_eq!(serde_json::to_value(way).unwrap(), serde_json::to_value(kind).unwrap());
        }
    }
}
