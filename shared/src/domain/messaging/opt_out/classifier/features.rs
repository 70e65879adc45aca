//! Features of the model: words, their beginnings, classes and letters, alone and in combination.

use super::classes::{OTHER_CLASS, coarse_class, is_negation, word_class};
use crate::domain::messaging::opt_out::normalization::Sentence;

pub(super) const SLOTS: u32 = 1 << 18;
/// Weight of parts of words against words: they cover typing slips and endings.
const LETTERS_COUNT: f32 = 0.35;
/// Maximum words read of a text.
const MOST_WORDS: usize = 160;
/// Longer sentences, in words, are also read by their clauses.
const LONG_SENTENCE: usize = 9;
/// Minimum words of a clause that is read alone.
const SHORTEST_CLAUSE: usize = 2;
/// Words that a negation reaches.
const DENIED: usize = 5;
/// Maximum distance of two words that are combined.
const FAR: usize = 4;

/// One reading of a text: the whole, a sentence or a clause.
#[derive(Debug, Clone, Default)]
pub(super) struct TextFeatures {
    pub words: Vec<u32>,
    pub letters: Vec<u32>,
}

impl TextFeatures {
    /// Sum of their weights. Long texts have many features, each of which counts less.
    pub fn weighted_sum(&self, weight: impl Fn(u32) -> f32) -> f32 {
        let sum = |slots: &[u32]| slots.iter().map(|&slot| weight(slot)).sum::<f32>();
        (sum(&self.words) + sum(&self.letters) * LETTERS_COUNT) * self.scale()
    }

    #[cfg(test)]
    pub fn weighted_slots(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let scale = self.scale();
        let words = self.words.iter().map(move |&slot| (slot, scale));
        words.chain(self.letters.iter().map(move |&slot| (slot, scale * LETTERS_COUNT)))
    }

    fn scale(&self) -> f32 {
        let count = |slots: &[u32]| f32::from(u16::try_from(slots.len()).unwrap_or(u16::MAX));
        let length = count(&self.words) + count(&self.letters) * LETTERS_COUNT * LETTERS_COUNT;
        2.0 / length.max(6.0).sqrt()
    }

    fn add_feature(&mut self, parts: &[&str]) {
        self.words.push(hash_slot(parts));
    }

    fn dedupe(mut self) -> Self {
        for slots in [&mut self.words, &mut self.letters] {
            slots.sort_unstable();
            slots.dedup();
        }
        self
    }
}

/// The whole text, each sentence of several, and each clause of a long sentence.
pub(super) fn extract_features(sentences: &[Sentence]) -> Vec<TextFeatures> {
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
    let mut found = vec![features_of_parts(&read, "whole")];
    for sentence in &read {
        if read.len() > 1 {
            found.push(features_of_parts(std::slice::from_ref(sentence), "sentence"));
        }
        let clauses = split_clauses(&sentence.0);
        if sentence.0.len() > LONG_SENTENCE && clauses.len() > 1 {
            found.extend(clauses.into_iter().map(|clause| features_of_parts(&[(clause, sentence.1)], "clause")));
        }
    }
    found
}

/// Split at commas and before "but", "so" and the like.
fn split_clauses<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
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

fn features_of_parts(sentences: &[(Vec<&str>, bool)], part: &str) -> TextFeatures {
    let mut found = TextFeatures::default();
    let mut count = 0;
    for (words, is_question) in sentences {
        let words: Vec<&str> = words.iter().copied().filter(|word| *word != ",").collect();
        count += words.len();
        add_word_features(&words, *is_question, &mut found);
    }
    found.add_feature(&["part", part]);
    let others = sentences.iter().flat_map(|(words, _)| words).filter(|word| coarse_class(word) == OTHER_CLASS).count();
    let works = sentences.iter().flat_map(|(words, _)| words).filter(|word| word_class(word) == "WORK").count();
    found.add_feature(&["others", LENGTHS[others.min(5)], LENGTHS[count.min(LENGTHS.len() - 1)]]);
    found.add_feature(&["others", LENGTHS[others.min(5)]]);
    found.add_feature(&["works", LENGTHS[works.min(3)]]);
    found.add_feature(&["length", LENGTHS[count.min(LENGTHS.len() - 1)], part]);
    found.dedupe()
}

const LENGTHS: [&str; 14] = ["0", "1", "2", "3", "4", "5", "5", "6", "6", "6", "6", "6", "6", "7"];

