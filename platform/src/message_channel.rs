//! Channels that carry a message.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::text_enum::display_serialized;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MessageChannel {
    Sms,
    Email,
}

// As stored: `sms`, `email`.
display_serialized!(MessageChannel);
