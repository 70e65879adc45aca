//! Phone numbers: parsed, stored in E.164, displayed in national form.

use std::{borrow::Cow, fmt};

use phonenumber::{Mode, country};
use serde::Serialize;

use crate::contact_hours;

mod assigned_exchanges;

use assigned_exchanges::is_assigned_exchange;

/// In E.164 (`+15125550142`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Phone(String);

impl Phone {
    /// Parses user input; without a country code it is a US number.
    ///
    /// A ten-digit North American number is accepted even with an unassigned area code: the numbering plan changes
    /// monthly, and rejecting a customer costs more than one failed text.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        Self::parse_north_american(typed).or_else(|| Self::parse_by_metadata(typed))
    }

    /// The usual spellings of a North American number. They need no metadata of the world's numbering plans, which hold
    /// 6 MB and take 70 ms to load.
    fn parse_north_american(typed: &str) -> Option<Self> {
        let digits: String = typed.chars().filter(char::is_ascii_digit).collect();
        let is_plain = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '(' | ')' | '-' | '.');
        let national: &str = match typed.strip_prefix('+') {
            Some(international) if international == digits => digits.strip_prefix('1')?,
            // With punctuation, the metadata's reader is stricter.
            Some(_) => return None,
            None if !typed.chars().all(is_plain) => return None,
            None if digits.len() == 10 => &digits,
            None => digits.strip_prefix('1')?,
        };
        (national.len() == 10 && !national.starts_with(['0', '1'])).then(|| Self(format!("+1{national}")))
    }

    fn parse_by_metadata(typed: &str) -> Option<Self> {
        let number = phonenumber::parse(Some(country::US), typed).ok()?;
        let e164 = number.format().mode(Mode::E164).to_string();
        let north_american = e164.strip_prefix("+1").is_some_and(|n| n.len() == 10 && !n.starts_with(['0', '1']));
        (north_american || number.is_valid()).then_some(Self(e164))
    }

    /// None when it is not in E.164.
    #[must_use]
    pub fn from_e164(e164: &str) -> Option<Self> {
        Some(Self(e164.to_owned())).filter(Self::is_e164)
    }

    /// From a column that only parsed numbers are written to. Nothing is checked: parsing is slow, and an old value must
    /// not hide the rows beside it. The send policy and the provider refuse what is no number ([`Self::is_e164`]).
    #[must_use]
    pub fn from_stored(stored: String) -> Self {
        Self(stored)
    }

    /// False only for a stored value that was never parsed, or was erased.
    #[must_use]
    pub fn is_e164(&self) -> bool {
        let digits = self.0.strip_prefix('+').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }

    #[must_use]
    pub fn as_e164(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn into_e164(self) -> String {
        self.0
    }

    /// Whether we send texts there. Text fraud (SMS pumping) targets other countries (Twilio, "Preventing fraud"); more
    /// than twenty countries share country code 1 with the United States.
    #[must_use]
    pub fn is_textable(&self) -> bool {
        self.untextable_reason().is_none()
    }

    #[must_use]
    pub fn untextable_reason(&self) -> Option<&'static str> {
        match LineType::classify_number(&self.0) {
            LineType::Ordinary => None,
            LineType::TollFree => Some("toll-free numbers are not texted"),
            LineType::Premium => Some("premium-rate and personal numbers are never texted"),
            LineType::Impossible => Some("no phone can have this number"),
            LineType::Elsewhere => Some("texts go to numbers in the United States and Canada only"),
        }
    }

    /// Whether a business can call or send from it: an ordinary or toll-free number of the United States or Canada.
    #[must_use]
    pub fn is_business_line(&self) -> bool {
        matches!(LineType::classify_number(&self.0), LineType::Ordinary | LineType::TollFree)
    }

    #[must_use]
    pub fn is_toll_free(&self) -> bool {
        LineType::classify_number(&self.0) == LineType::TollFree
    }

    /// Display form: `(512) 555-0142`, or the international form.
    #[must_use]
    pub fn format_display(&self) -> Cow<'_, str> {
        match self.0.strip_prefix("+1") {
            Some(n) if n.len() == 10 => format!("({}) {}-{}", &n[..3], &n[3..6], &n[6..]).into(),
            _ => phonenumber::parse(None, &self.0)
                .map_or(Cow::Borrowed(&self.0), |n| n.format().mode(Mode::International).to_string().into()),
        }
    }
}

