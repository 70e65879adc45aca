//! What the phrases of the corpus teach: which words, and which words together, refuse.
//!
//! The rules of `grammar` know how a refusal is built; this knows how refusals and ordinary texts are worded. It is a
//! linear model (logistic regression) over `features`. A text is read as a whole, by its sentences and by the clauses of
//! long sentences, and the reading that refuses most decides. `training` learns the weights from the corpus, always the
//! same; the program ships them. What it hears is never certain: it pauses, and a person decides.

use std::sync::LazyLock;

use super::{
    Read, Reading,
    grammar::{is_echo, quotes_our_own_notice},
    normal::Sentence,
    weighed::{Evidence, evidence},
};
use features::{Features, SLOTS, readings};

mod classes;
mod features;
#[cfg(test)]
pub(super) mod training;

pub(super) use classes::class;

/// What the weights were learned from (`training::fingerprint`), the bias and the size of a step, each a little-endian
/// `f32`, then each weight in steps, one signed byte.
/// `make opt-out-model` writes it anew from the corpus.
const SHIPPED: &[u8] = include_bytes!("learned/model.bin");
/// The bytes that say what was learned from.
const FINGERPRINT: usize = 8;

/// The least that pauses where the text names what is refused, points at it, or does neither; and where it invites texts.
/// Chosen by learning without each independent writer in turn and asking about the texts of that writer.
const LEAST_NAMED: f32 = 1.0;
const LEAST_POINTED: f32 = 1.25;
const LEAST_ALONE: f32 = 3.0;
const LEAST_WELCOMING: f32 = 4.5;
/// Below this a rule that would pause has been misled.
const SURELY_ORDINARY: f32 = -2.5;
/// Of the words that decided, the owner is shown this much.
const LONGEST_REASON: usize = 120;

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(SHIPPED));

/// Weights in steps, as they are shipped.
struct Model {
    bias: f32,
    step: f32,
    weights: Vec<i8>,
}

/// Reads now what is otherwise read at the first use.
#[cfg(test)]
pub(super) fn prepare() {
    LazyLock::force(&MODEL);
}

/// A refusal by its wording, where no rule has found one.
pub(super) fn wish(sentences: &[Sentence]) -> Option<Read> {
    if !MODEL.hears(sentences) {
        return None;
    }
    let words: String = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    Some(Read::because(Reading::Pause, "is worded like a refusal", words.get(..LONGEST_REASON).unwrap_or(&words)))
}

/// Whether the wording is so ordinary that a rule which would pause has been misled.
pub(super) fn is_surely_ordinary(sentences: &[Sentence]) -> bool {
    MODEL.is_surely_ordinary(sentences)
}

/// Whether a word of the work stands in it.
pub(super) fn is_about_work(sentences: &[Sentence]) -> bool {
    sentences.iter().flat_map(Sentence::words).any(|word| class(word) == "WORK")
}

impl Model {
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

    /// Whether the sentences are worded like a refusal, as surely as what they name or invite asks for.
    fn hears(&self, sentences: &[Sentence]) -> bool {
        let least = match evidence(sentences) {
            Evidence::Named => LEAST_NAMED,
            Evidence::Pointed => LEAST_POINTED,
            Evidence::Missing => LEAST_ALONE,
            Evidence::Welcomes => LEAST_WELCOMING,
        };
        // "Unsubscribe? No, I like them": what is repeated as a question is answered by the rest.
        let said: Vec<Sentence> = sentences.iter().filter(|s| sentences.len() == 1 || !is_echo(s)).cloned().collect();
        let words: String = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        !said.is_empty() && self.of(&readings(&said)) >= least && !quotes_our_own_notice(&words)
    }

    fn is_surely_ordinary(&self, sentences: &[Sentence]) -> bool {
        self.of(&readings(sentences)) < SURELY_ORDINARY
    }

    /// The most that one of the readings says.
    fn of(&self, readings: &[Features]) -> f32 {
        let one =
            |reading: &Features| self.bias + reading.weigh(|slot| f32::from(self.weights[slot as usize])) * self.step;
        readings.iter().map(one).fold(f32::MIN, f32::max)
    }
}
