//! Invoices as files: CSV for a spreadsheet, JSON with sums.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::list::{InvoiceFilter, list};
use crate::{
    domain::money::ledger::{InvoiceState, InvoiceSummary},
    platform::{
        csv_cell::escape_csv_formula,
        db::AsConn,
        error::{Error, Result},
        id::OrgId,
        money::Cents,
    },
};

const COLUMNS: [&str; 8] = ["Number", "Customer", "Issued", "Due", "Total", "Paid", "Balance", "Status"];
const PAGE_SIZE: i64 = 500;

/// `invoices-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("invoices-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// All invoices that the filter finds, in its order.
pub async fn list_all(conn: &mut dyn AsConn, org: OrgId, filter: &InvoiceFilter) -> Result<Vec<InvoiceSummary>> {
    let mut all = Vec::new();
    let mut filter = InvoiceFilter { limit: PAGE_SIZE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.invoices);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180, with cells that a spreadsheet would run as a formula neutralised. A draft has no number.
pub fn to_csv(invoices: &[InvoiceSummary]) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for invoice in invoices {
        let day = |day: Option<NaiveDate>| day.map(|day| day.to_string()).unwrap_or_default();
        let cells = [
            invoice.number.clone().unwrap_or_default(),
            invoice.customer.clone(),
            day(invoice.issued_on),
            day(invoice.due_on),
            invoice.total.to_decimal_string(),
            invoice.paid.to_decimal_string(),
            invoice.balance.to_decimal_string(),
            invoice.status.to_string(),
        ];
        writer.write_record(cells.iter().map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// The list, with sums over issued invoices that are not void.
#[must_use]
pub fn to_json(invoices: &[InvoiceSummary], now: DateTime<Utc>) -> Value {
    let is_asked = |state| matches!(state, InvoiceState::Open | InvoiceState::Overdue | InvoiceState::Paid);
    let issued = || invoices.iter().filter(|one| is_asked(one.status));
    let total: Cents = issued().map(|one| one.total).sum();
    let paid: Cents = issued().map(|one| one.paid).sum();
    let balance: Cents = issued().map(|one| one.balance).sum();
    json!({
        "exportedAt": now,
        "summary": { "count": invoices.len(), "total": total, "paid": paid, "balance": balance },
        "invoices": invoices,
    })
}
