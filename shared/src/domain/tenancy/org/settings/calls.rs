//! Incoming calls: phones to ring, missed-call texts, and emergency words.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::{error::FieldErrors, phone::Phone};

const MOST_PHONES: usize = 5;
const MOST_WORDS: usize = 40;
const LONGEST_WORD: usize = 40;
const EMERGENCY_WORDS: [&str; 12] = [
    "emergency",
    "urgent",
    "flood",
    "flooding",
    "burst",
    "gas leak",
    "smell gas",
    "sparks",
    "on fire",
    "no heat",
    "emergencia",
    "urgente",
];

/// What happens when a customer calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallSettings {
    /// The phones that ring, E.164.
    pub forward_to: Vec<String>,
    pub ring_seconds: i64,
    /// How long after a missed call its text is sent.
    pub text_delay_seconds: i64,
    /// Within so many hours a caller gets one text.
    pub repeat_hours: i64,
    /// Whether a caller who does not write back is reminded once.
    pub nudge: bool,
    /// In lower case.
    pub emergency_words: Vec<String>,
}

impl Default for CallSettings {
    fn default() -> Self {
        Self {
            forward_to: Vec::new(),
            ring_seconds: 20,
            text_delay_seconds: 10,
            repeat_hours: 24,
            nudge: true,
            emergency_words: EMERGENCY_WORDS.map(ToOwned::to_owned).to_vec(),
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallsPatch {
    /// Numbers of the United States and Canada, as people write them.
    #[schema(max_items = 5)]
    pub forward_to: Option<Vec<String>>,
    #[schema(minimum = 10, maximum = 40)]
    pub ring_seconds: Option<i64>,
    #[schema(minimum = 0, maximum = 300)]
    pub text_delay_seconds: Option<i64>,
    #[schema(minimum = 1, maximum = 72)]
    pub repeat_hours: Option<i64>,
    pub nudge: Option<bool>,
    #[schema(max_items = 40)]
    pub emergency_words: Option<Vec<String>>,
}

const FORWARD_TO: [&str; MOST_PHONES] =
    ["calls.forwardTo[0]", "calls.forwardTo[1]", "calls.forwardTo[2]", "calls.forwardTo[3]", "calls.forwardTo[4]"];

fn validate_forward_numbers(typed: &[String], own_number: Option<&str>, errors: &mut FieldErrors) -> Vec<String> {
    let filled: Vec<&String> = typed.iter().filter(|number| !number.trim().is_empty()).collect();
    if filled.len() > MOST_PHONES {
        errors.add("calls.forwardTo", format!("At most {MOST_PHONES} phones can ring"));
    }
    let mut found: Vec<String> = Vec::new();
    for (number, field) in filled.into_iter().zip(FORWARD_TO) {
        match Phone::parse(number).filter(Phone::is_business_line) {
            None => errors.add(field, "Please enter a phone number of the United States or Canada"),
            Some(phone) if own_number == Some(phone.as_e164()) => {
                errors.add(field, "This is the number customers call; it would ring itself");
            }
            Some(phone) if found.iter().any(|known| known == phone.as_e164()) => {}
            Some(phone) => found.push(phone.as_e164().to_owned()),
        }
    }
    found
}

fn normalize_emergency_words(typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
    const FIELD: &str = "calls.emergencyWords";
    let mut seen = BTreeSet::new();
    let plain = typed.iter().map(|word| word.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase());
    let found: Vec<String> = plain.filter(|word| !word.is_empty() && seen.insert(word.clone())).collect();
    if found.len() > MOST_WORDS {
        errors.add(FIELD, format!("Keep at most {MOST_WORDS} words"));
    }
    if found.iter().any(|word| word.chars().count() > LONGEST_WORD || word.chars().any(char::is_control)) {
        errors.add(FIELD, format!("Keep each word to {LONGEST_WORD} characters"));
    }
    found
}

impl CallsPatch {
    pub(super) fn apply_to(&self, page: &mut CallSettings, own_number: Option<&str>, errors: &mut FieldErrors) {
        if let Some(typed) = &self.forward_to {
            page.forward_to = validate_forward_numbers(typed, own_number, errors);
        }
        if let Some(typed) = &self.emergency_words {
            page.emergency_words = normalize_emergency_words(typed, errors);
        }
        set_if_given(&mut page.ring_seconds, self.ring_seconds.as_ref());
        set_if_given(&mut page.text_delay_seconds, self.text_delay_seconds.as_ref());
        set_if_given(&mut page.repeat_hours, self.repeat_hours.as_ref());
        set_if_given(&mut page.nudge, self.nudge.as_ref());
        check_range(errors, "calls.ringSeconds", page.ring_seconds, 10..=40);
        check_range(errors, "calls.textDelaySeconds", page.text_delay_seconds, 0..=300);
        check_range(errors, "calls.repeatHours", page.repeat_hours, 1..=72);
    }
}
