//! Normalization of a text: one case, no accents, no invisible characters, one spelling for common variants.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

mod glued;
mod spellings;

use super::confusable;
use glued::split_joined_words;
use spellings::{PHRASES, SPELLINGS};

/// Longer texts are read up to here: an opt-out does not come later.
const MOST_CHARACTERS: usize = 2000;

/// A sentence in lower-case words with one space before, between and after; commas and dashes are the word `,`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    pub text: String,
    pub question: bool,
}

impl Sentence {
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace().filter(|word| *word != ",")
    }
}

pub(super) fn split_sentences(body: &str) -> Vec<Sentence> {
    let plain = fold_characters(body);
    let mut found = Vec::new();
    let mut current = String::new();
    for (i, &c) in plain.iter().enumerate() {
        if !c.is_alphanumeric() && is_between_letters(&plain, i) {
            current.push(' ');
            continue;
        }
        match c {
            '!' | '?' | ';' | '\n' => push_sentence(&mut found, &mut current, c == '?'),
            // A dot inside "3.5", "p.m" or "s.t.o.p" ends no sentence.
            '.' if plain.get(i + 1).is_some_and(|next| next.is_alphanumeric()) => current.push(' '),
            '.' => push_sentence(&mut found, &mut current, false),
            ',' | ':' | '(' | ')' | '|' | '\u{2013}' | '\u{2014}' => current.push_str(" , "),
            '-' if is_spaced_letter(&plain, i) => current.push_str(" , "),
            '&' | '+' => current.push_str(" and "),
            '#' if plain.get(i + 1).is_none_or(|next| !next.is_alphabetic()) => current.push_str(" number "),
            '$' if plain.get(i + 1).is_some_and(char::is_ascii_alphabetic) => current.push('s'),
            // Prohibition signs.
            '\u{1f6d1}' | '\u{1f6ab}' | '\u{26d4}' | '\u{270b}' | '\u{1f91a}' => current.push_str(" stopsign "),
            '\u{274c}' | '\u{1f515}' | '\u{1f645}' | '\u{1f590}' if !plain.iter().any(|c| c.is_alphanumeric()) => {
                current.push_str(" stopsign ");
            }
            '\u{1f595}' => current.push_str(" fuck you "),
            c if c.is_alphanumeric() => current.push(c),
            _ => current.push(' '),
        }
    }
    push_sentence(&mut found, &mut current, false);
    found
}

fn fold_characters(body: &str) -> Vec<char> {
    let read: String = body.chars().take(MOST_CHARACTERS).collect();
    let plain = confusable::strip_markup(&break_typed_lines(&read));
    let letters = plain
        .chars()
        .filter(|c| !is_apostrophe(*c) && !is_invisible(*c) && *c != '\u{2122}' && *c != '\u{ae}')
        .map(|c| confusable::enclosed_letter(c).unwrap_or(c))
        .nfkd()
        .filter(|c| !is_combining_mark(*c));
    let mut lower = Vec::with_capacity(plain.len());
    for c in letters {
        match confusable::plain_letters(c).filter(|_| !c.is_ascii()) {
            Some(alike) => lower.extend(alike.chars()),
            None => lower.extend(c.to_lowercase()),
        }
    }
    lower
}

/// A line break written as the two characters `\n`, as some programs pass a text on. Among letters that are spelled
/// apart (`u\n\s`) it is a letter.
fn break_typed_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\n") {
        let is_letter = after.strip_prefix('\\').is_some_and(|next| !next.starts_with(['n', 'r', '\\']));
        lines.push_str(before.strip_suffix("\\r").unwrap_or(before));
        lines.push_str(if is_letter { "\\n" } else { "\n" });
        rest = after;
    }
    lines + rest
}

/// Removed first: "don’t" becomes "dont". Some phones type it as a lone accent key.
fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '`' | '\u{b4}' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{2bb}' | '\u{2032}' | '\u{ff07}'
    )
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// A mark between two single letters: "s,t,o,p", or one letter per line.
fn is_between_letters(plain: &[char], i: usize) -> bool {
    let at = |offset: isize| i.checked_add_signed(offset).and_then(|n| plain.get(n)).copied();
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    is_letter(at(-1)) && is_letter(at(1)) && !is_part(at(-2)) && !is_part(at(2)) && plain[i] != ' '
}

fn is_spaced_letter(plain: &[char], i: usize) -> bool {
    let blank = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace() || *c == '-');
    blank(plain.get(i + 1)) || blank(i.checked_sub(1).and_then(|before| plain.get(before)))
}

fn push_sentence(found: &mut Vec<Sentence>, current: &mut String, question: bool) {
    let words = normalize_spelling(&join_spaced_letters(current));
    current.clear();
    if words.split_whitespace().any(|word| word != ",") {
        found.push(Sentence { text: format!(" {words} "), question });
    }
}

/// "s t o p" is "stop": three or more single letters in a row are one word.
fn join_spaced_letters(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for word in text.split_whitespace().chain([""]) {
        // "s t 0 p": a digit goes with the letters before it.
        let is_letter = word.len() == 1 && (word.chars().all(char::is_alphabetic) || !run.is_empty());
        if is_letter {
            run.push(word);
            continue;
        }
        if run.len() >= 3 {
            words.extend(split_joined_words(&run.concat()));
        } else {
            words.extend(run.iter().map(ToString::to_string));
        }
        run.clear();
        if !word.is_empty() {
            words.extend(split_joined_words(&collapse_repeated_letters(word)));
        }
    }
    words
}

