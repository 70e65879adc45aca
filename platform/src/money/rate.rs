//! Multipliers of amounts: rates in millionths, quantities in thousandths.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::ToSchema;

use super::{DecimalInput, SLACK};

/// A rate: millionths inside, percent with up to four decimals in JSON (8.875 is 88 750), from 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = f64)]
pub struct Ppm(pub i64);

/// A quantity: thousandths inside, a number with up to three decimals in JSON, above 0 and at most a million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = f64)]
pub struct Milli(pub i64);

impl Default for Milli {
    fn default() -> Self {
        Self::ONE
    }
}

/// `number × scale`, if whole within float tolerance.
fn scale_exact(number: f64, scale: f64, most: f64) -> Option<i64> {
    let all = number * scale;
    let fits = number.is_finite() && number.abs() <= most && (all - all.round()).abs() <= SLACK;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most a billion")]
    fits.then(|| all.round() as i64)
}

/// 12 500 thousandths give `12.5`.
fn format_decimal(all: i64, places: u32) -> String {
    let scale = 10_i64.pow(places);
    let part = format!("{:0width$}", (all % scale).abs(), width = places as usize);
    match part.trim_end_matches('0') {
        "" => (all / scale).to_string(),
        part => format!("{}.{part}", all / scale),
    }
}

impl Ppm {
    pub const ZERO: Self = Self(0);
    pub const ALL: Self = Self(1_000_000);

    /// None when it is below 0, above 100, or has more than four decimals.
    #[must_use]
    pub fn from_percent(percent: f64) -> Option<Self> {
        scale_exact(percent, 10_000.0, 100.0).filter(|ppm| *ppm >= 0).map(Self)
    }

    #[must_use]
    pub fn format_percent(self) -> String {
        format_decimal(self.0, 4)
    }

    #[must_use]
    pub fn from_input(typed: &DecimalInput) -> Option<Self> {
        typed.to_number().and_then(Self::from_percent)
    }
}

impl Milli {
    pub const ONE: Self = Self(1000);

    /// None when it is not above 0, above a million, or has more than three decimals.
    #[must_use]
    pub fn from_number(number: f64) -> Option<Self> {
        scale_exact(number, 1000.0, 1_000_000.0).filter(|milli| *milli > 0).map(Self)
    }

    /// `2`, `1.5`, `0.125`.
    #[must_use]
    pub fn format_quantity(self) -> String {
        format_decimal(self.0, 3)
    }

    #[must_use]
    pub fn from_input(typed: &DecimalInput) -> Option<Self> {
        typed.to_number().and_then(Self::from_number)
    }
}

impl Serialize for Ppm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "rates stay far below 2^53 millionths")]
        serializer.serialize_f64(self.0 as f64 / 10_000.0)
    }
}

impl Serialize for Milli {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "quantities stay far below 2^53 thousandths")]
        serializer.serialize_f64(self.0 as f64 / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Ppm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_input(&DecimalInput::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("not a percentage from 0 to 100"))
    }
}

impl<'de> Deserialize<'de> for Milli {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_input(&DecimalInput::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("not a quantity above 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_quantities_round_trip_through_json() {
        for ppm in (0..=1_000_000).step_by(7) {
            let json = serde_json::to_string(&Ppm(ppm)).unwrap();
            assert_eq!(serde_json::from_str::<Ppm>(&json).unwrap(), Ppm(ppm), "{json}");
        }
        for milli in (1..=1_000_000_000).step_by(9_973) {
            let json = serde_json::to_string(&Milli(milli)).unwrap();
            assert_eq!(serde_json::from_str::<Milli>(&json).unwrap(), Milli(milli), "{json}");
        }
    }

    #[test]
    fn rates_and_quantities_out_of_range_are_refused() {
        for bad in ["-1", "100.1", "8.87501", "null", r#""x""#, r#""8%""#] {
            assert!(serde_json::from_str::<Ppm>(bad).is_err(), "{bad}");
        }
        for bad in ["0", "-1", "1000001", "0.0001", "null", r#""x""#] {
            assert!(serde_json::from_str::<Milli>(bad).is_err(), "{bad}");
        }
        assert_eq!(serde_json::from_str::<Milli>(r#""1,250.5""#).unwrap(), Milli(1_250_500));
    }

    #[test]
    fn rates_and_quantities_are_shown_without_trailing_zeros() {
        assert_eq!(Ppm(88_750).format_percent(), "8.875");
        assert_eq!(Ppm(100_000).format_percent(), "10");
        assert_eq!(
            (Milli(1_000).format_quantity(), Milli(12_500).format_quantity(), Milli(125).format_quantity()),
            ("1".into(), "12.5".into(), "0.125".into())
        );
    }
}
