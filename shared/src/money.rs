//! Money: integer cents inside, a decimal number of US dollars in JSON.

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// US cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type, ToSchema)]
#[sqlx(transparent)]
#[schema(value_type = f64)]
pub struct Cents(pub i64);

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Exact for every amount below 35 trillion dollars (2^45): the nearest f64 of n/100 prints as n/100.
        #[expect(clippy::cast_precision_loss, reason = "amounts stay far below 2^53 cents")]
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

impl Cents {
    /// Dollars and cents with a point, as a CSV cell has it: `1250.50`.
    #[must_use]
    pub fn plain(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_written_as_dollars() {
        assert_eq!(serde_json::to_string(&Cents(125_050)).unwrap(), "1250.5");
        assert_eq!(Cents(125_050).plain(), "1250.50");
        assert_eq!(Cents(-5).plain(), "-0.05");
    }
}
