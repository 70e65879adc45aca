//! Money: integer cents inside, or millionths of a dollar where cents are too coarse; a decimal number of US dollars in
//! JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::ToSchema;

mod rate;

pub use rate::{Milli, Ppm};

/// US cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type, ToSchema)]
#[sqlx(transparent)]
#[schema(value_type = f64)]
pub struct Cents(pub i64);

/// A hundred million dollars: more is a slip of the finger.
const MOST_DOLLARS: f64 = 100_000_000.0;
/// How far a decimal number may lie beside a whole cent, a float being what it is.
const SLACK: f64 = 1e-4;

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Exact for every amount below 35 trillion dollars (2^45): the nearest f64 of n/100 prints as n/100.
        #[expect(clippy::cast_precision_loss, reason = "amounts stay far below 2^53 cents")]
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

/// A number or a text as people write it: `1250.5`, `"1,250.50"`, `"$1,250.50"`.
impl<'de> Deserialize<'de> for Cents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Typed::deserialize(deserializer)?.cents().ok_or_else(|| D::Error::custom("not an amount in dollars and cents"))
    }
}

/// An amount or a quantity as it comes in JSON, before anybody asked whether it fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Typed {
    Number(f64),
    Text(String),
}

impl Typed {
    /// As an amount of money. None when it is no number, has more than two decimals, or is beyond a hundred million.
    #[must_use]
    pub fn cents(&self) -> Option<Cents> {
        match self {
            Self::Number(dollars) => Cents::from_dollars(*dollars),
            Self::Text(text) => Cents::parse(text),
        }
    }

    /// As a plain number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().replace(',', "").parse().ok(),
        }
    }
}

/// `numerator / denominator` as a whole number, half away from zero: the only rounding that money meets.
#[must_use]
pub fn half_up(numerator: i128, denominator: i128) -> i64 {
    let (size, by) = (numerator.unsigned_abs(), denominator.unsigned_abs().max(1));
    let whole = i64::try_from((size + by / 2) / by).unwrap_or(i64::MAX);
    if (numerator < 0) == (denominator < 0) { whole } else { -whole }
}

/// Stays at the ends of what fits instead of turning round.
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

    /// A decimal number of dollars. None when it is no number, has more than two decimals, or is beyond a hundred
    /// million either way.
    #[must_use]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let cents = dollars * 100.0;
        let fits = dollars.is_finite() && dollars.abs() <= MOST_DOLLARS && (cents - cents.round()).abs() <= SLACK;
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most ten billion")]
        fits.then(|| Self(cents.round() as i64))
    }

    /// Dollars as people write them: `1250.5`, `1,250.50`, `$1,250.50`, `-$5`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let plain = rest.trim_start().strip_prefix('$').unwrap_or(rest).trim_start();
        let (whole, part) = plain.split_once('.').unwrap_or((plain, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let whole = without_commas(whole)?;
        if !digits(&whole) || !digits(part) || part.len() > 2 || (whole.is_empty() && part.is_empty()) {
            return None;
        }
        let dollars: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let cents: i64 = format!("{part:0<2}").parse().ok()?;
        let size = dollars.checked_mul(100)?.checked_add(cents)?;
        #[expect(clippy::cast_precision_loss, reason = "compared, not kept")]
        (size as f64 <= MOST_DOLLARS * 100.0).then_some(Self(sign * size))
    }

    /// As an American reads it: `$1,250.50`.
    #[must_use]
    pub fn shown(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        format!("{sign}${}.{:02}", grouped(size / 100), size % 100)
    }

    /// For a tile: `$950`, `$1.3K`, `$89K`, `$1.2M`.
    #[must_use]
    pub fn short(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = i128::from(self.0.unsigned_abs());
        let of = |unit: i128, letter: &str| match half_up(cents, unit / 10) {
            tenths @ ..100 if tenths % 10 != 0 => format!("{sign}${}.{}{letter}", tenths / 10, tenths % 10),
            _ => format!("{sign}${}{letter}", half_up(cents, unit)),
        };
        if cents < 99_950 {
            format!("{sign}${}", half_up(cents, 100))
        } else if cents < 99_950_000 {
            of(100_000, "K")
        } else {
            of(100_000_000, "M")
        }
    }

    /// Dollars and cents with a point, as a CSV cell has it: `1250.50`.
    #[must_use]
    pub fn plain(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
    }
}

/// `1,250` of `1250`.
fn grouped(whole: u64) -> String {
    let digits = whole.to_string();
    let mut said = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            said.push(',');
        }
        said.push(digit);
    }
    said
}

/// None when the commas stand elsewhere than before three digits.
fn without_commas(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let fits = !whole.contains(',') || (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    fits.then(|| whole.replace(',', ""))
}

/// A small amount, such as what a text costs: millionths of a dollar inside, US dollars in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = f64)]
pub struct Micros(pub i64);

const MICROS_IN_A_DOLLAR: i64 = 1_000_000;
const MICROS_IN_A_CENT: i64 = 10_000;

impl Serialize for Micros {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Exact below nine billion dollars: the nearest f64 of n/1000000 prints as n/1000000.
        #[expect(clippy::cast_precision_loss, reason = "amounts stay far below 2^53 millionths")]
        serializer.serialize_f64(self.0 as f64 / 1_000_000.0)
    }
}

