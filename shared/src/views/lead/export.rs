//! Lead export: CSV for a spreadsheet, JSON with a summary.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{LeadListFilter, LeadSummary, list};
use crate::{
    domain::intake::lead::PipelineStage,
    platform::{
        csv_cell::escape_csv_formula,
        db::AsConn,
        error::{Error, Result},
        id::OrgId,
        money::Cents,
    },
};

const COLUMNS: [&str; 9] =
    ["Name", "Phone", "Service", "Stage", "Source", "Date Created", "Notes", "Quoted Total", "Collected Amount"];
const PAGE: i64 = 500;

/// `leads-2026-11-21.csv`, with the date in the business's time zone.
#[must_use]
pub fn export_file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("leads-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

pub async fn load_export_rows(conn: &mut dyn AsConn, org: OrgId, filter: &LeadListFilter) -> Result<Vec<LeadSummary>> {
    let mut all = Vec::new();
    let mut filter = LeadListFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.leads);
        match page.next {
            Some(next) => filter.cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// RFC 4180, with formula cells neutralised.
pub fn render_csv(leads: &[LeadSummary], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for lead in leads {
        let money = |cents: Option<Cents>| cents.map(Cents::to_decimal_string).unwrap_or_default();
        let created = lead.created_at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
        let cells = [
            lead.name.as_str(),
            &lead.phone,
            &lead.service,
            &lead.stage.to_string(),
            &lead.source,
            &created,
            lead.notes.as_deref().unwrap_or_default(),
            &money(lead.quoted_total),
            &money(lead.collected_amount),
        ];
        writer.write_record(cells.map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

#[must_use]
pub fn build_json(leads: &[LeadSummary], now: DateTime<Utc>) -> Value {
    let by_stage: serde_json::Map<String, Value> = PipelineStage::ALL
        .iter()
        .map(|stage| (stage.to_string(), leads.iter().filter(|l| l.stage == *stage).count().into()))
        .collect();
    let sum = |pick: fn(&LeadSummary) -> Option<Cents>| Cents(leads.iter().filter_map(pick).map(|c| c.0).sum());
    json!({
        "exportedAt": now,
        "summary": {
            "total": leads.len(),
            "byStage": by_stage,
            "totalQuoted": sum(|l| l.quoted_total),
            "totalCollected": sum(|l| l.collected_amount),
        },
        "leads": leads,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_uses_local_date() {
        let late = "2026-11-21T02:30:00Z".parse().unwrap();
        assert_eq!(export_file_name("csv", late, chrono_tz::America::Chicago), "leads-2026-11-20.csv");
    }
}
