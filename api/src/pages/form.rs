//! Plain HTML forms of the pages: pairs of names and texts. Of a sent form only the names of [`REPEATABLE`] may repeat.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use shared::{
    documents::line_items::{DocumentContent, OptionSelection},
    domain::money::estimate::approve::{SignForm, SignatureStrokes},
};

use crate::{
    error::{ApiError, ApiResult},
    extract::{incomplete_body_error, repeated_field_error, too_large},
};

/// A signature has some ten thousand characters.
const LIMIT: usize = 64 * 1024;

/// Several add-ons can be ticked.
const REPEATABLE: &str = "add";

#[derive(Clone, Debug, Default)]
pub(super) struct FormFields(Vec<(String, String)>);

impl<S: Send + Sync> FromRequest<S> for FormFields {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let body = Bytes::from_request(request, state)
            .await
            .map_err(|e| incomplete_body_error(e.status(), &e, "The form broke off.", LIMIT))?;
        if body.len() > LIMIT {
            return Err(too_large(LIMIT));
        }
        let fields = Self::parse(&body);
        match fields.find_repeated_name() {
            Some(name) => Err(repeated_field_error(name)),
            None => Ok(fields),
        }
    }
}

impl FormFields {
    pub(super) fn parse(text: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(text).into_owned().collect())
    }

    pub(super) fn first_value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn find_repeated_name(&self) -> Option<&str> {
        let mut seen = BTreeSet::new();
        let mut names = self.0.iter().map(|(name, _)| name.as_str()).filter(|name| *name != REPEATABLE);
        names.find(|name| !seen.insert(*name))
    }

    fn all_values(&self, name: &str) -> BTreeSet<String> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    }

    /// Selection for this paper. Unknown values are ignored, so that a stale address still shows a page.
    pub(super) fn selected_options(&self, paper: &DocumentContent) -> OptionSelection {
        let asked = self.first_value("option").filter(|id| paper.options.iter().any(|option| option.id == *id));
        let option_id = asked.map(ToOwned::to_owned).or(paper.recommended_selection().option_id);
        let offered: BTreeSet<String> =
            paper.add_ons_for_option(option_id.as_deref()).map(|line| line.id.clone()).collect();
        let add_ons = self.all_values("add").intersection(&offered).cloned().collect();
        OptionSelection { option_id, add_ons }
    }

    pub(super) fn selection_query(&self) -> String {
        let chosen = self.0.iter().filter(|(key, _)| matches!(key.as_str(), "option" | "add"));
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(chosen).finish();
        if query.is_empty() { query } else { format!("&{query}") }
    }

    /// The approval form. Add-ons are validated against the chosen option alone: one ticked for another option is shown
    /// unticked and costs nothing.
    pub(super) fn parse_approval(&self, paper: &DocumentContent) -> ApiResult<SignForm> {
        let OptionSelection { option_id: _, add_ons } = self.selected_options(paper);
        let drawn = self.first_value("strokes").map(str::trim).filter(|text| !text.is_empty());
        let strokes = drawn.map(serde_json::from_str::<SignatureStrokes>).transpose();
        Ok(SignForm {
            option_id: self.first_value("option").map(ToOwned::to_owned).filter(|id| !id.is_empty()),
            add_ons,
            name: self.first_value("name").map(ToOwned::to_owned),
            strokes: strokes
                .map_err(|_| ApiError::invalid_field("signature", "Please clear the signature and draw it again"))?,
            agrees: self.first_value("agree").is_some(),
            sha256: self.first_value("sha256").unwrap_or_default().to_owned(),
        })
    }
}
