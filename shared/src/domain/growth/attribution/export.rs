//! Chains as a file: CSV for a spreadsheet.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::attribution_path::{
    AttributionEvent, AttributionPath, AttributionPathFilter, AttributionStep, list_attribution_paths,
};
use crate::platform::{
    csv_cell::escape_csv_formula,
    db::AsConn,
    error::{Error, Result},
    id::OrgId,
};

const COLUMNS: [&str; 5] = ["Date", "Customer", "Recovered by", "Amount", "Steps"];
const PAGE: i64 = 200;

/// `recovered-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(now: DateTime<Utc>, zone: Tz) -> String {
    format!("recovered-{}.csv", now.with_timezone(&zone).format("%Y-%m-%d"))
}

pub async fn list_all_attribution_paths(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    filter: &AttributionPathFilter,
) -> Result<Vec<AttributionPath>> {
    let mut all = Vec::new();
    let mut filter = AttributionPathFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list_attribution_paths(conn, org, zone, &filter).await?;
        all.extend(page.chains);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180; cells that a spreadsheet would run as a formula are escaped.
pub fn render_csv(chains: &[AttributionPath], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for path in chains {
        let by: Vec<&str> = path.categories.iter().map(|category| category.display_label()).collect();
        let steps: Vec<String> = path.events.iter().map(|event| format_event(event, zone)).collect();
        let cells = [
            path.last_on.to_string(),
            path.customer.clone(),
            by.join(", "),
            path.amount.to_decimal_string(),
            steps.join("; "),
        ];
        writer.write_record(cells.iter().map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

fn format_event(event: &AttributionEvent, zone: Tz) -> String {
    let words = step_label(event.step);
    match (event.on, event.amount) {
        (Some(on), Some(amount)) => format!("{on} {words} {}", amount.to_decimal_string()),
        _ => format!("{} {words}", event.at.with_timezone(&zone).format("%Y-%m-%d %H:%M")),
    }
}

fn step_label(step: AttributionStep) -> &'static str {
    match step {
        AttributionStep::MissedCall => "Missed call",
        AttributionStep::CallText => "Texted back",
        AttributionStep::CallReminder => "Reminded of the call",
        AttributionStep::AutoReply => "Answered automatically",
        AttributionStep::FollowUp => "Asked about the estimate",
        AttributionStep::Reminder => "Reminded of the invoice",
        AttributionStep::ReviewClick => "Pressed the review link",
        AttributionStep::Wrote => "Wrote back",
        AttributionStep::Spoken => "Called back",
        AttributionStep::BookedThemselves => "Booked a visit",
        AttributionStep::Approved => "Approved the estimate",
        AttributionStep::Booked => "Visit planned",
        AttributionStep::Done => "Work done",
        AttributionStep::Paid => "Paid",
        AttributionStep::Refunded => "Given back",
    }
}
