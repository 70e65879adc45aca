//! Attribution of a visitor: campaign, referrer, and landing page.

use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

use crate::platform::{error::FieldErrors, text::single_line};

/// Where a visitor came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = Attribution)]
pub struct LeadAttribution {
    pub utm_source: Option<String>,
    pub utm_medium: Option<String>,
    pub utm_campaign: Option<String>,
    pub utm_term: Option<String>,
    pub utm_content: Option<String>,
    pub gclid: Option<String>,
    pub referrer: Option<String>,
    pub landing_page: Option<String>,
}

impl LeadAttribution {
    /// Reads the campaign from the page URL. Overlong or unreadable parts are ignored: a broken tracking link must not
    /// cost a lead.
    pub(super) fn from_page_url(page_url: Option<&str>, referrer: Option<&str>) -> Self {
        let page = page_url.and_then(|p| Url::parse(p.trim()).ok()).filter(|u| matches!(u.scheme(), "http" | "https"));
        let asked = |name: &str| {
            let value = page.as_ref()?.query_pairs().find(|(k, _)| k == name)?.1.into_owned();
            single_line("pageUrl", Some(&value), 200).parse_optional(&mut FieldErrors::default())
        };
        Self {
            utm_source: asked("utm_source"),
            utm_medium: asked("utm_medium"),
            utm_campaign: asked("utm_campaign"),
            utm_term: asked("utm_term"),
            utm_content: asked("utm_content"),
            gclid: asked("gclid"),
            referrer: single_line("referrer", referrer, 500).parse_optional(&mut FieldErrors::default()),
            landing_page: page.as_ref().map(|u| u.as_str().chars().take(500).collect()),
        }
    }
}
