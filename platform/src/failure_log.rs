//! Log of a storage failure that repeats: one ERROR when it begins, at most one a minute with a count while it lasts,
//! and one line when it is over.

use std::{
    fmt::Display,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::error::Error;

const REPEAT_AFTER: Duration = Duration::from_mins(1);
/// On a nearly full disk some writes succeed in between: the failure ends when none has failed for this long.
const ENDS_AFTER: Duration = Duration::from_secs(5);
/// A failure after this long is another one.
const FORGET_AFTER: Duration = Duration::from_mins(5);

static STORAGE_WRITES: FailureLog = FailureLog::new();
static REFUSED_REQUESTS: FailureLog = FailureLog::new();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FailureRun {
    began: Instant,
    last: Instant,
    logged: Instant,
    count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FailureLine {
    Began,
    /// With the number of failures so far.
    Lasts(u64),
    Omitted,
}

#[derive(Debug)]
struct FailureLog(Mutex<Option<FailureRun>>);

impl FailureLog {
    const fn new() -> Self {
        Self(Mutex::new(None))
    }

    fn record_failure(&self, now: Instant) -> FailureLine {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = current.take().filter(|run| now.duration_since(run.last) < FORGET_AFTER);
        let Some(mut run) = known else {
            *current = Some(FailureRun { began: now, last: now, logged: now, count: 1 });
            return FailureLine::Began;
        };
        run.count += 1;
        run.last = now;
        let is_due = now.duration_since(run.logged) >= REPEAT_AFTER;
        if is_due {
            run.logged = now;
        }
        *current = Some(run);
        if is_due { FailureLine::Lasts(run.count) } else { FailureLine::Omitted }
    }

    /// The failure that is over now.
    fn record_success(&self, now: Instant) -> Option<FailureRun> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = current.as_ref().is_some_and(|run| now.duration_since(run.last) >= ENDS_AFTER);
        if is_over { current.take() } else { None }
    }
}

/// For a write that found no space, or a disk that fails.
pub fn log_write_failure(error: &dyn Display) {
    match STORAGE_WRITES.record_failure(Instant::now()) {
        FailureLine::Began => tracing::error!(error = %error, "storage cannot be written"),
        FailureLine::Lasts(failures) => {
            tracing::error!(error = %error, failures, "storage still cannot be written");
        }
        FailureLine::Omitted => {}
    }
}

/// For a commit that succeeded.
pub fn log_write_success() {
    let now = Instant::now();
    if let Some(over) = STORAGE_WRITES.record_success(now) {
        let seconds = now.duration_since(over.began).as_secs();
        tracing::info!(failures = over.count, seconds, "storage can be written again");
    }
}

/// Whether the error is a full disk, which is counted here instead of logged by each caller.
#[must_use]
pub fn is_counted_as_full(error: &Error) -> bool {
    let is_full = matches!(error, Error::StorageFull);
    if is_full {
        log_write_failure(error);
    }
    is_full
}

/// For a request that was refused for want of space.
pub fn log_space_refusal(cause: &str) {
    match REFUSED_REQUESTS.record_failure(Instant::now()) {
        FailureLine::Began => tracing::error!(cause, "requests are refused for want of space (507)"),
        FailureLine::Lasts(refused) => {
            tracing::error!(cause, refused, "requests are still refused for want of space (507)");
        }
        FailureLine::Omitted => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_failure_is_logged_at_its_beginning_and_once_a_minute() {
        let (log, start) = (FailureLog::new(), Instant::now());
        let fail = |seconds| log.record_failure(start + Duration::from_secs(seconds));
        assert_eq!(fail(0), FailureLine::Began);
        for seconds in 1..60 {
            assert_eq!(fail(seconds), FailureLine::Omitted, "{seconds}");
        }
        assert_eq!(
            (fail(60), fail(61), fail(121)),
            (FailureLine::Lasts(61), FailureLine::Omitted, FailureLine::Lasts(63))
        );
        assert_eq!(fail(121 + 300), FailureLine::Began, "another one");
    }

    #[test]
    fn success_ends_failure_once_none_has_failed_for_seconds() {
        let (log, start) = (FailureLog::new(), Instant::now());
        let succeed = |seconds| log.record_success(start + Duration::from_secs(seconds));
        assert_eq!(succeed(0), None, "nothing had failed");
        log.record_failure(start);
        assert_eq!(succeed(4), None, "in between");
        assert_eq!(succeed(5).map(|run| run.count), Some(1));
        assert_eq!(succeed(6), None, "once");
        assert_eq!(log.record_failure(start + Duration::from_secs(7)), FailureLine::Began);
    }
}
