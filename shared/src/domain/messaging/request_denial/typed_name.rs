//! Whether a text says that its sender is not the person whose name a form typed beside the number.

use super::{doubt::is_about_work_or_time, normalize_words};

/// Before the form's first name.
const BEFORE_NAME: &[&str] = &[
    "not",
    "no",
    "any",
    "isnt",
    "aint",
    "nobody named",
    "nobody called",
    "no one named",
    "no one called",
    "who is",
    "whos",
    "who the hell is",
    "who tf is",
    "never heard of",
    "dont know",
    "do not know",
    "wrong",
    "no soy",
    "no es",
    "no conozco a",
    "no conozco ningun",
    "no conozco ninguna",
    "ningun",
    "ninguna",
    "quien es",
];
/// After the form's first name, where the text is neither about the work nor about a time.
const AFTER_NAME: &[&str] = &[
    "doesnt",
    "does not",
    "dont",
    "isnt",
    "is not",
    "aint",
    "never",
    "no longer",
    "hasnt",
    "moved",
    "died",
    "no",
    "ya no",
];
/// After the form's first name, whatever else the text says.
const AFTER_NAME_ALWAYS: &[&str] = &[
    "doesnt live",
    "does not live",
    "dont live",
    "doesnt own",
    "does not own",
    "doesnt work",
    "does not work",
    "doesnt have this",
    "does not have this",
    "doesnt use this",
    "no longer lives",
    "no longer has",
    "isnt at this",
    "is not at this",
    "no vive",
    "ya no vive",
    "no trabaja",
];
/// Before the sender's own name.
const OWN_NAME: &[&str] = &["my name is", "my names", "me llamo", "mi nombre es"];
/// The same, if the name is written like one: "This is leaking" names nobody.
const INTRODUCTIONS: &[&str] = &["this is", "im", "i am", "soy", "le habla", "habla"];
/// No names, also where they have a capital.
const NO_NAMES: &str = "a an the my your our his her their it that this not no on in at of for from with what who how where when why \
    all just so very too great good perfect fine ok okay ready urgent here late early sorry free available happy glad sure home \
    busy back done out off up down still only also really awesome wonderful amazing excellent yes interested wrong correct right \
    misspelled spelled usted el la los las un una yo su";
/// First names that are words too: they count only where they are written as names.
const NAMES_LIKE_WORDS: &str = "bill will may mark grant art hope joy grace faith frank rusty dusty sue drew rich chance dawn \
    june april august summer sunny miles cliff rod rob pat gene ray jack chip chase penny rose lily heather sandy";
const SHORTEST_NICKNAME: usize = 3;

/// Whether [`is_name_denied`] can be true with any names: the names cost a query.
pub(crate) fn may_deny_name(text: &str) -> bool {
    let padded = pad_words(text);
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| padded.contains(&format!(" {phrase} ")));
    has(BEFORE_NAME) || has(AFTER_NAME) || has(OWN_NAME) || has(INTRODUCTIONS)
}

/// Whether a text denies the first name of one of `names`, or gives another first name as the sender's.
pub(crate) fn is_name_denied(text: &str, names: &[String]) -> bool {
    let padded = pad_words(text);
    let typed: Vec<String> = names.iter().map(|name| normalize_words(name)).collect();
    let is_meant = |first: &str| {
        !NAMES_LIKE_WORDS.split_whitespace().any(|word| word == first)
            || text.split(|c: char| !c.is_alphanumeric()).any(|one| is_written_as_name(one, first))
    };
    let mut firsts =
        typed.iter().filter_map(|name| name.split(' ').next()).filter(|first| !first.is_empty() && is_meant(first));
    let is_denied = firsts.any(|first| {
        let follows = |phrase: &&str| padded.contains(&format!(" {phrase} {first} "));
        let precedes = |phrase: &&str| padded.contains(&format!(" {first} {phrase} "));
        BEFORE_NAME.iter().any(follows)
            || AFTER_NAME_ALWAYS.iter().any(precedes)
            || (AFTER_NAME.iter().any(precedes) && !is_about_work_or_time(text))
    });
    is_denied || (!typed.is_empty() && names_other_person(text, &typed))
}

