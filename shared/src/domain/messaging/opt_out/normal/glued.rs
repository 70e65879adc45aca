//! Words without a space between them, words said twice, doubled letters, and digits that stand for letters.

/// Words that begin what is glued together.
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
/// Words that may follow.
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
/// What a customer writes in place of a letter.
const LEET: [(char, char); 7] = [('0', 'o'), ('5', 's'), ('7', 't'), ('1', 'i'), ('3', 'e'), ('4', 'a'), ('9', 'p')];
const KEYWORDS: [&str; 9] = ["stop", "stopall", "unsubscribe", "unsub", "quit", "cancel", "optout", "remove", "end"];
/// Words with doubled letters of their own.
const REAL: [&str; 5] = ["stoop", "stopped", "stopper", "offend", "quitt"];

/// The words that `word` is made of.
pub(super) fn parted(word: &str) -> Vec<String> {
    if word.len() < 4 || word.len() > 40 || !word.is_ascii() {
        return vec![word.to_owned()];
    }
    if let Some((keyword, code)) = with_a_code(word) {
        return vec![keyword.to_owned(), code.to_owned()];
    }
    if let Some(keyword) = keyword_of(word) {
        return vec![keyword.to_owned()];
    }
    segments(word).unwrap_or_else(|| vec![word.to_owned()])
}

/// "stop2", "stop4521".
fn with_a_code(word: &str) -> Option<(&str, &str)> {
    let end = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let keyword = KEYWORDS.into_iter().find(|keyword| *keyword == &word[..end])?;
    (end < word.len()).then_some((keyword, &word[end..]))
}

/// "st0p", "ssttoopp", "stopstopstop".
fn keyword_of(word: &str) -> Option<&'static str> {
    if REAL.contains(&word) {
        return None;
    }
    let has_letters = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_digits = word.bytes().any(|byte| byte.is_ascii_digit());
    let meant: String = if has_letters && has_digits {
        word.chars().map(|c| LEET.iter().find(|(digit, _)| *digit == c).map_or(c, |(_, letter)| *letter)).collect()
    } else {
        word.to_owned()
    };
    let once = single(&meant);
    let is = |keyword: &&str| {
        has_digits && keyword.len() > 3 && meant == **keyword
            || (keyword.len() > 3 && meant != **keyword && once == single(keyword))
            || (meant.len() > keyword.len()
                && meant.len().is_multiple_of(keyword.len())
                && meant == keyword.repeat(meant.len() / keyword.len()))
    };
    KEYWORDS.into_iter().find(is)
}

/// Each letter that is said several times in a row, once.
fn single(word: &str) -> String {
    let mut once = String::with_capacity(word.len());
    for c in word.chars() {
        if !once.ends_with(c) {
            once.push(c);
        }
    }
    once
}

/// The whole word cut into known ones, the longest first, if it can be.
fn segments(word: &str) -> Option<Vec<String>> {
    let first = FIRST.into_iter().filter(|first| word.len() > first.len() && word.starts_with(first));
    first
        .filter_map(|first| rest(&word[first.len()..], 6).map(|rest| (first, rest)))
        .map(|(first, mut rest)| {
            rest.push(first.to_owned());
            rest.reverse();
            rest
        })
        .find(|words| words.len() > 1 && words.iter().any(|one| one.len() > 3))
}

/// The words of the end of a word, the last first.
fn rest(word: &str, most: usize) -> Option<Vec<String>> {
    if word.is_empty() {
        return Some(Vec::new());
    }
    if most == 0 {
        return None;
    }
    NEXT.into_iter().filter(|next| word.starts_with(next)).find_map(|next| {
        let mut found = rest(&word[next.len()..], most - 1)?;
        found.push(next.to_owned());
        Some(found)
    })
}
