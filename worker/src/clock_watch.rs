//! Whether this worker acts by its clock. While that differs from the others' by more than a minute nothing is claimed,
//! swept or removed: what was given up as too late by a wrong clock does not come back.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use shared::{
    domain::tenancy::install_mail::{self, Mail},
    ops::system_status::clock::{self, MOST_OFF, Signs, Standing},
    platform::{
        clock::{Clock, Origin},
        error::Result,
    },
};

use crate::Context;

/// Between two comparisons.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// What is known of the clock. One that nobody has looked at yet is taken for right.
#[derive(Debug, Default)]
pub(crate) struct ClockGuard(Mutex<Known>);

#[derive(Debug)]
struct Known {
    standing: Standing,
    /// The clock when it was last found right: it must have gone on since as the machine's own time has.
    right_at: Option<(Instant, DateTime<Utc>)>,
    /// It was set by more than it may be off, and what was compared before says nothing any more.
    has_jumped: bool,
}

impl Default for Known {
    fn default() -> Self {
        Self { standing: Standing::Right, right_at: None, has_jumped: false }
    }
}

impl ClockGuard {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what is due by `now` may be done.
    pub fn may_act(&self, now: DateTime<Utc>) -> bool {
        self.may_act_at(Instant::now(), now)
    }

    fn may_act_at(&self, at: Instant, now: DateTime<Utc>) -> bool {
        let mut known = self.known();
        if let Some((then, was)) = known.right_at {
            let passed = chrono::Duration::from_std(at.duration_since(then)).unwrap_or_default();
            if (now - was - passed).abs() > MOST_OFF {
                *known = Known { standing: Standing::Unknown, right_at: None, has_jumped: true };
            }
        }
        known.standing == Standing::Right
    }

    /// Returns what was known before.
    fn found(&self, at: Instant, now: DateTime<Utc>, standing: Standing) -> Standing {
        let mut known = self.known();
        let right_at = (standing == Standing::Right).then_some((at, now));
        std::mem::replace(&mut *known, Known { standing, right_at, has_jumped: false }).standing
    }

    /// The time as the others have it; none while that is not known.
    pub fn corrected(&self, origin: &Origin) -> Option<Origin> {
        match self.known().standing {
            Standing::Right => Some(origin.clone()),
            Standing::Off(ahead) => {
                let clock = Clock::manual(origin.now() - ahead);
                Some(Origin { clock, entropy: origin.entropy.clone() })
            }
            Standing::Unknown => None,
        }
    }
}

/// Compares the clock once.
pub(crate) async fn look(context: &Context, signs: &mut Signs) {
    context.clock.may_act(context.origin.now());
    if context.clock.known().has_jumped {
        *signs = Signs::default();
    }
    let standing = match clock::look(&context.db, &context.origin, &context.name, signs).await {
        Ok(standing) => standing,
        Err(e) => {
            tracing::debug!(error = %e, "the clock could not be compared");
            return;
        }
    };
    let before = context.clock.found(Instant::now(), context.origin.now(), standing);
    if let Err(e) = tell(context, before, standing).await {
        tracing::warn!(error = %e, "could not tell of the clock");
    }
}

/// Compares the clock for as long as the worker runs.
pub(crate) async fn watch(context: Arc<Context>, mut signs: Signs) {
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        look(&context, &mut signs).await;
    }
}

/// Says once in the log and to the operators that the clock is off, and beside the worker's sign for as long as it is.
async fn tell(context: &Context, before: Standing, standing: Standing) -> Result<()> {
    match standing {
        Standing::Off(ahead) => {
            clock::note(&context.db, &context.name, Some(ahead)).await?;
            if !matches!(before, Standing::Off(_)) {
                let seconds = ahead.num_seconds();
                tracing::error!(
                    seconds_ahead = seconds,
                    "this worker's clock is wrong: it sends nothing and gives nothing up until the clock is set"
                );
                tell_operators(context, ahead).await?;
            }
        }
        Standing::Right if before != Standing::Right => {
            clock::note(&context.db, &context.name, None).await?;
            tracing::info!("this worker's clock agrees with the others'");
        }
        Standing::Unknown if before != Standing::Unknown => {
            tracing::warn!("this worker's clock agrees with nobody's; it waits until it knows who is alive");
        }
        Standing::Right | Standing::Unknown => {}
    }
    Ok(())
}

/// Another worker sends it, or this one once its clock is set.
async fn tell_operators(context: &Context, ahead: chrono::Duration) -> Result<()> {
    let Some(origin) = context.clock.corrected(&context.origin) else { return Ok(()) };
    let side = if ahead < chrono::Duration::zero() { "behind" } else { "ahead of" };
    let body = format!(
        "The clock of {} is {} minutes {side} the others. It sends nothing and gives nothing up until the clock is set; other workers go on. Set the machine's clock (timedatectl, or the time service of the host).",
        context.name,
        ahead.num_minutes().abs()
    );
    let mut tx = context.db.begin().await?;
    for to in &context.operators {
        let key = format!("clock_off:{}:{}:{to}", context.name, origin.now().date_naive());
        let mail = Mail { to, subject: "A worker's clock is wrong", body: &body, links: &[], key: &key };
        install_mail::queue(&mut tx, &origin, &mail).await?;
    }
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + chrono::Duration::days(20_000)
    }

    #[test]
    fn may_act_after_the_clock_was_set_by_hours_is_held_until_it_is_compared() {
        let (guard, began) = (ClockGuard::default(), Instant::now());
        guard.found(began, noon(), Standing::Right);
        let later = |seconds: u64| began + Duration::from_secs(seconds);
        assert!(guard.may_act_at(later(600), noon() + chrono::Duration::seconds(630)), "it may go wrong slowly");
        assert!(!guard.may_act_at(later(601), noon() + chrono::Duration::hours(2)));
        assert!(!guard.may_act_at(later(602), noon() + chrono::Duration::seconds(602)), "a look decides");
        assert!(guard.known().has_jumped);
        guard.found(later(603), noon() + chrono::Duration::seconds(603), Standing::Right);
        assert!(guard.may_act_at(later(604), noon() + chrono::Duration::seconds(604)));
    }

    #[test]
    fn corrected_beside_a_clock_that_is_ahead_tells_the_time_of_the_others() {
        let (guard, origin) = (ClockGuard::default(), Origin::fixed(noon(), 1));
        assert_eq!(guard.corrected(&origin).map(|told| told.now()), Some(noon()));
        let hours = chrono::Duration::hours(2);
        guard.found(Instant::now(), noon(), Standing::Off(hours));
        assert_eq!(guard.corrected(&origin).map(|told| told.now()), Some(noon() - hours));
        guard.found(Instant::now(), noon(), Standing::Unknown);
        assert!(guard.corrected(&origin).is_none());
    }
}
