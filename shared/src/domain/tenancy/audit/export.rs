//! Audit log export as CSV.

use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;

use super::view::{AuditEvent, AuditFilter, list};
use crate::platform::{
    csv_cell::escape_csv_formula,
    db::AsConn,
    error::{Error, Result},
    id::OrgId,
};

const COLUMNS: [&str; 12] = [
    "Number",
    "Time (UTC)",
    "Who",
    "Email",
    "Kind",
    "Program",
    "Action",
    "Subject",
    "Address",
    "Browser",
    "Request",
    "Id",
];
const PAGE: i64 = 1_000;

/// `audit-log-2026-11-21.csv`, with the date in the business's time zone.
#[must_use]
pub fn file_name(now: DateTime<Utc>, zone: Tz) -> String {
    format!("audit-log-{}.csv", now.with_timezone(&zone).format("%Y-%m-%d"))
}

pub async fn list_all_lines(conn: &mut dyn AsConn, org: OrgId, filter: &AuditFilter) -> Result<Vec<AuditEvent>> {
    let mut all = Vec::new();
    let mut filter = AuditFilter { limit: PAGE, before: None, ..filter.clone() };
    loop {
        let (lines, more) = list(&mut *conn, org, &filter).await?;
        filter.before = lines.last().map(|line| line.seq);
        all.extend(lines);
        if !more {
            return Ok(all);
        }
    }
}

/// RFC 4180, with formula cells neutralised.
pub fn to_csv(lines: &[AuditEvent]) -> Result<String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let failed = |e: &dyn std::fmt::Display| Error::Internal(format!("csv: {e}"));
    writer.write_record(COLUMNS).map_err(|e| failed(&e))?;
    for line in lines {
        let cells = csv_cells(line);
        writer.write_record(cells.iter().map(|cell| escape_csv_formula(cell).into_owned())).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}

fn csv_cells(line: &AuditEvent) -> [String; 12] {
    let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
    [
        line.seq.to_string(),
        line.at.to_rfc3339_opts(SecondsFormat::Millis, true),
        text(&line.actor_name),
        text(&line.actor_email),
        line.actor_kind.clone(),
        text(&line.key_name),
        line.action.clone(),
        line.subject_id.map(|id| id.to_string()).unwrap_or_default(),
        text(&line.ip),
        text(&line.user_agent),
        text(&line.request_id),
        line.id.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn user_agent_formula_is_neutralized_in_csv_export() {
        let line = AuditEvent {
            id: Uuid::from_u128(1),
            seq: 7,
            at: DateTime::UNIX_EPOCH,
            actor_kind: "visitor".to_owned(),
            actor_id: None,
            actor_name: None,
            actor_email: None,
            action: "lead_submitted".to_owned(),
            subject_id: None,
            ip: Some("192.0.2.7".to_owned()),
            user_agent: Some("=HYPERLINK(\"http://x\"),1".to_owned()),
            request_id: None,
            key_name: None,
        };
        let file = to_csv(&[line]).unwrap();
        let rows: Vec<&str> = file.lines().collect();
        assert_eq!(rows[0], COLUMNS.join(","));
        assert_eq!(
            rows[1],
            "7,1970-01-01T00:00:00.000Z,,,visitor,,lead_submitted,,192.0.2.7,\"'=HYPERLINK(\"\"http://x\"\"),1\",,00000000-0000-0000-0000-000000000001"
        );
    }
}
