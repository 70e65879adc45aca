//! Form errors as shown on a customer page.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::documents::template::Language;

use crate::error::ApiError;

#[derive(Serialize)]
pub(super) struct FormErrors {
    /// Shown above the form when no field is at fault.
    text: Option<String>,
    fields: BTreeMap<String, String>,
}

impl FormErrors {
    pub(super) fn field_fault(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    pub(super) fn with_text(self, text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..self }
    }

    /// In the language of the page, into which `say` translates what is not the reason of a conflict.
    pub(super) fn from_error(error: &ApiError, language: Language, say: impl Fn(&str) -> String) -> Self {
        let fields = error.errors.iter().map(|(name, message)| (name.clone(), say(message))).collect();
        let text = error.errors.is_empty().then(|| say(&error.detail_in(language)));
        Self { text, fields }
    }
}
