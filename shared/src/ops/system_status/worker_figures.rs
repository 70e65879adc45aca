//! Figures of a worker since its start: stored with each sign of life, and shown by `/metrics`.

use serde::{Deserialize, Serialize};

use crate::platform::db::group_commit::{HELD_BUCKETS_MS, WriterStats};

/// Upper bounds of the duration classes of claims, in milliseconds.
pub const CLAIM_CLASSES_MS: [u64; 6] = [1, 2, 5, 10, 50, 250];

/// Counters; none decreases while the worker lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerMetrics {
    /// Answered queries of the queue.
    pub claims: u64,
    /// Tasks that they returned.
    pub claimed: u64,
    pub claim_ms: u64,
    /// By [`CLAIM_CLASSES_MS`]; the last class is for longer ones.
    pub claims_within: [u64; CLAIM_CLASSES_MS.len() + 1],
    /// The same for `SQLite`'s writer; zero on PostgreSQL.
    pub writer_transactions: u64,
    pub writer_commits: u64,
    pub writer_held_ms: u64,
    pub writer_held_within: [u64; HELD_BUCKETS_MS.len() + 1],
}

impl WorkerMetrics {
    #[must_use]
    pub fn with_writer_stats(self, stats: WriterStats) -> Self {
        Self {
            writer_transactions: stats.transactions,
            writer_commits: stats.commits,
            writer_held_ms: stats.held_ms,
            writer_held_within: stats.held,
            ..self
        }
    }

    #[must_use]
    pub fn writer_stats(&self) -> WriterStats {
        WriterStats {
            transactions: self.writer_transactions,
            commits: self.writer_commits,
            held_ms: self.writer_held_ms,
            held: self.writer_held_within,
        }
    }

    #[must_use]
    pub fn merge_with(mut self, other: Self) -> Self {
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
