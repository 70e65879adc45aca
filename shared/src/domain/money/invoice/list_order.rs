//! Order of the list of invoices, and the place in it where a page ends.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::money::ledger::view::InvoiceSummaryRow,
    platform::{
        error::{Error, FieldErrors, Result},
        money::Cents,
    },
};

/// Order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceSort {
    #[default]
    Newest,
    /// First due first; those without a day last.
    Due,
    /// Highest total first.
    Amount,
}

impl InvoiceSort {
    /// The value that is compared; the id decides between equal ones. The day is that of [`no_due_day`].
    pub(super) fn key_sql(self) -> &'static str {
        match self {
            Self::Newest => "i.created_at",
            Self::Due => "COALESCE(i.due_on, '9999-12-31')",
            Self::Amount => "i.total_cents",
        }
    }

    pub(super) fn is_descending(self) -> bool {
        self != Self::Due
    }

    /// Prefix of its cursors: a cursor of another order is refused.
    fn cursor_prefix(self) -> &'static str {
        match self {
            Self::Newest => "",
            Self::Due => "d",
            Self::Amount => "a",
        }
    }
}

/// Stands for the day of an invoice that has none.
fn no_due_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(9999, 12, 31).unwrap_or(NaiveDate::MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvoiceSortKey {
    At(DateTime<Utc>),
    Day(NaiveDate),
    Amount(Cents),
}

/// The last invoice of a page: its value in the order, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvoiceCursor {
    pub key: InvoiceSortKey,
    pub id: Uuid,
}

impl InvoiceCursor {
    /// Errors: [`Error::Invalid`] on the field `cursor` when it is not one of this order.
    pub fn parse_param(text: &str, sort: InvoiceSort) -> Result<Self> {
        Self::parse(text, sort).ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })
    }

    fn parse(text: &str, sort: InvoiceSort) -> Option<Self> {
        let (number, id) = text.strip_prefix(sort.cursor_prefix())?.split_once('_')?;
        let number: i64 = number.parse().ok()?;
        let key = match sort {
            InvoiceSort::Newest => InvoiceSortKey::At(DateTime::from_timestamp_millis(number)?),
            // Beyond the last day of four digits the databases write days differently.
            InvoiceSort::Due => InvoiceSortKey::Day(
                NaiveDate::from_num_days_from_ce_opt(i32::try_from(number).ok()?)
                    .filter(|day| (1..=9999).contains(&day.year()))?,
            ),
            InvoiceSort::Amount => InvoiceSortKey::Amount(Cents(number)),
        };
        Some(Self { key, id: id.parse().ok()? })
    }

    pub fn of_row(row: &InvoiceSummaryRow, sort: InvoiceSort) -> Self {
        let key = match sort {
            InvoiceSort::Newest => InvoiceSortKey::At(row.created_at),
            InvoiceSort::Due => InvoiceSortKey::Day(row.due_on.unwrap_or_else(no_due_day)),
            InvoiceSort::Amount => InvoiceSortKey::Amount(row.total_cents),
        };
        Self { key, id: row.id.0 }
    }

    pub fn to_param(self, sort: InvoiceSort) -> String {
        let number = match self.key {
            InvoiceSortKey::At(at) => at.timestamp_millis(),
            InvoiceSortKey::Day(day) => day.num_days_from_ce().into(),
            InvoiceSortKey::Amount(amount) => amount.0,
        };
        format!("{}{number}_{}", sort.cursor_prefix(), self.id.simple())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [InvoiceSort; 3] = [InvoiceSort::Newest, InvoiceSort::Due, InvoiceSort::Amount];

    fn cursor(sort: InvoiceSort) -> InvoiceCursor {
        let key = match sort {
            InvoiceSort::Newest => InvoiceSortKey::At(DateTime::UNIX_EPOCH + chrono::Duration::milliseconds(1_700)),
            InvoiceSort::Due => InvoiceSortKey::Day(no_due_day()),
            InvoiceSort::Amount => InvoiceSortKey::Amount(Cents(125_050)),
        };
        InvoiceCursor { key, id: Uuid::from_u128(7) }
    }

    #[test]
    fn cursor_is_read_in_its_own_order_and_refused_in_others() {
        for sort in ALL {
            let text = cursor(sort).to_param(sort);
            for other in ALL {
                let read = InvoiceCursor::parse_param(&text, other);
                if other == sort {
                    assert_eq!(read.unwrap(), cursor(sort), "{text}");
                } else {
                    assert!(matches!(read, Err(Error::Invalid(_))), "{text} as {other:?}");
                }
            }
        }
    }

    #[test]
    fn stand_in_of_a_missing_due_day_is_the_one_of_the_query() {
        assert!(InvoiceSort::Due.key_sql().contains(&no_due_day().to_string()));
    }
}
