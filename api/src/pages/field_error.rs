//! Form errors as shown on a customer page.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::ApiError;

#[derive(Serialize)]
pub(super) struct FormErrors {
    /// Shown above the form when no field is at fault.
    text: Option<String>,
    fields: BTreeMap<String, String>,
}

impl FormErrors {
    /// `say` translates a message into the language of the page.
    pub(super) fn from_error(error: &ApiError, say: impl Fn(&str) -> String) -> Self {
        let fields = error.errors.iter().map(|(name, said)| (name.clone(), say(said))).collect();
        let text = error.errors.is_empty().then(|| say(&error.detail));
        Self { text, fields }
    }
}
