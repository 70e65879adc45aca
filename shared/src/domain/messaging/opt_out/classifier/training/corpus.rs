//! Corpus: texts that are written out, and texts generated from patterns.

use std::path::Path;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/domain/messaging/opt_out/corpus");
/// One file of each side, of which every other line is held out for tests.
const HALVED: [&str; 2] = ["refusals.txt", "ordinary.txt"];
pub(super) const GENERATED: &str = "patterns";
pub(super) const VARIANTS_PER_PATTERN: usize = 14;

pub(crate) struct CorpusLine {
    pub text: String,
    pub is_refusal: bool,
    /// The file, and which line of it.
    pub file: String,
    pub number: usize,
}

fn load_side(is_refusal: bool) -> Vec<CorpusLine> {
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
        found.extend(lines.map(|(number, line)| CorpusLine {
            text: line.to_owned(),
            is_refusal,
            file: name.clone(),
            number,
        }));
    }
    found
}

/// Without generated texts.
pub(crate) fn load_written_lines() -> Vec<CorpusLine> {
    [load_side(true), load_side(false)].into_iter().flatten().collect()
}

/// Refusals, then ordinary texts.
pub(crate) fn load_corpus() -> Vec<CorpusLine> {
    [load_side(true), expand_patterns(true), load_side(false), expand_patterns(false)].into_iter().flatten().collect()
}

/// Several texts of each pattern, with different words.
fn expand_patterns(is_refusal: bool) -> Vec<CorpusLine> {
    let read = |name: &str| std::fs::read_to_string(Path::new(CORPUS).join("patterns").join(name)).expect("it is read");
    let words = read("words.txt");
    let words: Vec<(&str, Vec<&str>)> = words
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, all)| (name, all.split('|').collect()))
        .collect();
    let patterns = read(if is_refusal { "refusals.txt" } else { "ordinary.txt" });
    let mut chance = SeededRng(0xD1B5_4A32_D192_ED03);
    let mut found = Vec::new();
    for (number, pattern) in patterns.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).enumerate() {
        let times = if pattern.contains('<') { VARIANTS_PER_PATTERN } else { 1 };
        for _ in 0..times {
            let text = fill_pattern(pattern, &words, &mut chance);
            found.push(CorpusLine { text, is_refusal, file: GENERATED.to_owned(), number });
        }
    }
    found
}

fn fill_pattern(pattern: &str, words: &[(&str, Vec<&str>)], chance: &mut SeededRng) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>').expect("a name ends");
        let possessive = name.ends_with('s') && words.iter().all(|(known, _)| *known != name);
        let name = if possessive { &name[..name.len() - 1] } else { name };
        let (_, all) = words.iter().find(|(known, _)| *known == name).expect("words.txt knows the name");
        text.push_str(before);
        text.push_str(all[chance.next_below(all.len())]);
        text.push_str(if possessive { "s" } else { "" });
        rest = after;
    }
    text + rest
}

impl CorpusLine {
    /// The writer of the line, if it is one who had not seen the reader.
    pub(super) fn writer_name(&self) -> Option<&str> {
        self.file.split_once("/writer_")?.1.strip_suffix(".txt")
    }

    pub(super) fn is_held_out(&self) -> bool {
        HALVED.contains(&self.file.as_str()) && self.number % 2 == 1
    }
}

pub(crate) fn load_held_out() -> (Vec<String>, Vec<String>) {
    let of = |is_refusal: bool| {
        load_side(is_refusal).into_iter().filter(CorpusLine::is_held_out).map(|line| line.text).collect()
    };
    (of(true), of(false))
}

/// Deterministic pseudo-random numbers.
pub(crate) struct SeededRng(pub(super) u64);

impl SeededRng {
    pub(super) fn next_below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }
}
