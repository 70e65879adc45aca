//! What was wrong with what a customer sent, as a page says it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::ApiError;

#[derive(Serialize)]
pub(super) struct Fault {
    /// Above the form, when no field is to blame.
    text: Option<String>,
    fields: BTreeMap<String, String>,
}

impl Fault {
    /// `say` puts a sentence of the business room into the language of the page.
    pub(super) fn of(error: &ApiError, say: impl Fn(&str) -> String) -> Self {
        let fields = error.errors.iter().map(|(name, said)| (name.clone(), say(said))).collect();
        let text = error.errors.is_empty().then(|| say(&error.detail));
        Self { text, fields }
    }
}
