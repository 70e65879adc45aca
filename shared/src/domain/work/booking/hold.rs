//! Hold of a chosen time while the customer fills in the form.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    SLOT_HOLD_TTL,
    hold_limits::{self, HoldSource},
    slots::{AvailabilityCalendar, AvailabilityExclusions, bookable_range},
    validate_service_and_zip,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        tenancy::org::{OrgContext, OrgProfile},
        work::crew::lock_bookable_crews,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{CrewId, HoldId, OrgId},
    },
};

#[derive(Clone, Debug)]
pub struct SlotHoldRequest {
    pub service: String,
    pub zip: String,
    pub starts_at: DateTime<Utc>,
    pub instead: Option<HoldId>,
    /// None for exempt callers, whose holds have no limits.
    pub source: Option<HoldSource>,
}

/// A time and its length, whatever is done then.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeWish {
    pub starts_at: DateTime<Utc>,
    pub length: Duration,
    pub instead: Option<HoldId>,
    pub source: Option<HoldSource>,
}

impl SlotHoldRequest {
    /// # Errors
    /// Those of [`hold_slot`].
    fn to_time_wish(&self, profile: &OrgProfile) -> Result<TimeWish> {
        if !profile.accepts_bookings() {
            return Err(ConflictCode::BookingOff.into_error());
        }
        let (service, _) = validate_service_and_zip(profile, &self.service, &self.zip)?;
        let (starts_at, length) = (self.starts_at, Duration::minutes(service.minutes));
        Ok(TimeWish { starts_at, length, instead: self.instead, source: self.source })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct SlotHold {
    pub id: HoldId,
    pub crew_id: CrewId,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// A chosen time that is not held, because a limit is reached, expires as it is chosen.
    pub expires_at: DateTime<Utc>,
}

/// Checks without a lock whether the time can be held, so that most of many concurrent callers fail without waiting.
///
/// # Errors
/// Those of [`hold_slot`].
pub async fn check_slot_free(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    wish: &SlotHoldRequest,
) -> Result<()> {
    find_free_crew(conn, origin, profile, wish.to_time_wish(profile)?).await.map(|_| ())
}

/// Holds a time with the crew that has the fewest jobs that day, in place of the caller's previous hold. Beyond the
/// limits the time is chosen but not held; no hold of another visitor gives way.
///
/// # Errors
/// `Error::Invalid` on an unknown service or area; `Error::Conflict` when the time is no longer free.
pub async fn hold_slot(tx: &mut Tx, ctx: &OrgContext<'_>, wish: &SlotHoldRequest) -> Result<SlotHold> {
    hold_time(tx, ctx, wish.to_time_wish(ctx.profile)?).await
}

/// The same for a time of any length.
pub(super) async fn hold_time(tx: &mut Tx, ctx: &OrgContext<'_>, wish: TimeWish) -> Result<SlotHold> {
    let (origin, org, now) = (ctx.origin, ctx.profile.org.id, ctx.origin.now());
    lock_bookable_crews(&mut *tx, org).await?;
    if let Some(before) = wish.instead {
        release_hold(&mut *tx, org, before).await?;
    }
    let (crew_id, ends_at) = find_free_crew(&mut *tx, origin, ctx.profile, wish).await?;
    let (id, starts_at) = (HoldId(origin.random_uuid()), wish.starts_at);
    let chosen = SlotHold { id, crew_id, starts_at, ends_at, expires_at: now };
    let may_hold = hold_limits::may_hold_slot(&mut *tx, ctx, &chosen, wish.source).await?;
    let held = SlotHold { expires_at: if may_hold { now + SLOT_HOLD_TTL } else { now }, ..chosen };
    insert_row!(
        tx,
        execute,
        slot_hold {
            org_id: org,
            id: held.id,
            crew_id: held.crew_id,
            starts_at: held.starts_at,
            ends_at: held.ends_at,
            expires_at: held.expires_at,
            source_hash: wish.source.map(|source| source.hash_network(ctx.secret)),
            surrounding_hash: wish.source.and_then(|source| source.hash_surrounding_network(ctx.secret)),
        }
    )?;
    Ok(held)
}

/// A crew that is free then, and the end of the visit.
///
/// # Errors
/// `Error::Conflict` when the time is not offered, or no longer free.
pub(super) async fn find_free_crew(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    wish: TimeWish,
) -> Result<(CrewId, DateTime<Utc>)> {
    let (now, set) = (origin.now(), &profile.settings.booking);
    if !profile.accepts_bookings() {
        return Err(ConflictCode::BookingOff.into_error());
    }
    let (starts_at, offered) = (wish.starts_at, bookable_range(set, profile.org.zone(), now));
    // Rejects extreme dates before any arithmetic with them.
    if starts_at < offered.0 || starts_at >= offered.1 {
        return Err(ConflictCode::SlotTaken.into_error());
    }
    let ends_at = starts_at + wish.length;
    let but = AvailabilityExclusions { hold: wish.instead, ..AvailabilityExclusions::default() };
    let book = AvailabilityCalendar::load_between(conn, profile, now, (starts_at, ends_at), but).await?;
    if !book.is_offered(set, offered, starts_at) {
        return Err(ConflictCode::SlotTaken.into_error());
    }
    let crew = *book.find_free_crews(starts_at, ends_at).first().ok_or(ConflictCode::SlotTaken.into_error())?;
    Ok((crew, ends_at))
}

pub(super) async fn release_hold(tx: &mut Tx, org: OrgId, id: HoldId) -> Result<()> {
    q!(tx, execute, "DELETE FROM slot_hold WHERE org_id = $1 AND id = $2", org, id)?;
    Ok(())
}

/// Also finds an expired hold.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: HoldId) -> Result<Option<SlotHold>> {
    let sql = "SELECT id, crew_id, starts_at, ends_at, expires_at FROM slot_hold WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional as SlotHold, sql, org, id)?)
}

pub async fn prune_expired_holds(tx: &mut Tx, before: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM slot_hold WHERE expires_at < $1", before)?;
    Ok(())
}
