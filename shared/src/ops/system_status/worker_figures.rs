//! What a worker has done since it was started: it says so with each sign of life, and `/metrics` shows it.

use serde::{Deserialize, Serialize};

use crate::platform::db::group_commit::{HELD_CLASSES_MS, WriterStats};

/// Upper bounds of the classes in which claims are counted by how long they took, in milliseconds.
pub const CLAIM_CLASSES_MS: [u64; 6] = [1, 2, 5, 10, 50, 250];

/// Counters; none goes down while the worker lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerFigures {
    /// Asks of the queue that were answered.
    pub claims: u64,
    /// Tasks that they gave.
    pub claimed: u64,
    pub claim_ms: u64,
    /// By [`CLAIM_CLASSES_MS`], and the last for what is above.
    pub claims_within: [u64; CLAIM_CLASSES_MS.len() + 1],
    /// The same of `SQLite`'s writer; zero on PostgreSQL.
    pub writer_transactions: u64,
    pub writer_commits: u64,
    pub writer_held_ms: u64,
    pub writer_held_within: [u64; HELD_CLASSES_MS.len() + 1],
}

impl WorkerFigures {
    /// With what the writer of this process has done.
    #[must_use]
    pub fn with_writer(self, stats: WriterStats) -> Self {
        Self {
            writer_transactions: stats.transactions,
            writer_commits: stats.commits,
            writer_held_ms: stats.held_ms,
            writer_held_within: stats.held,
            ..self
        }
    }

    /// What its writer has done.
    #[must_use]
    pub fn writer(&self) -> WriterStats {
        WriterStats {
            transactions: self.writer_transactions,
            commits: self.writer_commits,
            held_ms: self.writer_held_ms,
            held: self.writer_held_within,
        }
    }

    /// Of several workers together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.claims += other.claims;
        self.claimed += other.claimed;
        self.claim_ms += other.claim_ms;
        self.writer_transactions += other.writer_transactions;
        self.writer_commits += other.writer_commits;
        self.writer_held_ms += other.writer_held_ms;
        for (sum, more) in self.claims_within.iter_mut().zip(other.claims_within) {
            *sum += more;
        }
        for (sum, more) in self.writer_held_within.iter_mut().zip(other.writer_held_within) {
            *sum += more;
        }
        self
    }
}
