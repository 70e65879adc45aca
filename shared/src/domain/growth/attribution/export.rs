//! Chains as a file: CSV for a spreadsheet.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::chain::{Chain, Linked, ListFilter, Step, list};
use crate::{
    domain::intake::lead::export::harmless,
    platform::{
        db::AsConn,
        error::{Error, Result},
        id::OrgId,
    },
};

const COLUMNS: [&str; 5] = ["Date", "Customer", "Recovered by", "Amount", "Steps"];
const PAGE: i64 = 200;

/// `recovered-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(now: DateTime<Utc>, zone: Tz) -> String {
    format!("recovered-{}.csv", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// All chains that the filter finds, the newest money first.
pub async fn rows(conn: &mut dyn AsConn, org: OrgId, zone: Tz, filter: &ListFilter) -> Result<Vec<Chain>> {
    let mut all = Vec::new();
    let mut filter = ListFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, zone, &filter).await?;
        all.extend(page.chains);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180, with cells that a spreadsheet would run as a formula made harmless.
///
/// # Errors
/// [`Error::Internal`] only if memory cannot be written.
pub fn csv(chains: &[Chain], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for chain in chains {
        let by: Vec<&str> = chain.categories.iter().map(|category| category.words()).collect();
        let steps: Vec<String> = chain.events.iter().map(|event| said(event, zone)).collect();
        let cells =
            [chain.last_on.to_string(), chain.customer.clone(), by.join(", "), chain.amount.plain(), steps.join("; ")];
        writer.write_record(cells.iter().map(|cell| harmless(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// "2026-09-17 10:02 Missed call", "2026-09-20 Paid 850.00".
fn said(event: &Linked, zone: Tz) -> String {
    let words = words(event.step);
    match (event.on, event.amount) {
        (Some(on), Some(amount)) => format!("{on} {words} {}", amount.plain()),
        _ => format!("{} {words}", event.at.with_timezone(&zone).format("%Y-%m-%d %H:%M")),
    }
}

fn words(step: Step) -> &'static str {
    match step {
        Step::MissedCall => "Missed call",
        Step::CallText => "Texted back",
        Step::CallReminder => "Reminded of the call",
        Step::AutoReply => "Answered automatically",
        Step::FollowUp => "Asked about the estimate",
        Step::Reminder => "Reminded of the invoice",
        Step::ReviewClick => "Pressed the review link",
        Step::Wrote => "Wrote back",
        Step::Spoken => "Called back",
        Step::BookedThemselves => "Booked a visit",
        Step::Approved => "Approved the estimate",
        Step::Booked => "Visit planned",
        Step::Done => "Work done",
        Step::Paid => "Paid",
        Step::Refunded => "Given back",
    }
}