impl Micros {
    /// Reads dollars as people and Twilio write them: `0.0113`, `-0.00830`. Up to six places, without rounding.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, plain) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (dollars, places) = plain.split_once('.').unwrap_or((plain, ""));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let significant = places.trim_end_matches('0');
        if !digits(dollars) || (plain.contains('.') && !digits(places)) || significant.len() > 6 {
            return None;
        }
        let whole = dollars.parse::<i64>().ok()?.checked_mul(MICROS_IN_A_DOLLAR)?;
        let part = format!("{significant:0<6}").parse::<i64>().ok()?;
        Some(Self(sign * whole.checked_add(part)?))
    }

    /// As a person reads it: `$1.25`.
    #[must_use]
    pub fn shown(self) -> String {
        let cents = (self.0 + MICROS_IN_A_CENT / 2).div_euclid(MICROS_IN_A_CENT);
        if cents == 0 && self.0 > 0 { "less than $0.01".to_owned() } else { format!("${}", Cents(cents).plain()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100_000))]

        #[test]
        fn every_amount_comes_back_from_json_as_it_went(cents in -10_000_000_000_i64..=10_000_000_000) {
            let json = serde_json::to_string(&Cents(cents)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Cents>(&json).unwrap(), Cents(cents), "{}", json);
        }
    }

    proptest! {
        #[test]
        fn every_amount_comes_back_from_what_people_read(cents in -10_000_000_000_i64..=10_000_000_000) {
            for text in [Cents(cents).shown(), Cents(cents).plain()] {
                prop_assert_eq!(Cents::parse(&text), Some(Cents(cents)), "{}", text);
            }
        }

        #[test]
        fn a_half_goes_away_from_nothing_and_both_ways_alike(n in any::<i64>(), d in 1_i64..1_000_000) {
            let (n, d) = (i128::from(n), i128::from(d));
            let rounded = half_up(n, d);
            prop_assert_eq!(half_up(-n, d), -rounded);
            prop_assert!((2 * (n - i128::from(rounded) * d)).abs() <= d);
            prop_assert!(n < 0 || 2 * (n - i128::from(rounded) * d) < d, "{n}/{d} goes up at a half");
        }
    }

    #[test]
    fn an_amount_is_read_from_a_number_or_a_text_or_not_at_all() {
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
    fn amounts_are_written_the_american_way() {
        let table =
            [(0, "$0.00"), (99, "$0.99"), (125_050, "$1,250.50"), (123_456_789, "$1,234,567.89"), (-500, "-$5.00")];
        for (cents, said) in table {
            assert_eq!(Cents(cents).shown(), said);
        }
    }

    #[test]
    fn a_tile_says_an_amount_shortly() {
        let table = [
            (0, "$0"),
            (95_000, "$950"),
            (99_949, "$999"),
            (99_950, "$1K"),
            (125_000, "$1.3K"),
            (8_900_000, "$89K"),
            (8_949_900, "$89K"),
            (99_949_999, "$999K"),
            (99_950_000, "$1M"),
            (120_000_000, "$1.2M"),
            (1_250_000_000, "$13M"),
            (-8_900_000, "-$89K"),
        ];
        for (cents, said) in table {
            assert_eq!(Cents(cents).short(), said, "{cents}");
        }
    }

    #[test]
    fn sums_stay_at_the_end_of_what_fits() {
        assert_eq!([Cents(i64::MAX), Cents(1)].into_iter().sum::<Cents>(), Cents(i64::MAX));
        assert_eq!(Cents(i64::MAX).checked_add(Cents(1)), None);
        assert_eq!(Cents(i64::MIN).checked_neg(), None);
        assert_eq!(Cents(1).checked_sub(Cents(3)), Some(Cents(-2)));
    }

    #[test]
    fn a_price_is_read_exactly_or_not_at_all() {
        for (text, micros) in [("0.0113", 11_300), ("-0.00830", -8_300), ("0", 0), ("12", 12_000_000), ("0.000001", 1)]
        {
            assert_eq!(Micros::parse(text), Some(Micros(micros)), "{text}");
        }
        for bad in ["", ".", "0.", ".5", "1,2", "0.0000001", "1e3", "--1", "+1", "free", "99999999999999999999"] {
            assert_eq!(Micros::parse(bad), None, "{bad}");
        }
        assert_eq!(serde_json::to_string(&Micros(33_900)).unwrap(), "0.0339");
        assert_eq!((Micros(4_999).shown(), Micros(5_000).shown()), ("less than $0.01".into(), "$0.01".into()));
        assert_eq!(Micros(0).shown(), "$0.00");
    }

    #[test]
    fn cents_are_written_as_dollars() {
        assert_eq!(serde_json::to_string(&Cents(125_050)).unwrap(), "1250.5");
        assert_eq!(Cents(125_050).plain(), "1250.50");
        assert_eq!(Cents(-5).plain(), "-0.05");
    }
}
