//! The share of one business in a number that several send from: a part of its pace while others send too, and a part of
//! its day that others cannot use up, whether it has sent before or not (docs/trust-levels.md).
//!
//! A number of a business's own is nobody else's, and is not divided but between answers and the rest.
//!
//! A turn is reckoned among those that send when it is taken. Those that come later make it too early: when it has come,
//! a text of a business that has had more than its part by then takes another turn ([`pass`]), as long as the number has
//! more to send than it may.

use chrono::{DateTime, Duration, Utc};

use super::{BURST, Pace, carriers_day, cost, is_hurried, midnight_after, number_lane};
use crate::{
    domain::messaging::message::{Kind, send::Outgoing},
    platform::{
        db::{Tx, q},
        error::Result,
    },
};

/// So far may a lane that is in use alone be ahead. More than [`BURST`], which its business's lane and the number hold
/// it to: what was late there is not held up here once more.
const ALONE: Duration = Duration::seconds(60);

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
    passed_ms: i64,
}

/// The number, as it stands.
struct Shared {
    /// The lanes of all who share it.
    lanes: Vec<Lane>,
    /// What it has been given beyond what may leave at once, in milliseconds.
    over: i64,
}

impl Shared {
    /// The lanes in use, without this one.
    fn others(&self, own: &str, now: DateTime<Utc>) -> impl Iterator<Item = &Lane> {
        let ms = now.timestamp_millis();
        self.lanes.iter().filter(move |one| one.name != own && one.free_at_ms > ms)
    }

    /// Among how many lanes the number is divided now.
    fn sharers(&self, own: &str, now: DateTime<Utc>) -> i64 {
        i64::try_from(self.others(own, now).count()).unwrap_or(i64::MAX).saturating_add(1)
    }

    /// How far ahead a lane may be, in milliseconds: less, while the number has been given too much, until that is made
    /// good. So there is always room for who comes new.
    fn burst(&self) -> i64 {
        (BURST.num_milliseconds() - self.over.saturating_mul(2)).max(0)
    }

    fn own(&self, own: &str) -> Option<&Lane> {
        self.lanes.iter().find(|one| one.name == own)
    }
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
    let shared = look(&mut *tx, message, now).await?;
    if !is_within_day(message, &shared.lanes, pace) {
        return Ok(Turn { at: midnight_after(now), is_taken: false, was_idle: false });
    }
    let turn = next(&mut *tx, message, &shared, pace, now).await?;
    if turn.is_taken {
        let sql = "UPDATE pace SET day = $2, texts = CASE WHEN day = $2 THEN texts + 1 ELSE 1 END WHERE lane = $1";
        q!(tx, execute, sql, lane(message), carriers_day(now))?;
    }
    Ok(turn)
}

/// Lets a text whose turn has come go on to the number; or says when it comes again, when its business has had more
/// than its part meanwhile and others would wait for that. Who `has_just_come` by its turn goes on.
pub(super) async fn pass(
    tx: &mut Tx,
    message: &Outgoing,
    pace: Pace,
    now: DateTime<Utc>,
    has_just_come: bool,
) -> Result<Option<DateTime<Utc>>> {
    if message.org_sms_number.is_some() {
        return Ok(None);
    }
    let shared = look(&mut *tx, message, now).await?;
    let (own, prefix, org) = (lane(message), prefix(message), message.org_id.to_string());
    let ms = now.timestamp_millis();
    let passed = shared.own(&own).map_or(ms, |one| one.passed_ms.max(ms));
    let beyond = passed - ms - shared.burst();
    let is_shared = shared.others(&own, now).any(|one| owner(one, &prefix) != org);
    if !has_just_come && is_shared && shared.over > 0 && beyond > 0 {
        let turn = next(tx, message, &shared, pace, now).await?;
        return Ok(Some(turn.at.max(now + Duration::milliseconds(beyond))));
    }
    let taken = cost(message, pace).saturating_mul(shared.sharers(&own, now));
    q!(tx, execute, "UPDATE pace SET passed_ms = $2 WHERE lane = $1", own, passed.saturating_add(taken))?;
    Ok(None)
}

