//! Look of what customers see: the business's color, and whether its pages name Toolbox.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::set_if_given;
use crate::{
    documents::brand_color::{BrandColor, BrandPalette},
    platform::{error::FieldErrors, field_schemas, text},
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookSettings {
    /// Color of buttons, links and rules, as `#00616f`; null for Toolbox's own colors.
    pub color: Option<String>,
    /// Whether the pages for customers say "Powered by Toolbox" at the foot.
    pub shows_powered_by: bool,
}

impl Default for LookSettings {
    fn default() -> Self {
        Self { color: None, shows_powered_by: true }
    }
}

impl LookSettings {
    #[must_use]
    pub fn brand_color(&self) -> Option<BrandColor> {
        BrandColor::parse_hex(self.color.as_deref()?)
    }

    #[must_use]
    pub fn brand_palette(&self) -> Option<BrandPalette> {
        self.brand_color().map(BrandColor::build_palette)
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookPatch {
    /// Null or empty for Toolbox's own colors.
    #[serde(default, deserialize_with = "text::given")]
    #[schema(schema_with = field_schemas::nullable_color)]
    pub color: Option<Option<String>>,
    pub shows_powered_by: Option<bool>,
}

impl LookPatch {
    pub(super) fn apply_to(&self, page: &mut LookSettings, errors: &mut FieldErrors) {
        if let Some(typed) = &self.color {
            let typed = typed.as_deref().filter(|typed| !typed.is_empty());
            page.color = typed.and_then(BrandColor::parse_hex).map(|color| color.to_string());
            if typed.is_some() && page.color.is_none() {
                errors.add("look.color", "Choose a color of six hex digits, such as #00616f");
            }
        }
        set_if_given(&mut page.shows_powered_by, self.shows_powered_by.as_ref());
    }
}
