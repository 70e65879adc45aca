//! Customer's name in what the customer receives. Anybody can type a name into a public form, so messages greet by a
//! first name only, and papers leave out what would carry a stranger's link or number to a third person.
//!
//! Both rules hold for every name: the record does not say who typed it.

mod greeting_name;
mod name_letters;
mod name_words;

#[cfg(test)]
mod first_name_tests;

pub use greeting_name::{email_greeting, first_name};
use unicode_normalization::UnicodeNormalization;

use crate::template::typed::{drop_spelled_numbers, is_foreign_dot, is_hidden, strip_links, trim_word};

/// In characters.
const LONGEST_PAPER_NAME: usize = 80;
/// Fewer digits are part of a name: "3M Company", "Unit 12".
const PHONE_DIGITS: usize = 7;
/// Endings of addresses that are written with a space or the word "dot", and endings that no name has.
const DOMAIN_ENDINGS: [&str; 24] = [
    "com", "net", "org", "info", "biz", "co", "io", "me", "us", "app", "dev", "shop", "store", "site", "xyz", "online",
    "link", "live", "club", "top", "page", "mx", "es", "example",
];

/// Whether a name contains nothing that [`strip_links`] removes, no invisible character, and no dot of another
/// script.
fn has_no_links(name: &str) -> bool {
    let plain: String = name.nfkc().collect();
    !plain.chars().any(|c| is_hidden(c) || is_foreign_dot(c))
        && strip_links(name).split(' ').filter(|word| !word.is_empty()).count() == plain.split_whitespace().count()
}

/// Name on a paper and on its page: without links, email addresses, phone numbers, and control and invisible
/// characters, at most 80 characters. Other digits stay. Where nothing is left, the phone or email as for a customer
/// without a name.
#[must_use]
pub fn name_on_document(name: &str, phone: Option<&str>, email: Option<&str>) -> String {
    let visible = |c: char| if c.is_control() { Some(' ') } else { Some(c).filter(|c| !is_hidden(*c)) };
    let plain: String = name.nfkc().filter_map(visible).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut keeps: Vec<bool> = words.iter().map(|word| !is_internet_address(word)).collect();
    drop_spaced_domains(&words, &mut keeps);
    drop_phone_numbers(&words, &mut keeps);
    drop_spelled_numbers(&words, &mut keeps, PHONE_DIGITS);
    let kept: Vec<&str> = words.iter().zip(keeps).filter_map(|(word, keeps)| keeps.then_some(*word)).collect();
    let shown: String = kept.join(" ").chars().take(LONGEST_PAPER_NAME).collect();
    match shown.trim_end() {
        "" => phone.or(email).unwrap_or_default().to_owned(),
        name => name.to_owned(),
    }
}

fn is_internet_address(word: &str) -> bool {
    let small = word.to_lowercase();
    (small.contains('@') && small.chars().any(char::is_alphanumeric))
        || ["://", "www.", "http:", "https:", "mailto:", "tel:", "(dot)", "[dot]", "(.)", "[.]"]
            .iter()
            .any(|part| small.contains(part))
        || is_domain(word)
}

/// "evil.com/pay", "10.0.0.1". Not initials and titles without a space: "J.P.", "St.John".
fn is_domain(word: &str) -> bool {
    let host = word.trim_start_matches(|c: char| !c.is_alphanumeric()).split(['/', '\\', ':', '?', '#']).next();
    let host = host.unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
    let labels: Vec<&str> = host.split(['.', '\u{3002}']).collect();
    let [first, .., last] = labels.as_slice() else { return false };
    if labels.iter().any(|label| label.is_empty()) {
        return false;
    }
    let is_number = |label: &&str| label.chars().all(char::is_numeric);
    if labels.len() == 4 && labels.iter().all(is_number) {
        return true;
    }
    let length = last.chars().count();
    let is_name = first.chars().count() <= 3
        && length >= 3
        && last.starts_with(char::is_uppercase)
        && !DOMAIN_ENDINGS.contains(&last.to_lowercase().as_str());
    length >= 2 && !last.chars().any(char::is_numeric) && !is_name
}

