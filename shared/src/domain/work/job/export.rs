//! Jobs as files: CSV for a spreadsheet, JSON with a summary.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    Status,
    list::{JobSummary, ListFilter, list},
};
use crate::{
    domain::intake::lead::{export::harmless, form::service_label},
    platform::{
        db::AsConn,
        error::{Error, Result},
        id::OrgId,
        money::Cents,
    },
};

const COLUMNS: [&str; 8] = ["Date", "Customer", "Service", "Location", "Crew", "Status", "Priority", "Value"];
const PAGE: i64 = 500;

/// `jobs-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("jobs-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// All jobs that the filter finds, newest first.
pub async fn rows(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Vec<JobSummary>> {
    let mut all = Vec::new();
    let mut filter = ListFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.jobs);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180, with cells that a spreadsheet would run as a formula made harmless. A job without a time has no date.
///
/// # Errors
/// [`Error::Internal`] only if memory cannot be written.
pub fn csv(jobs: &[JobSummary], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for job in jobs {
        let date = job.date.map(|at| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string());
        let value = job.value.map(Cents::plain);
        let cells = [
            date.as_deref().unwrap_or_default(),
            &job.customer,
            service_label(&job.service),
            &job.location,
            &job.crew,
            job.status.name(),
            job.priority.name(),
            value.as_deref().unwrap_or_default(),
        ];
        writer.write_record(cells.map(|cell| harmless(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// The list with counts per status and the sum of what the jobs are worth.
#[must_use]
pub fn json(jobs: &[JobSummary], now: DateTime<Utc>) -> Value {
    let by_status: serde_json::Map<String, Value> = Status::ALL
        .iter()
        .map(|status| status.shown())
        .map(|shown| (shown.name().to_owned(), jobs.iter().filter(|job| job.status == shown).count().into()))
        .collect();
    let value: Cents = jobs.iter().filter_map(|job| job.value).sum();
    json!({
        "exportedAt": now,
        "summary": { "total": jobs.len(), "byStatus": by_status, "totalValue": value },
        "jobs": jobs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_dated_by_the_owners_day() {
        let late = "2026-11-21T02:30:00Z".parse().unwrap();
        assert_eq!(file_name("csv", late, chrono_tz::America::Chicago), "jobs-2026-11-20.csv");
    }
}