/// "stoooop" is "stop": no word of either language has a letter three times in a row.
fn collapse_repeated_letters(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut short = String::with_capacity(word.len());
    for (i, &c) in letters.iter().enumerate() {
        let repeats = letters.iter().skip(i + 1).take_while(|next| **next == c).count();
        let before = letters[..i].iter().rev().take_while(|last| **last == c).count();
        if c.is_ascii_digit() || before + repeats < 2 || before == 0 {
            short.push(c);
        }
    }
    short
}

fn normalize_spelling(words: &[String]) -> String {
    let spelled: Vec<&str> = words.iter().map(|word| canonical_spelling(word)).collect();
    let mut text = format!(" {} ", spelled.join(" "));
    for (written, canonical) in PHRASES {
        // Twice: neighbours share the space between them.
        text = text.replace(written, canonical).replace(written, canonical);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The usual spelling of a word that has several, typing slips included.
fn canonical_spelling(word: &str) -> &str {
    match SPELLINGS.iter().find(|(_, all)| all.split(' ').any(|one| one == word)) {
        Some((canonical, _)) => canonical,
        None => correct_misspelling(word).unwrap_or(word),
    }
}

/// Distinctive words of an opt-out, one typing slip away. Real words that are as close stay as they are.
fn correct_misspelling(word: &str) -> Option<&'static str> {
    const KNOWN: [&str; 10] = [
        "unsubscribe",
        "remove",
        "texting",
        "messages",
        "message",
        "messaging",
        "contacting",
        "bothering",
        "mensajes",
        "subscription",
    ];
    const REAL: [&str; 15] = [
        "removed",
        "remote",
        "remover",
        "removes",
        "remodel",
        "testing",
        "massage",
        "massages",
        "massaging",
        "contracting",
        "mensaje",
        "subscriptions",
        "suscripcion",
        "subscripcion",
        "suscripciones",
    ];
    if word.len() < 6 || REAL.contains(&word) || KNOWN.contains(&word) {
        return None;
    }
    let far = |known: &str| if known.len() > 10 { 2 } else { 1 };
    KNOWN
        .into_iter()
        .find(|known| word.as_bytes()[0] == known.as_bytes()[0] && edit_distance(word, known) <= far(known))
}

/// Letters to change, add, drop or swap with a neighbour to make `a` of `b`.
pub(super) fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 2 {
        return 3;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let other = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + other);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Vec<String> {
        split_sentences(body).into_iter().map(|s| s.text.trim().to_owned()).collect()
    }

    #[test]
    fn spelling_variants_normalize_to_one_word() {
        for body in [
            "stop",
            "STOP",
            "Stop!!!",
            "\"stop\"",
            "‘Stop’",
            "s t o p",
            "S.T.O.P.",
            "s-t-o-p",
            "st\u{200b}op",
            "stóp",
            "ＳＴＯＰ",
            "𝗦𝗧𝗢𝗣",
            "stoooop",
            "STOPPPPP",
            "stop 👍",
            "(stop)",
            "*stop*",
            "stpo",
            "\u{feff}stop\u{a0}",
            "…stop…",
        ] {
            let read = split_sentences(body);
            assert_eq!(read.iter().flat_map(Sentence::words).collect::<Vec<_>>(), ["stop"], "{body}");
        }
    }

    #[test]
    fn text_is_split_at_sentence_ends() {
        assert_eq!(of("Stop. Thank you"), ["stop", "thanks"]);
        assert_eq!(of("Don’t come - I do not need 2.5 in. pipe"), ["dont come , i dont need 2 5 in", "pipe"]);
        assert!(split_sentences("Really? No.")[0].question);
        assert_eq!(of(" ,.!? 👍"), Vec::<String>::new());
    }

    #[test]
    fn line_break_typed_as_two_characters_ends_a_sentence() {
        for text in [
            r"Hi\nplease stop texting",
            r"Hi\r\nplease stop texting\n",
            r"Hi\n\nplease stop texting",
            r"Hi \n please stop texting",
        ] {
            assert_eq!(of(text), ["hi", "please stop texting"], "{text}");
        }
        assert_eq!(of(r"s\t\o\p"), ["stop"]);
        assert_eq!(break_typed_lines(r"u\n\s\u\b"), r"u\n\s\u\b");
        assert_eq!(break_typed_lines(r"a\b \N no\\n"), "a\\b \\N no\\\n");
    }

    #[test]
    fn typo_is_corrected_and_real_word_is_kept() {
        assert_eq!(of("unsubsribe me from yor mesages"), ["unsubscribe me from yor messages"]);
        for real in ["testing", "massage", "contracting", "connecting"] {
            assert_eq!(of(real), [real]);
        }
        assert_eq!(
            (edit_distance("stop", "sotp"), edit_distance("stop", "shop"), edit_distance("stop", "bathroom")),
            (1, 1, 3)
        );
    }
}
