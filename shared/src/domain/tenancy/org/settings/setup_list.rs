//! List of what is still to set up, on the dashboard.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::set_if_given;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupListSettings {
    /// Whether the dashboard leaves the list out. Urgent steps are always shown.
    pub is_hidden: bool,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupListPatch {
    pub is_hidden: Option<bool>,
}

impl SetupListPatch {
    pub(super) fn apply_to(&self, page: &mut SetupListSettings) {
        set_if_given(&mut page.is_hidden, self.is_hidden.as_ref());
    }
}
