//! Send rate of texts: no number sends faster than carriers accept, and no business makes another wait for its own
//! texts.
//!
//! A text takes three turns: in a lane of its business (answers do not wait behind reminders), in the share of its
//! business in the number (`share`), then at the number. A turn in the future is stored on the message, so it is
//! taken once and not overtaken. A few seconds' worth may leave at once; the provider spreads those itself (trust
//! requirements 45 and 87).

use chrono::{DateTime, Days, Duration, NaiveTime, TimeZone, Utc};
use chrono_tz::America::Los_Angeles;

use super::{MessageKind, send::ClaimedMessage};
use crate::platform::{
    contact_hours::ContactClass,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
};

mod members;
mod share;

pub use members::{ServiceMemberCache, ServiceMemberCounts};

/// Head start of a business that had nothing pending at a number.
const LET_IN: Duration = Duration::seconds(15);
/// Lane time that may be used at once.
const BURST: Duration = Duration::seconds(30);
const ANSWERS: &str = "answers";
/// Unused lanes are deleted after this time.
const FORGET: Duration = Duration::days(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendRateLimit {
    /// Segments a second: 1 for a long code, 3 for a toll-free number, 100 for a short code.
    pub segments_a_second: i64,
    /// Texts a day, until midnight in the carriers' zone.
    pub texts_a_day: i64,
    /// Businesses among which the day of a shared service is divided ([`ServiceMemberCache`]).
    pub members: i64,
}

impl Default for SendRateLimit {
    /// Carrier limits for the least known number and brand (A2P 10DLC, low volume).
    fn default() -> Self {
        Self { segments_a_second: 1, texts_a_day: 2_000, members: 1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendSlot {
    Now,
    /// Later, with the number of turns had by then.
    At(DateTime<Utc>, i64),
    /// Past its deadline.
    Never,
}

/// Takes the next turn of a text. A text that would be too late takes none.
pub(super) async fn claim_send_slot(
    tx: &mut Tx,
    message: &ClaimedMessage,
    pace: SendRateLimit,
    now: DateTime<Utc>,
) -> Result<SendSlot> {
    let mut burst = BURST;
    if message.rate_limit_stage < 1 && !share::has_daily_quota_left(&mut *tx, message, pace, now).await? {
        let at = carrier_midnight_after(now);
        return Ok(if at > message.deadline_at { SendSlot::Never } else { SendSlot::At(at, 0) });
    }
    for had in 1..=3 {
        if message.rate_limit_stage >= had {
            continue;
        }
        let (at, is_taken) = match had {
            1 => claim_lane_slot(tx, &business_lane(message), message, (pace, BURST), now).await?,
            2 => {
                let turn = share::claim_share_slot(tx, message, pace, now).await?;
                if turn.was_idle {
                    burst = BURST + LET_IN;
                }
                (turn.at, turn.is_taken)
            }
            _ => match share::admit_to_sender(tx, message, pace, now, message.rate_limit_stage < 2).await? {
                Some(again) => (again, false),
                None => claim_lane_slot(tx, &number_lane(message), message, (pace, burst), now).await?,
            },
        };
        if at > message.deadline_at {
            return Ok(SendSlot::Never);
        }
        if at > now {
            return Ok(SendSlot::At(at, if is_taken { had } else { had - 1 }));
        }
    }
    Ok(SendSlot::Now)
}

/// Pauses the message's number until `until`: the provider reported a full queue there.
pub(super) async fn pause_sender(tx: &mut Tx, message: &ClaimedMessage, until: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO send_rate (lane, free_at_ms, day, texts) VALUES ($1, $2, '', 0)
         ON CONFLICT (lane) DO UPDATE SET free_at_ms = excluded.free_at_ms WHERE send_rate.free_at_ms < excluded.free_at_ms",
        number_lane(message),
        (until + BURST).timestamp_millis()
    )?;
    Ok(())
}

fn business_lane(message: &ClaimedMessage) -> String {
    format!("{} of {}", if is_priority_text(message) { ANSWERS } else { "others" }, message.org_id)
}

/// Next turn of an answer in the lanes of the business.
pub async fn replies_delayed_until(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT free_at_ms FROM send_rate WHERE lane = $1";
    let free = q!(conn, fetch_optional scalar i64, sql, format!("{ANSWERS} of {org}"))?;
    Ok(free.and_then(DateTime::from_timestamp_millis).map(|free| free - BURST))
}

pub async fn list_delayed_orgs(conn: &mut dyn AsConn, until: DateTime<Utc>) -> Result<Vec<OrgId>> {
    let sql = "SELECT lane FROM send_rate WHERE free_at_ms > $1";
    let lanes = q!(conn, fetch_all scalar String, sql, (until + BURST).timestamp_millis())?;
    let org = |lane: &String| lane.strip_prefix(ANSWERS)?.strip_prefix(" of ")?.parse().ok().map(OrgId);
    Ok(lanes.iter().filter_map(org).collect())
}

fn is_priority_text(message: &ClaimedMessage) -> bool {
    message.class == ContactClass::Conversational || message.kind == MessageKind::OwnerNotice
}

/// Lane time of a text, in milliseconds.
fn lane_cost_ms(message: &ClaimedMessage, pace: SendRateLimit) -> i64 {
    message.segments.unwrap_or(1).max(1) * 1_000 / pace.segments_a_second.max(1)
}

fn carrier_day(now: DateTime<Utc>) -> String {
    now.with_timezone(&Los_Angeles).format("%Y-%m-%d").to_string()
}

/// Businesses that share a service share its lane.
fn number_lane(message: &ClaimedMessage) -> String {
    message.sender().unwrap_or("no sender").to_owned()
}

/// Takes a turn in one lane and returns its time; when the day is used up, the time to ask again.
async fn claim_lane_slot(
    tx: &mut Tx,
    lane: &str,
    message: &ClaimedMessage,
    (pace, burst): (SendRateLimit, Duration),
    now: DateTime<Utc>,
) -> Result<(DateTime<Utc>, bool)> {
    let cost = lane_cost_ms(message, pace);
    let day = carrier_day(now);
    let (free, texts) = q!(
        &mut *tx,
        fetch_one as (i64, i64),
        "INSERT INTO send_rate (lane, free_at_ms, day, texts) VALUES ($1, $2 + $3, $4, 1)
         ON CONFLICT (lane) DO UPDATE SET
             free_at_ms = CASE WHEN send_rate.free_at_ms > $2 THEN send_rate.free_at_ms ELSE $2 END + $3,
             texts = CASE WHEN send_rate.day = $4 THEN send_rate.texts + 1 ELSE 1 END, day = $4
         RETURNING free_at_ms, texts",
        lane,
        now.timestamp_millis(),
        cost,
        day
    )?;
    let is_day_used_up = texts > pace.texts_a_day;
    let turn = DateTime::from_timestamp_millis(free - cost).unwrap_or(now) - burst;
    let at = if is_day_used_up { carrier_midnight_after(now) } else { turn };
    if at > message.deadline_at || is_day_used_up {
        let sql = "UPDATE send_rate SET free_at_ms = free_at_ms - $2, texts = texts - 1 WHERE lane = $1";
        q!(tx, execute, sql, lane, cost)?;
    }
    Ok((at, !is_day_used_up))
}

fn carrier_midnight_after(now: DateTime<Utc>) -> DateTime<Utc> {
    let tomorrow = now.with_timezone(&Los_Angeles).date_naive() + Days::new(1);
    // No zone of the continental United States changes its clocks at midnight.
    let midnight = Los_Angeles.from_local_datetime(&tomorrow.and_time(NaiveTime::MIN)).earliest();
    midnight.map_or(now + Duration::days(1), |at| at.with_timezone(&Utc))
}

pub(super) async fn prune_lanes(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM send_rate WHERE free_at_ms < $1", (now - FORGET).timestamp_millis())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carrier_day_ends_at_midnight_pacific_time() {
        for (now, midnight) in [
            ("2026-11-21T07:59:00Z", "2026-11-21T08:00:00Z"),
            ("2026-11-21T08:00:00Z", "2026-11-22T08:00:00Z"),
            ("2026-11-01T08:30:00Z", "2026-11-02T08:00:00Z"),
            ("2027-03-14T20:00:00Z", "2027-03-15T07:00:00Z"),
        ] {
            assert_eq!(
                carrier_midnight_after(now.parse().unwrap()),
                midnight.parse::<DateTime<Utc>>().unwrap(),
                "{now}"
            );
        }
    }
}