/// Takes the next turn in the lane, unless that is too late to be of use.
async fn next(tx: &mut Tx, message: &Outgoing, shared: &Shared, pace: Pace, now: DateTime<Utc>) -> Result<Turn> {
    let own = lane(message);
    let ms = now.timestamp_millis();
    let sharers = shared.sharers(&own, now);
    let (free, before) = shared.own(&own).map_or((ms, 1), |one| (one.free_at_ms, one.sharers));
    let was_idle = free <= ms;
    let burst = if sharers == 1 { ALONE.num_milliseconds() } else { shared.burst() };
    let ahead = (free - ms).max(0);
    // What was divided among more than there are now is drawn together, as far as it has to wait.
    let waits = (ahead - burst).max(0);
    let ahead = if sharers < before { ahead - waits + waits * sharers / before } else { ahead };
    let at = DateTime::from_timestamp_millis(ms + ahead - burst).unwrap_or(now);
    if at > message.deadline_at {
        return Ok(Turn { at, is_taken: false, was_idle });
    }
    let taken = cost(message, pace).saturating_mul(sharers);
    let sql = "UPDATE pace SET free_at_ms = $2, sharers = $3 WHERE lane = $1";
    q!(tx, execute, sql, own, ms + ahead + taken, sharers)?;
    Ok(Turn { at, is_taken: true, was_idle })
}

/// Whether the business may send one more text today, as far as its part of a shared day goes: asked before it takes a turn
/// in its own lane, so that what waits for tomorrow uses up nothing of today's there.
pub(super) async fn has_room_today(tx: &mut Tx, message: &Outgoing, pace: Pace, now: DateTime<Utc>) -> Result<bool> {
    if message.org_sms_number.is_some() {
        return Ok(true);
    }
    Ok(is_within_day(message, &lanes(tx, message, now).await?, pace))
}

/// The lanes of all who share the number that this text leaves from.
async fn lanes(tx: &mut Tx, message: &Outgoing, now: DateTime<Utc>) -> Result<Vec<Lane>> {
    let sql = "SELECT lane, free_at_ms, CASE WHEN day = $2 THEN texts ELSE 0 END AS texts, sharers, passed_ms FROM pace
         WHERE sender = $1";
    Ok(q!(tx, fetch_all as Lane, sql, number_lane(message), carriers_day(now))?)
}

/// The number as it stands, with the lane of this message, which is held until the transaction ends: of two texts at the
/// same instant one waits.
async fn look(tx: &mut Tx, message: &Outgoing, now: DateTime<Utc>) -> Result<Shared> {
    let sender = number_lane(message);
    let sql = "INSERT INTO pace (lane, sender, free_at_ms, day, texts, sharers) VALUES ($1, $2, $3, '', 0, 1)
         ON CONFLICT (lane) DO UPDATE SET sender = excluded.sender";
    q!(&mut *tx, execute, sql, lane(message), sender.as_str(), now.timestamp_millis())?;
    let lanes = lanes(&mut *tx, message, now).await?;
    let sql = "SELECT free_at_ms FROM pace WHERE lane = $1";
    let free = q!(tx, fetch_optional scalar i64, sql, sender.as_str())?.unwrap_or_default();
    Ok(Shared { lanes, over: free.saturating_sub((now + BURST).timestamp_millis()).max(0) })
}

/// Whether the business may send one more text from this number today.
fn is_within_day(message: &Outgoing, lanes: &[Lane], pace: Pace) -> bool {
    if message.org_sms_number.is_some() {
        return true;
    }
    let (prefix, org) = (prefix(message), message.org_id.to_string());
    let used: i64 = lanes.iter().filter(|one| owner(one, &prefix) == org).map(|one| one.texts).sum();
    has_room(used, part(pace), is_hurried(message) && message.kind != Kind::Manual)
}

/// The part of one business in the day of a service, the same for all who share it.
fn part(pace: Pace) -> i64 {
    (pace.texts_a_day / pace.members.max(1)).max(1)
}

/// Whether a business that has used so much of its part may send one more. A fifth is kept for automatic answers. The
/// parts together are no more than the day, so nobody uses up another's.
fn has_room(used: i64, part: i64, is_automatic_answer: bool) -> bool {
    used < if is_automatic_answer { part } else { part - part / 5 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn first_answers_of_each_business_leave_whatever_the_others_send(
            texts_a_day in 12_i64..300,
            businesses in 1_usize..12,
            order in proptest::collection::vec((0_usize..12, any::<bool>()), 0..600),
        ) {
            let members = i64::try_from(businesses).unwrap();
            let part = part(Pace { texts_a_day, members, ..Pace::default() });
            prop_assert_eq!(part, texts_a_day / members);
            let (mut used, mut answers) = (vec![0_i64; businesses], vec![0_i64; businesses]);
            for (one, is_answer) in order {
                let one = one % businesses;
                let leaves = has_room(used[one], part, is_answer) && used.iter().sum::<i64>() < texts_a_day;
                if is_answer && !leaves {
                    prop_assert!(used[one] == part, "its own texts have used up its part");
                    prop_assert!(answers[one] >= part / 5, "and a fifth of it were answers");
                }
                used[one] += i64::from(leaves);
                answers[one] += i64::from(leaves && is_answer);
            }
        }
    }
}
