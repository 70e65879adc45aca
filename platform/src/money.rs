//! Money: integer cents, or millionths of a dollar for smaller amounts; decimal US dollars in JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::ToSchema;

mod micros;
mod money_format;
mod rate;

pub use micros::Micros;
pub use money_format::group_thousands;
pub use rate::{Milli, Ppm};

/// US cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type, ToSchema)]
#[sqlx(transparent)]
#[schema(value_type = f64)]
pub struct Cents(pub i64);

/// Plausibility limit: a hundred million dollars.
const MOST_DOLLARS: f64 = 100_000_000.0;
/// Tolerated float error, in the smallest unit.
const SLACK: f64 = 1e-4;

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Exact below 35 trillion dollars (2^45): the nearest f64 of n/100 prints as n/100.
        #[expect(clippy::cast_precision_loss, reason = "amounts stay far below 2^53 cents")]
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

/// Accepts a number or text: `1250.5`, `"1,250.50"`, `"$1,250.50"`.
impl<'de> Deserialize<'de> for Cents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DecimalInput::deserialize(deserializer)?
            .to_cents()
            .ok_or_else(|| D::Error::custom("not an amount in dollars and cents"))
    }
}

/// Unvalidated amount or quantity from JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DecimalInput {
    Number(f64),
    Text(String),
}

impl DecimalInput {
    /// None when it is no number, has more than two decimals, or exceeds a hundred million.
    #[must_use]
    pub fn to_cents(&self) -> Option<Cents> {
        match self {
            Self::Number(dollars) => Cents::from_dollars(*dollars),
            Self::Text(text) => Cents::parse(text),
        }
    }

    #[must_use]
    pub fn to_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().replace(',', "").parse().ok(),
        }
    }
}

/// `numerator / denominator` rounded half away from zero: the only rounding of money.
#[must_use]
pub fn divide_half_up(numerator: i128, denominator: i128) -> i64 {
    let (size, by) = (numerator.unsigned_abs(), denominator.unsigned_abs().max(1));
    let whole = i64::try_from((size + by / 2) / by).unwrap_or(i64::MAX);
    if (numerator < 0) == (denominator < 0) { whole } else { -whole }
}

/// For figures that are shown with decimals.
#[must_use]
pub fn rounded_quotient(numerator: i64, denominator: i64) -> f64 {
    let whole = divide_half_up(i128::from(numerator), i128::from(denominator));
    #[expect(clippy::cast_precision_loss, reason = "figures stay far below 2^53")]
    let shown = whole as f64;
    shown
}

/// Saturates instead of wrapping.
impl std::iter::Sum for Cents {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, |sum, next| Self(sum.0.saturating_add(next.0)))
    }
}

impl Cents {
    pub const ZERO: Self = Self(0);

    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    #[must_use]
    pub fn checked_neg(self) -> Option<Self> {
        self.0.checked_neg().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100_000))]

        #[test]
        fn amount_round_trips_through_json(cents in -10_000_000_000_i64..=10_000_000_000) {
            let json = serde_json::to_string(&Cents(cents)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Cents>(&json).unwrap(), Cents(cents), "{}", json);
        }
    }

    proptest! {
        #[test]
        fn half_rounds_away_from_zero_symmetrically(n in any::<i64>(), d in 1_i64..1_000_000) {
            let (n, d) = (i128::from(n), i128::from(d));
            let rounded = divide_half_up(n, d);
            prop_assert_eq!(divide_half_up(-n, d), -rounded);
            prop_assert!((2 * (n - i128::from(rounded) * d)).abs() <= d);
            prop_assert!(n < 0 || 2 * (n - i128::from(rounded) * d) < d, "{n}/{d} goes up at a half");
        }
    }

    #[test]
    fn amount_is_read_from_number_or_text_and_refused_otherwise() {
        let table = [
            ("1250.5", 125_050),
            ("0.1", 10),
            ("-5", -500),
            ("100000000", 10_000_000_000),
            (r#""1,250.50""#, 125_050),
            (r#""$1,250.50""#, 125_050),
            (r#"" $ 12 ""#, 1_200),
            (r#""-$5""#, -500),
            (r#"".5""#, 50),
            (r#""7.""#, 700),
        ];
        for (json, cents) in table {
            assert_eq!(serde_json::from_str::<Cents>(json).unwrap(), Cents(cents), "{json}");
        }
        let bad = [
            "1.005",
            "100000001",
            "1e300",
            "null",
            "true",
            r#""""#,
            r#"".""#,
            r#""1.005""#,
            r#""1,2""#,
            r#""12,50""#,
            r#""1,2345""#,
            r#"",123""#,
            r#""--5""#,
            r#""5$""#,
            r#""NaN""#,
            r#""1e3""#,
            r#""100000001""#,
            r#""$""#,
            r#""99999999999999999999""#,
        ];
        for json in bad {
            assert!(serde_json::from_str::<Cents>(json).is_err(), "{json}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.001, 100_000_000.01] {
            assert_eq!(Cents::from_dollars(bad), None, "{bad}");
        }
    }

    #[test]
    fn sum_saturates_and_checked_operations_report_overflow() {
        assert_eq!([Cents(i64::MAX), Cents(1)].into_iter().sum::<Cents>(), Cents(i64::MAX));
        assert_eq!(Cents(i64::MAX).checked_add(Cents(1)), None);
        assert_eq!(Cents(i64::MIN).checked_neg(), None);
        assert_eq!(Cents(1).checked_sub(Cents(3)), Some(Cents(-2)));
    }

    #[test]
    fn cents_are_written_as_dollars() {
        assert_eq!(serde_json::to_string(&Cents(125_050)).unwrap(), "1250.5");
    }
}
