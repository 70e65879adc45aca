//! Phone numbers: parsed once, stored in E.164, shown as the person would write them.

use std::{borrow::Cow, fmt};

use phonenumber::{Mode, country};
use serde::Serialize;

/// A number that a phone network could carry, in E.164 (`+15125550142`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Phone(String);

impl Phone {
    /// Reads what a person typed; without a country code it is a US number.
    ///
    /// A ten-digit North American number is taken even where the numbering plan has not given out its area code:
    /// turning a customer away over a plan that changes monthly costs more than one refused text.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let number = phonenumber::parse(Some(country::US), typed).ok()?;
        let e164 = number.format().mode(Mode::E164).to_string();
        let north_american = e164.strip_prefix("+1").is_some_and(|n| n.len() == 10 && !n.starts_with(['0', '1']));
        (north_american || number.is_valid()).then_some(Self(e164))
    }

    /// Reads the numbering plans of the world, which takes a while the first time. At start, so that the first customer
    /// does not wait for it.
    pub fn warm_up() {
        drop(Self::parse("+12025550100"));
    }

    #[must_use]
    pub fn as_e164(&self) -> &str {
        &self.0
    }

    /// Whether our texts go there: the United States and Canada share country code 1. Numbers elsewhere are where
    /// text fraud earns its money (Twilio, "Preventing fraud": SMS pumping).
    #[must_use]
    pub fn is_textable(&self) -> bool {
        self.0.starts_with("+1") && self.0.len() == 12
    }

    /// As a person writes it: `(512) 555-0142`, or the international form.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, str> {
        match self.0.strip_prefix("+1") {
            Some(n) if n.len() == 10 => format!("({}) {}-{}", &n[..3], &n[3..6], &n[6..]).into(),
            _ => phonenumber::parse(None, &self.0)
                .map_or(Cow::Borrowed(&self.0), |n| n.format().mode(Mode::International).to_string().into()),
        }
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_people_write_a_number_are_one_number() {
        for typed in
            ["5125550142", "(512) 555-0142", "512.555.0142", "+1 512 555 0142", "1-512-555-0142", " 512 555 0142 "]
        {
            assert_eq!(Phone::parse(typed).map(|p| p.0).as_deref(), Some("+15125550142"), "{typed}");
        }
        assert_eq!(Phone::parse("5125550142").unwrap().shown(), "(512) 555-0142");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for typed in ["", "call me maybe", "123", "0000000000", "1111111111", "55555555555555555555"] {
            assert_eq!(Phone::parse(typed), None, "{typed}");
        }
    }

    #[test]
    fn foreign_numbers_are_kept_but_not_texted() {
        let london = Phone::parse("+44 20 7946 0018").unwrap();
        assert!(!london.is_textable());
        assert!(Phone::parse("+1 416 555 0142").unwrap().is_textable());
    }
}