fn names_other_person(text: &str, typed: &[String]) -> bool {
    let padded = pad_words(text);
    let written = |word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|one| is_written_as_name(one, word));
    let is_other = |word: &str| is_possible_name(word) && !typed.iter().any(|name| is_of_name(word, name));
    let given = |phrases: &[&str], must_be_written: bool| {
        phrases
            .iter()
            .filter_map(|phrase| word_after(&padded, phrase))
            .any(|word| is_other(word) && (!must_be_written || (written(word) && !is_about_work_or_time(text))))
    };
    let names_typed = typed.iter().flat_map(|name| name.split(' ')).any(|word| padded.contains(&format!(" {word} ")));
    given(OWN_NAME, false) || (!names_typed && given(INTRODUCTIONS, true))
}

fn is_possible_name(word: &str) -> bool {
    word.chars().count() > 1
        && word.chars().all(char::is_alphabetic)
        && !NO_NAMES.split_whitespace().any(|listed| listed == word)
}

/// "Bob" of the text for "bob". Not "BOB": in a text in capitals nothing is known.
fn is_written_as_name(written: &str, word: &str) -> bool {
    let mut letters = written.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.all(char::is_lowercase)
        && normalize_words(written) == word
}

/// A part of the name, or a short form of one: "Rob" of "Robert".
fn is_of_name(word: &str, name: &str) -> bool {
    let begins_alike = |part: &str| {
        let common = part.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        part == word || common >= SHORTEST_NICKNAME
    };
    name.split(' ').any(begins_alike)
}

fn word_after<'a>(padded: &'a str, phrase: &str) -> Option<&'a str> {
    let lead = format!(" {phrase} ");
    let at = padded.find(&lead)? + lead.len();
    padded.get(at..)?.split(' ').next().filter(|word| !word.is_empty())
}

/// The words with single spaces around them. A sign between two words stays as one, so that "No, Vera is home" is no
/// "no Vera".
fn pad_words(text: &str) -> String {
    let parts = text.split([',', '.', ';', ':', '!', '?', '\n', '-', '\u{2014}']);
    let words: Vec<String> = parts.map(normalize_words).filter(|part| !part.is_empty()).collect();
    format!(" {} ", words.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::{is_name_denied, may_deny_name};

    #[test]
    fn name_of_form_is_denied_with_negation_or_another_name() {
        let names = ["Vera Vale".to_owned()];
        for denial in [
            "This is not Vera",
            "I'm not Vera, sorry",
            "Vera doesn\u{2019}t live here",
            "Vera does not live in this house",
            "I don't know any Vera",
            "There's no Vera here",
            "Who is Vera?",
            "Vera moved away",
            "My name is Bob",
            "my name is bob and I have a nice kitchen",
            "This is Bob",
            "Hi, I'm Bob",
            "No soy Vera",
            "Vera no vive aqu\u{ed}",
            "Me llamo Juan",
        ] {
            assert!(may_deny_name(denial) && is_name_denied(denial, &names), "{denial}");
        }
        for other in [
            "This is Vera",
            "this is vera vale",
            "My name is Veronica",
            "This is Vera's husband Tom",
            "No, Vera will let you in",
            "Vera isn't home until 5",
            "This is Great",
            "This is leaking",
            "I'm at work",
            "I'm Free on Monday",
            "THIS IS URGENT",
            "My name is on the mailbox",
            "Soy Vera",
        ] {
            assert!(!is_name_denied(other, &names), "{other}");
        }
        assert!(!is_name_denied("This is not Vera", &[]), "no form typed a name");
        let word = ["Bill Smith".to_owned()];
        assert!(is_name_denied("This is not Bill", &word) && !is_name_denied("You sent the wrong bill", &word));
        assert!(!is_name_denied("My name is Bob", &[]), "nor another one");
    }
}
