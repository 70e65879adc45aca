//! What happens when a customer calls: who rings, when a text goes out, and which words are an emergency.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{set, within};
use crate::platform::{error::FieldErrors, phone::Phone};

/// Phones that ring together when a customer calls.
const MOST_PHONES: usize = 5;
const MOST_WORDS: usize = 40;
const LONGEST_WORD: usize = 40;
/// The words that make a call or text an emergency until the business chooses its own.
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
#[schema(as = CallSettings)]
pub struct Calls {
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

impl Default for Calls {
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

/// The numbers as they are stored, each once.
fn phones(typed: &[String], own_number: Option<&str>, errors: &mut FieldErrors) -> Vec<String> {
    let filled: Vec<&String> = typed.iter().filter(|number| !number.trim().is_empty()).collect();
    if filled.len() > MOST_PHONES {
        errors.add("calls.forwardTo", format!("At most {MOST_PHONES} phones can ring"));
    }
    let mut found: Vec<String> = Vec::new();
    for (number, field) in filled.into_iter().zip(FORWARD_TO) {
        match Phone::parse(number).filter(Phone::is_of_a_business) {
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

/// The words as they are looked for, each once.
fn words(typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
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
    pub(super) fn apply(&self, page: &mut Calls, own_number: Option<&str>, errors: &mut FieldErrors) {
        if let Some(typed) = &self.forward_to {
            page.forward_to = phones(typed, own_number, errors);
        }
        if let Some(typed) = &self.emergency_words {
            page.emergency_words = words(typed, errors);
        }
        set(&mut page.ring_seconds, self.ring_seconds.as_ref());
        set(&mut page.text_delay_seconds, self.text_delay_seconds.as_ref());
        set(&mut page.repeat_hours, self.repeat_hours.as_ref());
        set(&mut page.nudge, self.nudge.as_ref());
        within(errors, "calls.ringSeconds", page.ring_seconds, 10..=40);
        within(errors, "calls.textDelaySeconds", page.text_delay_seconds, 0..=300);
        within(errors, "calls.repeatHours", page.repeat_hours, 1..=72);
    }
}
