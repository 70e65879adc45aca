//! Jobs as files: CSV for a spreadsheet, JSON with a summary.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::list::{JobListFilter, JobSummary, list};
use crate::{
    domain::{intake::lead::form::service_label, work::job::JobState},
    platform::{
        csv_cell::escape_csv_formula,
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
pub fn export_file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("jobs-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

pub async fn load_export_rows(conn: &mut dyn AsConn, org: OrgId, filter: &JobListFilter) -> Result<Vec<JobSummary>> {
    let mut all = Vec::new();
    let mut filter = JobListFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.jobs);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180; cells that a spreadsheet would run as a formula are escaped. A job without a time has no date.
pub fn render_csv(jobs: &[JobSummary], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for job in jobs {
        let date = job.date.map(|at| at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string());
        let value = job.value.map(Cents::to_decimal_string);
        let cells = [
            date.as_deref().unwrap_or_default(),
            &job.customer,
            service_label(&job.service),
            &job.location,
            &job.crew,
            &job.status.to_string(),
            &job.priority.to_string(),
            value.as_deref().unwrap_or_default(),
        ];
        writer.write_record(cells.map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

#[must_use]
pub fn build_json(jobs: &[JobSummary], now: DateTime<Utc>) -> Value {
    let by_status: serde_json::Map<String, Value> = JobState::ALL
        .iter()
        .map(|status| status.to_display())
        .map(|shown| (shown.to_string(), jobs.iter().filter(|job| job.status == shown).count().into()))
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
    fn export_file_name_uses_date_in_business_time_zone() {
        let late = "2026-11-21T02:30:00Z".parse().unwrap();
        assert_eq!(export_file_name("csv", late, chrono_tz::America::Chicago), "jobs-2026-11-20.csv");
    }
}
