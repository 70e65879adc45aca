//! Fields of a span, as its attributes in an export.

use std::fmt;

use tracing::field::{Field, Visit};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldValue {
    Text(String),
    Number(i64),
    Flag(bool),
}

/// The last value of each field, in order of the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FieldValues(Vec<(&'static str, FieldValue)>);

impl FieldValues {
    pub(super) fn find_value(&self, name: &str) -> Option<&FieldValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub(super) fn find_text(&self, name: &str) -> Option<&str> {
        match self.find_value(name)? {
            FieldValue::Text(text) => Some(text),
            FieldValue::Number(_) | FieldValue::Flag(_) => None,
        }
    }

    pub(super) fn named_values(&self) -> impl Iterator<Item = (&'static str, &FieldValue)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    fn set_value(&mut self, field: &Field, value: FieldValue) {
        match self.0.iter_mut().find(|(known, _)| *known == field.name()) {
            Some(known) => known.1 = value,
            None => self.0.push((field.name(), value)),
        }
    }
}

impl Visit for FieldValues {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set_value(field, FieldValue::Number(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set_value(field, FieldValue::Number(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set_value(field, FieldValue::Flag(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set_value(field, FieldValue::Text(value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set_value(field, FieldValue::Text(format!("{value:?}")));
    }
}
