//! Clock guard: while this worker's clock differs from the others' by more than a minute, nothing is claimed, swept or
//! removed, because work given up as too late cannot be restored.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use shared::{
    domain::tenancy::install_mail::{self, InstallMail},
    ops::system_status::clock::{self, ClockStatus, Heartbeats, MAX_CLOCK_SKEW},
    platform::{
        clock::{Clock, ClockRng},
        error::Result,
    },
};

use crate::Context;

/// Interval between comparisons.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// State of the clock. An unchecked clock counts as right.
#[derive(Debug, Default)]
pub(crate) struct ClockGuard(Mutex<ClockState>);

#[derive(Debug)]
struct ClockState {
    status: ClockStatus,
    /// Time when the clock was last right: since then it must have advanced with the monotonic clock.
    right_at: Option<(Instant, DateTime<Utc>)>,
    /// The clock was set by more than the tolerance: earlier comparisons are void.
    has_jumped: bool,
}

impl Default for ClockState {
    fn default() -> Self {
        Self { status: ClockStatus::InSync, right_at: None, has_jumped: false }
    }
}

impl ClockGuard {
    fn lock_state(&self) -> MutexGuard<'_, ClockState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn can_act(&self, now: DateTime<Utc>) -> bool {
        self.can_act_at(Instant::now(), now)
    }

    fn can_act_at(&self, at: Instant, now: DateTime<Utc>) -> bool {
        let mut state = self.lock_state();
        if let Some((then, was)) = state.right_at {
            let passed = chrono::Duration::from_std(at.duration_since(then)).unwrap_or_default();
            if (now - was - passed).abs() > MAX_CLOCK_SKEW {
                *state = ClockState { status: ClockStatus::Unknown, right_at: None, has_jumped: true };
            }
        }
        state.status == ClockStatus::InSync
    }

    /// Returns the previous state.
    fn record_status(&self, at: Instant, now: DateTime<Utc>, status: ClockStatus) -> ClockStatus {
        let mut state = self.lock_state();
        let right_at = (status == ClockStatus::InSync).then_some((at, now));
        std::mem::replace(&mut *state, ClockState { status, right_at, has_jumped: false }).status
    }

    /// Clock corrected to the others' time; `None` while that is unknown.
    pub fn corrected_clock(&self, origin: &ClockRng) -> Option<ClockRng> {
        match self.lock_state().status {
            ClockStatus::InSync => Some(origin.clone()),
            ClockStatus::Skewed(ahead) => {
                let clock = Clock::manual_at(origin.now() - ahead);
                Some(ClockRng { clock, entropy: origin.entropy.clone() })
            }
            ClockStatus::Unknown => None,
        }
    }
}

pub(crate) async fn check_clock(context: &Context, signs: &mut Heartbeats) {
    context.clock.can_act(context.origin.now());
    if context.clock.lock_state().has_jumped {
        *signs = Heartbeats::default();
    }
    let status = match clock::check_clock(&context.db, &context.origin, &context.name, signs).await {
        Ok(status) => status,
        Err(e) => {
            tracing::debug!(error = %e, "the clock could not be compared");
            return;
        }
    };
    let before = context.clock.record_status(Instant::now(), context.origin.now(), status);
    if let Err(e) = report_change(context, before, status).await {
        tracing::warn!(error = %e, "could not tell of the clock");
    }
}

pub(crate) async fn watch_clock(context: Arc<Context>, mut signs: Heartbeats) {
    let mut tick = tokio::time::interval(CLOCK_CHECK_INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        check_clock(&context, &mut signs).await;
    }
}

/// Reports a wrong clock once in the log and to the operators, and in the worker's status while it lasts.
async fn report_change(context: &Context, before: ClockStatus, status: ClockStatus) -> Result<()> {
    match status {
        ClockStatus::Skewed(ahead) => {
            clock::record_clock_skew(&context.db, &context.name, Some(ahead)).await?;
            if !matches!(before, ClockStatus::Skewed(_)) {
                let seconds = ahead.num_seconds();
                tracing::error!(
                    seconds_ahead = seconds,
                    "this worker's clock is wrong: it sends nothing and gives nothing up until the clock is set"
                );
                notify_operators(context, ahead).await?;
            }
        }
        ClockStatus::InSync if before != ClockStatus::InSync => {
            clock::record_clock_skew(&context.db, &context.name, None).await?;
            tracing::info!("this worker's clock agrees with the others'");
        }
        ClockStatus::Unknown if before != ClockStatus::Unknown => {
            tracing::warn!("this worker's clock agrees with no other; it waits until it knows who is alive");
        }
        ClockStatus::InSync | ClockStatus::Unknown => {}
    }
    Ok(())
}

/// Sent by another worker, or by this one once its clock is set.
async fn notify_operators(context: &Context, ahead: chrono::Duration) -> Result<()> {
    let Some(origin) = context.clock.corrected_clock(&context.origin) else { return Ok(()) };
    let side = if ahead < chrono::Duration::zero() { "behind" } else { "ahead of" };
    let body = format!(
        "The clock of {} is {} {side} the others. It sends nothing and gives nothing up until the clock is set; other workers go on. Set the machine's clock (timedatectl, or the time service of the host).",
        context.name,
        format_minutes(ahead)
    );
    let mut tx = context.db.begin().await?;
    for to in &context.operators {
        let key = format!("clock_off:{}:{}:{to}", context.name, origin.now().date_naive());
        let mail = InstallMail { to, subject: "A worker's clock is wrong", body: &body, links: &[], key: &key };
        install_mail::enqueue_mail(&mut tx, &origin, &context.secret, &mail).await?;
    }
    tx.commit().await
}

/// "1 minute", "125 minutes".
fn format_minutes(off: chrono::Duration) -> String {
    match off.num_minutes().abs() {
        1 => "1 minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_minute_is_singular() {
        let texts = [-1, 1, 125].map(|minutes| format_minutes(chrono::Duration::minutes(minutes)));
        assert_eq!(texts, ["1 minute", "1 minute", "125 minutes"]);
    }

    fn noon() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + chrono::Duration::days(20_000)
    }

    #[test]
    fn clock_jump_of_hours_blocks_actions_until_it_is_compared() {
        let (guard, began) = (ClockGuard::default(), Instant::now());
        guard.record_status(began, noon(), ClockStatus::InSync);
        let later = |seconds: u64| began + Duration::from_secs(seconds);
        assert!(guard.can_act_at(later(600), noon() + chrono::Duration::seconds(630)), "it may go wrong slowly");
        assert!(!guard.can_act_at(later(601), noon() + chrono::Duration::hours(2)));
        assert!(!guard.can_act_at(later(602), noon() + chrono::Duration::seconds(602)), "a look decides");
        assert!(guard.lock_state().has_jumped);
        guard.record_status(later(603), noon() + chrono::Duration::seconds(603), ClockStatus::InSync);
        assert!(guard.can_act_at(later(604), noon() + chrono::Duration::seconds(604)));
    }

    #[test]
    fn corrected_clock_subtracts_the_measured_offset() {
        let (guard, origin) = (ClockGuard::default(), ClockRng::fixed(noon(), 1));
        assert_eq!(guard.corrected_clock(&origin).map(|clock| clock.now()), Some(noon()));
        let hours = chrono::Duration::hours(2);
        guard.record_status(Instant::now(), noon(), ClockStatus::Skewed(hours));
        assert_eq!(guard.corrected_clock(&origin).map(|clock| clock.now()), Some(noon() - hours));
        guard.record_status(Instant::now(), noon(), ClockStatus::Unknown);
        assert!(guard.corrected_clock(&origin).is_none());
    }
}
