//! Counters of this worker's claims.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use shared::ops::system_status::{CLAIM_CLASSES_MS, WorkerMetrics};

#[derive(Debug, Default)]
pub struct ClaimCounters {
    claims: AtomicU64,
    claimed: AtomicU64,
    micros: AtomicU64,
    within: [AtomicU64; CLAIM_CLASSES_MS.len() + 1],
}

impl ClaimCounters {
    pub fn record_claim(&self, tasks: usize, took: Duration) {
        let class = CLAIM_CLASSES_MS.iter().position(|end| took.as_millis() < u128::from(*end));
        self.claims.fetch_add(1, Ordering::Relaxed);
        self.claimed.fetch_add(u64::try_from(tasks).unwrap_or_default(), Ordering::Relaxed);
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or_default(), Ordering::Relaxed);
        if let Some(count) = self.within.get(class.unwrap_or(CLAIM_CLASSES_MS.len())) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[must_use]
    pub fn to_metrics(&self) -> WorkerMetrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WorkerMetrics {
            claims: read(&self.claims),
            claimed: read(&self.claimed),
            claim_ms: read(&self.micros) / 1_000,
            claims_within: std::array::from_fn(|class| self.within.get(class).map_or(0, read)),
            ..WorkerMetrics::default()
        }
    }
}
