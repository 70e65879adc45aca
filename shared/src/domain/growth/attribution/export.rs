//! Chains as a file: CSV for a spreadsheet.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::chain::{Chain, ChainEvent, ChainFilter, ChainStep, list_chains};
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

pub async fn list_all_chains(conn: &mut dyn AsConn, org: OrgId, zone: Tz, filter: &ChainFilter) -> Result<Vec<Chain>> {
    let mut all = Vec::new();
    let mut filter = ChainFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list_chains(conn, org, zone, &filter).await?;
        all.extend(page.chains);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180; cells that a spreadsheet would run as a formula are escaped.
pub fn render_csv(chains: &[Chain], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for chain in chains {
        let by: Vec<&str> = chain.categories.iter().map(|category| category.display_label()).collect();
        let steps: Vec<String> = chain.events.iter().map(|event| format_event(event, zone)).collect();
        let cells = [
            chain.last_on.to_string(),
            chain.customer.clone(),
            by.join(", "),
            chain.amount.to_decimal_string(),
            steps.join("; "),
        ];
        writer.write_record(cells.iter().map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

fn format_event(event: &ChainEvent, zone: Tz) -> String {
    let words = step_label(event.step);
    match (event.on, event.amount) {
        (Some(on), Some(amount)) => format!("{on} {words} {}", amount.to_decimal_string()),
        _ => format!("{} {words}", event.at.with_timezone(&zone).format("%Y-%m-%d %H:%M")),
    }
}

fn step_label(step: ChainStep) -> &'static str {
    match step {
        ChainStep::MissedCall => "Missed call",
        ChainStep::CallText => "Texted back",
        ChainStep::CallReminder => "Reminded of the call",
        ChainStep::AutoReply => "Answered automatically",
        ChainStep::FollowUp => "Asked about the estimate",
        ChainStep::Reminder => "Reminded of the invoice",
        ChainStep::ReviewClick => "Pressed the review link",
        ChainStep::Wrote => "Wrote back",
        ChainStep::Spoken => "Called back",
        ChainStep::BookedThemselves => "Booked a visit",
        ChainStep::Approved => "Approved the estimate",
        ChainStep::Booked => "Visit planned",
        ChainStep::Done => "Work done",
        ChainStep::Paid => "Paid",
        ChainStep::Refunded => "Given back",
    }
}
