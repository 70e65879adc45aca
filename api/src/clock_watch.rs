//! Watches this process's clock on PostgreSQL: a wrong clock accepts expired links and names wrong hours. While it is
//! off, `/readyz` answers 503, so that a balancer takes this API out.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use shared::{
    ops::system_status::clock::{self, is_within_tolerance},
    platform::error::Result,
};

use crate::{
    error::{ApiError, ApiResult},
    state::AppState,
};

const CLOCK_CHECK_INTERVAL: Duration = Duration::from_mins(1);

/// How far the clock was ahead of the database's at the last look. None before the first look, and on `SQLite`.
#[derive(Debug, Default)]
pub struct ClockOffset(Mutex<Option<chrono::Duration>>);

impl ClockOffset {
    pub(crate) fn last_measured(&self) -> Option<chrono::Duration> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the previous measurement.
    fn record_offset(&self, ahead: Option<chrono::Duration>) -> Option<chrono::Duration> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), ahead)
    }

    fn skew(&self) -> Option<chrono::Duration> {
        self.last_measured().filter(|ahead| !is_within_tolerance(*ahead))
    }

    /// Errors: 503 while the clock is off.
    pub(crate) fn require_right_clock(&self) -> ApiResult<()> {
        match self.skew() {
            None => Ok(()),
            Some(ahead) => Err(ApiError::unavailable(describe_skew(ahead))),
        }
    }
}

/// "this machine's clock is 125 min ahead of the database's".
fn describe_skew(ahead: chrono::Duration) -> String {
    let (minutes, side) =
        (ahead.num_minutes().abs(), if ahead < chrono::Duration::zero() { "behind" } else { "ahead of" });
    format!(
        "this machine's clock is {minutes} min {side} the database's; set it (timedatectl, or the host's time service). \
         If several APIs say this at the same time, the clock of the database's machine is wrong: set that one"
    )
}

pub async fn run_clock_watch(state: &AppState) {
    loop {
        if let Err(e) = check_clock(state).await {
            tracing::debug!(error = %e, "the clock could not be compared");
        }
        tokio::select! {
            () = tokio::time::sleep(CLOCK_CHECK_INTERVAL) => {}
            () = state.wait_for_shutdown() => return,
        }
    }
}

/// Compares once, and logs a change. Errors: when the database is away; the last result stays.
pub async fn check_clock(state: &AppState) -> Result<()> {
    let Some(db) = state.db_if_ready() else { return Ok(()) };
    let ahead = clock::measure_server_offset(db, &state.origin).await?;
    let was_off = state.clock_offset.record_offset(ahead).is_some_and(|before| !is_within_tolerance(before));
    match (was_off, state.clock_offset.skew()) {
        (false, Some(ahead)) => tracing::error!(
            seconds_ahead = ahead.num_seconds(),
            "this API's clock is wrong: links end and promises fall at wrong times, and /readyz answers 503 until the clock is set; if several APIs say this at the same time, the clock of the database's machine is wrong"
        ),
        (true, None) => tracing::info!("this API's clock agrees with the database's"),
        (false, None) | (true, Some(_)) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchecked_clock_and_offset_of_seconds_are_ready_and_hours_are_not() {
        let clock = ClockOffset::default();
        assert!(clock.require_right_clock().is_ok());
        for (seconds, is_right) in [(0, true), (-59, true), (60, true), (61, false), (-7_200, false)] {
            clock.record_offset(Some(chrono::Duration::seconds(seconds)));
            assert_eq!(clock.require_right_clock().is_ok(), is_right, "{seconds}");
        }
    }

    #[test]
    fn skew_names_its_minutes_and_side() {
        assert!(describe_skew(chrono::Duration::hours(-2)).contains("120 min behind the database's"));
        let ahead = describe_skew(chrono::Duration::minutes(5));
        assert!(ahead.contains("5 min ahead of the database's"));
        assert!(ahead.contains("several APIs say this at the same time, the clock of the database's"), "{ahead}");
    }
}
