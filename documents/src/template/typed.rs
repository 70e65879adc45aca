//! Sanitizing of form input that messages repeat: any address can be typed into a public form, so the answer must not
//! carry the sender's links and numbers to a third person.

use unicode_normalization::UnicodeNormalization;

/// Minimum run of spelled-out digits that counts as a number.
const SPELLED_OUT: usize = 3;
const DIGITS: [&str; 23] = [
    "zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "double", "cero", "uno",
    "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "doble",
];
const DOTS: [&str; 4] = ["dot", "punto", "period", "point"];
const SLASHES: [&str; 3] = ["slash", "at", "arroba"];

/// The input without links, addresses and numbers in any spelling; only words remain.
#[must_use]
pub fn strip_links(typed: &str) -> String {
    let plain: String = typed.nfkc().filter(|c| !is_hidden(*c)).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut keeps: Vec<bool> = words.iter().map(|word| !is_link(word)).collect();
    drop_spelled_addresses(&words, &mut keeps);
    drop_spelled_numbers(&words, &mut keeps, SPELLED_OUT);
    let kept = words.iter().zip(keeps).filter_map(|(word, keeps)| keeps.then_some(*word));
    kept.collect::<Vec<_>>().join(" ")
}

pub(crate) fn is_hidden(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

fn is_dot(c: char) -> bool {
    c == '.' || is_foreign_dot(c)
}

/// Full stops and dots of other scripts. Browsers read some of them as an address dot (UTS 46).
pub(crate) fn is_foreign_dot(c: char) -> bool {
    matches!(
        c,
        '\u{b7}'
            | '\u{2d9}'
            | '\u{387}'
            | '\u{589}'
            | '\u{6d4}'
            | '\u{701}'
            | '\u{702}'
            | '\u{1362}'
            | '\u{166e}'
            | '\u{1803}'
            | '\u{1809}'
            | '\u{2022}'
            | '\u{2024}'
            | '\u{2027}'
            | '\u{2219}'
            | '\u{22c5}'
            | '\u{2e31}'
            | '\u{2e33}'
            | '\u{3002}'
            | '\u{30fb}'
            | '\u{a4f8}'
            | '\u{a60e}'
            | '\u{fe52}'
            | '\u{ff0e}'
            | '\u{ff61}'
            | '\u{ff65}'
            | '\u{10a50}'
    )
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\' | '\u{2044}' | '\u{2215}' | '\u{29f8}')
}

fn is_link(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let has_dot_inside = letters.windows(3).any(|w| is_dot(w[1]) && w[0].is_alphanumeric() && w[2].is_alphanumeric());
    has_dot_inside
        || letters.iter().any(|c| c.is_numeric() || is_slash(*c) || matches!(c, '@' | '%' | '<' | '>' | '{' | '}'))
        || word.to_lowercase().contains("www")
        || word.to_lowercase().contains("http")
        || letters.windows(2).any(|w| w[0] == ':' && w[1].is_alphanumeric())
        || ["(dot)", "[dot]", "(.)", "[.]"].iter().any(|dot| word.to_lowercase().contains(dot))
}

pub(crate) fn trim_word(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// "evil dot com", "evil . com", "name at evil": removes the words on both sides too.
fn drop_spelled_addresses(words: &[&str], keeps: &mut [bool]) {
    for (i, word) in words.iter().enumerate() {
        let is_sign = word.chars().any(is_dot) && !word.chars().any(char::is_alphanumeric);
        let opens = word.starts_with(is_dot) && word.chars().any(char::is_alphanumeric);
        let trimmed = trim_word(word);
        let is_dot_word = DOTS.contains(&trimmed.as_str());
        // "at" is a common word; it joins an address only with a dot nearby.
        let joins = SLASHES.contains(&trimmed.as_str())
            && words.iter().skip(i).take(4).any(|next| DOTS.contains(&trim_word(next).as_str()) || is_link(next));
        if !(is_sign || opens || is_dot_word || joins) {
            continue;
        }
        for near in [i.checked_sub(1), Some(i), (!opens).then_some(i + 1)].into_iter().flatten() {
            if let Some(keep) = keeps.get_mut(near) {
                *keep = false;
            }
        }
    }
}

/// Removes runs of at least `least` digits that are written as words.
pub(crate) fn drop_spelled_numbers(words: &[&str], keeps: &mut [bool], least: usize) {
    let is_digit = |word: &&str| {
        let trimmed = trim_word(word);
        trimmed.split('-').all(|part| DIGITS.contains(&part)) || trimmed.is_empty()
    };
    let mut start = 0;
    while start < words.len() {
        let length = words[start..].iter().take_while(|word| is_digit(word)).count();
        let spelled: usize = words[start..start + length].iter().map(|word| trim_word(word).split('-').count()).sum();
        if length > 0 && spelled >= least {
            keeps[start..start + length].fill(false);
        }
        start += length.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_numbers_are_removed_in_any_spelling() {
        for (typed, left) in [
            ("My water heater leaks", "My water heater leaks"),
            ("It leaks. Please come soon.", "It leaks. Please come soon."),
            ("Call 512-555-0199 now", "Call now"),
            ("Call (512) 555 0199 now", "Call now"),
            ("see https://evil.example/x?y today", "see today"),
            ("see evil.example", "see"),
            ("see evil\u{200b}.\u{200b}example ok", "see ok"),
            ("see ｅｖｉｌ．ｃｏｍ ok", "see ok"),
            ("see evil dot com ok", "see ok"),
            ("see evil . com ok", "see ok"),
            ("see evil .com ok", "see ok"),
            ("see evil(dot)com ok", "see ok"),
            ("mail ann@evil.example ok", "mail ok"),
            ("mail ann at evil dot example ok", "mail ok"),
            ("call five one two five five five ok", "call ok"),
            ("call five-one-two ok", "call ok"),
            ("llame cinco uno dos ok", "llame ok"),
            ("one sink and two taps", "one sink and two taps"),
            ("meet at the house", "meet at the house"),
            ("５１２ ٥١٢ ①② ok", "ok"),
            ("evil\u{2044}path ok", "ok"),
        ] {
            assert_eq!(strip_links(typed), left, "{typed}");
        }
    }
}
