//! Names that tables and columns had in the first list of migrations. Archives of format 1 use them, and spreadsheets
//! still do, since people know their headings.

use serde_json::Value;

use super::export::ExportManifest;
use crate::platform::db::rows::{Cell, RowCells, TableShape};

/// Format of archives whose rows have the former names.
pub const FORMER_FORMAT: u32 = 1;

/// Former name first, of exported tables.
const TABLES: [(&str, &str); 17] = [
    ("wording", "template_text"),
    ("number_series", "number_sequence"),
    ("storage_use", "storage_usage"),
    ("quiet_failure", "incident"),
    ("lead_touch", "lead_inquiry"),
    ("thread", "conversation"),
    ("hold_out", "control_group_assignment"),
    ("crew_change", "pending_crew_notice"),
    ("link", "access_link"),
    ("link_copy", "access_link_copy"),
    ("allocation", "payment_allocation"),
    ("decision", "automation_decision"),
    ("promise", "sla"),
    ("text_count", "sms_daily_usage"),
    ("text_reach", "sms_recipient_window"),
    ("review_ask", "review_request"),
    ("review_turn", "review_request_lock"),
];

/// Present name of the table, former name of the column, present name of the column.
const COLUMNS: [(&str, &str, &str); 18] = [
    ("message", "saw", "evidence"),
    ("message", "paced", "rate_limit_stage"),
    ("message", "doubt_since", "unconfirmed_since"),
    ("message", "doubt_checks", "reconcile_checks"),
    ("message", "promise_minutes", "sla_minutes"),
    ("message", "promise_words", "sla_text"),
    ("message", "promise_told_from", "sla_starts_at"),
    ("automation_decision", "saw", "evidence"),
    ("follow_up", "give_up_at", "expires_at"),
    ("customer_key", "no_sms_since", "sms_undeliverable_since"),
    ("invoice", "is_reminded", "reminders_enabled"),
    ("alert", "told_at", "notified_at"),
    ("alert", "climbs_at", "escalates_at"),
    ("pending_crew_notice", "told_at", "notified_at"),
    ("photo", "touch_id", "inquiry_id"),
    ("review", "ask_id", "request_id"),
    ("review_request", "no_text_why", "sms_stop_reason"),
    ("sla", "said_in", "source"),
];

/// Columns that nothing read any more and that are gone: table and column.
const DROPPED: [(&str, &str); 2] = [("audit_head", "adopted"), ("customer", "no_sms_since")];

/// Names the tables of a former manifest as they are called now. Columns keep their former names.
pub(super) fn rename_tables(manifest: &mut ExportManifest) {
    for table in &mut manifest.tables {
        if let Some((_, now)) = TABLES.iter().find(|(former, _)| *former == table.name) {
            (*now).clone_into(&mut table.name);
        }
    }
}

/// Present names of a former table's columns, without the dropped ones.
pub(super) fn present_columns(table: &str, columns: &[String]) -> Vec<String> {
    let kept = columns.iter().filter(|column| !DROPPED.contains(&(table, column.as_str())));
    let name = |column: &String| {
        let found = COLUMNS.iter().find(|(of, former, _)| *of == table && former == column);
        found.map_or_else(|| column.clone(), |(_, _, now)| (*now).to_owned())
    };
    kept.map(name).collect()
}

/// The same columns under their former names: how the fields of a former row are called.
pub(super) fn former_shape(shape: &TableShape) -> TableShape {
    shape.clone().rename_columns(|column| sheet_heading(&shape.table, column).to_owned())
}

/// A record of merged customers names the tables whose rows it moved.
pub(super) fn rename_row(shape: &TableShape, row: &mut RowCells) {
    let moved = shape.column_index("moved").filter(|_| shape.table == "customer_merge");
    let Some(Cell::Json(Some(Value::Object(moved)))) = moved.map(|at| &mut row[at]) else { return };
    let Some(Value::Object(rows)) = moved.get_mut("rows") else { return };
    for (former, now) in TABLES {
        if let Some(ids) = rows.remove(former) {
            rows.insert(now.to_owned(), ids);
        }
    }
}

/// Name of a table's spreadsheet.
#[must_use]
pub fn sheet_name(table: &str) -> &str {
    TABLES.iter().find(|(_, now)| *now == table).map_or(table, |(former, _)| former)
}

/// Heading of a column in a spreadsheet.
#[must_use]
pub fn sheet_heading<'a>(table: &str, column: &'a str) -> &'a str {
    COLUMNS.iter().find(|(of, _, now)| *of == table && *now == column).map_or(column, |(_, former, _)| former)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ops::tenant_data::exported_tables, platform::db::rows::ColumnType};

    #[test]
    fn present_names_are_exported_tables_and_former_ones_are_not() {
        let is_listed = |name: &str| exported_tables().any(|spec| spec.table == name);
        for (former, now) in TABLES {
            assert!(is_listed(now) && !is_listed(former), "{former}, {now}");
            assert_eq!(sheet_name(now), former);
        }
        for (table, former, now) in COLUMNS {
            assert!(is_listed(table), "{table}");
            assert_eq!(sheet_heading(table, now), former);
            assert_eq!(present_columns(table, &[former.to_owned()]), [now]);
        }
    }

    #[test]
    fn dropped_columns_are_left_out_and_others_keep_their_order() {
        let columns = ["email", "id", "no_sms_since", "org_id"].map(str::to_owned);
        assert_eq!(present_columns("customer", &columns), ["email", "id", "org_id"]);
        assert_eq!(present_columns("audit_head", &["adopted", "hash"].map(str::to_owned)), ["hash"]);
        assert_eq!(present_columns("customer_key", &columns), ["email", "id", "sms_undeliverable_since", "org_id"]);
    }

    #[test]
    fn former_row_fields_are_read_by_their_former_names() {
        let columns = [("evidence", ColumnType::Json), ("id", ColumnType::Id), ("org_id", ColumnType::Id)];
        let former = former_shape(&TableShape::for_tests("message", &columns, &["org_id", "id"]));
        assert_eq!(former.column_names(), ["saw", "id", "org_id"]);
    }

    #[test]
    fn record_of_a_merge_names_present_tables() {
        let shape = TableShape::for_tests("customer_merge", &[("moved", ColumnType::Json)], &["moved"]);
        let mut row = vec![Cell::Json(Some(json!({"rows": {"review_ask": [1], "job": [2]}})))];
        rename_row(&shape, &mut row);
        assert_eq!(row, [Cell::Json(Some(json!({"rows": {"review_request": [1], "job": [2]}})))]);
    }
}
