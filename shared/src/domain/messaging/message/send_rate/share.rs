//! Share of one business in a number that several send from: a part of its rate while others send too, and a part of
//! its day that others cannot use up, whether it has sent before or not (docs/trust-levels.md).
//!
//! A business's own number is divided only between answers and the rest.
//!
//! A turn is computed among the businesses that send when it is taken. Later senders make it too early: when it has
//! come, a text of a business that exceeded its part by then takes another turn ([`admit_to_sender`]), as long as the
//! number has more to send than it may.

use chrono::{DateTime, Duration, Utc};

use super::{BURST, SendRateLimit, carrier_day, carrier_midnight_after, is_priority_text, lane_cost_ms, number_lane};
use crate::{
    domain::messaging::message::{MessageKind, send::ClaimedMessage},
    platform::{
        db::{Tx, q},
        error::Result,
    },
};

/// Head start of a lane used alone. More than [`BURST`], so that a delay in the lane or at the number counts once.
const ALONE: Duration = Duration::seconds(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedSlot {
    pub at: DateTime<Utc>,
    /// Taken turns are stored.
    pub is_taken: bool,
    /// The business had nothing pending at this number: it is let in at once.
    pub was_idle: bool,
}

#[derive(sqlx::FromRow)]
struct SenderLane {
    #[sqlx(rename = "lane")]
    name: String,
    free_at_ms: i64,
    /// On the carriers' day.
    texts: i64,
    sharers: i64,
    passed_ms: i64,
}

struct SharedSender {
    lanes: Vec<SenderLane>,
    /// Time given beyond what may leave at once, in milliseconds.
    over: i64,
}

impl SharedSender {
    fn other_active_lanes(&self, own: &str, now: DateTime<Utc>) -> impl Iterator<Item = &SenderLane> {
        let ms = now.timestamp_millis();
        self.lanes.iter().filter(move |one| one.name != own && one.free_at_ms > ms)
    }

    fn count_sharers(&self, own: &str, now: DateTime<Utc>) -> i64 {
        i64::try_from(self.other_active_lanes(own, now).count()).unwrap_or(i64::MAX).saturating_add(1)
    }

    /// How far ahead a lane may be, in ms. Less while the number has given too much: room for new senders.
    fn burst_allowance_ms(&self) -> i64 {
        (BURST.num_milliseconds() - self.over.saturating_mul(2)).max(0)
    }

    fn find_lane(&self, own: &str) -> Option<&SenderLane> {
        self.lanes.iter().find(|one| one.name == own)
    }
}

fn lane_prefix(message: &ClaimedMessage) -> String {
    format!("share of {} ", number_lane(message))
}

fn lane_name(message: &ClaimedMessage) -> String {
    let class = if is_priority_text(message) { "answers" } else { "others" };
    format!("{}{} {class}", lane_prefix(message), message.org_id)
}

fn lane_owner<'a>(lane: &'a SenderLane, prefix: &str) -> &'a str {
    lane.name.strip_prefix(prefix).and_then(|rest| rest.split(' ').next()).unwrap_or_default()
}

pub(super) async fn claim_share_slot(
    tx: &mut Tx,
    message: &ClaimedMessage,
    pace: SendRateLimit,
    now: DateTime<Utc>,
) -> Result<SharedSlot> {
    let shared = lock_shared_sender(&mut *tx, message, now).await?;
    if !is_within_daily_share(message, &shared.lanes, pace) {
        return Ok(SharedSlot { at: carrier_midnight_after(now), is_taken: false, was_idle: false });
    }
    let turn = claim_next_slot(&mut *tx, message, &shared, pace, now).await?;
    if turn.is_taken {
        let sql = "UPDATE send_rate SET day = $2, texts = CASE WHEN day = $2 THEN texts + 1 ELSE 1 END WHERE lane = $1";
        q!(tx, execute, sql, lane_name(message), carrier_day(now))?;
    }
    Ok(turn)
}