/// Line type by the North American Numbering Plan. Landlines and mobiles share area codes; whether a number takes texts
/// is known only from the provider's refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineType {
    /// A state, DC, a territory in the contact hours table, or Canada.
    Ordinary,
    TollFree,
    /// 900, the 976 exchange, and personal numbers of the 500 family.
    Premium,
    /// Digits that the plan never assigns, and exchanges that libphonenumber does not know in an area code whose
    /// exchanges it lists.
    Impossible,
    Elsewhere,
}

const TOLL_FREE: [&str; 8] = ["800", "822", "833", "844", "855", "866", "877", "888"];
/// 900, and "5XX-NXX" personal communications (NANPA).
const PREMIUM: [&str; 13] = ["900", "500", "521", "522", "523", "524", "525", "526", "527", "528", "529", "532", "533"];
const PERSONAL: [&str; 9] = ["535", "538", "542", "543", "544", "566", "577", "588", "700"];

impl LineType {
    fn classify_number(e164: &str) -> Self {
        let Some(digits) = e164.strip_prefix("+1") else { return Self::Elsewhere };
        if digits.len() != 10 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::Impossible;
        }
        let (area, exchange, line) = (&digits[..3], &digits[3..6], &digits[6..]);
        if !is_valid_code(area) || !is_valid_code(exchange) || (exchange, line) == ("555", "1212") {
            return Self::Impossible;
        }
        let is_fictional = exchange == "555" && line.starts_with("01");
        match area {
            _ if TOLL_FREE.contains(&area) => Self::TollFree,
            _ if PREMIUM.contains(&area) || PERSONAL.contains(&area) || exchange == "976" => Self::Premium,
            _ if contact_hours::is_area_code(area) => {
                if is_fictional || is_assigned_exchange(area, exchange) {
                    Self::Ordinary
                } else {
                    Self::Impossible
                }
            }
            _ if is_foreign_number(e164) => Self::Elsewhere,
            _ => Self::Impossible,
        }
    }
}

/// Area codes and exchanges begin with 2 to 9 and do not end in 11 (411 and 911 are services). 950 belongs to carriers.
/// Fictional numbers (555-0100 to 555-0199) pass: they are unassigned and used in examples and tests.
fn is_valid_code(three: &str) -> bool {
    !three.starts_with(['0', '1']) && !three.ends_with("11") && three != "950"
}

