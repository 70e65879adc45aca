//! The part of an address that says where a visit is, but not how to get in.

/// Words that begin what is not the street: how to get in, or which unit. English and Spanish.
const ENTRY_WORDS: [&str; 40] = [
    "access",
    "alarm",
    "alarma",
    "apartment",
    "apt",
    "apto",
    "basement",
    "bldg",
    "building",
    "buzzer",
    "clave",
    "code",
    "codigo",
    "combinación",
    "combination",
    "combo",
    "código",
    "door",
    "entry",
    "fl",
    "floor",
    "gate",
    "key",
    "keypad",
    "llave",
    "lock",
    "lockbox",
    "passcode",
    "pin",
    "piso",
    "porton",
    "portón",
    "press",
    "puerta",
    "room",
    "ste",
    "suite",
    "timbre",
    "unidad",
    "unit",
];

/// The text before the first comma, sign or word of [`ENTRY_WORDS`]: people type gate codes into the address. A street
/// that is named like such a word ("12 Gate St") is kept, and so is a street after a code ("4411# 12 Elm St").
pub(super) fn street_without_entry(address: &str) -> String {
    let first = after_leading_code(address).split([',', ';', '#', '*', '(', ':', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = first.split_whitespace().collect();
    let end = (0..words.len()).find(|at| begins_entry(&words, *at)).unwrap_or(words.len());
    words[..end].join(" ")
}

/// The address without digits at its begin that are followed by `#` at once.
fn after_leading_code(address: &str) -> &str {
    let is_separator = |letter: char| !letter.is_alphanumeric();
    match address.trim_start().split_once('#') {
        Some((code, rest)) if !code.is_empty() && code.chars().all(|letter| letter.is_ascii_digit()) => {
            rest.trim_start_matches(is_separator)
        }
        _ => address,
    }
}

fn begins_entry(words: &[&str], at: usize) -> bool {
    let word = words[at].trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    ENTRY_WORDS.contains(&word.as_str()) && !is_street_name(words, at)
}

/// Whether the word is between the street number and a word without digits.
fn is_street_name(words: &[&str], at: usize) -> bool {
    let is_after_number = at == 1 && words[0].starts_with(|letter: char| letter.is_ascii_digit());
    let has_digit = |word: &&str| word.contains(|letter: char| letter.is_ascii_digit());
    is_after_number && words.get(2).is_some_and(|word| !has_digit(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn street_is_cut_before_entry_details() {
        for (address, street) in [
            ("12 Elm St, gate 4411", "12 Elm St"),
            ("12 Elm St gate 4411", "12 Elm St"),
            ("12 Elm St Apt. 3", "12 Elm St"),
            ("12 Elm St #4411", "12 Elm St"),
            ("12 Elm St (key under the mat)", "12 Elm St"),
            ("12 Elm St CODE: 4411", "12 Elm St"),
            ("12 Elm St\ncode 4411", "12 Elm St"),
            ("12 Gate St", "12 Gate St"),
            ("12 gate 4411", "12"),
            ("gate 4411", ""),
            ("4411# 12 Elm St", "12 Elm St"),
            (" 4411#, 12 Elm St #3", "12 Elm St"),
            ("12 #4411 Elm St", "12"),
            ("12 Elm St combination 4411", "12 Elm St"),
            ("12 Elm St press 4411", "12 Elm St"),
            ("12 Elm St alarm 4411", "12 Elm St"),
            ("12 Press Ln", "12 Press Ln"),
            ("100 Keystone Rd", "100 Keystone Rd"),
        ] {
            assert_eq!(street_without_entry(address), street, "{address}");
        }
    }
}
