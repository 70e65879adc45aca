//! List of payments and refunds, newest day first.
//!
//! Undone, failed and pending rows and write-offs are not listed, so the list agrees with the figures that count it
//! ([`crate::domain::growth::metrics`]).

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{BilledContent, PaymentAllocation, PaymentMethod, view::receipt_number};
use crate::platform::{
    count_cache::ListTotal,
    db::{AsConn, cursor::PageCursor, like_anywhere, qb},
    error::Result,
    id::{CustomerId, InvoiceId, LeadId, OrgId, PaymentId},
    money::Cents,
    period::Period,
};

/// Which way money went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PaymentWay)]
pub enum PaymentDirection {
    /// It came in.
    Payment,
    /// It went back.
    Refund,
}

#[derive(Clone, Debug, Default)]
pub struct PaymentFilter {
    pub way: Option<PaymentDirection>,
    pub period: Option<Period>,
    /// Searched in customer, reference and number, ignoring case.
    pub q: Option<String>,
    pub limit: i64,
    /// End of the last page: an opaque text from [`PaymentPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PaymentPage {
    pub payments: Vec<PaymentSummary>,
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
    pub kind: PaymentDirection,
    pub method: PaymentMethod,
    /// US dollars, above nothing also for what went back.
    pub amount: Cents,
    /// In the business's zone.
    pub received_on: NaiveDate,
    /// "Check 1042".
    pub reference: Option<String>,
    /// The invoices that it pays, or that it took something back from.
    pub allocations: Vec<PaymentAllocation>,
}

#[derive(FromRow)]
struct PaymentListRow {
    id: PaymentId,
    number: Option<i64>,
    customer: String,
    customer_id: CustomerId,
    lead_id: LeadId,
    kind: PaymentDirection,
    method: PaymentMethod,
    amount_cents: Cents,
    received_on: NaiveDate,
    reference: Option<String>,
}

impl PaymentListRow {
    fn into_summary(self, allocations: Vec<PaymentAllocation>) -> PaymentSummary {
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

/// `1001` for "RCP-1001" and for "1001"; none for a name.
fn digits(text: &str) -> Option<i64> {
    let tail: String = text.chars().rev().take_while(char::is_ascii_digit).collect();
    tail.chars().rev().collect::<String>().parse().ok()
}

/// Conditions of a filter, shared by the page and its total.
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

/// Errors: [`crate::platform::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &PaymentFilter) -> Result<PaymentPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as PaymentListRow, |b| {
        b.push(
            "SELECT p.id, p.number, c.name AS customer, p.customer_id, p.lead_id, p.kind, p.method, p.amount_cents,
                 p.received_on, p.reference
             FROM payment p JOIN customer c ON c.org_id = p.org_id AND c.id = p.customer_id",
        );
        narrow!(b, org, filter);
        if let Some(PageCursor(day, id)) = cursor {
            b.push(" AND (p.received_on, p.id) < (").push_bind(day.date_naive()).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY p.received_on DESC, p.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next =
        rows.last().filter(|_| more).map(|row| PageCursor::encode_after(start_of_day(row.received_on), row.id.0));
    let mut parts = load_allocations(conn, org, &rows).await?;
    let payments = rows.into_iter().map(|row| {
        let allocations = parts.remove(&row.id).unwrap_or_default();
        row.into_summary(allocations)
    });
    Ok(PaymentPage { payments: payments.collect(), next })
}

fn start_of_day(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

#[derive(FromRow)]
struct ListAllocationRow {
    payment_id: PaymentId,
    invoice_id: InvoiceId,
    cents: Cents,
    number: Option<i64>,
    content: Json<BilledContent>,
}

async fn load_allocations(
    conn: &mut dyn AsConn,
    org: OrgId,
    rows: &[PaymentListRow],
) -> Result<HashMap<PaymentId, Vec<PaymentAllocation>>> {
    let mut found: HashMap<PaymentId, Vec<PaymentAllocation>> = HashMap::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let parts = qb!(conn, fetch_all as ListAllocationRow, |b| {
        b.push(
            "SELECT l.payment_id, l.invoice_id, l.cents, i.number, i.content FROM payment_allocation l
             JOIN invoice i ON i.org_id = l.org_id AND i.id = l.invoice_id WHERE l.org_id = ",
        );
        b.push_bind(org).push(" AND l.payment_id IN (");
        let mut ids = b.separated(", ");
        for row in rows {
            ids.push_bind(row.id);
        }
        b.push(") ORDER BY i.number, i.id");
    })?;
    for ListAllocationRow { payment_id, invoice_id, cents, number, content } in parts {
        let allocation = PaymentAllocation { invoice_id, number: content.display_number(number), amount: cents };
        found.entry(payment_id).or_default().push(allocation);
    }
    Ok(found)
}

/// Count over all pages, and the sum: received less refunded; of refunds alone, the refunded amount.
pub async fn load_total(conn: &mut dyn AsConn, org: OrgId, filter: &PaymentFilter) -> Result<ListTotal> {
    let (rows, came, back) = qb!(conn, fetch_one as (i64, Cents, Cents), |b| {
        b.push(
            "SELECT COUNT(*),
                 CAST(COALESCE(SUM(CASE WHEN p.kind = 'payment' THEN p.amount_cents ELSE 0 END), 0) AS BIGINT),
                 CAST(COALESCE(SUM(CASE WHEN p.kind = 'refund' THEN p.amount_cents ELSE 0 END), 0) AS BIGINT)
             FROM payment p",
        );
        // The join is only needed for a search.
        if filter.q.is_some() {
            b.push(" JOIN customer c ON c.org_id = p.org_id AND c.id = p.customer_id");
        }
        narrow!(b, org, filter);
    })?;
    let amount = if filter.way == Some(PaymentDirection::Refund) { back } else { Cents(came.0 - back.0) };
    Ok(ListTotal { amount: Some(amount), ..ListTotal::from_row_count(rows) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::money::ledger::PaymentKind;

    #[test]
    fn receipt_search_finds_number_with_or_without_prefix() {
        assert_eq!(
            (digits("RCP-1001"), digits("1001"), digits("Ann Lee"), digits("")),
            (Some(1001), Some(1001), None, None)
        );
        assert_eq!(digits("99999999999999999999"), None);
    }

    #[test]
    fn way_and_ledger_kind_serialize_to_same_names() {
        for (way, kind) in
            [(PaymentDirection::Payment, PaymentKind::Payment), (PaymentDirection::Refund, PaymentKind::Refund)]
        {
            assert_eq!(serde_json::to_value(way).unwrap(), serde_json::to_value(kind).unwrap());
        }
    }
}
