//! Measurements on texts of people from whose texts nothing was learned.

use super::{CorpusLine, OptOutModel, load_corpus, weight_lines};
use crate::domain::messaging::opt_out::{self, Reading, is_certain_refusal, normal};

impl OptOutModel {
    /// Whether the reader would find a refusal with these weights.
    fn reader_detects_refusal(&self, text: &str) -> bool {
        let sentences = opt_out::keyword::strip_courtesies(normal::split_sentences(text));
        let by_a_rule = || {
            let read = opt_out::classify_by_rule(&sentences);
            read.filter(|read| is_certain_refusal(read) || !self.is_confidently_ordinary(&sentences))
        };
        let read = opt_out::keyword::classify_lone_keyword(&sentences).or_else(by_a_rule);
        read.map_or_else(
            || self.detects_refusal(&sentences),
            |read| matches!(read.reading, Reading::Stop | Reading::Pause),
        )
    }
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
        let heard =
            |lines: &[&CorpusLine]| lines.iter().filter(|line| model.reader_detects_refusal(&line.text)).count();
        let (hits, pauses) = (heard(&refusals), heard(&ordinary));
        println!("{writer}: heard {hits} of {}, paused {pauses} of {}", refusals.len(), ordinary.len());
    }
}
