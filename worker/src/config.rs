//! What the worker alone is told at start.

use std::time::Duration;

use shared::config::Vars;

#[derive(Clone, Copy, Debug)]
pub struct WorkerConfig {
    /// `WORKER_CONCURRENCY`, default 16: how many tasks run at once.
    pub concurrency: usize,
    /// `WORKER_LEASE_SECONDS`, default 45: how long a claim holds without a sign of life. A dead worker's tasks are
    /// taken up after at most this and a third.
    pub lease: Duration,
}

impl WorkerConfig {
    pub fn from_vars(vars: &mut Vars) -> Self {
        let concurrency = vars.parsed("WORKER_CONCURRENCY", 16_usize, "a whole number from 1 to 256");
        if !(1..=256).contains(&concurrency) {
            vars.fault("WORKER_CONCURRENCY", "must be a whole number from 1 to 256");
        }
        let lease = vars.parsed("WORKER_LEASE_SECONDS", 45_u64, "a whole number from 1 to 60");
        if !(1..=60).contains(&lease) {
            vars.fault("WORKER_LEASE_SECONDS", "must be a whole number from 1 to 60");
        }
        Self { concurrency, lease: Duration::from_secs(lease) }
    }
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self { concurrency: 16, lease: Duration::from_secs(45) }
    }
}
