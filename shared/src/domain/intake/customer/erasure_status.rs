//! How far the erasure of a customer is, for every screen that shows them. `ops::erasure` finds it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A planned or finished erasure of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerErasureStatus {
    /// When they will be erased; null when they are.
    pub due_at: Option<DateTime<Utc>>,
    /// Whether it can no longer be undone.
    pub has_begun: bool,
    /// Whether something postpones it: work, money, or what they did since it was asked for.
    pub is_blocked: bool,
    /// When they were erased.
    pub erased_at: Option<DateTime<Utc>>,
}
