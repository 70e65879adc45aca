//! Statistical model of refusals, learned from the corpus: words, and combinations of words.
//!
//! The rules of `grammar` know how a refusal is built; this model knows how refusals and ordinary texts are worded. It
//! is linear (logistic regression) over `features`. A text is read as a whole, by its sentences and by the clauses of
//! long sentences, and the reading with the highest score decides. `training` learns the weights from the corpus,
//! deterministically; the program ships them. The result is never certain: it pauses, and a person decides.

use std::sync::LazyLock;

use super::{
    TextClassification, TextIntent,
    grammar::{is_echoed_question, quotes_opt_out_notice},
    normalization::Sentence,
    refusal_evidence::{OptOutEvidence, collect_evidence},
};
use features::{SLOTS, TextFeatures, extract_features};

mod classes;
mod features;
#[cfg(test)]
pub(super) mod training;

pub(super) use classes::word_class;

/// Fingerprint of what the weights were learned from (`training::fingerprint`), the bias and the size of a step, each a
/// little-endian `f32`, then each weight in steps, one signed byte. Written by `make opt-out-model` from the corpus.
const SHIPPED: &[u8] = include_bytes!("classifier/model.bin");
const FINGERPRINT: usize = 8;

/// Thresholds for a pause where the text names what is refused, points at it, does neither, or invites texts. Chosen by
/// learning without each independent writer in turn and testing on that writer's texts.
const LEAST_NAMED: f32 = 1.0;
const LEAST_POINTED: f32 = 1.25;
const LEAST_ALONE: f32 = 2.25;
const LEAST_WELCOMING: f32 = 3.5;
/// Below this a rule that would pause has been misled.
const SURELY_ORDINARY: f32 = -2.5;
/// In words, the longest question that only repeats what the next sentence answers.
const LONGEST_ECHO: usize = 5;
/// How much of the deciding words the owner is shown.
const LONGEST_REASON: usize = 120;

static MODEL: LazyLock<OptOutModel> = LazyLock::new(|| OptOutModel::from_bytes(SHIPPED));

struct OptOutModel {
    bias: f32,
    step: f32,
    weights: Vec<i8>,
}

#[cfg(test)]
pub(super) fn prepare() {
    LazyLock::force(&MODEL);
}

pub(super) fn classify_refusal(sentences: &[Sentence]) -> Option<TextClassification> {
    if !MODEL.detects_refusal(sentences) {
        return None;
    }
    let words: String = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    Some(TextClassification::matched_by(
        TextIntent::Pause,
        "is worded like a refusal",
        words.get(..LONGEST_REASON).unwrap_or(&words),
    ))
}

/// Whether the wording is so ordinary that a rule which would pause has been misled.
pub(super) fn is_confidently_ordinary(sentences: &[Sentence]) -> bool {
    MODEL.is_confidently_ordinary(sentences)
}

pub(super) fn is_about_work(sentences: &[Sentence]) -> bool {
    sentences.iter().flat_map(Sentence::words).any(|word| word_class(word) == "WORK")
}

impl OptOutModel {
    fn from_bytes(bytes: &[u8]) -> Self {
        let number =
            |at: usize| bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0.0, f32::from_le_bytes);
        let weights = bytes.iter().skip(FINGERPRINT + 8).map(|&byte| byte.cast_signed()).chain(std::iter::repeat(0));
        Self {
            bias: number(FINGERPRINT),
            step: number(FINGERPRINT + 4),
            weights: weights.take(SLOTS as usize).collect(),
        }
    }

    /// Whether the wording reaches the threshold for what the text names or invites.
    fn detects_refusal(&self, sentences: &[Sentence]) -> bool {
        let least = match collect_evidence(sentences) {
            OptOutEvidence::Named => LEAST_NAMED,
            OptOutEvidence::Pointed => LEAST_POINTED,
            OptOutEvidence::Missing => LEAST_ALONE,
            OptOutEvidence::Welcomes => LEAST_WELCOMING,
        };
        // "Unsubscribe? No, I like them": what is repeated as a question is answered by the rest.
        let is_echo = |s: &Sentence| s.words().count() <= LONGEST_ECHO && is_echoed_question(s);
        let stated: Vec<Sentence> = sentences.iter().filter(|s| sentences.len() == 1 || !is_echo(s)).cloned().collect();
        let words: String = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        !stated.is_empty() && self.max_score(&extract_features(&stated)) >= least && !quotes_opt_out_notice(&words)
    }

    fn is_confidently_ordinary(&self, sentences: &[Sentence]) -> bool {
        self.max_score(&extract_features(sentences)) < SURELY_ORDINARY
    }

    fn max_score(&self, readings: &[TextFeatures]) -> f32 {
        let one = |reading: &TextFeatures| {
            self.bias + reading.weighted_sum(|slot| f32::from(self.weights[slot as usize])) * self.step
        };
        readings.iter().map(one).fold(f32::MIN, f32::max)
    }
}
