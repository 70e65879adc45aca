//! Opaque page cursor: an instant in milliseconds and an id.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::{Error, FieldErrors, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCursor(pub DateTime<Utc>, pub Uuid);

impl PageCursor {
    /// Errors: [`Error::Invalid`] on the field `cursor` when it does not parse.
    pub fn parse_param(text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (millis, id) = text.split_once('_')?;
        Some(Self(DateTime::from_timestamp_millis(millis.parse().ok()?)?, id.parse().ok()?))
    }

    #[must_use]
    pub fn encode_after(at: DateTime<Utc>, id: Uuid) -> String {
        format!("{}_{}", at.timestamp_millis(), id.simple())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips_and_malformed_text_is_refused() {
        let (at, id) = (DateTime::UNIX_EPOCH + chrono::Duration::milliseconds(1_700), Uuid::from_u128(7));
        assert_eq!(PageCursor::parse_param(&PageCursor::encode_after(at, id)).unwrap(), PageCursor(at, id));
        for text in ["", "_", "7", "x_00000000000000000000000000000007", "7_x"] {
            assert!(matches!(PageCursor::parse_param(text), Err(Error::Invalid(_))), "{text}");
        }
    }
}
