//! One cell of a row: as a database has it, and as text that every program reads.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde_json::{Map, Number, Value};
use sqlx::types::Json;
use uuid::Uuid;

use super::Holds;
use crate::platform::db::batch;

/// What stands in a cell; none is NULL.
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

/// Beyond this a number with a point is not exact any more.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Cell {
    /// As JSON: ids and days as they are usually written, instants as RFC 3339 in UTC, bytes as base64.
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
            Self::Json(json) => json.as_ref().map_or(Value::Null, plain),
        }
    }

    /// Reads what [`Cell::to_json`] wrote; none when it does not fit.
    #[must_use]
    pub fn from_json(holds: Holds, value: &Value) -> Option<Self> {
        if value.is_null() {
            return Some(Self::null(holds));
        }
        Some(match holds {
            Holds::Id => Self::Id(Some(value.as_str()?.parse().ok()?)),
            Holds::Text => Self::Text(Some(value.as_str()?.to_owned())),
            Holds::Instant => {
                let at = DateTime::parse_from_rfc3339(value.as_str()?).ok()?;
                Self::Instant(Some(at.with_timezone(&Utc)))
            }
            Holds::Day => Self::Day(Some(value.as_str()?.parse().ok()?)),
            Holds::Whole => Self::Whole(Some(value.as_i64()?)),
            Holds::Flag => Self::Flag(Some(value.as_bool()?)),
            Holds::Bytes => Self::Bytes(Some(STANDARD.decode(value.as_str()?).ok()?)),
            Holds::Json => Self::Json(Some(value.clone())),
        })
    }

    /// An empty cell of this kind.
    #[must_use]
    pub fn null(holds: Holds) -> Self {
        match holds {
            Holds::Id => Self::Id(None),
            Holds::Text => Self::Text(None),
            Holds::Instant => Self::Instant(None),
            Holds::Day => Self::Day(None),
            Holds::Whole => Self::Whole(None),
            Holds::Flag => Self::Flag(None),
            Holds::Bytes => Self::Bytes(None),
            Holds::Json => Self::Json(None),
        }
    }

    /// As a value of a statement.
    pub(super) fn bound(self) -> batch::Value<'static> {
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

    /// As a spreadsheet shows it; empty when it is NULL.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self.to_json() {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        }
    }
}

/// JSON written one way: PostgreSQL keeps the number 1.0 as it was typed, `SQLite` the text, and they must look alike.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Object(fields) => {
            let sorted: std::collections::BTreeMap<&String, &Value> = fields.iter().collect();
            let fields: Map<String, Value> =
                sorted.into_iter().map(|(name, value)| (name.clone(), plain(value))).collect();
            Value::Object(fields)
        }
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        other => other.clone(),
    }
}

/// A number with a point that says no more than a whole one.
fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = float.fract() == 0.0 && float.abs() < EXACT;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and exact")]
    is_whole.then_some(float as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_cell_is_read_as_it_was_written() {
        let at = DateTime::from_timestamp_millis(1_795_353_600_123).unwrap();
        for (holds, cell) in [
            (Holds::Id, Cell::Id(Some(Uuid::from_u128(7)))),
            (Holds::Text, Cell::Text(Some("=1+1 \"ä\"\n".to_owned()))),
            (Holds::Text, Cell::Text(Some(String::new()))),
            (Holds::Instant, Cell::Instant(Some(at))),
            (Holds::Day, Cell::Day(Some(at.date_naive()))),
            (Holds::Whole, Cell::Whole(Some(i64::MIN))),
            (Holds::Flag, Cell::Flag(Some(false))),
            (Holds::Bytes, Cell::Bytes(Some(vec![0, 255]))),
            (Holds::Json, Cell::Json(Some(json!({"b": [1, null], "a": 1.5})))),
        ] {
            assert_eq!(Cell::from_json(holds, &cell.to_json()), Some(cell), "{holds:?}");
            assert_eq!(Cell::from_json(holds, &Value::Null), Some(Cell::null(holds)));
        }
    }

    #[test]
    fn what_does_not_fit_its_column_is_not_taken() {
        for (holds, value) in [
            (Holds::Id, json!("7")),
            (Holds::Text, json!(7)),
            (Holds::Instant, json!("yesterday")),
            (Holds::Day, json!("2026-02-30")),
            (Holds::Whole, json!(1.5)),
            (Holds::Flag, json!(1)),
            (Holds::Bytes, json!("*")),
        ] {
            assert_eq!(Cell::from_json(holds, &value), None, "{holds:?}");
        }
    }

    #[test]
    fn json_looks_the_same_whichever_database_kept_it() {
        let (one, other) = (json!({"a": 1.0, "b": [2e3]}), json!({"b": [2000], "a": 1}));
        let text = |value| Cell::Json(Some(value)).to_json().to_string();
        assert_eq!(text(one), text(other));
    }
}
