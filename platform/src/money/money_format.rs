//! Text forms of amounts.

use super::{Cents, MOST_DOLLARS, SLACK, divide_half_up};

impl Cents {
    /// None when it is no number, has more than two decimals, or exceeds a hundred million in either direction.
    #[must_use]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let cents = dollars * 100.0;
        let fits = dollars.is_finite() && dollars.abs() <= MOST_DOLLARS && (cents - cents.round()).abs() <= SLACK;
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most ten billion")]
        fits.then(|| Self(cents.round() as i64))
    }

    /// Accepts `1250.5`, `1,250.50`, `$1,250.50`, `-$5`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let plain = rest.trim_start().strip_prefix('$').unwrap_or(rest).trim_start();
        let (whole, part) = plain.split_once('.').unwrap_or((plain, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let whole = strip_thousands_commas(whole)?;
        if !digits(&whole) || !digits(part) || part.len() > 2 || (whole.is_empty() && part.is_empty()) {
            return None;
        }
        let dollars: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let cents: i64 = format!("{part:0<2}").parse().ok()?;
        let size = dollars.checked_mul(100)?.checked_add(cents)?;
        #[expect(clippy::cast_precision_loss, reason = "compared, not kept")]
        (size as f64 <= MOST_DOLLARS * 100.0).then_some(Self(sign * size))
    }

    /// US display form: `$1,250.50`.
    #[must_use]
    pub fn format_usd(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        format!("{sign}${}.{:02}", group_thousands(size / 100), size % 100)
    }

    /// Short form for a tile: `$950`, `$1.3K`, `$89K`, `$1.2M`.
    #[must_use]
    pub fn format_usd_short(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let cents = i128::from(self.0.unsigned_abs());
        let of = |unit: i128, letter: &str| match divide_half_up(cents, unit / 10) {
            tenths @ ..100 if tenths % 10 != 0 => format!("{sign}${}.{}{letter}", tenths / 10, tenths % 10),
            _ => format!("{sign}${}{letter}", divide_half_up(cents, unit)),
        };
        if cents < 99_950 {
            format!("{sign}${}", divide_half_up(cents, 100))
        } else if cents < 99_950_000 {
            of(100_000, "K")
        } else {
            of(100_000_000, "M")
        }
    }

    /// CSV form: `1250.50`.
    #[must_use]
    pub fn to_decimal_string(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:02}", self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100)
    }
}

/// `2739` as `2,739`.
#[must_use]
pub fn group_thousands(whole: u64) -> String {
    let digits = whole.to_string();
    let mut written = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// None when a comma is not before a group of three digits.
fn strip_thousands_commas(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let fits = !whole.contains(',') || (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    fits.then(|| whole.replace(',', ""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_amount_is_parsed_back_from_its_text_forms(cents in -10_000_000_000_i64..=10_000_000_000) {
            for text in [Cents(cents).format_usd(), Cents(cents).to_decimal_string()] {
                prop_assert_eq!(Cents::parse(&text), Some(Cents(cents)), "{}", text);
            }
        }
    }

    #[test]
    fn amounts_are_formatted_in_us_style() {
        let table =
            [(0, "$0.00"), (99, "$0.99"), (125_050, "$1,250.50"), (123_456_789, "$1,234,567.89"), (-500, "-$5.00")];
        for (cents, expected) in table {
            assert_eq!(Cents(cents).format_usd(), expected);
        }
    }

    #[test]
    fn short_amount_is_rounded_to_thousands_or_millions() {
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
        for (cents, expected) in table {
            assert_eq!(Cents(cents).format_usd_short(), expected, "{cents}");
        }
    }

    #[test]
    fn plain_amount_has_a_decimal_point_and_no_separators() {
        assert_eq!(Cents(125_050).to_decimal_string(), "1250.50");
        assert_eq!(Cents(-5).to_decimal_string(), "-0.05");
    }
}
