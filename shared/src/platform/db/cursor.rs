//! Where a page of a list ended: an instant in milliseconds and an id, as one opaque text.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::platform::error::{Error, FieldErrors, Result};

/// The row that the last page ended with: what it is sorted by, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor(pub(crate) DateTime<Utc>, pub(crate) Uuid);

impl Cursor {
    /// Reads what [`Cursor::after`] wrote.
    ///
    /// # Errors
    /// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
    pub(crate) fn read(text: &str) -> Result<Self> {
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

    /// The cursor of the page after this row.
    pub(crate) fn after(at: DateTime<Utc>, id: Uuid) -> String {
        format!("{}_{}", at.timestamp_millis(), id.simple())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_it_wrote_and_nothing_else() {
        let (at, id) = (DateTime::UNIX_EPOCH + chrono::Duration::milliseconds(1_700), Uuid::from_u128(7));
        assert_eq!(Cursor::read(&Cursor::after(at, id)).unwrap(), Cursor(at, id));
        for text in ["", "_", "7", "x_00000000000000000000000000000007", "7_x"] {
            assert!(matches!(Cursor::read(text), Err(Error::Invalid(_))), "{text}");
        }
    }
}
