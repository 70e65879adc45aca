//! Limits of held times. A hold beyond them is not made: the visitor chooses the time all the same, and without a proof
//! of their phone or email it becomes a request for the office. Networks cost nothing, so none of the limits relies on
//! one network alone, and no hold displaces another.

use std::net::IpAddr;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};

use super::{
    hold::SlotHold,
    slots::{AvailabilityCalendar, AvailabilityExclusions, bookable_range},
};
use crate::{
    domain::{
        intake::lead::FormSender,
        tenancy::org::{OrgContext, settings::Booking},
    },
    platform::{
        business_hours,
        db::{AsConn, Tx, q},
        error::Result,
        id::{HoldId, OrgId},
        secret::SecretKey,
        throttle::{self, WindowLimit},
    },
};

/// Open holds of one network whose visitors are still choosing.
const PER_NETWORK: i64 = 3;
/// Open holds of a business, as a multiple of the requests that its settings hold in a day; and at least so many.
const OPEN_PER_DAILY_REQUEST: i64 = 2;
const LEAST_OPEN: i64 = 6;
/// Part of the free times of a day that holds may cover: one in so many.
const DAY_PART: usize = 3;

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
}

fn open_limit(set: &Booking) -> i64 {
    (set.unproven_per_day * OPEN_PER_DAILY_REQUEST).max(LEAST_OPEN)
}

/// Whether a chosen time may be held. The caller has locked the bookable crews.
pub(super) async fn may_hold_slot(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    chosen: &SlotHold,
    source: Option<HoldSource>,
) -> Result<bool> {
    let Some(source) = source else { return Ok(true) };
    let (org, now) = (ctx.profile.org.id, ctx.origin.now());
    let network = source.hash_network(ctx.secret);
    let (open, own) = count_open_holds(&mut *tx, (org, chosen.id), &network, now).await?;
    Ok(open < open_limit(&ctx.profile.settings.booking)
        && own < PER_NETWORK
        && leaves_day_open(&mut *tx, ctx, chosen).await?
        && is_within_shares(tx, ctx, source).await?)
}

/// Open holds of the business, and among them those of one network. A hold that waits for a confirmation counts for the
/// business only.
async fn count_open_holds(
    conn: &mut dyn AsConn,
    (org, but): (OrgId, HoldId),
    network: &[u8],
    now: DateTime<Utc>,
) -> Result<(i64, i64)> {
    Ok(q!(
        conn,
        fetch_one as (i64, i64),
        "SELECT COUNT(*), COALESCE(SUM(CASE WHEN source_hash = $4 THEN 1 ELSE 0 END), 0) FROM slot_hold
         WHERE org_id = $1 AND id <> $2 AND expires_at > $3",
        org,
        but,
        now,
        network
    )?)
}

/// Whether holds with this one cover at most a third of the free times of its day. While they cover none, one more is
/// held in any case.
async fn leaves_day_open(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, chosen: &SlotHold) -> Result<bool> {
    let (profile, now) = (ctx.profile, ctx.origin.now());
    let (zone, set) = (profile.org.zone(), &profile.settings.booking);
    let midnight = |day: NaiveDate| business_hours::local_to_utc(zone, day.and_time(NaiveTime::MIN));
    let day = chosen.starts_at.with_timezone(&zone).date_naive();
    let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
    let span = (midnight(day).max(bookable_range(set, zone, now).0), midnight(next));
    let length = chosen.ends_at - chosen.starts_at;
    let all_but = AvailabilityExclusions { all_holds: true, ..AvailabilityExclusions::default() };
    let free = AvailabilityCalendar::load_between(&mut *conn, profile, now, span, all_but).await?;
    let but = AvailabilityExclusions { hold: Some(chosen.id), ..AvailabilityExclusions::default() };
    let mut held = AvailabilityCalendar::load_between(conn, profile, now, span, but).await?;
    let count = |book: &AvailabilityCalendar| book.list_start_times(span, length, set.grid_minutes).len();
    let (all, before) = (count(&free), count(&held));
    held.add_busy_time(chosen.crew_id, (chosen.starts_at, chosen.ends_at));
    Ok(before >= all || all.saturating_sub(count(&held)) * DAY_PART <= all)
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
