//! Counters of the writer.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Histogram bounds of writer hold times in [`WriterStats`], in milliseconds.
pub const HELD_BUCKETS_MS: [u64; 8] = [1, 2, 5, 10, 20, 50, 100, 1_000];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStats {
    pub transactions: u64,
    /// Commits, one flush each.
    pub commits: u64,
    pub held_ms: u64,
    /// By [`HELD_BUCKETS_MS`]; the last counts longer times.
    pub held: [u64; HELD_BUCKETS_MS.len() + 1],
}

#[derive(Debug, Default)]
pub(super) struct WriterCounters {
    transactions: AtomicU64,
    commits: AtomicU64,
    held_us: AtomicU64,
    held: [AtomicU64; HELD_BUCKETS_MS.len() + 1],
}

impl WriterCounters {
    pub(super) fn record_transaction(&self) {
        self.transactions.fetch_add(1, Ordering::Relaxed);
    }

    /// `held`: how long the group had the writer.
    pub(super) fn record_commit(&self, held: Duration) {
        let (ms, us) = (held.as_millis(), u64::try_from(held.as_micros()).unwrap_or(u64::MAX));
        let class = HELD_BUCKETS_MS.iter().position(|bound| ms < u128::from(*bound)).unwrap_or(HELD_BUCKETS_MS.len());
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.held_us.fetch_add(us, Ordering::Relaxed);
        if let Some(count) = self.held.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn load_stats(&self) -> WriterStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WriterStats {
            transactions: read(&self.transactions),
            commits: read(&self.commits),
            held_ms: read(&self.held_us) / 1_000,
            held: std::array::from_fn(|class| self.held.get(class).map_or(0, read)),
        }
    }
}
