//! Training of the weights of `classifier` from the corpus. Only tests run it: the program ships the result.
//!
//! Of each text the reading with the highest score is learned from, because it decides. Most texts have variants. All
//! operations give the same result on every machine, so the weights are the same everywhere.

use super::{
    FINGERPRINT, MODEL, OptOutModel, SHIPPED,
    features::{SLOTS, TextFeatures, extract_features},
};
use crate::domain::messaging::opt_out::normalization;
pub(crate) use corpus::{CorpusLine, load_corpus, load_held_out, load_written_lines};
use corpus::{SeededRng, VARIANTS_PER_PATTERN};
pub(crate) use measures::describe_text;
use variants::build_examples;

mod corpus;
mod measures;
mod variants;

/// Weight of a line whose writer had not seen the reader.
const INDEPENDENT_COUNTS: usize = 2;
const ROUNDS: usize = 16;
const RATE: f32 = 0.35;
/// Decay of weights that no example confirms.
const FORGETS: f32 = 3e-4;
/// Share of a text's features that is hidden each time, so that none is relied on alone.
const HIDDEN: usize = 25;
/// Score below which an ordinary reading is far enough from a refusal.
const FAR_ENOUGH: f32 = -2.0;

struct TrainingExample {
    readings: Vec<TextFeatures>,
    is_refusal: bool,
}

struct Learner {
    bias: f32,
    weights: Vec<f32>,
    /// Sum of the squared steps of each weight: one that has moved much moves less.
    moved: Vec<f32>,
    /// Sum of the weights after each round of the second half: their mean is more stable than the last.
    sum: Vec<f32>,
}

impl Learner {
    fn compute_score(&self, reading: &TextFeatures) -> f32 {
        self.bias + reading.weighted_sum(|slot| self.weights[slot as usize])
    }

    fn train_on(&mut self, example: &TrainingExample, chance: &mut SeededRng) {
        let scores: Vec<f32> = example.readings.iter().map(|reading| self.compute_score(reading)).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        for (reading, &score) in example.readings.iter().zip(&scores) {
            let decides = score >= most;
            if decides || (!example.is_refusal && score > FAR_ENOUGH) {
                self.update_weights(reading, score, example.is_refusal, chance);
            }
        }
    }

    fn update_weights(&mut self, reading: &TextFeatures, score: f32, is_refusal: bool, chance: &mut SeededRng) {
        let off = f32::from(u8::from(is_refusal)) - logistic(score);
        self.bias += off * 0.01;
        let mut bits = 0;
        for (n, (slot, counts)) in reading.weighted_slots().enumerate() {
            if n % 4 == 0 {
                bits = chance.next_below(1 << 28);
            }
            let hidden = (bits >> (7 * (n % 4))) % 100 < HIDDEN;
            if hidden {
                continue;
            }
            let slot = slot as usize;
            let step = off * counts - FORGETS * self.weights[slot];
            self.moved[slot] += step * step;
            self.weights[slot] += RATE * step / (0.3 + self.moved[slot].sqrt());
        }
    }
}

/// Between 0 and 1 like the logistic function, from operations that give the same result on every machine.
fn logistic(score: f32) -> f32 {
    let half = score * 0.5;
    0.5 + 0.5 * half / (1.0 + half * half).sqrt()
}

impl OptOutModel {
    pub(crate) fn train(lines: &[&CorpusLine]) -> Self {
        let examples = build_examples(lines);
        let zeros = || vec![0.0; SLOTS as usize];
        let mut learner = Learner { bias: 0.0, weights: zeros(), moved: zeros(), sum: zeros() };
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut chance = SeededRng(0x2545_F491_4F6C_DD1D);
        let mut averaged = 0.0;
        for round in 0..ROUNDS {
            for at in (1..order.len()).rev() {
                order.swap(at, chance.next_below(at + 1));
            }
            for &n in &order {
                learner.train_on(&examples[n], &mut chance);
            }
            if round >= ROUNDS / 2 {
                averaged += 1.0;
                learner.sum.iter_mut().zip(&learner.weights).for_each(|(sum, weight)| *sum += weight);
            }
        }
        learner.sum.iter_mut().for_each(|sum| *sum /= averaged);
        Self::quantized(learner.bias, &learner.sum)
    }

    fn quantized(bias: f32, weights: &[f32]) -> Self {
        let most = weights.iter().map(|weight| weight.abs()).fold(0.0, f32::max);
        let step = (most / 127.0).max(f32::MIN_POSITIVE);
        // Half way to the next step.
        let edges: Vec<f32> = (-127..127).map(|steps: i8| (f32::from(steps) + 0.5) * step).collect();
        let numbers: Vec<i8> = (-127..=127).collect();
        let weights = weights.iter().map(|weight| numbers[edges.partition_point(|edge| edge < weight)]).collect();
        Self { bias, step, weights }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.bias, self.step].into_iter().flat_map(f32::to_le_bytes);
        let numbers = fingerprint().to_le_bytes().into_iter().chain(numbers);
        numbers.chain(self.weights.iter().map(|weight| weight.cast_unsigned())).collect()
    }

    fn shipped_corpus() -> Self {
        let corpus = load_corpus();
        let lines: Vec<&CorpusLine> = corpus.iter().filter(|line| !line.is_held_out()).collect();
        Self::train(&weight_lines(&lines))
    }
}

fn weight_lines<'a>(lines: &[&'a CorpusLine]) -> Vec<&'a CorpusLine> {
    let times = |line: &CorpusLine| if line.writer_name().is_some() { INDEPENDENT_COUNTS } else { 1 };
    lines.iter().flat_map(|&line| std::iter::repeat_n(line, times(line))).collect()
}

/// Everything that the weights depend on: the corpus, the constants, and the features of a part of the lines.
fn fingerprint() -> u64 {
    const LOOKED_AT: usize = 24;
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    let mut take_in = |bytes: &[u8]| {
        for &byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    };
    for constant in [ROUNDS, HIDDEN, VARIANTS_PER_PATTERN, INDEPENDENT_COUNTS] {
        take_in(&constant.to_le_bytes());
    }
    for constant in [RATE, FORGETS, FAR_ENOUGH] {
        take_in(&constant.to_le_bytes());
    }
    for (n, line) in load_corpus().iter().enumerate() {
        take_in(format!("{} {} {}", line.is_refusal, line.file, line.text).as_bytes());
        if n % LOOKED_AT == 0 {
            for (slot, counts) in extract_features(&normalization::split_sentences(&line.text))
                .iter()
                .flat_map(TextFeatures::weighted_slots)
            {
                take_in(&slot.to_le_bytes());
                take_in(&counts.to_le_bytes());
            }
        }
    }
    hash
}

/// Learning takes more than a minute, so only the inputs of the weights are compared.
#[test]
fn shipped_weights_match_corpus_and_feature_fingerprint() {
    let shipped = &SHIPPED[..FINGERPRINT];
    assert!(shipped == fingerprint().to_le_bytes(), "the corpus or the features changed: run make opt-out-model");
}

#[test]
#[ignore = "learns for a minute and writes a file of the source: make opt-out-model"]
fn write_the_shipped_weights() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/domain/messaging/opt_out/classifier/model.bin");
    let bytes = OptOutModel::shipped_corpus().to_bytes();
    std::fs::write(path, &bytes).expect("the source folder can be written");
    println!("{} bytes, {}", bytes.len(), if bytes == SHIPPED { "as before" } else { "changed" });
}
