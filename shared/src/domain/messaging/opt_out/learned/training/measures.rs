//! What to expect of texts of people whose texts nothing was learned from.

use super::{Line, Model, corpus, weighed};
use crate::domain::messaging::opt_out::{self, Reading, is_certain, normal};

impl Model {
    /// Whether the reader would hear a refusal if these were its weights.
    fn would_hear(&self, text: &str) -> bool {
        let sentences = opt_out::keyword::without_courtesies(normal::sentences(text));
        let by_a_rule = || {
            let read = opt_out::by_a_rule(&sentences);
            read.filter(|read| is_certain(read) || !self.is_surely_ordinary(&sentences))
        };
        let read = opt_out::keyword::alone(&sentences).or_else(by_a_rule);
        read.map_or_else(|| self.hears(&sentences), |read| matches!(read.reading, Reading::Stop | Reading::Pause))
    }
}

/// Learns without each independent writer in turn, and asks about the texts of that writer.
#[test]
#[ignore = "learns five times"]
fn measure_writers_not_learned() {
    let corpus = corpus();
    let mut writers: Vec<&str> = corpus.iter().filter_map(Line::writer).collect();
    writers.sort_unstable();
    writers.dedup();
    for writer in writers {
        let (unknown, known): (Vec<&Line>, Vec<&Line>) = corpus.iter().partition(|line| line.writer() == Some(writer));
        let model = Model::learn(&weighed(&known));
        let (refusals, ordinary): (Vec<&Line>, Vec<&Line>) = unknown.into_iter().partition(|line| line.is_refusal);
        let heard = |lines: &[&Line]| lines.iter().filter(|line| model.would_hear(&line.text)).count();
        let (hits, pauses) = (heard(&refusals), heard(&ordinary));
        println!("{writer}: heard {hits} of {}, paused {pauses} of {}", refusals.len(), ordinary.len());
    }
}
