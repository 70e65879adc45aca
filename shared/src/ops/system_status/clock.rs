//! Whether the clock of a process can be acted by: compared with that of the PostgreSQL server, and on `SQLite`, which has
//! none, with the other processes' signs of life.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Engine, q},
    error::Result,
};

/// How far a clock may be off.
pub const MOST_OFF: Duration = Duration::minutes(1);
/// A process whose sign has stayed the same for so many looks is dead.
const DEAD_AFTER: u32 = 6;

/// What the others say of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Right,
    /// It is ahead of the others by so much; behind when that is negative.
    Off(Duration),
    /// Nobody agrees, and whether those who do not are alive is not known yet.
    Unknown,
}

/// The other processes' signs, as they were found so far.
#[derive(Debug, Default)]
pub struct Signs(BTreeMap<String, Sign>);

#[derive(Clone, Copy, Debug)]
struct Sign {
    at: DateTime<Utc>,
    /// How far this clock was ahead when the sign last changed: only then it tells the other's time.
    ahead: Option<Duration>,
    /// How many looks have found it unchanged.
    looks: u32,
}

impl Sign {
    fn is_live(&self) -> bool {
        self.looks < DEAD_AFTER
    }
}

fn is_near(ahead: Duration) -> bool {
    ahead.abs() <= MOST_OFF
}

impl Signs {
    /// Takes in what the others last said, and judges `now` by it: where they differ the greater number is right.
    pub fn judge(&mut self, now: DateTime<Utc>, found: Vec<(String, DateTime<Utc>)>) -> Standing {
        let before = std::mem::take(&mut self.0);
        for (name, at) in found {
            let sign = match before.get(&name) {
                None => Sign { at, ahead: None, looks: 0 },
                Some(known) if known.at == at => Sign { looks: known.looks.saturating_add(1), ..*known },
                Some(_) => Sign { at, ahead: Some(now - at), looks: 0 },
            };
            self.0.insert(name, sign);
        }
        let live = || self.0.values().filter(|sign| sign.is_live());
        let (near, off): (Vec<Duration>, Vec<Duration>) =
            live().filter_map(|sign| sign.ahead).partition(|ahead| is_near(*ahead));
        let least = off.iter().copied().min_by_key(Duration::abs);
        match least {
            Some(ahead) if off.len() > near.len() => Standing::Off(ahead),
            _ if !near.is_empty() || self.0.values().any(|sign| is_near(now - sign.at)) => Standing::Right,
            _ if live().next().is_some() => Standing::Unknown,
            _ => Standing::Right,
        }
    }
}

/// Compares the clock of `worker`.
pub async fn look(db: &Db, origin: &Origin, worker: &str, signs: &mut Signs) -> Result<Standing> {
    let mut conn = db.read().await?;
    if db.engine() == Engine::Postgres {
        let theirs = q!(&mut conn, fetch_one scalar DateTime<Utc>, "SELECT clock_timestamp()")?;
        let ahead = origin.now() - theirs;
        return Ok(if is_near(ahead) { Standing::Right } else { Standing::Off(ahead) });
    }
    let found = others(&mut conn, worker).await?;
    drop(conn);
    Ok(signs.judge(origin.now(), found))
}

/// The last sign of each other process.
async fn others(conn: &mut dyn AsConn, worker: &str) -> Result<Vec<(String, DateTime<Utc>)>> {
    let sql = "SELECT worker, seen_at FROM worker_sign WHERE worker <> $1 AND stopped_at IS NULL";
    let mut found = q!(&mut *conn, fetch_all as (String, DateTime<Utc>), sql, worker)?;
    let processes = q!(conn, fetch_all as (i64, DateTime<Utc>), "SELECT process, proved_at FROM write_proof")?;
    found.extend(processes.into_iter().map(|(process, at)| (format!("process {process}"), at)));
    Ok(found)
}

/// Notes beside the worker's sign how far its clock is off; none when it is right again.
pub async fn note(db: &Db, worker: &str, off: Option<Duration>) -> Result<()> {
    let mut tx = db.begin().await?;
    let ms = off.map(|off| off.num_milliseconds());
    q!(&mut tx, execute, "UPDATE worker_sign SET clock_off_ms = $1 WHERE worker = $2", ms, worker)?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000) + Duration::seconds(seconds)
    }

    fn said(signs: &[(&str, i64)]) -> Vec<(String, DateTime<Utc>)> {
        signs.iter().map(|(name, seconds)| ((*name).to_owned(), at(*seconds))).collect()
    }

    const AHEAD: i64 = 7200;

    #[test]
    fn judge_alone_or_beside_a_fresh_sign_is_right() {
        assert_eq!(Signs::default().judge(at(0), vec![]), Standing::Right);
        assert_eq!(Signs::default().judge(at(0), said(&[("api", -20), ("dead", -90_000)])), Standing::Right);
    }

    #[test]
    fn judge_two_hours_ahead_of_a_live_process_holds_and_then_says_by_how_much() {
        let mut signs = Signs::default();
        assert_eq!(signs.judge(at(AHEAD), said(&[("api", 0)])), Standing::Unknown);
        assert_eq!(signs.judge(at(AHEAD + 5), said(&[("api", 0)])), Standing::Unknown);
        let off = Standing::Off(Duration::seconds(AHEAD));
        assert_eq!(signs.judge(at(AHEAD + 10), said(&[("api", 10)])), off);
        assert_eq!(signs.judge(at(AHEAD + 15), said(&[("api", 10)])), off);
        // It was set: the next sign says so.
        assert_eq!(signs.judge(at(20), said(&[("api", 20)])), Standing::Right);
    }

    #[test]
    fn judge_beside_dead_processes_only_goes_on_after_a_while() {
        let mut signs = Signs::default();
        let dead = said(&[("api", -50_000), ("w0", -50_100)]);
        for look in 0..DEAD_AFTER {
            assert_eq!(signs.judge(at(i64::from(look) * 5), dead.clone()), Standing::Unknown);
        }
        assert_eq!(signs.judge(at(30), dead), Standing::Right);
    }

    #[test]
    fn judge_of_three_of_whom_one_is_off_is_right_for_the_two() {
        let mut right = Signs::default();
        right.judge(at(0), said(&[("api", 0), ("off", AHEAD)]));
        assert_eq!(right.judge(at(10), said(&[("api", 10), ("off", AHEAD + 10)])), Standing::Right);
        let mut off = Signs::default();
        off.judge(at(AHEAD), said(&[("api", 0), ("w1", 0)]));
        let standing = off.judge(at(AHEAD + 10), said(&[("api", 10), ("w1", 10)]));
        assert_eq!(standing, Standing::Off(Duration::seconds(AHEAD)));
    }
}
