//! Amounts below a cent, such as the price of a text.

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::Cents;

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
    /// Dollars as written by people and Twilio: `0.0113`, `-0.00830`. Up to six decimals, without rounding.
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

    #[must_use]
    pub fn format_usd(self) -> String {
        let cents = (self.0 + MICROS_IN_A_CENT / 2).div_euclid(MICROS_IN_A_CENT);
        if cents == 0 && self.0 > 0 {
            "less than $0.01".to_owned()
        } else {
            format!("${}", Cents(cents).to_decimal_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_is_parsed_exactly_or_refused() {
        for (text, micros) in [("0.0113", 11_300), ("-0.00830", -8_300), ("0", 0), ("12", 12_000_000), ("0.000001", 1)]
        {
            assert_eq!(Micros::parse(text), Some(Micros(micros)), "{text}");
        }
        for bad in ["", ".", "0.", ".5", "1,2", "0.0000001", "1e3", "--1", "+1", "free", "99999999999999999999"] {
            assert_eq!(Micros::parse(bad), None, "{bad}");
        }
        assert_eq!(serde_json::to_string(&Micros(33_900)).unwrap(), "0.0339");
        assert_eq!(
            (Micros(4_999).format_usd(), Micros(5_000).format_usd()),
            ("less than $0.01".into(), "$0.01".into())
        );
        assert_eq!(Micros(0).format_usd(), "$0.00");
    }
}
