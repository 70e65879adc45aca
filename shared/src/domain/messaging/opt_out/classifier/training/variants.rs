//! Variants of the texts: within other texts, with a courtesy, with a typing slip.

use super::{
    TrainingExample,
    corpus::{CorpusLine, GENERATED, SeededRng},
};
use crate::domain::messaging::opt_out::{
    classifier::features::extract_features,
    normalization::{self, Sentence},
};

pub(super) fn build_examples(lines: &[&CorpusLine]) -> Vec<TrainingExample> {
    let mut chance = SeededRng(0x9E37_79B9_7F4A_7C15);
    let read: Vec<(Vec<Sentence>, bool, bool)> = lines
        .iter()
        .map(|line| (normalization::split_sentences(&line.text), line.is_refusal, line.file == GENERATED))
        .collect();
    let ordinary: Vec<&Vec<Sentence>> =
        read.iter().filter(|(_, is_refusal, _)| !is_refusal).map(|(one, ..)| one).collect();
    let mut found = Vec::with_capacity(read.len() * 3);
    for (sentences, is_refusal, is_made) in &read {
        let mut variants = vec![sentences.clone()];
        if !is_made {
            let vary = if chance.next_below(2) == 0 { with_courtesy } else { with_typo };
            variants.push(vary(sentences, &mut chance));
            let other = ordinary[chance.next_below(ordinary.len())];
            let (first, second) = if chance.next_below(2) == 0 { (other, sentences) } else { (sentences, other) };
            variants.push(first.iter().chain(second).cloned().collect());
        }
        found.extend(
            variants.iter().map(|one| TrainingExample { readings: extract_features(one), is_refusal: *is_refusal }),
        );
    }
    found
}

/// Adds a word before or after that changes nothing.
fn with_courtesy(sentences: &[Sentence], chance: &mut SeededRng) -> Vec<Sentence> {
    const BEFORE: [&str; 15] = [
        "hi",
        "hello",
        "hey",
        "please",
        "sorry",
        "ok",
        "thanks",
        "hi there",
        "good morning",
        "im",
        "so",
        "yes",
        "no",
        "um",
        "hola",
    ];
    const AFTER: [&str; 11] =
        ["please", "thanks", "thank you", "ok", "asap", "lol", "sir", "today", "now", "gracias", "have a good day"];
    let mut varied = sentences.to_vec();
    if chance.next_below(2) == 0 {
        if let Some(first) = varied.first_mut() {
            first.text = format!(" {}{}", BEFORE[chance.next_below(BEFORE.len())], first.text);
        }
    } else if let Some(last) = varied.last_mut() {
        last.text = format!("{}{} ", last.text, AFTER[chance.next_below(AFTER.len())]);
    }
    varied
}

/// Drops or doubles a letter of one word, or swaps it with the next.
fn with_typo(sentences: &[Sentence], chance: &mut SeededRng) -> Vec<Sentence> {
    let mut varied = sentences.to_vec();
    let which = chance.next_below(varied.len());
    let Some(sentence) = varied.get_mut(which) else { return varied };
    let mut words: Vec<String> = sentence.text.split_whitespace().map(ToOwned::to_owned).collect();
    let n = chance.next_below(words.len());
    let Some(word) = words.get_mut(n).filter(|word| word.len() > 3 && word.is_ascii()) else { return varied };
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + chance.next_below(letters.len() - 2);
    match chance.next_below(3) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        _ => letters.swap(at, at + 1),
    }
    *word = letters.into_iter().collect();
    sentence.text = format!(" {} ", words.join(" "));
    varied
}