fn is_foreign_number(e164: &str) -> bool {
    phonenumber::parse(None, e164).is_ok_and(|number| number.country().id().is_some_and(|id| id != country::US))
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
    fn phone_number_spellings_are_normalized_to_one_number() {
        for typed in
            ["5125550142", "(512) 555-0142", "512.555.0142", "+1 512 555 0142", "1-512-555-0142", " 512 555 0142 "]
        {
            assert_eq!(Phone::parse(typed).map(|p| p.0).as_deref(), Some("+15125550142"), "{typed}");
        }
        assert_eq!(Phone::parse("5125550142").unwrap().format_display(), "(512) 555-0142");
    }

    #[test]
    fn invalid_phone_number_is_refused() {
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

    fn stored(digits: &str) -> Phone {
        Phone(format!("+1{digits}"))
    }

    #[test]
    fn number_in_states_territories_or_canada_is_textable() {
        for (area, place) in [
            ("512", "Texas"),
            ("202", "DC"),
            ("907", "Alaska"),
            ("808", "Hawaii"),
            ("787", "Puerto Rico"),
            ("939", "Puerto Rico"),
            ("340", "Virgin Islands"),
            ("671", "Guam"),
            ("684", "American Samoa"),
            ("670", "Northern Marianas"),
            ("416", "Ontario"),
            ("867", "Yukon"),
            ("924", "Minnesota"),
        ] {
            let is_limited = matches!(area, "340" | "670" | "671" | "684");
            let numbers = ["5550100", "5550142", "5550199", "2345678", "9999999"];
            for number in &numbers[..if is_limited { 3 } else { 5 }] {
                assert_eq!(stored(&format!("{area}{number}")).untextable_reason(), None, "{place} {number}");
            }
        }
    }

    #[test]
    fn number_of_other_country_with_code_1_is_not_textable() {
        let other =
            [242, 246, 264, 268, 284, 345, 441, 473, 649, 658, 664, 721, 758, 767, 784, 809, 829, 849, 868, 869, 876];
        for area in other {
            for number in ["5550142", "2345678", "4561234"] {
                let phone = stored(&format!("{area}{number}"));
                let why = phone.untextable_reason();
                assert!(why.is_some(), "{phone}");
                assert!(Phone::parse(phone.as_e164()).is_some(), "{phone} is still a phone");
            }
        }
    }

    #[test]
    fn premium_personal_toll_free_and_impossible_numbers_are_not_textable() {
        let never = [
            "9002345678",
            "9005550142",
            "5129761234",
            "5002345678",
            "5212345678",
            "5222345678",
            "5332345678",
            "5442345678",
            "5662345678",
            "5772345678",
            "5882345678",
            "7002345678",
            "8002345678",
            "8332345678",
            "8885550142",
            "5550100142",
            "9992345678",
            "2222345678",
            "3702345678",
            "6002345678",
            "6222345678",
            "7102345678",
            "4112345678",
            "9112345678",
            "5120345678",
            "5121345678",
            "5124115678",
            "5129115678",
            "0125550142",
            "1125550142",
            "5129501234",
            "5125551212",
            "3005550142",
            "1234567890",
            "9876543210",
            "0000000000",
            "2009999999",
            "3409999999",
            "6702001234",
            "6712119999",
            "6715129999",
            "6842345678",
            "2743456789",
            "4725671234",
            "9836782345",
        ];
        for digits in never {
            assert!(stored(digits).untextable_reason().is_some(), "{digits}");
        }
        for odd in ["+1512555014", "+151255501422", "+1512555014x", "+1", "", "5125550142"] {
            assert!(Phone(odd.to_owned()).untextable_reason().is_some(), "{odd}");
        }
    }

    /// Countries that we text, by libphonenumber's names.
    const OURS: [country::Id; 7] =
        [country::US, country::CA, country::PR, country::VI, country::GU, country::AS, country::MP];

    #[test]
    fn every_area_code_agrees_with_libphonenumber() {
        for area in 200..1_000 {
            let area = area.to_string();
            let Ok(number) = phonenumber::parse(None, format!("+1{area}2345678")) else { continue };
            let Some(region) = number.country().id() else { continue };
            let kind = number.number_type(&phonenumber::metadata::DATABASE);
            let is_ordinary = matches!(
                kind,
                phonenumber::Type::FixedLine | phonenumber::Type::Mobile | phonenumber::Type::FixedLineOrMobile
            );
            let ours = OURS.contains(&region);
            assert!(
                !(ours && is_ordinary) || contact_hours::is_area_code(&area) || ["600", "622"].contains(&area.as_str()),
                "{area} of {region:?} ({kind:?}) is missing from the table"
            );
            assert!(ours || !contact_hours::is_area_code(&area), "{area} is of {region:?}");
            assert_eq!(
                is_ordinary && ours && contact_hours::is_area_code(&area),
                stored(&format!("{area}2345678")).is_textable() && is_ordinary,
                "{area}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn textable_number_has_known_area_code_and_valid_subscriber_digits(digits in "[0-9]{10}") {
            let phone = stored(&digits);
            if phone.is_textable() {
                proptest::prop_assert!(contact_hours::is_area_code(&digits[..3]));
                proptest::prop_assert!(!digits[3..].starts_with(['0', '1']) && &digits[4..6] != "11");
                proptest::prop_assert!(Phone::parse(&digits) == Some(phone.clone()));
                let region = phonenumber::parse(None, phone.as_e164()).ok().and_then(|number| number.country().id());
                proptest::prop_assert!(region.is_none_or(|region| OURS.contains(&region)), "{:?}", region);
            }
        }

        #[test]
        fn usual_spellings_are_read_as_by_the_metadata(typed in "\\+?1?[ (.-]{0,2}[0-9]{3}[ ).-]{0,2}[0-9]{3}[ ()+.-]{0,2}[0-9]{3,5}") {
            let phone = Phone::parse_north_american(&typed);
            if phone.is_some() {
                proptest::prop_assert_eq!(phone, Phone::parse_by_metadata(&typed));
            }
        }

        #[test]
        fn parsing_of_arbitrary_text_never_panics(text in "\\PC{0,40}") {
            if let Some(phone) = Phone::parse(&text) {
                proptest::prop_assert_eq!(phone.is_textable(), phone.untextable_reason().is_none());
            }
        }
    }
}
