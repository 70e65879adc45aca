//! First name for a greeting, taken from a name as it was typed.

use super::{
    has_no_links,
    name_letters::spell_name,
    name_words::{PARTICLES, is_organization_word, names_no_person},
};
use crate::template::typed::trim_word;

/// A surname follows, or a first name and a surname.
const SURNAME_TITLES: [&str; 32] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "dr",
    "sr",
    "sra",
    "srta",
    "rev",
    "reverend",
    "prof",
    "professor",
    "captain",
    "capt",
    "sergeant",
    "sgt",
    "lieutenant",
    "lt",
    "hon",
    "officer",
    "coach",
    "herr",
    "frau",
    "señor",
    "señora",
    "señorita",
    "senor",
    "senora",
    "monsieur",
    "madame",
    "mme",
];
/// A first name follows.
const GIVEN_TITLES: [&str; 7] = ["fr", "father", "pastor", "sir", "sister", "brother", "doña"];
const SUFFIXES: [&str; 14] =
    ["jr", "sr", "ii", "iii", "iv", "esq", "md", "m.d", "phd", "ph.d", "dds", "dvm", "rn", "cpa"];
const CONJUNCTIONS: [&str; 6] = ["&", "+", "and", "y", "or", "und"];
const INTRODUCTIONS: [&[&str]; 7] = [
    &["my", "name", "is"],
    &["mi", "nombre", "es"],
    &["i", "am"],
    &["this", "is"],
    &["me", "llamo"],
    &["i'm"],
    &["soy"],
];
/// More words after an introduction are a sentence.
const LONGEST_INTRODUCED: usize = 3;

/// First name for a greeting: letters of one script, with apostrophe or hyphen inside, in the usual case. Empty for
/// anything else, for names of businesses, families and couples, where only a surname is known, and when any word of
/// the name reads like an address or number in any spelling.
#[must_use]
pub fn first_name(name: &str) -> String {
    let name = drop_emoji_joiners(name);
    if !has_no_links(&name) {
        return String::new();
    }
    let word = find_given_word(&name).and_then(spell_name);
    word.filter(|word| !names_no_person(word)).unwrap_or_default()
}

/// First line of an email to an account: `Hi Ann,`, or `Hi,` where the name gives no first name.
#[must_use]
pub fn email_greeting(name: &str) -> String {
    let first = first_name(name);
    if first.is_empty() { "Hi,".to_owned() } else { format!("Hi {first},") }
}

/// Drops the invisible characters of an emoji. Those after a letter stay, and reject the name.
fn drop_emoji_joiners(name: &str) -> String {
    let mut is_after_symbol = false;
    let mut left = String::new();
    for c in name.chars() {
        if is_after_symbol && matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}') {
            continue;
        }
        is_after_symbol = !c.is_ascii() && !c.is_alphanumeric();
        left.push(c);
    }
    left
}

/// "Ann Lee", "Lee, Ann" and "Ann Lee, Jr.".
fn find_given_word(name: &str) -> Option<&str> {
    let clauses: Vec<Vec<&str>> = name.split(',').map(split_words).filter(|words| !words.is_empty()).collect();
    if clauses.iter().flatten().any(|word| is_organization_word(&trim_word(word))) {
        return None;
    }
    match clauses.as_slice() {
        [words] => find_word_of_person(words, false),
        [words, suffix, ..] if suffix.first().is_some_and(|word| is_listed(word, &SUFFIXES)) => {
            find_word_of_person(words, false)
        }
        [surname, given, ..] if surname.len() == 1 || is_listed(surname[0], &PARTICLES) => {
            find_word_of_person(given, true)
        }
        _ => None,
    }
}

fn split_words(clause: &str) -> Vec<&str> {
    let is_word = |word: &&str| CONJUNCTIONS.contains(word) || word.chars().any(char::is_alphanumeric);
    clause.split_whitespace().filter(is_word).collect()
}

fn is_listed(word: &str, list: &[&str]) -> bool {
    list.contains(&trim_word(word).as_str())
}

fn find_word_of_person<'n>(words: &[&'n str], is_surname_known: bool) -> Option<&'n str> {
    let introduced = skip_introduction(words);
    let (words, is_surname_due) = skip_titles(introduced);
    let (word, rest) = words.split_first()?;
    let is_surname = is_surname_due && !is_surname_known && rest.is_empty();
    let is_title_alone = is_listed(word, &SURNAME_TITLES) || is_listed(word, &GIVEN_TITLES);
    let is_particle = !rest.is_empty() && is_listed(word, &PARTICLES);
    let is_couple = rest.first().is_some_and(|next| CONJUNCTIONS.contains(next) || is_listed(next, &CONJUNCTIONS));
    (!(is_surname || is_title_alone || is_particle || is_couple)).then_some(*word)
}

/// The words after "My name is".
fn skip_introduction<'s, 'n>(words: &'s [&'n str]) -> &'s [&'n str] {
    let plain: Vec<String> = words.iter().map(|word| trim_word(word).replace('\u{2019}', "'")).collect();
    let opens = |phrase: &&&[&str]| {
        plain.len() > phrase.len()
            && plain.len() <= phrase.len() + LONGEST_INTRODUCED
            && plain.iter().zip(phrase.iter()).all(|(word, expected)| word.as_str() == *expected)
    };
    INTRODUCTIONS.iter().find(opens).map_or(words, |phrase| &words[phrase.len()..])
}

/// The words after the titles, and whether the last title is one for a surname.
fn skip_titles<'s, 'n>(words: &'s [&'n str]) -> (&'s [&'n str], bool) {
    let mut left = words;
    let mut is_surname_due = false;
    while let [title, rest @ ..] = left {
        let has_surname = is_listed(title, &SURNAME_TITLES);
        if rest.is_empty() || !(has_surname || is_listed(title, &GIVEN_TITLES)) {
            break;
        }
        is_surname_due = has_surname;
        left = rest;
    }
    (left, is_surname_due)
}