/// Lets a text whose turn has come go on to the number, or returns its next turn if its business exceeded its part
/// meanwhile and others would wait for that. With `has_just_come` it goes on.
pub(super) async fn admit_to_sender(
    tx: &mut Tx,
    message: &ClaimedMessage,
    pace: SendRateLimit,
    now: DateTime<Utc>,
    has_just_come: bool,
) -> Result<Option<DateTime<Utc>>> {
    if message.org_sms_number.is_some() {
        return Ok(None);
    }
    let shared = lock_shared_sender(&mut *tx, message, now).await?;
    let (own, prefix, org) = (lane_name(message), lane_prefix(message), message.org_id.to_string());
    let ms = now.timestamp_millis();
    let passed = shared.find_lane(&own).map_or(ms, |one| one.passed_ms.max(ms));
    let beyond = passed - ms - shared.burst_allowance_ms();
    let is_shared = shared.other_active_lanes(&own, now).any(|one| lane_owner(one, &prefix) != org);
    if !has_just_come && is_shared && shared.over > 0 && beyond > 0 {
        let turn = claim_next_slot(tx, message, &shared, pace, now).await?;
        return Ok(Some(turn.at.max(now + Duration::milliseconds(beyond))));
    }
    let taken = lane_cost_ms(message, pace).saturating_mul(shared.count_sharers(&own, now));
    q!(tx, execute, "UPDATE send_rate SET passed_ms = $2 WHERE lane = $1", own, passed.saturating_add(taken))?;
    Ok(None)
}

async fn claim_next_slot(
    tx: &mut Tx,
    message: &ClaimedMessage,
    shared: &SharedSender,
    pace: SendRateLimit,
    now: DateTime<Utc>,
) -> Result<SharedSlot> {
    let own = lane_name(message);
    let ms = now.timestamp_millis();
    let sharers = shared.count_sharers(&own, now);
    let (free, before) = shared.find_lane(&own).map_or((ms, 1), |one| (one.free_at_ms, one.sharers));
    let was_idle = free <= ms;
    let burst = if sharers == 1 { ALONE.num_milliseconds() } else { shared.burst_allowance_ms() };
    let ahead = (free - ms).max(0);
    // With fewer sharers than before, the part that has to wait shrinks in proportion.
    let waits = (ahead - burst).max(0);
    let ahead = if sharers < before { ahead - waits + waits * sharers / before } else { ahead };
    let at = DateTime::from_timestamp_millis(ms + ahead - burst).unwrap_or(now);
    if at > message.deadline_at {
        return Ok(SharedSlot { at, is_taken: false, was_idle });
    }
    let taken = lane_cost_ms(message, pace).saturating_mul(sharers);
    let sql = "UPDATE send_rate SET free_at_ms = $2, sharers = $3 WHERE lane = $1";
    q!(tx, execute, sql, own, ms + ahead + taken, sharers)?;
    Ok(SharedSlot { at, is_taken: true, was_idle })
}

/// Asked before a turn in the business's own lane, so that a text waiting for tomorrow uses up nothing there today.
pub(super) async fn has_daily_quota_left(
    tx: &mut Tx,
    message: &ClaimedMessage,
    pace: SendRateLimit,
    now: DateTime<Utc>,
) -> Result<bool> {
    if message.org_sms_number.is_some() {
        return Ok(true);
    }
    Ok(is_within_daily_share(message, &list_lanes(tx, message, now).await?, pace))
}

async fn list_lanes(tx: &mut Tx, message: &ClaimedMessage, now: DateTime<Utc>) -> Result<Vec<SenderLane>> {
    let sql =
        "SELECT lane, free_at_ms, CASE WHEN day = $2 THEN texts ELSE 0 END AS texts, sharers, passed_ms FROM send_rate
         WHERE sender = $1";
    Ok(q!(tx, fetch_all as SenderLane, sql, number_lane(message), carrier_day(now))?)
}

