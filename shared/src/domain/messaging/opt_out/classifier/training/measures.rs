//! Measurements on texts of people from whose texts nothing was learned.

use super::{CorpusLine, MODEL, OptOutModel, extract_features, load_corpus, weight_lines};
use crate::domain::messaging::opt_out::{
    self, TextIntent, is_certain_refusal, normalization, refusal_evidence::collect_evidence,
};

impl OptOutModel {
    /// Whether the reader would find a refusal with these weights.
    fn reader_detects_refusal(&self, text: &str) -> bool {
        let sentences = opt_out::keyword::strip_courtesies(normalization::split_sentences(text));
        let by_a_rule = || {
            let read = opt_out::classify_by_rule(&sentences);
            read.filter(|read| is_certain_refusal(read) || !self.is_confidently_ordinary(&sentences))
        };
        let read = opt_out::keyword::classify_lone_keyword(&sentences).or_else(by_a_rule);
        read.map_or_else(
            || self.detects_refusal(&sentences),
            |read| matches!(read.intent, TextIntent::Stop | TextIntent::Pause),
        )
    }

    /// What the rules read and whether it is certain, evidence, score, text.
    fn describe_decision(&self, text: &str) -> String {
        let sentences = opt_out::keyword::strip_courtesies(normalization::split_sentences(text));
        let rule =
            opt_out::keyword::classify_lone_keyword(&sentences).or_else(|| opt_out::classify_by_rule(&sentences));
        let is_certain = rule.as_ref().is_some_and(is_certain_refusal);
        format!(
            "{:?}\t{is_certain}\t{:?}\t{:.2}\t{text}",
            rule.map(|read| read.intent),
            collect_evidence(&sentences),
            self.max_score(&extract_features(&sentences))
        )
    }
}

/// What the shipped weights read in a text, for measurements.
pub(crate) fn describe_text(text: &str) -> String {
    MODEL.describe_decision(text)
}

/// Learns without each independent writer in turn, and tests on that writer's texts.
#[test]
#[ignore = "learns five times"]
fn measure_writers_not_learned() {
    let corpus = load_corpus();
    let mut writers: Vec<&str> = corpus.iter().filter_map(CorpusLine::writer_name).collect();
    writers.sort_unstable();
    writers.dedup();
    for writer in writers {
        let (unknown, known): (Vec<&CorpusLine>, Vec<&CorpusLine>) =
            corpus.iter().partition(|line| line.writer_name() == Some(writer));
        let model = OptOutModel::train(&weight_lines(&known));
        let (refusals, ordinary): (Vec<&CorpusLine>, Vec<&CorpusLine>) =
            unknown.into_iter().partition(|line| line.is_refusal);
        let count_detected =
            |lines: &[&CorpusLine]| lines.iter().filter(|line| model.reader_detects_refusal(&line.text)).count();
        let (hits, pauses) = (count_detected(&refusals), count_detected(&ordinary));
        println!("{writer}: detected {hits} of {}, paused {pauses} of {}", refusals.len(), ordinary.len());
    }
}

/// Learns without a fifth of the independent writers at a time, and writes what decides each of their texts to
/// `target/opt-out/scores.tsv`: thresholds are chosen on it.
#[test]
#[ignore = "learns five times and writes a file"]
fn write_scores_of_writers_not_learned() {
    const FOLDS: usize = 5;
    let corpus = load_corpus();
    let mut writers: Vec<&str> = corpus.iter().filter_map(CorpusLine::writer_name).collect();
    writers.sort_unstable();
    writers.dedup();
    let fold_of =
        |line: &CorpusLine| writers.iter().position(|name| Some(*name) == line.writer_name()).map(|n| n % FOLDS);
    let measure_fold = |fold: usize| {
        let (unknown, known): (Vec<&CorpusLine>, Vec<&CorpusLine>) =
            corpus.iter().partition(|line| fold_of(line) == Some(fold));
        let model = OptOutModel::train(&weight_lines(&known));
        let describe_line = |line: &CorpusLine| {
            let writer = line.writer_name().unwrap_or_default();
            format!("{writer}\t{}\t{}\n", line.is_refusal, model.describe_decision(&line.text))
        };
        unknown.into_iter().map(describe_line).collect::<String>()
    };
    let rows: String = std::thread::scope(|scope| {
        let folds: Vec<_> = (0..FOLDS).map(|fold| scope.spawn(move || measure_fold(fold))).collect();
        folds.into_iter().map(|fold| fold.join().expect("a fold is measured")).collect()
    });
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/opt-out");
    std::fs::create_dir_all(folder).expect("the folder is made");
    std::fs::write(format!("{folder}/scores.tsv"), rows).expect("the scores are written");
}
