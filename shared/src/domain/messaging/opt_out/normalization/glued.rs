//! Words without spaces between them, repeated words, doubled letters, and digits in place of letters.

const FIRST: [&str; 14] = [
    "stop",
    "unsubscribe",
    "dont",
    "remove",
    "leave",
    "quit",
    "cancel",
    "no",
    "please",
    "pls",
    "plz",
    "delete",
    "optout",
    "takeme",
];
const NEXT: [&str; 42] = [
    "stop",
    "texting",
    "texts",
    "text",
    "txting",
    "txt",
    "txts",
    "messaging",
    "messages",
    "message",
    "msgs",
    "msg",
    "sending",
    "contacting",
    "contact",
    "spamming",
    "spam",
    "bothering",
    "calling",
    "calls",
    "me",
    "my",
    "us",
    "all",
    "this",
    "it",
    "now",
    "please",
    "pls",
    "plz",
    "more",
    "sms",
    "number",
    "off",
    "from",
    "list",
    "the",
    "alone",
    "your",
    "anymore",
    "to",
    "end",
];
/// Digits that customers write in place of letters.
const LEET: [(char, char); 7] = [('0', 'o'), ('5', 's'), ('7', 't'), ('1', 'i'), ('3', 'e'), ('4', 'a'), ('9', 'p')];
const KEYWORDS: [&str; 9] = ["stop", "stopall", "unsubscribe", "unsub", "quit", "cancel", "optout", "remove", "end"];
/// Words that have doubled letters.
const REAL: [&str; 5] = ["stoop", "stopped", "stopper", "offend", "quitt"];

pub(super) fn split_joined_words(word: &str) -> Vec<String> {
    if word.len() < 4 || word.len() > 40 || !word.is_ascii() {
        return vec![word.to_owned()];
    }
    if let Some((keyword, code)) = split_keyword_and_code(word) {
        return vec![keyword.to_owned(), code.to_owned()];
    }
    if let Some(keyword) = decode_keyword(word) {
        return vec![keyword.to_owned()];
    }
    segment_word(word).unwrap_or_else(|| vec![word.to_owned()])
}

/// "stop2", "stop4521".
fn split_keyword_and_code(word: &str) -> Option<(&str, &str)> {
    let end = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let keyword = KEYWORDS.into_iter().find(|keyword| *keyword == &word[..end])?;
    (end < word.len()).then_some((keyword, &word[end..]))
}

/// "st0p", "ssttoopp", "stopstopstop".
fn decode_keyword(word: &str) -> Option<&'static str> {
    if REAL.contains(&word) {
        return None;
    }
    let has_letters = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_digits = word.bytes().any(|byte| byte.is_ascii_digit());
    let decoded: String = if has_letters && has_digits {
        word.chars().map(|c| LEET.iter().find(|(digit, _)| *digit == c).map_or(c, |(_, letter)| *letter)).collect()
    } else {
        word.to_owned()
    };
    let once = collapse_double_letters(&decoded);
    let is = |keyword: &&str| {
        has_digits && keyword.len() > 3 && decoded == **keyword
            || (keyword.len() > 3 && decoded != **keyword && once == collapse_double_letters(keyword))
            || (decoded.len() > keyword.len()
                && decoded.len().is_multiple_of(keyword.len())
                && decoded == keyword.repeat(decoded.len() / keyword.len()))
    };
    KEYWORDS.into_iter().find(is)
}

fn collapse_double_letters(word: &str) -> String {
    let mut once = String::with_capacity(word.len());
    for c in word.chars() {
        if !once.ends_with(c) {
            once.push(c);
        }
    }
    once
}

/// The whole word cut into known ones, the longest first; none if that is impossible.
fn segment_word(word: &str) -> Option<Vec<String>> {
    let first = FIRST.into_iter().filter(|first| word.len() > first.len() && word.starts_with(first));
    first
        .filter_map(|first| segment_tail(&word[first.len()..], 6).map(|rest| (first, rest)))
        .map(|(first, mut rest)| {
            rest.push(first.to_owned());
            rest.reverse();
            rest
        })
        .find(|words| words.len() > 1 && words.iter().any(|one| one.len() > 3))
}

/// Words at the end of a word, the last first.
fn segment_tail(word: &str, most: usize) -> Option<Vec<String>> {
    if word.is_empty() {
        return Some(Vec::new());
    }
    if most == 0 {
        return None;
    }
    NEXT.into_iter().filter(|next| word.starts_with(next)).find_map(|next| {
        let mut found = segment_tail(&word[next.len()..], most - 1)?;
        found.push(next.to_owned());
        Some(found)
    })
}
