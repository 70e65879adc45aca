//! Table cell: database value and its text form.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde_json::{Map, Number, Value};
use sqlx::types::Json;
use uuid::Uuid;

use super::ColumnType;
use crate::db::batch;

/// None is NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Id(Option<Uuid>),
    Text(Option<String>),
    Instant(Option<DateTime<Utc>>),
    Day(Option<NaiveDate>),
    Whole(Option<i64>),
    Flag(Option<bool>),
    Bytes(Option<Vec<u8>>),
    Json(Option<Value>),
}

/// 2^53: larger floats are not exact integers.
const MAX_EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

impl Cell {
    /// Ids and dates in standard form, instants as RFC 3339 in UTC, bytes as base64.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Id(id) => id.map(|id| id.to_string()).into(),
            Self::Text(text) => text.clone().into(),
            Self::Instant(at) => at.map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true)).into(),
            Self::Day(day) => day.map(|day| day.to_string()).into(),
            Self::Whole(number) => (*number).into(),
            Self::Flag(flag) => (*flag).into(),
            Self::Bytes(bytes) => bytes.as_ref().map(|bytes| STANDARD.encode(bytes)).into(),
            Self::Json(json) => json.as_ref().map_or(Value::Null, normalize_json),
        }
    }

    /// Inverse of [`Cell::to_json`]; none when it does not fit.
    #[must_use]
    pub fn from_json(holds: ColumnType, value: &Value) -> Option<Self> {
        if value.is_null() {
            return Some(Self::null_of(holds));
        }
        Some(match holds {
            ColumnType::Id => Self::Id(Some(value.as_str()?.parse().ok()?)),
            ColumnType::Text => Self::Text(Some(value.as_str()?.to_owned())),
            ColumnType::Instant => {
                let at = DateTime::parse_from_rfc3339(value.as_str()?).ok()?;
                Self::Instant(Some(at.with_timezone(&Utc)))
            }
            ColumnType::Day => Self::Day(Some(value.as_str()?.parse().ok()?)),
            ColumnType::Whole => Self::Whole(Some(value.as_i64()?)),
            ColumnType::Flag => Self::Flag(Some(value.as_bool()?)),
            ColumnType::Bytes => Self::Bytes(Some(STANDARD.decode(value.as_str()?).ok()?)),
            ColumnType::Json => Self::Json(Some(value.clone())),
        })
    }

    #[must_use]
    pub fn null_of(holds: ColumnType) -> Self {
        match holds {
            ColumnType::Id => Self::Id(None),
            ColumnType::Text => Self::Text(None),
            ColumnType::Instant => Self::Instant(None),
            ColumnType::Day => Self::Day(None),
            ColumnType::Whole => Self::Whole(None),
            ColumnType::Flag => Self::Flag(None),
            ColumnType::Bytes => Self::Bytes(None),
            ColumnType::Json => Self::Json(None),
        }
    }

    pub(super) fn into_bind_value(self) -> batch::SqlValue<'static> {
        match self {
            Self::Id(id) => Box::new(id),
            Self::Text(text) => Box::new(text),
            Self::Instant(at) => Box::new(at),
            Self::Day(day) => Box::new(day),
            Self::Whole(number) => Box::new(number),
            Self::Flag(flag) => Box::new(flag),
            Self::Bytes(bytes) => Box::new(bytes),
            Self::Json(json) => Box::new(json.map(Json)),
        }
    }

    /// Spreadsheet text; empty for NULL.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self.to_json() {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        }
    }
}

/// Normal form of JSON: PostgreSQL keeps the number 1.0 as typed, `SQLite` keeps the text; both must compare equal.
fn normalize_json(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(normalize_json).collect()),
        Value::Object(fields) => {
            let sorted: std::collections::BTreeMap<&String, &Value> = fields.iter().collect();
            let fields: Map<String, Value> =
                sorted.into_iter().map(|(name, value)| (name.clone(), normalize_json(value))).collect();
            Value::Object(fields)
        }
        Value::Number(number) => exact_integer(number).map_or_else(|| value.clone(), Value::from),
        other => other.clone(),
    }
}

fn exact_integer(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = float.fract() == 0.0 && float.abs() < MAX_EXACT_FLOAT;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and exact")]
    is_whole.then_some(float as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_cell_round_trips_through_json() {
        let at = DateTime::from_timestamp_millis(1_795_353_600_123).unwrap();
        for (holds, cell) in [
            (ColumnType::Id, Cell::Id(Some(Uuid::from_u128(7)))),
            (ColumnType::Text, Cell::Text(Some("=1+1 \"ä\"\n".to_owned()))),
            (ColumnType::Text, Cell::Text(Some(String::new()))),
            (ColumnType::Instant, Cell::Instant(Some(at))),
            (ColumnType::Day, Cell::Day(Some(at.date_naive()))),
            (ColumnType::Whole, Cell::Whole(Some(i64::MIN))),
            (ColumnType::Flag, Cell::Flag(Some(false))),
            (ColumnType::Bytes, Cell::Bytes(Some(vec![0, 255]))),
            (ColumnType::Json, Cell::Json(Some(json!({"b": [1, null], "a": 1.5})))),
        ] {
            assert_eq!(Cell::from_json(holds, &cell.to_json()), Some(cell), "{holds:?}");
            assert_eq!(Cell::from_json(holds, &Value::Null), Some(Cell::null_of(holds)));
        }
    }

    #[test]
    fn json_value_of_wrong_type_is_refused() {
        for (holds, value) in [
            (ColumnType::Id, json!("7")),
            (ColumnType::Text, json!(7)),
            (ColumnType::Instant, json!("yesterday")),
            (ColumnType::Day, json!("2026-02-30")),
            (ColumnType::Whole, json!(1.5)),
            (ColumnType::Flag, json!(1)),
            (ColumnType::Bytes, json!("*")),
        ] {
            assert_eq!(Cell::from_json(holds, &value), None, "{holds:?}");
        }
    }

    #[test]
    fn json_cell_is_normalized_across_databases() {
        let (one, other) = (json!({"a": 1.0, "b": [2e3]}), json!({"b": [2000], "a": 1}));
        let text = |value| Cell::Json(Some(value)).to_json().to_string();
        assert_eq!(text(one), text(other));
    }
}