fn add_word_features(words: &[&str], is_question: bool, found: &mut TextFeatures) {
    let classes: Vec<&str> = words.iter().map(|word| coarse_class(word)).collect();
    let stems: Vec<&str> = words.iter().map(|word| stem(word)).collect();
    let mark = if is_question { "?" } else { "." };
    let mut denied = 0;
    for n in 0..words.len() {
        let (word, class) = (words[n], classes[n]);
        found.add_feature(&["w", word]);
        found.add_feature(&["s", stems[n]]);
        found.add_feature(&["c", class]);
        add_letter_features(word, found);
        if denied > 0 {
            found.add_feature(&["denied", stems[n]]);
            found.add_feature(&["denied class", class]);
            denied -= 1;
        }
        if is_negation(word) {
            denied = DENIED;
        }
        let next = |far: usize| n + far;
        let (word_2, class_2) = (word_at(words, next(1)), word_at(&classes, next(1)));
        found.add_feature(&["2w", word, word_2]);
        found.add_feature(&["2s", stems[n], word_at(&stems, next(1))]);
        found.add_feature(&["2c", class, class_2]);
        found.add_feature(&["2m", class, word_2]);
        found.add_feature(&["2n", word, class_2]);
        found.add_feature(&["3w", word, word_2, word_at(words, next(2))]);
        found.add_feature(&["3c", class, class_2, word_at(&classes, next(2))]);
        found.add_feature(&["4c", class, class_2, word_at(&classes, next(2)), word_at(&classes, next(3))]);
        for far in 2..=FAR.min(words.len() - 1 - n) {
            found.add_feature(&["far", class, word_at(&classes, next(far))]);
            found.add_feature(&["far", class, word_at(words, next(far))]);
            found.add_feature(&["far words", stems[n], word_at(&stems, next(far))]);
        }
    }
    add_edge_features(words, &classes, &stems, mark, found);
    add_cooccurrence_features(&classes, mark, found);
}

fn add_edge_features(words: &[&str], classes: &[&str], stems: &[&str], mark: &str, found: &mut TextFeatures) {
    let Some(last) = words.len().checked_sub(1) else { return };
    found.add_feature(&["first", stems[0]]);
    found.add_feature(&["first class", classes[0], mark]);
    found.add_feature(&["first 2", stems[0], word_at(stems, 1)]);
    found.add_feature(&["first 2 class", classes[0], word_at(classes, 1), mark]);
    found.add_feature(&["last", stems[last]]);
    found.add_feature(&["last class", classes[last], mark]);
    if last > 0 {
        found.add_feature(&["last 2", stems[last - 1], stems[last]]);
        found.add_feature(&["last 2 class", classes[last - 1], classes[last]]);
    }
    if words.len() <= 6 {
        let all: Vec<&str> = std::iter::once("all").chain(classes.iter().copied()).collect();
        found.add_feature(&all);
    }
}

/// Pairs of classes anywhere in the same sentence.
fn add_cooccurrence_features(classes: &[&str], mark: &str, found: &mut TextFeatures) {
    const WEIGHTY: [&str; 12] =
        ["END", "TAKE", "TEXT", "NO", "AGAIN", "LIST", "WANT", "ME", "YOU", "CURSE", "WRONG", "WORK"];
    let there: Vec<&str> = WEIGHTY.into_iter().filter(|class| classes.contains(class)).collect();
    for (n, one) in there.iter().enumerate() {
        found.add_feature(&["mark", one, mark]);
        for other in &there[n + 1..] {
            found.add_feature(&["with", one, other]);
        }
    }
}

/// Groups of three and four letters of a word, with its ends marked.
fn add_letter_features(word: &str, found: &mut TextFeatures) {
    if word.len() < 4 || word_class(word) == "DIGITS" || word_class(word) == "CODE" {
        return;
    }
    let marked: Vec<char> = std::iter::once('<').chain(word.chars().take(20)).chain(['>']).collect();
    for length in [3, 4] {
        for gram in marked.windows(length) {
            let gram: String = gram.iter().collect();
            found.letters.push(hash_slot(&["l", &gram]));
        }
    }
}

fn word_at<'a>(words: &[&'a str], n: usize) -> &'a str {
    words.get(n).copied().unwrap_or("</s>")
}

/// Beginning of a word, which survives its endings and most slips.
fn stem(word: &str) -> &str {
    word.char_indices().nth(5).map_or(word, |(at, _)| &word[..at])
}

/// FNV-1a over the parts.
fn hash_slot(parts: &[&str]) -> u32 {
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
