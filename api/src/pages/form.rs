//! Reading the plain forms of the pages: pairs of names and texts, some of them several times.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use shared::{
    documents::line_items::{Paper, Selection},
    domain::money::estimate::approve::{SignForm, Strokes},
};

use crate::{
    error::{ApiError, ApiResult},
    extract::{incomplete, too_large},
};

/// A signature is some ten thousand characters.
const LIMIT: usize = 64 * 1024;

/// What was sent, in its order.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(Vec<(String, String)>);

impl<S: Send + Sync> FromRequest<S> for Pairs {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let body =
            Bytes::from_request(request, state).await.map_err(|e| incomplete(e.status(), &e, "The form broke off."))?;
        if body.len() > LIMIT {
            return Err(too_large());
        }
        Ok(Self::parse(&body))
    }
}

impl Pairs {
    pub(super) fn parse(text: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(text).into_owned().collect())
    }

    pub(super) fn one(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn all(&self, name: &str) -> BTreeSet<String> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    }

    /// What is chosen of this paper. What it does not offer is left out, so that a stale address still shows a page.
    pub(super) fn chosen(&self, paper: &Paper) -> Selection {
        let asked = self.one("option").filter(|id| paper.options.iter().any(|option| option.id == *id));
        let option_id = asked.map(ToOwned::to_owned).or(paper.recommended().option_id);
        let offered: BTreeSet<String> = paper.add_ons(option_id.as_deref()).map(|line| line.id.clone()).collect();
        let add_ons = self.all("add").intersection(&offered).cloned().collect();
        Selection { option_id, add_ons }
    }

    /// What is chosen, to be put behind an address.
    pub(super) fn choice(&self) -> String {
        let chosen = self.0.iter().filter(|(key, _)| matches!(key.as_str(), "option" | "add"));
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(chosen).finish();
        if query.is_empty() { query } else { format!("&{query}") }
    }

    /// The approval as it was sent. Which add-ons fit is asked of the chosen option alone: a box that was ticked for
    /// another one is shown unticked and counts nothing.
    pub(super) fn signed(&self, paper: &Paper) -> ApiResult<SignForm> {
        let Selection { option_id: _, add_ons } = self.chosen(paper);
        let drawn = self.one("strokes").map(str::trim).filter(|text| !text.is_empty());
        let strokes = drawn.map(serde_json::from_str::<Strokes>).transpose();
        Ok(SignForm {
            option_id: self.one("option").map(ToOwned::to_owned).filter(|id| !id.is_empty()),
            add_ons,
            name: self.one("name").map(ToOwned::to_owned),
            strokes: strokes
                .map_err(|_| ApiError::field("signature", "Please clear the signature and draw it again"))?,
            agrees: self.one("agree").is_some(),
            sha256: self.one("sha256").unwrap_or_default().to_owned(),
        })
    }
}
