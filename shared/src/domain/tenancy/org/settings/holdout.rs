//! Holdout groups: automations that skip one phone number in ten to measure their effect. Off by default.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::set_if_given;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HoldOutSettings)]
pub struct HoldoutSettings {
    /// Follow-ups of unanswered estimates.
    pub follow_ups: bool,
    /// Texts after missed calls. One caller in ten gets no text, unless it is an emergency, a crew comes to them today,
    /// or a person of the business has talked with them before.
    pub missed_calls: bool,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HoldOutPatch)]
pub struct HoldoutPatch {
    pub follow_ups: Option<bool>,
    pub missed_calls: Option<bool>,
}

impl HoldoutPatch {
    pub(super) fn apply_to(&self, page: &mut HoldoutSettings) {
        set_if_given(&mut page.follow_ups, self.follow_ups.as_ref());
        set_if_given(&mut page.missed_calls, self.missed_calls.as_ref());
    }
}