/// Locks the row of this message's lane until the transaction ends: of two texts at the same instant one waits.
async fn lock_shared_sender(tx: &mut Tx, message: &ClaimedMessage, now: DateTime<Utc>) -> Result<SharedSender> {
    let sender = number_lane(message);
    let sql = "INSERT INTO send_rate (lane, sender, free_at_ms, day, texts, sharers) VALUES ($1, $2, $3, '', 0, 1)
         ON CONFLICT (lane) DO UPDATE SET sender = excluded.sender";
    q!(&mut *tx, execute, sql, lane_name(message), sender.as_str(), now.timestamp_millis())?;
    let lanes = list_lanes(&mut *tx, message, now).await?;
    let sql = "SELECT free_at_ms FROM send_rate WHERE lane = $1";
    let free = q!(tx, fetch_optional scalar i64, sql, sender.as_str())?.unwrap_or_default();
    Ok(SharedSender { lanes, over: free.saturating_sub((now + BURST).timestamp_millis()).max(0) })
}

fn is_within_daily_share(message: &ClaimedMessage, lanes: &[SenderLane], pace: SendRateLimit) -> bool {
    if message.org_sms_number.is_some() {
        return true;
    }
    let (prefix, org) = (lane_prefix(message), message.org_id.to_string());
    let of_all = lanes.iter().filter(|one| one.name.starts_with(&prefix));
    let left = pace.texts_a_day - of_all.map(|one| one.texts).sum::<i64>();
    let used: i64 = lanes.iter().filter(|one| lane_owner(one, &prefix) == org).map(|one| one.texts).sum();
    has_quota_left(used, daily_share(pace), is_priority_text(message) && message.kind != MessageKind::Manual)
        && may_use_rest(used, left, pace)
}

/// Part of one business in the day of a service, the same for all who share it: of nine tenths. The last tenth is for
/// businesses that join during the day, when the former have had larger parts.
fn daily_share(pace: SendRateLimit) -> i64 {
    ((pace.texts_a_day - newcomer_reserve(pace)) / pace.members.max(1)).max(1)
}

fn newcomer_reserve(pace: SendRateLimit) -> i64 {
    pace.texts_a_day / 10
}

/// Of the last tenth a business takes no more than it leaves to others that join still later.
fn may_use_rest(used: i64, left: i64, pace: SendRateLimit) -> bool {
    left > newcomer_reserve(pace) || used < left
}

/// A fifth is kept for automatic answers. The parts add up to no more than the day: no business uses up another's.
fn has_quota_left(used: i64, part: i64, is_automatic_answer: bool) -> bool {
    used < if is_automatic_answer { part } else { part - part / 5 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn first_replies_of_each_business_leave_despite_other_traffic(
            texts_a_day in 12_i64..300,
            businesses in 1_usize..12,
            order in proptest::collection::vec((0_usize..12, any::<bool>()), 0..600),
        ) {
            let members = i64::try_from(businesses).unwrap();
            let pace = SendRateLimit { texts_a_day, members, ..SendRateLimit::default() };
            let part = daily_share(pace);
            prop_assert_eq!(part, (texts_a_day - texts_a_day / 10) / members);
            let (mut used, mut answers) = (vec![0_i64; businesses], vec![0_i64; businesses]);
            for (one, is_answer) in order {
                let one = one % businesses;
                let left = texts_a_day - used.iter().sum::<i64>();
                let leaves = has_quota_left(used[one], part, is_answer) && may_use_rest(used[one], left, pace);
                if is_answer && !leaves {
                    prop_assert!(used[one] == part, "its own texts have used up its part");
                    prop_assert!(answers[one] >= part / 5, "and a fifth of it were answers");
                }
                used[one] += i64::from(leaves);
                answers[one] += i64::from(leaves && is_answer);
            }
        }
    }

    #[test]
    fn each_of_several_businesses_joining_a_used_up_day_gets_half_of_the_rest() {
        let mut left = 200;
        for (members, takes) in [(2, 100), (3, 50), (4, 25), (5, 13), (6, 6)] {
            let pace = SendRateLimit { texts_a_day: 2_000, members, ..SendRateLimit::default() };
            let mut used = 0;
            while has_quota_left(used, daily_share(pace), true) && may_use_rest(used, left, pace) {
                (used, left) = (used + 1, left - 1);
            }
            assert_eq!(used, takes, "business {members}");
        }
    }
}
