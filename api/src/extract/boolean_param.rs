//! A switch in a query.

use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BooleanParam {
    True,
    False,
}

impl BooleanParam {
    pub fn is_true(self) -> bool {
        matches!(self, Self::True)
    }
}
