//! How the weights of `learned` are learned from the corpus. Only tests do it: the program ships the result.
//!
//! Of a text the reading that refuses most is learned from, as it is the one that decides. Of most texts there are
//! variants: within other texts, with a courtesy, with a slip of the thumb. All numbers are made by operations that every
//! machine does alike, so the weights are the same everywhere.

use std::path::Path;

use super::{
    Model, SHIPPED,
    features::{Features, SLOTS, readings},
};
use crate::opt_out::{
    self, Reading,
    normal::{self, Sentence},
};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/opt_out/corpus");
/// The file of each side of which every other line is held out, for the tests to ask.
const HALVED: [&str; 2] = ["refusals.txt", "ordinary.txt"];

/// The file of the texts that patterns make.
const MADE: &str = "patterns";
/// How many texts are made of one pattern.
const TIMES_MADE: usize = 14;

const ROUNDS: usize = 10;
const RATE: f32 = 0.35;
/// How fast weights shrink that nothing confirms.
const FORGETS: f32 = 1e-4;
/// Of the features of a text this share is hidden each time, so that none is relied on alone.
const HIDDEN: usize = 25;
/// An ordinary reading below this is far enough from a refusal.
const FAR_ENOUGH: f32 = -2.0;

/// One text of the corpus.
pub(crate) struct Line {
    pub text: String,
    pub is_refusal: bool,
    /// The file, and which line of it.
    pub file: String,
    pub number: usize,
}

/// All lines of one side: its files, then its folder.
fn side(is_refusal: bool) -> Vec<Line> {
    let (files, folder) = if is_refusal {
        (["opt_outs.txt", "refusals.txt"], "refusals")
    } else {
        (["harmless.txt", "ordinary.txt"], "ordinary")
    };
    let inside = std::fs::read_dir(Path::new(CORPUS).join(folder)).expect("the corpus has the folder");
    let mut names: Vec<String> =
        inside.map(|entry| format!("{folder}/{}", entry.expect("it is read").file_name().to_string_lossy())).collect();
    names.sort();
    let mut found = Vec::new();
    for name in files.iter().map(ToString::to_string).chain(names) {
        let text = std::fs::read_to_string(Path::new(CORPUS).join(&name)).expect("the file is read");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).enumerate();
        found.extend(lines.map(|(number, line)| Line {
            text: line.to_owned(),
            is_refusal,
            file: name.clone(),
            number,
        }));
    }
    found
}

/// What is written out, without what patterns make.
pub(crate) fn written() -> Vec<Line> {
    [side(true), side(false)].into_iter().flatten().collect()
}

/// The corpus: refusals, then ordinary texts.
pub(crate) fn corpus() -> Vec<Line> {
    [side(true), made(true), side(false), made(false)].into_iter().flatten().collect()
}

/// The texts that the patterns of one side make: of each pattern several, with other words.
fn made(is_refusal: bool) -> Vec<Line> {
    let read = |name: &str| std::fs::read_to_string(Path::new(CORPUS).join("patterns").join(name)).expect("it is read");
    let words = read("words.txt");
    let words: Vec<(&str, Vec<&str>)> = words
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, all)| (name, all.split('|').collect()))
        .collect();
    let patterns = read(if is_refusal { "refusals.txt" } else { "ordinary.txt" });
    let mut chance = Chance(0xD1B5_4A32_D192_ED03);
    let mut found = Vec::new();
    for (number, pattern) in patterns.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).enumerate() {
        let times = if pattern.contains('<') { TIMES_MADE } else { 1 };
        for _ in 0..times {
            let text = filled(pattern, &words, &mut chance);
            found.push(Line { text, is_refusal, file: MADE.to_owned(), number });
        }
    }
    found
}

/// The pattern with a word for each `<name>`.
fn filled(pattern: &str, words: &[(&str, Vec<&str>)], chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>').expect("a name ends");
        let possessive = name.ends_with('s') && words.iter().all(|(known, _)| *known != name);
        let name = if possessive { &name[..name.len() - 1] } else { name };
        let (_, all) = words.iter().find(|(known, _)| *known == name).expect("words.txt knows the name");
        text.push_str(before);
        text.push_str(all[chance.below(all.len())]);
        text.push_str(if possessive { "s" } else { "" });
        rest = after;
    }
    text + rest
}

