//! The pace of texts: no number sends faster than carriers take it, and no business makes another wait for its crowd.
//!
//! A text takes three turns: in a lane of its business (answers do not wait behind reminders), in the share that its
//! business has in the number ([`share`]), then at the number it leaves from. A turn that lies ahead is remembered on the
//! message, so it is taken once and nobody overtakes. A few seconds' worth may leave at once; the provider spreads those
//! itself (trust requirements 45 and 87).

use chrono::{DateTime, Days, Duration, NaiveTime, TimeZone, Utc};
use chrono_tz::America::Los_Angeles;

use super::{Kind, send::Outgoing};
use crate::platform::{
    contact_hours::Class,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
};

mod members;
mod share;

pub use members::{Counts, Members};

/// A business that had nothing under way at a number may be this much ahead of the others there.
const LET_IN: Duration = Duration::seconds(15);
/// So much of a lane's time may be used at once.
const BURST: Duration = Duration::seconds(30);
/// The lane of a business for texts that answer somebody.
const ANSWERS: &str = "answers";
/// A lane that nobody used for this long is forgotten.
const FORGET: Duration = Duration::days(2);

/// How fast a number may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Segments a second: 1 for a long code, 3 for a toll-free number, 100 for a short code.
    pub segments_a_second: i64,
    /// Texts a day, until midnight in the carriers' zone.
    pub texts_a_day: i64,
    /// Among how many businesses the day of a shared service is divided ([`Members`]).
    pub members: i64,
}

impl Default for Pace {
    /// What the carriers take from a number and a brand they know least of (A2P 10DLC, low volume).
    fn default() -> Self {
        Self { segments_a_second: 1, texts_a_day: 2_000, members: 1 }
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Now,
    /// Later, with the turns it has had by then.
    At(DateTime<Utc>, i64),
    /// After the time for which it is worth sending.
    Never,
}

/// Takes the next turn of a text. What is too late to be of use takes none away from others.
pub(super) async fn turn(tx: &mut Tx, message: &Outgoing, pace: Pace, now: DateTime<Utc>) -> Result<Turn> {
    let mut burst = BURST;
    if message.paced < 1 && !share::has_room_today(&mut *tx, message, pace, now).await? {
        let at = midnight_after(now);
        return Ok(if at > message.deadline_at { Turn::Never } else { Turn::At(at, 0) });
    }
    for had in 1..=3 {
        if message.paced >= had {
            continue;
        }
        let (at, is_taken) = match had {
            1 => take(tx, &business_lane(message), message, (pace, BURST), now).await?,
            2 => {
                let turn = share::take(tx, message, pace, now).await?;
                if turn.was_idle {
                    burst = BURST + LET_IN;
                }
                (turn.at, turn.is_taken)
            }
            _ => match share::pass(tx, message, pace, now, message.paced < 2).await? {
                Some(again) => (again, false),
                None => take(tx, &number_lane(message), message, (pace, burst), now).await?,
            },
        };
        if at > message.deadline_at {
            return Ok(Turn::Never);
        }
        if at > now {
            return Ok(Turn::At(at, if is_taken { had } else { had - 1 }));
        }
    }
    Ok(Turn::Now)
}

/// Nothing leaves from this message's number before `until`: the provider said that too much waits there.
pub(super) async fn rest(tx: &mut Tx, message: &Outgoing, until: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO pace (lane, free_at_ms, day, texts) VALUES ($1, $2, '', 0)
         ON CONFLICT (lane) DO UPDATE SET free_at_ms = excluded.free_at_ms WHERE pace.free_at_ms < excluded.free_at_ms",
        number_lane(message),
        (until + BURST).timestamp_millis()
    )?;
    Ok(())
}

fn business_lane(message: &Outgoing) -> String {
    format!("{} of {}", if is_hurried(message) { ANSWERS } else { "others" }, message.org_id)
}

/// When a text that answers somebody would have its turn in the lanes of its business.
pub async fn answers_wait_until(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT free_at_ms FROM pace WHERE lane = $1";
    let free = q!(conn, fetch_optional scalar i64, sql, format!("{ANSWERS} of {org}"))?;
    Ok(free.and_then(DateTime::from_timestamp_millis).map(|free| free - BURST))
}

