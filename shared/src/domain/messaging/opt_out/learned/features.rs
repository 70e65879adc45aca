//! What the model looks at: words, their beginnings, classes and letters, alone and beside each other.

use super::classes::{OTHER, class, coarse_class, denies};
use crate::domain::messaging::opt_out::normal::Sentence;

/// How many weights there are.
pub(super) const SLOTS: u32 = 1 << 18;
/// Parts of words say less than words: they are there for slips of the thumb and for endings.
const LETTERS_COUNT: f32 = 0.35;
/// The longest text that is read, in words.
const MOST_WORDS: usize = 160;
/// A longer sentence is also read by its clauses.
const LONG_SENTENCE: usize = 9;
/// A clause is read alone if it has this many words.
const SHORTEST_CLAUSE: usize = 2;
/// How far a word that denies reaches, in words.
const DENIED: usize = 5;
/// How far apart two words are looked at together.
const FAR: usize = 4;

/// One reading of a text: the whole, a sentence or a clause.
#[derive(Debug, Clone, Default)]
pub(super) struct Features {
    pub words: Vec<u32>,
    pub letters: Vec<u32>,
}

impl Features {
    /// The sum of the weights that they find. Long texts have many features, each of which says less.
    pub fn weigh(&self, weight: impl Fn(u32) -> f32) -> f32 {
        let sum = |slots: &[u32]| slots.iter().map(|&slot| weight(slot)).sum::<f32>();
        (sum(&self.words) + sum(&self.letters) * LETTERS_COUNT) * self.scale()
    }

    /// Each slot and how much it counts.
    #[cfg(test)]
    pub fn counted(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let scale = self.scale();
        let words = self.words.iter().map(move |&slot| (slot, scale));
        words.chain(self.letters.iter().map(move |&slot| (slot, scale * LETTERS_COUNT)))
    }

    fn scale(&self) -> f32 {
        let count = |slots: &[u32]| f32::from(u16::try_from(slots.len()).unwrap_or(u16::MAX));
        let length = count(&self.words) + count(&self.letters) * LETTERS_COUNT * LETTERS_COUNT;
        2.0 / length.max(6.0).sqrt()
    }

    fn see(&mut self, parts: &[&str]) {
        self.words.push(slot(parts));
    }

    fn settle(mut self) -> Self {
        for slots in [&mut self.words, &mut self.letters] {
            slots.sort_unstable();
            slots.dedup();
        }
        self
    }
}

/// The whole text, each sentence of several, and each clause of a long sentence.
pub(super) fn readings(sentences: &[Sentence]) -> Vec<Features> {
    let mut left = MOST_WORDS;
    let read: Vec<(Vec<&str>, bool)> = sentences
        .iter()
        .map(|sentence| {
            let words: Vec<&str> = sentence.text.split_whitespace().take(left).collect();
            left -= words.len();
            (words, sentence.question)
        })
        .filter(|(words, _)| !words.is_empty())
        .collect();
    let mut found = vec![of_parts(&read, "whole")];
    for sentence in &read {
        if read.len() > 1 {
            found.push(of_parts(std::slice::from_ref(sentence), "sentence"));
        }
        let clauses = clauses(&sentence.0);
        if sentence.0.len() > LONG_SENTENCE && clauses.len() > 1 {
            found.extend(clauses.into_iter().map(|clause| of_parts(&[(clause, sentence.1)], "clause")));
        }
    }
    found
}

/// Between commas and before "but", "so" and the like.
fn clauses<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    const BEGIN: [&str; 12] = ["but", "so", "and", "pero", "y", "mais", "et", "because", "please", "por", "just", "if"];
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    for &word in words {
        if (word == "," || BEGIN.contains(&word)) && found.last().is_some_and(|last| last.len() >= SHORTEST_CLAUSE) {
            found.push(Vec::new());
        }
        if let Some(last) = found.last_mut().filter(|_| word != ",") {
            last.push(word);
        }
    }
    found.retain(|clause| clause.len() >= SHORTEST_CLAUSE);
    found
}

fn of_parts(sentences: &[(Vec<&str>, bool)], part: &str) -> Features {
    let mut found = Features::default();
    let mut count = 0;
    for (words, is_question) in sentences {
        let words: Vec<&str> = words.iter().copied().filter(|word| *word != ",").collect();
        count += words.len();
        of_words(&words, *is_question, &mut found);
    }
    found.see(&["part", part]);
    let others = sentences.iter().flat_map(|(words, _)| words).filter(|word| coarse_class(word) == OTHER).count();
    let works = sentences.iter().flat_map(|(words, _)| words).filter(|word| class(word) == "WORK").count();
    found.see(&["others", LENGTHS[others.min(5)], LENGTHS[count.min(LENGTHS.len() - 1)]]);
    found.see(&["others", LENGTHS[others.min(5)]]);
    found.see(&["works", LENGTHS[works.min(3)]]);
    found.see(&["length", LENGTHS[count.min(LENGTHS.len() - 1)], part]);
    found.settle()
}

