//! How the weights of `learned` are learned from the corpus. Only tests do it: the program ships the result.

use super::{Model, SHIPPED, SLOTS, features, scale};
use crate::opt_out::normal;

const REFUSALS: [&str; 2] = [include_str!("../corpus/opt_outs.txt"), include_str!("../corpus/refusals.txt")];
const ORDINARY: [&str; 2] = [include_str!("../corpus/harmless.txt"), include_str!("../corpus/ordinary.txt")];
/// The file of each pair of which every other line is held out, for the tests to ask.
const HALVED: usize = 1;

const ROUNDS: usize = 14;
const RATE: f32 = 0.35;
const FORGETS: f32 = 2e-6;
/// An ordinary text that is heard as a refusal weighs more than the reverse.
const ORDINARY_WEIGHS: f32 = 1.5;

/// The lines to learn from, or those that are held out.
fn lines(file: &'static str, is_halved: bool, held_out: bool) -> impl Iterator<Item = &'static str> {
    let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).enumerate();
    lines.filter(move |(n, _)| if is_halved { (n % 2 == 1) == held_out } else { !held_out }).map(|(_, line)| line)
}

/// The held-out lines: refusals, and ordinary texts.
pub(crate) fn held_out() -> (Vec<&'static str>, Vec<&'static str>) {
    (lines(REFUSALS[HALVED], true, true).collect(), lines(ORDINARY[HALVED], true, true).collect())
}

impl Model {
    fn learn() -> Self {
        let mut texts: Vec<(Vec<usize>, f32)> = Vec::with_capacity(5_000);
        for (files, is_refusal) in [(REFUSALS, 1.0), (ORDINARY, 0.0)] {
            for (n, file) in files.into_iter().enumerate() {
                let read = |line| features(&normal::sentences(line));
                texts.extend(lines(file, n == HALVED, false).map(|line| (read(line), is_refusal)));
            }
        }
        let mut model = Self { weights: vec![0.0; SLOTS], bias: 0.0 };
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let mut chance: u64 = 0x9E37_79B9_7F4A_7C15;
        for round in 0..ROUNDS {
            for at in (1..order.len()).rev() {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let other = usize::try_from(chance >> 33).unwrap_or_default() % (at + 1);
                order.swap(at, other);
            }
            let rate = RATE / (1.0 + f32::from(u8::try_from(round).unwrap_or(u8::MAX)) * 0.3);
            for &n in &order {
                let (features, is_refusal) = &texts[n];
                model.take_in(features, *is_refusal, rate);
            }
        }
        model
    }

    fn take_in(&mut self, features: &[usize], is_refusal: f32, rate: f32) {
        let guess = 1.0 / (1.0 + (-self.of(features)).exp());
        let weighs = if is_refusal > 0.5 { 1.0 } else { ORDINARY_WEIGHS };
        let step = rate * (is_refusal - guess) * weighs * scale(features);
        self.bias += step * 0.2;
        for &slot in features {
            self.weights[slot] += step - FORGETS * self.weights[slot];
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        std::iter::once(&self.bias).chain(&self.weights).flat_map(|number| number.to_le_bytes()).collect()
    }
}

/// What `exp` differs by from one platform to another grows over the rounds, and stays far below this.
const TOLERANCE: f32 = 1e-3;

#[test]
fn the_shipped_weights_are_what_the_corpus_teaches() {
    let (learned, shipped) = (Model::learn(), Model::shipped());
    let numbers = |model: &Model| [vec![model.bias], model.weights.clone()].concat();
    let (learned, shipped) = (numbers(&learned), numbers(&shipped));
    let apart = learned.iter().zip(&shipped).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
    assert_eq!(learned.len(), shipped.len());
    assert!(apart < TOLERANCE, "the corpus or the features changed ({apart}): run make opt-out-model");
}

#[test]
#[ignore = "writes a file of the source: make opt-out-model"]
fn write_the_shipped_weights() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/opt_out/learned/model.bin");
    let bytes = Model::learn().to_bytes();
    std::fs::write(path, &bytes).expect("the source folder can be written");
    println!("{} bytes, before {}", bytes.len(), SHIPPED.len());
}