/// The businesses whose texts that answer somebody wait beyond that instant.
pub async fn businesses_paced_beyond(conn: &mut dyn AsConn, until: DateTime<Utc>) -> Result<Vec<OrgId>> {
    let sql = "SELECT lane FROM pace WHERE free_at_ms > $1";
    let lanes = q!(conn, fetch_all scalar String, sql, (until + BURST).timestamp_millis())?;
    let org = |lane: &String| lane.strip_prefix(ANSWERS)?.strip_prefix(" of ")?.parse().ok().map(OrgId);
    Ok(lanes.iter().filter_map(org).collect())
}

fn is_hurried(message: &Outgoing) -> bool {
    message.class == Class::Conversational || message.kind == Kind::OwnerNotice
}

/// What a text takes of a lane's time, in milliseconds.
fn cost(message: &Outgoing, pace: Pace) -> i64 {
    message.segments.unwrap_or(1).max(1) * 1_000 / pace.segments_a_second.max(1)
}

/// The day that carriers count by.
fn carriers_day(now: DateTime<Utc>) -> String {
    now.with_timezone(&Los_Angeles).format("%Y-%m-%d").to_string()
}

/// Businesses that share a service share its lane.
fn number_lane(message: &Outgoing) -> String {
    message.sender().unwrap_or("no sender").to_owned()
}

/// Takes a turn in one lane, and says when it is; when the day is used up, says when to ask again.
async fn take(
    tx: &mut Tx,
    lane: &str,
    message: &Outgoing,
    (pace, burst): (Pace, Duration),
    now: DateTime<Utc>,
) -> Result<(DateTime<Utc>, bool)> {
    let cost = cost(message, pace);
    let day = carriers_day(now);
    let (free, texts) = q!(
        &mut *tx,
        fetch_one as (i64, i64),
        "INSERT INTO pace (lane, free_at_ms, day, texts) VALUES ($1, $2 + $3, $4, 1)
         ON CONFLICT (lane) DO UPDATE SET
             free_at_ms = CASE WHEN pace.free_at_ms > $2 THEN pace.free_at_ms ELSE $2 END + $3,
             texts = CASE WHEN pace.day = $4 THEN pace.texts + 1 ELSE 1 END, day = $4
         RETURNING free_at_ms, texts",
        lane,
        now.timestamp_millis(),
        cost,
        day
    )?;
    let is_day_used_up = texts > pace.texts_a_day;
    let turn = DateTime::from_timestamp_millis(free - cost).unwrap_or(now) - burst;
    let at = if is_day_used_up { midnight_after(now) } else { turn };
    if at > message.deadline_at || is_day_used_up {
        let sql = "UPDATE pace SET free_at_ms = free_at_ms - $2, texts = texts - 1 WHERE lane = $1";
        q!(tx, execute, sql, lane, cost)?;
    }
    Ok((at, !is_day_used_up))
}

/// When the carriers begin to count anew.
fn midnight_after(now: DateTime<Utc>) -> DateTime<Utc> {
    let tomorrow = now.with_timezone(&Los_Angeles).date_naive() + Days::new(1);
    // No zone of the continental United States changes its clocks at midnight.
    let midnight = Los_Angeles.from_local_datetime(&tomorrow.and_time(NaiveTime::MIN)).earliest();
    midnight.map_or(now + Duration::days(1), |at| at.with_timezone(&Utc))
}

/// Forgets lanes that nobody uses any more.
pub(super) async fn tidy(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM pace WHERE free_at_ms < $1", (now - FORGET).timestamp_millis())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carriers_day_ends_at_midnight_in_california() {
        for (now, midnight) in [
            ("2026-11-21T07:59:00Z", "2026-11-21T08:00:00Z"),
            ("2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z"),
            ("2026-11-01T08:30:00Z", "2026-11-02T08:00:00Z"),
            ("2027-03-14T20:00:00Z", "2027-03-15T07:00:00Z"),
        ] {
            assert_eq!(midnight_after(now.parse().unwrap()), midnight.parse::<DateTime<Utc>>().unwrap(), "{now}");
        }
    }
}
