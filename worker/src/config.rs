//! Settings of the worker alone.

use std::time::Duration;

use shared::{domain::messaging::message::send_rate::SendRateLimit, platform::config::EnvVars};

#[derive(Clone, Copy, Debug)]
pub struct WorkerConfig {
    /// `WORKER_CONCURRENCY`, default 16: how many tasks run at once.
    pub concurrency: usize,
    /// `WORKER_LEASE_SECONDS`, default 45: how long a claim holds without a sign of life. A dead worker's tasks are
    /// taken over after at most this and a third.
    pub lease: Duration,
    /// `PHOTOS_AT_ONCE`, default 1: how many photos are decoded at once. Each takes a core and up to 250 MB.
    pub photos_at_once: usize,
    /// `TASKS_KEEP_DAYS`, default 3: how long tasks that are done are kept.
    pub keep_done: chrono::Duration,
    /// `DEMO`, default on: whether the demonstration at `/demo` is seeded.
    pub has_demo: bool,
    /// `SMS_SEGMENTS_PER_SECOND` and `SMS_PER_DAY`: limits of a sending number.
    pub pace: SendRateLimit,
}

impl WorkerConfig {
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        let concurrency = vars.parse_or("WORKER_CONCURRENCY", 16_usize, "a whole number from 1 to 256");
        if !(1..=256).contains(&concurrency) {
            vars.record_invalid("WORKER_CONCURRENCY", "must be a whole number from 1 to 256");
        }
        let lease = vars.parse_or("WORKER_LEASE_SECONDS", 45_u64, "a whole number from 1 to 60");
        if !(1..=60).contains(&lease) {
            vars.record_invalid("WORKER_LEASE_SECONDS", "must be a whole number from 1 to 60");
        }
        let photos_at_once = vars.parse_or("PHOTOS_AT_ONCE", 1_usize, "a whole number from 1 to 16");
        if !(1..=16).contains(&photos_at_once) {
            vars.record_invalid("PHOTOS_AT_ONCE", "must be a whole number from 1 to 16");
        }
        Self {
            concurrency,
            lease: Duration::from_secs(lease),
            photos_at_once,
            keep_done: parse_keep_done(vars),
            has_demo: vars.parse_on_off("DEMO", true),
            pace: parse_send_rate(vars),
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
            pace: SendRateLimit::default(),
        }
    }
}

/// As long as Stripe repeats its events.
const KEEP_DONE_DAYS: i64 = 3;

fn parse_keep_done(vars: &mut EnvVars) -> chrono::Duration {
    let days = vars.parse_or("TASKS_KEEP_DAYS", KEEP_DONE_DAYS, "a whole number from 1 to 90");
    if !(1..=90).contains(&days) {
        vars.record_invalid("TASKS_KEEP_DAYS", "must be a whole number from 1 to 90");
        return chrono::Duration::days(KEEP_DONE_DAYS);
    }
    chrono::Duration::days(days)
}

fn parse_send_rate(vars: &mut EnvVars) -> SendRateLimit {
    let usual = SendRateLimit::default();
    let segments_a_second =
        vars.parse_or("SMS_SEGMENTS_PER_SECOND", usual.segments_a_second, "a whole number from 1 to 1000");
    if !(1..=1_000).contains(&segments_a_second) {
        vars.record_invalid("SMS_SEGMENTS_PER_SECOND", "must be a whole number from 1 to 1000");
    }
    let texts_a_day = vars.parse_or("SMS_PER_DAY", usual.texts_a_day, "a whole number from 1 to 1000000");
    if !(1..=1_000_000).contains(&texts_a_day) {
        vars.record_invalid("SMS_PER_DAY", "must be a whole number from 1 to 1000000");
    }
    SendRateLimit { segments_a_second, texts_a_day, ..usual }
}