impl Line {
    fn is_held_out(&self) -> bool {
        HALVED.contains(&self.file.as_str()) && self.number % 2 == 1
    }
}

/// The held-out lines: refusals, and ordinary texts.
pub(crate) fn held_out() -> (Vec<String>, Vec<String>) {
    let of = |is_refusal: bool| side(is_refusal).into_iter().filter(Line::is_held_out).map(|line| line.text).collect();
    (of(true), of(false))
}

/// Chance that is the same every time.
pub(crate) struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }
}

struct Example {
    readings: Vec<Features>,
    is_refusal: bool,
}

/// The texts and their variants.
fn examples(lines: &[&Line]) -> Vec<Example> {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let read: Vec<(Vec<Sentence>, bool, bool)> =
        lines.iter().map(|line| (normal::sentences(&line.text), line.is_refusal, line.file == MADE)).collect();
    let ordinary: Vec<&Vec<Sentence>> =
        read.iter().filter(|(_, is_refusal, _)| !is_refusal).map(|(one, ..)| one).collect();
    let mut found = Vec::with_capacity(read.len() * 3);
    for (sentences, is_refusal, is_made) in &read {
        let mut variants = vec![sentences.clone()];
        if !is_made {
            let vary = if chance.below(2) == 0 { courteous } else { slipped };
            variants.push(vary(sentences, &mut chance));
            let other = ordinary[chance.below(ordinary.len())];
            let (first, second) = if chance.below(2) == 0 { (other, sentences) } else { (sentences, other) };
            variants.push(first.iter().chain(second).cloned().collect());
        }
        found.extend(variants.iter().map(|one| Example { readings: readings(one), is_refusal: *is_refusal }));
    }
    found
}

/// With a word before or after it that changes nothing.
fn courteous(sentences: &[Sentence], chance: &mut Chance) -> Vec<Sentence> {
    const BEFORE: [&str; 16] = [
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
        "acme",
        "hola",
    ];
    const AFTER: [&str; 12] = [
        "please",
        "thanks",
        "thank you",
        "ok",
        "asap",
        "lol",
        "sir",
        "today",
        "now",
        "gracias",
        "acme",
        "have a good day",
    ];
    let mut varied = sentences.to_vec();
    if chance.below(2) == 0 {
        if let Some(first) = varied.first_mut() {
            first.text = format!(" {}{}", BEFORE[chance.below(BEFORE.len())], first.text);
        }
    } else if let Some(last) = varied.last_mut() {
        last.text = format!("{}{} ", last.text, AFTER[chance.below(AFTER.len())]);
    }
    varied
}

/// With a letter of one word dropped, doubled or swapped with the next.
fn slipped(sentences: &[Sentence], chance: &mut Chance) -> Vec<Sentence> {
    let mut varied = sentences.to_vec();
    let which = chance.below(varied.len());
    let Some(sentence) = varied.get_mut(which) else { return varied };
    let mut words: Vec<String> = sentence.text.split_whitespace().map(ToOwned::to_owned).collect();
    let n = chance.below(words.len());
    let Some(word) = words.get_mut(n).filter(|word| word.len() > 3 && word.is_ascii()) else { return varied };
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + chance.below(letters.len() - 2);
    match chance.below(3) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        _ => letters.swap(at, at + 1),
    }
    *word = letters.into_iter().collect();
    sentence.text = format!(" {} ", words.join(" "));
    varied
}

/// Weights while they are learned.
struct Learner {
    bias: f32,
    weights: Vec<f32>,
    /// The sum of the squared steps of each weight: one that has moved much moves less.
    moved: Vec<f32>,
    /// The sum of the weights after each round of the second half: their mean is more stable than the last.
    sum: Vec<f32>,
}

impl Learner {
    fn of(&self, reading: &Features) -> f32 {
        self.bias + reading.weigh(|slot| self.weights[slot as usize])
    }

    fn take_in(&mut self, example: &Example, chance: &mut Chance) {
        let scores: Vec<f32> = example.readings.iter().map(|reading| self.of(reading)).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        for (reading, &score) in example.readings.iter().zip(&scores) {
            let decides = score >= most;
            if decides || (!example.is_refusal && score > FAR_ENOUGH) {
                self.move_towards(reading, score, example.is_refusal, chance);
            }
        }
    }

