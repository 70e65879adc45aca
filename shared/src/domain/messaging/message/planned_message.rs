//! Messages of the coming days, as a preview shows them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{MessageChannel, MessageKind};
use crate::platform::id::LeadId;

/// One message that will leave while the switch is on.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedMessage {
    pub at: DateTime<Utc>,
    pub to: String,
    pub to_name: Option<String>,
    pub channel: MessageChannel,
    pub kind: MessageKind,
    pub subject: Option<String>,
    pub text: String,
    pub lead_id: Option<LeadId>,
    /// Why it waits.
    pub why: String,
}