/// "evil dot com", "evil . com", "evil .com".
fn drop_spaced_domains(words: &[&str], keeps: &mut [bool]) {
    let is_ending = |word: &str| DOMAIN_ENDINGS.contains(&trim_word(word).as_str());
    for (i, word) in words.iter().enumerate() {
        let is_dot = *word == "." || matches!(trim_word(word).as_str(), "dot" | "punto");
        let joins = is_dot && words.get(i + 1).is_some_and(|next| is_ending(next));
        let opens = word.starts_with('.') && is_ending(word);
        if joins || opens {
            let last = if joins { i + 1 } else { i };
            keeps[i.saturating_sub(1)..=last].fill(false);
        }
    }
}

fn drop_phone_numbers(words: &[&str], keeps: &mut [bool]) {
    let digits = |word: &str| word.chars().filter(|c| c.is_numeric()).count();
    let belongs = |word: &&&str| digits(word) > 0 || !word.chars().any(char::is_alphanumeric);
    let mut start = 0;
    while start < words.len() {
        let length = words[start..].iter().take_while(belongs).count();
        let run = start..start + length;
        if words[run.clone()].iter().map(|word| digits(word)).sum::<usize>() >= PHONE_DIGITS {
            keeps[run].fill(false);
        }
        start += length.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_name_keeps_names_of_people_and_businesses() {
        for name in [
            "Ann Lee",
            "José Ñandú",
            "3M Company",
            "A1 Roofing",
            "Studio 54 & Unit 12",
            "J.P. Morgan",
            "J.Smith",
            "St.John Smith",
            "Ann M. Lee, Jr.",
            "One Two Tree Services",
            "High Point Plumbing",
            "Ann/Bob Lee",
            "Ann @ Acme",
            "李 小龙",
        ] {
            assert_eq!(name_on_document(name, Some("(512) 555-0142"), None), name);
        }
    }

    #[test]
    fn paper_name_leaves_out_links_addresses_and_phone_numbers() {
        for (name, left) in [
            (
                "Your warranty ran out, pay your bill today at evil.com 512-555-0100",
                "Your warranty ran out, pay your bill today at",
            ),
            ("Ann https://evil.example/x?y Lee", "Ann Lee"),
            ("Ann evil.com/pay", "Ann"),
            ("Ann (evil.com)", "Ann"),
            ("Ann bit.Ly/x", "Ann"),
            ("Ann 10.0.0.1", "Ann"),
            ("Ann evil dot com", "Ann"),
            ("Ann evil . com", "Ann"),
            ("Ann evil .com", "Ann"),
            ("Ann ｅｖｉｌ．ｃｏｍ", "Ann"),
            ("Ann evil\u{3002}com", "Ann"),
            ("Ann ann@evil.example", "Ann"),
            ("Ann (512) 555 - 0100", "Ann"),
            ("Ann call5125550100", "Ann"),
            ("Ann ５１２ ５５５ ０１００", "Ann"),
            ("Ann five one two five five five oh", "Ann"),
            ("Ann\u{202e}\u{200b} Lee\u{7}", "Ann Lee"),
            ("Ann\nLee", "Ann Lee"),
        ] {
            assert_eq!(name_on_document(name, None, None), left, "{name}");
        }
    }

    #[test]
    fn paper_name_is_limited_and_falls_back_to_phone_or_email() {
        assert_eq!(name_on_document(&"x".repeat(200), None, None).chars().count(), 80);
        let contacts = [(Some("(512) 555-0142"), Some("a@x.example")), (None, Some("a@x.example")), (None, None)];
        let shown = contacts.map(|(phone, email)| name_on_document("https://evil.example", phone, email));
        assert_eq!(shown, ["(512) 555-0142", "a@x.example", ""]);
    }
}