    fn move_towards(&mut self, reading: &Features, score: f32, is_refusal: bool, chance: &mut Chance) {
        let off = f32::from(u8::from(is_refusal)) - likelihood(score);
        self.bias += off * 0.01;
        let mut bits = 0;
        for (n, (slot, counts)) in reading.counted().enumerate() {
            if n % 4 == 0 {
                bits = chance.below(1 << 28);
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

/// Between 0 and 1 like the logistic function, by operations that give the same everywhere.
fn likelihood(score: f32) -> f32 {
    let half = score * 0.5;
    0.5 + 0.5 * half / (1.0 + half * half).sqrt()
}

impl Model {
    pub(crate) fn learn(lines: &[&Line]) -> Self {
        let examples = examples(lines);
        let zeros = || vec![0.0; SLOTS as usize];
        let mut learner = Learner { bias: 0.0, weights: zeros(), moved: zeros(), sum: zeros() };
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut chance = Chance(0x2545_F491_4F6C_DD1D);
        let mut averaged = 0.0;
        for round in 0..ROUNDS {
            for at in (1..order.len()).rev() {
                order.swap(at, chance.below(at + 1));
            }
            for &n in &order {
                learner.take_in(&examples[n], &mut chance);
            }
            if round >= ROUNDS / 2 {
                averaged += 1.0;
                learner.sum.iter_mut().zip(&learner.weights).for_each(|(sum, weight)| *sum += weight);
            }
        }
        learner.sum.iter_mut().for_each(|sum| *sum /= averaged);
        Self::in_steps(learner.bias, &learner.sum)
    }

    fn in_steps(bias: f32, weights: &[f32]) -> Self {
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
        numbers.chain(self.weights.iter().map(|weight| weight.cast_unsigned())).collect()
    }

    fn shipped_corpus() -> Self {
        let corpus = corpus();
        let lines: Vec<&Line> = corpus.iter().filter(|line| !line.is_held_out()).collect();
        Self::learn(&lines)
    }
}

#[test]
fn the_shipped_weights_are_what_the_corpus_teaches() {
    let learned = Model::shipped_corpus().to_bytes();
    assert!(learned == SHIPPED, "the corpus or the features changed: run make opt-out-model");
}

#[test]
#[ignore = "writes a file of the source: make opt-out-model"]
fn write_the_shipped_weights() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/opt_out/learned/model.bin");
    let bytes = Model::shipped_corpus().to_bytes();
    std::fs::write(path, &bytes).expect("the source folder can be written");
    println!("{} bytes, before {}", bytes.len(), SHIPPED.len());
}

/// Learns in five parts and asks each time about the part not learned: what to expect of new texts as odd as these.
/// Lines that stand next to each other are in one part, for they are often alike.
#[test]
#[ignore = "learns five times"]
fn measure_parts_not_learned() {
    const PARTS: usize = 5;
    const TOGETHER: usize = 15;
    let corpus = corpus();
    let part = |line: &Line| if line.file == MADE { PARTS } else { (line.number / TOGETHER + line.file.len()) % PARTS };
    let (mut missed, mut paused) = (0, 0);
    for asked in 0..PARTS {
        let (known, unknown): (Vec<&Line>, Vec<&Line>) = corpus.iter().partition(|line| part(line) != asked);
        let model = Model::learn(&known);
        for line in unknown {
            let sentences = normal::sentences(&line.text);
            let by_a_rule = opt_out::keyword::alone(&sentences).or_else(|| opt_out::by_a_rule(&sentences));
            let is_heard = by_a_rule.is_some_and(|read| matches!(read.reading, Reading::Stop | Reading::Pause))
                || model.hears(&sentences);
            missed += usize::from(line.is_refusal && !is_heard);
            paused += usize::from(!line.is_refusal && is_heard);
        }
    }
    let count = |is_refusal| corpus.iter().filter(|line| line.file != MADE && line.is_refusal == is_refusal).count();
    println!("missed {missed} of {}, paused {paused} of {}", count(true), count(false));
}
