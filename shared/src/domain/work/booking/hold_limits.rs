//! Limits of held times. A hold beyond them is not made: the visitor chooses the time all the same, and without a proof
//! of their phone or email it becomes a request for the office. No hold displaces another.
//!
//! A day is measured in visits, not in start times, because one visit covers most start times of a short day. Networks
//! cost nothing, so holds of all networks together leave about half of each day free. One surrounding network holds one
//! time of a day, so that a stranger with many addresses uses up their own share. It is compared with the open holds and
//! not counted by the hour: a visitor who chooses another time of the day replaces their hold and is within the limit.

use std::net::IpAddr;

use chrono::{DateTime, Days, Duration, NaiveDate, NaiveTime, Utc};
use sqlx::FromRow;

use super::{
    hold::SlotHold,
    slots::{AvailabilityCalendar, AvailabilityExclusions, TimeRange, bookable_range},
};
use crate::{
    domain::{
        intake::lead::FormSender,
        tenancy::org::{BookingSettings, OrgContext},
    },
    platform::{
        business_hours,
        db::{AsConn, Tx, q},
        error::Result,
        secret::SecretKey,
        throttle::{self, WindowLimit},
    },
};

/// Open holds of one network whose visitors are still choosing.
const PER_NETWORK: i64 = 3;
/// Open holds of a business, as a multiple of the requests that its settings hold in a day; and at least so many.
const OPEN_PER_DAILY_REQUEST: i64 = 2;
const LEAST_OPEN: i64 = 6;
/// Open holds of a day that are always possible where so many visits fit into it.
const LEAST_OF_DAY: i64 = 2;
/// Open holds of a surrounding network on one day.
const PER_SURROUNDING_AND_DAY: i64 = 1;

/// Address of a caller whose holds are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldSource {
    pub ip: Option<IpAddr>,
}

impl HoldSource {
    pub(super) fn of_sender(sender: &FormSender) -> Option<Self> {
        (!sender.is_exempt).then_some(Self { ip: sender.ip })
    }

    pub(super) fn hash_network(self, secret: &SecretKey) -> Vec<u8> {
        secret.keyed_hash("slot hold", &throttle::network_key(self.ip))
    }

    /// Of the IPv4 /24 or the IPv6 /48; none where the address is not known.
    pub(super) fn hash_surrounding_network(self, secret: &SecretKey) -> Option<Vec<u8>> {
        let network = throttle::surrounding_network_key(self.ip)?;
        Some(secret.keyed_hash("slot hold", &network))
    }
}

/// Open holds besides the chosen one. One that waits for a confirmation does not count for its own network.
#[derive(FromRow)]
struct OpenHoldCounts {
    in_total: i64,
    of_network: i64,
    on_day: i64,
    of_surrounding: i64,
}

fn open_limit(set: &BookingSettings) -> i64 {
    (set.unproven_per_day * OPEN_PER_DAILY_REQUEST).max(LEAST_OPEN)
}

/// Open holds of a day into which so many visits fit: half of them, rounded up. One is held in any case.
fn open_limit_of_day(capacity: i64) -> i64 {
    let half = capacity - capacity / 2;
    half.max(LEAST_OF_DAY).min(capacity).max(1)
}

/// Whether a chosen time may be held. The caller has locked the bookable crews.
pub(super) async fn may_hold_slot(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    chosen: &SlotHold,
    source: Option<HoldSource>,
) -> Result<bool> {
    let Some(source) = source else { return Ok(true) };
    let day = day_around(ctx, chosen.starts_at);
    let open = count_open_holds(&mut *tx, ctx, chosen, source, day).await?;
    Ok(open.in_total < open_limit(&ctx.profile.settings.booking)
        && open.of_network < PER_NETWORK
        && open.of_surrounding < PER_SURROUNDING_AND_DAY
        && open.on_day
            < open_limit_of_day(load_day_capacity(&mut *tx, ctx, chosen.ends_at - chosen.starts_at, day).await?)
        && is_within_shares(tx, ctx, source).await?)
}

/// The business's day of an instant.
pub(super) fn day_around(ctx: &OrgContext<'_>, at: DateTime<Utc>) -> TimeRange {
    let zone = ctx.profile.org.zone();
    let midnight = |day: NaiveDate| business_hours::local_to_utc(zone, day.and_time(NaiveTime::MIN));
    let day = at.with_timezone(&zone).date_naive();
    (midnight(day), midnight(day.checked_add_days(Days::new(1)).unwrap_or(day)))
}

async fn count_open_holds(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    chosen: &SlotHold,
    source: HoldSource,
    day: TimeRange,
) -> Result<OpenHoldCounts> {
    Ok(q!(
        conn,
        fetch_one as OpenHoldCounts,
        "SELECT COUNT(*) AS in_total,
             COALESCE(SUM(CASE WHEN source_hash = $4 THEN 1 ELSE 0 END), 0) AS of_network,
             COALESCE(SUM(CASE WHEN starts_at >= $6 AND starts_at < $7 THEN 1 ELSE 0 END), 0) AS on_day,
             COALESCE(SUM(CASE WHEN starts_at >= $6 AND starts_at < $7 AND surrounding_hash = $5 THEN 1 ELSE 0 END), 0)
                 AS of_surrounding
         FROM slot_hold WHERE org_id = $1 AND id <> $2 AND expires_at > $3",
        ctx.profile.org.id,
        chosen.id,
        ctx.origin.now(),
        source.hash_network(ctx.secret),
        source.hash_surrounding_network(ctx.secret),
        day.0,
        day.1
    )?)
}

/// How many visits of this length fit into the free time of a day, as if nothing were held.
pub(super) async fn load_day_capacity(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    length: Duration,
    day: TimeRange,
) -> Result<i64> {
    let (profile, now) = (ctx.profile, ctx.origin.now());
    let set = &profile.settings.booking;
    let span = (day.0.max(bookable_range(set, profile.org.zone(), now).0), day.1);
    let all_but = AvailabilityExclusions { all_holds: true, ..AvailabilityExclusions::default() };
    let free = AvailabilityCalendar::load_between(conn, profile, now, span, all_but).await?;
    Ok(free.count_fitting_visits(span, length, set.grid_minutes))
}

/// Counts the hold for the networks around its caller: an IPv4 /24 or an IPv6 /48 makes at most half of the business's
/// open holds in an hour, an IPv6 /32 three quarters.
async fn is_within_shares(tx: &mut Tx, ctx: &OrgContext<'_>, source: HoldSource) -> Result<bool> {
    let (org, limit) = (ctx.profile.org.id, open_limit(&ctx.profile.settings.booking));
    for (place, part) in surrounding_shares(source.ip, limit) {
        let (place, limit) = (format!("{org}|{place}"), WindowLimit::per_hour(part));
        if !throttle::try_count_action(&mut *tx, ctx.origin, ctx.secret, "slot hold around", &place, limit).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The networks around a caller, with their part of a limit of the business.
pub(super) fn surrounding_shares(ip: Option<IpAddr>, limit: i64) -> impl Iterator<Item = (String, i64)> {
    let parts =
        [(throttle::surrounding_network_key(ip), limit / 2), (throttle::provider_network_key(ip), limit * 3 / 4)];
    parts.into_iter().filter_map(|(place, part)| Some((place?, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_limit_of_day_is_half_of_its_visits_and_at_least_two_that_fit() {
        for (capacity, limit) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 3), (9, 5)] {
            assert_eq!(open_limit_of_day(capacity), limit, "{capacity}");
        }
    }
}
