//! Order of the lead list, and the place in it where a page ends.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    error::{Error, FieldErrors, Result},
    money::Cents,
};

/// Order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeadSort {
    /// Latest activity first.
    #[default]
    LastTouch,
    Newest,
    Oldest,
    /// Highest amount first: what was quoted, else what was collected.
    Value,
    /// Only for leads that wait.
    LongestWaiting,
}

impl LeadSort {
    /// The value that is compared, on `lead l` and `waits`; the id decides between equal ones.
    pub(super) fn key_sql(self) -> &'static str {
        match self {
            Self::LastTouch => "l.last_touch_at",
            Self::Newest | Self::Oldest => "l.created_at",
            Self::Value => "COALESCE(l.quoted_cents, l.collected_cents, 0)",
            Self::LongestWaiting => "waits.since",
        }
    }

    pub(super) fn is_descending(self) -> bool {
        matches!(self, Self::LastTouch | Self::Newest | Self::Value)
    }

    /// Prefix of its cursors: a cursor of another order is refused.
    fn cursor_prefix(self) -> &'static str {
        match self {
            Self::LastTouch => "",
            Self::Newest => "n",
            Self::Oldest => "o",
            Self::Value => "v",
            Self::LongestWaiting => "w",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeadSortKey {
    At(DateTime<Utc>),
    Amount(Cents),
}

/// The last lead of a page: its value in the order, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeadCursor {
    pub key: LeadSortKey,
    pub id: Uuid,
}

impl LeadCursor {
    /// Errors: [`Error::Invalid`] on the field `cursor` when it is not one of this order.
    pub fn parse_param(text: &str, sort: LeadSort) -> Result<Self> {
        Self::parse(text, sort).ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })
    }

    fn parse(text: &str, sort: LeadSort) -> Option<Self> {
        let (number, id) = text.strip_prefix(sort.cursor_prefix())?.split_once('_')?;
        let number: i64 = number.parse().ok()?;
        let key = match sort {
            LeadSort::Value => LeadSortKey::Amount(Cents(number)),
            _ => LeadSortKey::At(DateTime::from_timestamp_millis(number)?),
        };
        Some(Self { key, id: id.parse().ok()? })
    }

    pub fn to_param(self, sort: LeadSort) -> String {
        let number = match self.key {
            LeadSortKey::At(at) => at.timestamp_millis(),
            LeadSortKey::Amount(amount) => amount.0,
        };
        format!("{}{number}_{}", sort.cursor_prefix(), self.id.simple())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [LeadSort; 5] =
        [LeadSort::LastTouch, LeadSort::Newest, LeadSort::Oldest, LeadSort::Value, LeadSort::LongestWaiting];

    fn cursor(sort: LeadSort) -> LeadCursor {
        let key = match sort {
            LeadSort::Value => LeadSortKey::Amount(Cents(125_050)),
            _ => LeadSortKey::At(DateTime::UNIX_EPOCH + chrono::Duration::milliseconds(1_700)),
        };
        LeadCursor { key, id: Uuid::from_u128(7) }
    }

    #[test]
    fn cursor_is_read_in_its_own_order_and_refused_in_others() {
        for sort in ALL {
            let text = cursor(sort).to_param(sort);
            for other in ALL {
                let read = LeadCursor::parse_param(&text, other);
                if other == sort {
                    assert_eq!(read.unwrap(), cursor(sort), "{text}");
                } else {
                    assert!(matches!(read, Err(Error::Invalid(_))), "{text} as {other:?}");
                }
            }
        }
    }

    #[test]
    fn malformed_cursor_is_refused() {
        for text in ["", "_", "7", "n_", "nx_00000000000000000000000000000007", "v7_x", "99999999999999999_0"] {
            for sort in ALL {
                assert!(LeadCursor::parse_param(text, sort).is_err(), "{text} as {sort:?}");
            }
        }
    }
}
