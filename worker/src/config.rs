//! What the worker alone is told at start.

use std::time::Duration;

use shared::{domain::messaging::message::send_rate::Pace, platform::config::Vars};

#[derive(Clone, Copy, Debug)]
pub struct WorkerConfig {
    /// `WORKER_CONCURRENCY`, default 16: how many tasks run at once.
    pub concurrency: usize,
    /// `WORKER_LEASE_SECONDS`, default 45: how long a claim holds without a sign of life. A dead worker's tasks are
    /// taken up after at most this and a third.
    pub lease: Duration,
    /// `PHOTOS_AT_ONCE`, default 1: how many photos are decoded at once. Each takes a core and up to 250 MB.
    pub photos_at_once: usize,
    /// `TASKS_KEEP_DAYS`, default 3: how long tasks that are done are kept.
    pub keep_done: chrono::Duration,
    /// `DEMO`, default on: whether the demonstration at `/demo` is seeded.
    pub has_demo: bool,
    /// `SMS_SEGMENTS_PER_SECOND` and `SMS_PER_DAY`: what a sending number may do.
    pub pace: Pace,
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
        let photos_at_once = vars.parsed("PHOTOS_AT_ONCE", 1_usize, "a whole number from 1 to 16");
        if !(1..=16).contains(&photos_at_once) {
            vars.fault("PHOTOS_AT_ONCE", "must be a whole number from 1 to 16");
        }
        Self {
            concurrency,
            lease: Duration::from_secs(lease),
            photos_at_once,
            keep_done: keep_done(vars),
            has_demo: vars.switch("DEMO", true),
            pace: pace(vars),
        }
    }
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            concurrency: 16,
            lease: Duration::from_secs(45),
            photos_at_once: 1,
            keep_done: chrono::Duration::days(KEEP_DONE_DAYS),
            has_demo: true,
            pace: Pace::default(),
        }
    }
}

/// As long as Stripe repeats what it has told us.
const KEEP_DONE_DAYS: i64 = 3;

fn keep_done(vars: &mut Vars) -> chrono::Duration {
    let days = vars.parsed("TASKS_KEEP_DAYS", KEEP_DONE_DAYS, "a whole number from 1 to 90");
    if !(1..=90).contains(&days) {
        vars.fault("TASKS_KEEP_DAYS", "must be a whole number from 1 to 90");
        return chrono::Duration::days(KEEP_DONE_DAYS);
    }
    chrono::Duration::days(days)
}

fn pace(vars: &mut Vars) -> Pace {
    let usual = Pace::default();
    let segments_a_second =
        vars.parsed("SMS_SEGMENTS_PER_SECOND", usual.segments_a_second, "a whole number from 1 to 1000");
    if !(1..=1_000).contains(&segments_a_second) {
        vars.fault("SMS_SEGMENTS_PER_SECOND", "must be a whole number from 1 to 1000");
    }
    let texts_a_day = vars.parsed("SMS_PER_DAY", usual.texts_a_day, "a whole number from 1 to 1000000");
    if !(1..=1_000_000).contains(&texts_a_day) {
        vars.fault("SMS_PER_DAY", "must be a whole number from 1 to 1000000");
    }
    Pace { segments_a_second, texts_a_day, ..usual }
}
