//! Check of a process's clock: against the PostgreSQL server, and on `SQLite`, which has no clock, against the other
//! processes' signs of life.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Db, Engine, q},
    error::Result,
};

/// Largest permitted deviation.
pub const MAX_CLOCK_SKEW: Duration = Duration::minutes(1);
/// A process whose sign is unchanged for so many looks is dead.
const DEAD_AFTER: u32 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockStatus {
    InSync,
    /// Ahead of the others by this; behind when negative.
    Skewed(Duration),
    /// No agreement, and it is not known yet whether the others are alive.
    Unknown,
}

#[derive(Debug, Default)]
pub struct Heartbeats(BTreeMap<String, Heartbeat>);

#[derive(Clone, Copy, Debug)]
struct Heartbeat {
    at: DateTime<Utc>,
    /// How far this clock was ahead when the sign last changed: only then the sign tells the other's time.
    ahead: Option<Duration>,
    /// Looks that found it unchanged.
    looks: u32,
}

impl Heartbeat {
    fn is_live(&self) -> bool {
        self.looks < DEAD_AFTER
    }
}

#[must_use]
pub fn is_within_tolerance(ahead: Duration) -> bool {
    ahead.abs() <= MAX_CLOCK_SKEW
}

impl Heartbeats {
    /// Stores the latest signs of the others, and judges `now` by them: where they differ the majority is right.
    pub fn evaluate_clock(&mut self, now: DateTime<Utc>, found: Vec<(String, DateTime<Utc>)>) -> ClockStatus {
        let before = std::mem::take(&mut self.0);
        for (name, at) in found {
            let sign = match before.get(&name) {
                None => Heartbeat { at, ahead: None, looks: 0 },
                Some(known) if known.at == at => Heartbeat { looks: known.looks.saturating_add(1), ..*known },
                Some(_) => Heartbeat { at, ahead: Some(now - at), looks: 0 },
            };
            self.0.insert(name, sign);
        }
        let live = || self.0.values().filter(|sign| sign.is_live());
        let (near, off): (Vec<Duration>, Vec<Duration>) =
            live().filter_map(|sign| sign.ahead).partition(|ahead| is_within_tolerance(*ahead));
        let least = off.iter().copied().min_by_key(Duration::abs);
        match least {
            Some(ahead) if off.len() > near.len() => ClockStatus::Skewed(ahead),
            _ if !near.is_empty() || self.0.values().any(|sign| is_within_tolerance(now - sign.at)) => {
                ClockStatus::InSync
            }
            _ if live().next().is_some() => ClockStatus::Unknown,
            _ => ClockStatus::InSync,
        }
    }
}

pub async fn check_clock(db: &Db, origin: &ClockRng, worker: &str, signs: &mut Heartbeats) -> Result<ClockStatus> {
    if let Some(ahead) = measure_server_offset(db, origin).await? {
        return Ok(if is_within_tolerance(ahead) { ClockStatus::InSync } else { ClockStatus::Skewed(ahead) });
    }
    let mut conn = db.acquire_reader().await?;
    let found = list_other_heartbeats(&mut conn, worker).await?;
    drop(conn);
    Ok(signs.evaluate_clock(origin.now(), found))
}

/// How far this clock is ahead of the PostgreSQL server's; none on `SQLite`, which has no clock.
pub async fn measure_server_offset(db: &Db, origin: &ClockRng) -> Result<Option<Duration>> {
    if db.engine() != Engine::Postgres {
        return Ok(None);
    }
    let mut conn = db.acquire_reader().await?;
    let theirs = q!(&mut conn, fetch_one scalar DateTime<Utc>, "SELECT clock_timestamp()")?;
    Ok(Some(origin.now() - theirs))
}

async fn list_other_heartbeats(conn: &mut dyn AsConn, worker: &str) -> Result<Vec<(String, DateTime<Utc>)>> {
    let sql = "SELECT worker, seen_at FROM worker_heartbeat WHERE worker <> $1 AND stopped_at IS NULL";
    let mut found = q!(&mut *conn, fetch_all as (String, DateTime<Utc>), sql, worker)?;
    let processes = q!(conn, fetch_all as (i64, DateTime<Utc>), "SELECT process, proved_at FROM write_probe")?;
    found.extend(processes.into_iter().map(|(process, at)| (format!("process {process}"), at)));
    Ok(found)
}

/// Stores the deviation beside the worker's sign; none when the clock is right again.
pub async fn record_clock_skew(db: &Db, worker: &str, off: Option<Duration>) -> Result<()> {
    let mut tx = db.begin().await?;
    let ms = off.map(|off| off.num_milliseconds());
    q!(&mut tx, execute, "UPDATE worker_heartbeat SET clock_off_ms = $1 WHERE worker = $2", ms, worker)?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000) + Duration::seconds(seconds)
    }

    fn heartbeats(signs: &[(&str, i64)]) -> Vec<(String, DateTime<Utc>)> {
        signs.iter().map(|(name, seconds)| ((*name).to_owned(), at(*seconds))).collect()
    }

    const AHEAD: i64 = 7200;

    #[test]
    fn clock_alone_or_near_fresh_sign_is_judged_right() {
        assert_eq!(Heartbeats::default().evaluate_clock(at(0), vec![]), ClockStatus::InSync);
        assert_eq!(
            Heartbeats::default().evaluate_clock(at(0), heartbeats(&[("api", -20), ("dead", -90_000)])),
            ClockStatus::InSync
        );
    }

    #[test]
    fn clock_two_hours_ahead_is_unknown_then_off_with_its_offset() {
        let mut signs = Heartbeats::default();
        assert_eq!(signs.evaluate_clock(at(AHEAD), heartbeats(&[("api", 0)])), ClockStatus::Unknown);
        assert_eq!(signs.evaluate_clock(at(AHEAD + 5), heartbeats(&[("api", 0)])), ClockStatus::Unknown);
        let off = ClockStatus::Skewed(Duration::seconds(AHEAD));
        assert_eq!(signs.evaluate_clock(at(AHEAD + 10), heartbeats(&[("api", 10)])), off);
        assert_eq!(signs.evaluate_clock(at(AHEAD + 15), heartbeats(&[("api", 10)])), off);
        // It was corrected: the next sign shows it.
        assert_eq!(signs.evaluate_clock(at(20), heartbeats(&[("api", 20)])), ClockStatus::InSync);
    }

    #[test]
    fn clock_beside_dead_processes_is_judged_right_after_a_while() {
        let mut signs = Heartbeats::default();
        let dead = heartbeats(&[("api", -50_000), ("w0", -50_100)]);
        for look in 0..DEAD_AFTER {
            assert_eq!(signs.evaluate_clock(at(i64::from(look) * 5), dead.clone()), ClockStatus::Unknown);
        }
        assert_eq!(signs.evaluate_clock(at(30), dead), ClockStatus::InSync);
    }

    #[test]
    fn clock_of_majority_is_right_when_one_of_three_is_off() {
        let mut right = Heartbeats::default();
        right.evaluate_clock(at(0), heartbeats(&[("api", 0), ("off", AHEAD)]));
        assert_eq!(right.evaluate_clock(at(10), heartbeats(&[("api", 10), ("off", AHEAD + 10)])), ClockStatus::InSync);
        let mut off = Heartbeats::default();
        off.evaluate_clock(at(AHEAD), heartbeats(&[("api", 0), ("w1", 0)]));
        let status = off.evaluate_clock(at(AHEAD + 10), heartbeats(&[("api", 10), ("w1", 10)]));
        assert_eq!(status, ClockStatus::Skewed(Duration::seconds(AHEAD)));
    }
}
