//! The share of one business in a number that several send from: a part of its pace while others send too, and a part of
//! its day that others cannot use up (docs/trust-levels.md).
//!
//! A number of a business's own is nobody else's, and is not divided but between answers and the rest.

use chrono::{DateTime, Duration, Utc};

use super::{BURST, Pace, carriers_day, cost, is_hurried, midnight_after, number_lane};
use crate::{
    db::{Tx, q},
    error::Result,
    message::send::Outgoing,
};

/// A business that sent from a number within this time has a part of its day.
pub(super) const KNOWN_FOR: Duration = Duration::days(30);

/// When the turn of a share is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub at: DateTime<Utc>,
    /// Whether it was taken: it is remembered then.
    pub is_taken: bool,
    /// Whether the business had nothing under way at this number: it is let in at once.
    pub was_idle: bool,
}

/// One business's lane at the number, as it stands.
#[derive(sqlx::FromRow)]
struct Lane {
    #[sqlx(rename = "lane")]
    name: String,
    free_at_ms: i64,
    /// Of the carriers' day.
    texts: i64,
    sharers: i64,
}

fn prefix(message: &Outgoing) -> String {
    format!("share of {} ", number_lane(message))
}

fn lane(message: &Outgoing) -> String {
    let class = if is_hurried(message) { "answers" } else { "others" };
    format!("{}{} {class}", prefix(message), message.org_id)
}

/// The business of a lane whose name begins so.
fn owner<'a>(lane: &'a Lane, prefix: &str) -> &'a str {
    lane.name.strip_prefix(prefix).and_then(|rest| rest.split(' ').next()).unwrap_or_default()
}

/// Takes the next turn of a text in the share of its business.
pub(super) async fn take(tx: &mut Tx, message: &Outgoing, pace: Pace, now: DateTime<Utc>) -> Result<Turn> {
    let own = lane(message);
    hold(&mut *tx, &own, now).await?;
    let lanes = lanes(&mut *tx, message, now).await?;
    if !is_within_day(message, &lanes, pace) {
        return Ok(Turn { at: midnight_after(now), is_taken: false, was_idle: false });
    }
    let ms = now.timestamp_millis();
    let others: Vec<&Lane> = lanes.iter().filter(|one| one.name != own && one.free_at_ms > ms).collect();
    let sharers = i64::try_from(others.len()).unwrap_or(i64::MAX).saturating_add(1);
    let (free, before) = lanes.iter().find(|one| one.name == own).map_or((ms, 1), |one| (one.free_at_ms, one.sharers));
    let was_idle = free <= ms;
    let ahead = (free - ms).max(0);
    // What was divided among more than there are now is drawn together.
    let ahead = if sharers < before { ahead * sharers / before } else { ahead };
    let taken = cost(message, pace).saturating_mul(sharers);
    // A business's own other lane takes a part of the pace, and nothing of what may leave at once.
    let org = message.org_id.to_string();
    let is_alone = others.iter().all(|one| owner(one, &prefix(message)) == org);
    let burst = if is_alone { BURST.num_milliseconds() } else { 0 };
    let at = DateTime::from_timestamp_millis(ms + ahead - burst).unwrap_or(now);
    if at > message.deadline_at {
        return Ok(Turn { at, is_taken: false, was_idle });
    }
    let sql =
        "UPDATE pace SET free_at_ms = $2, day = $3, texts = CASE WHEN day = $3 THEN texts + 1 ELSE 1 END, sharers = $4
         WHERE lane = $1";
    q!(tx, execute, sql, own, ms + ahead + taken, carriers_day(now), sharers)?;
    Ok(Turn { at, is_taken: true, was_idle })
}

/// Makes the lane if it is new, and holds it: of two texts at the same instant one waits.
async fn hold(tx: &mut Tx, lane: &str, now: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO pace (lane, free_at_ms, day, texts, sharers) VALUES ($1, $2, '', 0, 1)
         ON CONFLICT (lane) DO UPDATE SET sharers = pace.sharers";
    q!(tx, execute, sql, lane, now.timestamp_millis())?;
    Ok(())
}

/// The lanes of all who share the number.
async fn lanes(tx: &mut Tx, message: &Outgoing, now: DateTime<Utc>) -> Result<Vec<Lane>> {
    let sql = "SELECT lane, free_at_ms, CASE WHEN day = $2 THEN texts ELSE 0 END AS texts, sharers FROM pace
         WHERE lane LIKE $1";
    Ok(q!(tx, fetch_all as Lane, sql, format!("{}%", prefix(message)), carriers_day(now))?)
}

/// Whether the business may send one more text from this number today. Half of the day is divided among those that are
/// known there, a tenth is kept for who comes new, and the rest is whose is first. Of its own part a business keeps a
/// fifth for its answers.
fn is_within_day(message: &Outgoing, lanes: &[Lane], pace: Pace) -> bool {
    if message.org_sms_number.is_some() {
        return true;
    }
    let org = message.org_id.to_string();
    let prefix = prefix(message);
    let mut used = std::collections::HashMap::<String, i64>::new();
    for one in lanes {
        *used.entry(owner(one, &prefix).to_owned()).or_default() += one.texts;
    }
    let known = i64::try_from(used.len()).unwrap_or(i64::MAX).max(1);
    let part = (pace.texts_a_day / 2 / known).max(1);
    let open = pace.texts_a_day * 2 / 5;
    let over: i64 = used.values().map(|used| (used - part).max(0)).sum();
    let own = used.get(&org).copied().unwrap_or_default();
    let limit = if is_hurried(message) { part } else { part * 4 / 5 };
    own < limit || over < open
}