/// By how many words: one, two, three, up to six, up to twelve, more.
const LENGTHS: [&str; 14] = ["0", "1", "2", "3", "4", "5", "5", "6", "6", "6", "6", "6", "6", "7"];

fn of_words(words: &[&str], is_question: bool, found: &mut Features) {
    let classes: Vec<&str> = words.iter().map(|word| coarse_class(word)).collect();
    let stems: Vec<&str> = words.iter().map(|word| stem(word)).collect();
    let mark = if is_question { "?" } else { "." };
    let mut denied = 0;
    for n in 0..words.len() {
        let (word, class) = (words[n], classes[n]);
        found.see(&["w", word]);
        found.see(&["s", stems[n]]);
        found.see(&["c", class]);
        letters(word, found);
        if denied > 0 {
            found.see(&["denied", stems[n]]);
            found.see(&["denied class", class]);
            denied -= 1;
        }
        if denies(word) {
            denied = DENIED;
        }
        let next = |far: usize| n + far;
        let (word_2, class_2) = (at(words, next(1)), at(&classes, next(1)));
        found.see(&["2w", word, word_2]);
        found.see(&["2s", stems[n], at(&stems, next(1))]);
        found.see(&["2c", class, class_2]);
        found.see(&["2m", class, word_2]);
        found.see(&["2n", word, class_2]);
        found.see(&["3w", word, word_2, at(words, next(2))]);
        found.see(&["3c", class, class_2, at(&classes, next(2))]);
        found.see(&["4c", class, class_2, at(&classes, next(2)), at(&classes, next(3))]);
        for far in 2..=FAR.min(words.len() - 1 - n) {
            found.see(&["far", class, at(&classes, next(far))]);
            found.see(&["far", class, at(words, next(far))]);
            found.see(&["far words", stems[n], at(&stems, next(far))]);
        }
    }
    edges(words, &classes, &stems, mark, found);
    together(&classes, mark, found);
}

fn edges(words: &[&str], classes: &[&str], stems: &[&str], mark: &str, found: &mut Features) {
    let Some(last) = words.len().checked_sub(1) else { return };
    found.see(&["first", stems[0]]);
    found.see(&["first class", classes[0], mark]);
    found.see(&["first 2", stems[0], at(stems, 1)]);
    found.see(&["first 2 class", classes[0], at(classes, 1), mark]);
    found.see(&["last", stems[last]]);
    found.see(&["last class", classes[last], mark]);
    if last > 0 {
        found.see(&["last 2", stems[last - 1], stems[last]]);
        found.see(&["last 2 class", classes[last - 1], classes[last]]);
    }
    if words.len() <= 6 {
        let all: Vec<&str> = std::iter::once("all").chain(classes.iter().copied()).collect();
        found.see(&all);
    }
}

/// Classes that stand anywhere in the same sentence.
fn together(classes: &[&str], mark: &str, found: &mut Features) {
    const WEIGHTY: [&str; 12] =
        ["END", "TAKE", "TEXT", "NO", "AGAIN", "LIST", "WANT", "ME", "YOU", "CURSE", "WRONG", "WORK"];
    let there: Vec<&str> = WEIGHTY.into_iter().filter(|class| classes.contains(class)).collect();
    for (n, one) in there.iter().enumerate() {
        found.see(&["mark", one, mark]);
        for other in &there[n + 1..] {
            found.see(&["with", one, other]);
        }
    }
}

/// Three and four letters in a row of a word, its ends marked.
fn letters(word: &str, found: &mut Features) {
    if word.len() < 4 || class(word) == "DIGITS" || class(word) == "CODE" {
        return;
    }
    let marked: Vec<char> = std::iter::once('<').chain(word.chars().take(20)).chain(['>']).collect();
    for length in [3, 4] {
        for gram in marked.windows(length) {
            let gram: String = gram.iter().collect();
            found.letters.push(slot(&["l", &gram]));
        }
    }
}

fn at<'a>(words: &[&'a str], n: usize) -> &'a str {
    words.get(n).copied().unwrap_or("</s>")
}

/// The beginning of a word, which survives its endings and most slips.
fn stem(word: &str) -> &str {
    word.char_indices().nth(5).map_or(word, |(at, _)| &word[..at])
}

/// FNV-1a over the parts.
fn slot(parts: &[&str]) -> u32 {
    let mut hash: u32 = 0x811C_9DC5;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85EB_CA6B);
    (hash ^ (hash >> 13)) % SLOTS
}
