//! Payments as files: CSV for a spreadsheet, JSON with sums.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    PaymentMethod,
    list::{PaymentDirection, PaymentFilter, PaymentSummary, list},
};
use crate::platform::{
    csv_cell::escape_csv_formula,
    db::AsConn,
    error::{Error, Result},
    id::OrgId,
    money::Cents,
};

const COLUMNS: [&str; 8] = ["Date", "Customer", "Kind", "Method", "Amount", "Reference", "Receipt", "Invoices"];
const PAGE_SIZE: i64 = 500;

/// `payments-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("payments-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// All payments that the filter finds, the newest day first.
pub async fn list_all(conn: &mut dyn AsConn, org: OrgId, filter: &PaymentFilter) -> Result<Vec<PaymentSummary>> {
    let mut all = Vec::new();
    let mut filter = PaymentFilter { limit: PAGE_SIZE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.payments);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180, with cells that a spreadsheet would run as a formula neutralised. Refunds are negative, so that the column
/// sums to what stayed.
pub fn to_csv(payments: &[PaymentSummary]) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for payment in payments {
        let invoices: Vec<&str> = payment.allocations.iter().filter_map(|part| part.number.as_deref()).collect();
        let cells = [
            payment.received_on.to_string(),
            payment.customer.clone(),
            direction_name(payment.kind).to_owned(),
            method_name(payment.method).to_owned(),
            signed_amount(payment).to_decimal_string(),
            payment.reference.clone().unwrap_or_default(),
            payment.number.clone().unwrap_or_default(),
            invoices.join(", "),
        ];
        writer.write_record(cells.iter().map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// The list with the amounts received, refunded and kept.
#[must_use]
pub fn to_json(payments: &[PaymentSummary], now: DateTime<Utc>) -> Value {
    let sum =
        |way: PaymentDirection| payments.iter().filter(|one| one.kind == way).map(|one| one.amount).sum::<Cents>();
    let (collected, refunded) = (sum(PaymentDirection::Payment), sum(PaymentDirection::Refund));
    json!({
        "exportedAt": now,
        "summary": {
            "count": payments.len(),
            "collected": collected,
            "refunded": refunded,
            "total": Cents(collected.0 - refunded.0),
        },
        "payments": payments,
    })
}

fn signed_amount(payment: &PaymentSummary) -> Cents {
    match payment.kind {
        PaymentDirection::Payment => payment.amount,
        PaymentDirection::Refund => Cents(-payment.amount.0),
    }
}

fn direction_name(way: PaymentDirection) -> &'static str {
    match way {
        PaymentDirection::Payment => "Payment",
        PaymentDirection::Refund => "Refund",
    }
}

fn method_name(method: PaymentMethod) -> &'static str {
    match method {
        PaymentMethod::Cash => "Cash",
        PaymentMethod::Check => "Check",
        PaymentMethod::Card => "Card",
        PaymentMethod::Bank => "Bank",
        PaymentMethod::Other => "Other",
        PaymentMethod::None => "None",
    }
}
