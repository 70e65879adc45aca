//! A chosen time, kept for whoever is just filling in the rest.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::{
    KEPT, OFF, TAKEN,
    slots::{Book, But, span},
    wanted,
};
use crate::{
    domain::tenancy::org::Profile,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{CrewId, HoldId, OrgId},
    },
};

/// Times that one network may keep from others at once.
const PER_NETWORK: i64 = 3;

/// Times that all visitors may keep of one business at once. Beyond it the oldest is free again: networks cost nothing,
/// and whoever has many must not empty the calendar.
const PER_BUSINESS: i64 = 40;

/// What somebody wants, where, and when.
#[derive(Clone, Debug)]
pub struct Wish {
    pub service: String,
    pub zip: String,
    pub starts_at: DateTime<Utc>,
    /// What they chose before: it is free again.
    pub instead: Option<HoldId>,
    /// From which network, blurred.
    pub source: Option<Vec<u8>>,
}

/// A time that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Held {
    pub id: HoldId,
    pub crew_id: CrewId,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Whether the time could be kept now, asked without a lock: of many who want one time most need not wait in line to hear
/// that it is gone.
///
/// # Errors
/// Those of [`hold`].
pub async fn look(conn: &mut dyn AsConn, origin: &Origin, profile: &Profile, wish: &Wish) -> Result<()> {
    find_crew(conn, origin, profile, wish).await.map(|_| ())
}

/// Keeps a time with the crew that has the fewest jobs that day.
///
/// # Errors
/// [`Error::Invalid`] on what is not done, or not there; [`Error::Conflict`] when the time is not free any more.
pub async fn hold(tx: &mut Tx, origin: &Origin, profile: &Profile, wish: &Wish) -> Result<Held> {
    let (org, now) = (profile.org.id, origin.now());
    lock_crews(&mut *tx, org).await?;
    make_room(&mut *tx, org, now, wish).await?;
    let (crew_id, ends_at) = find_crew(&mut *tx, origin, profile, wish).await?;
    let starts_at = wish.starts_at;
    let held = Held { id: HoldId(origin.random_uuid()), crew_id, starts_at, ends_at, expires_at: now + KEPT };
    q!(
        tx,
        execute,
        "INSERT INTO slot_hold (org_id, id, crew_id, starts_at, ends_at, expires_at, source_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        org,
        held.id,
        held.crew_id,
        held.starts_at,
        held.ends_at,
        held.expires_at,
        wish.source.clone()
    )?;
    Ok(held)
}

/// Who could do what is wished, and until when.
async fn find_crew(
    conn: &mut dyn AsConn,
    origin: &Origin,
    profile: &Profile,
    wish: &Wish,
) -> Result<(CrewId, DateTime<Utc>)> {
    let (now, set) = (origin.now(), &profile.settings.booking);
    if !profile.takes_bookings() {
        return Err(Error::Conflict(OFF));
    }
    let (service, _) = wanted(profile, &wish.service, &wish.zip)?;
    let (starts_at, offered) = (wish.starts_at, span(set, profile.org.zone(), now));
    // Hostile dates end here, before anything is reckoned with them.
    if starts_at < offered.0 || starts_at >= offered.1 {
        return Err(Error::Conflict(TAKEN));
    }
    let ends_at = starts_at + Duration::minutes(service.minutes);
    let but = But { hold: wish.instead, job: None };
    let book = Book::read(conn, profile, now, (starts_at, ends_at), but).await?;
    if !book.is_offered(set, offered, starts_at) {
        return Err(Error::Conflict(TAKEN));
    }
    let crew = *book.free(starts_at, ends_at).first().ok_or(Error::Conflict(TAKEN))?;
    Ok((crew, ends_at))
}

/// Holds the bookable crews until the transaction ends, always in the same order: who gives them work waits.
pub(super) async fn lock_crews(tx: &mut Tx, org: OrgId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "SELECT id FROM crew WHERE org_id = $1 AND is_bookable = TRUE AND is_active = TRUE ORDER BY id";
    for crew in q!(&mut *tx, fetch_all scalar CrewId, sql, org)? {
        q!(&mut *tx, execute, "UPDATE crew SET name = name WHERE org_id = $1 AND id = $2", org, crew)?;
    }
    Ok(())
}

/// Lets go of what the same person chose before, and of what one network or all of them keep beyond their share, the
/// oldest first. What waits for a confirmation has no network.
async fn make_room(tx: &mut Tx, org: OrgId, now: DateTime<Utc>, wish: &Wish) -> Result<()> {
    if let Some(before) = wish.instead {
        release(&mut *tx, org, before).await?;
    }
    if let Some(source) = &wish.source {
        q!(
            &mut *tx,
            execute,
            "DELETE FROM slot_hold WHERE org_id = $1 AND source_hash = $2 AND expires_at > $3 AND id NOT IN (
                 SELECT id FROM slot_hold WHERE org_id = $1 AND source_hash = $2 AND expires_at > $3
                 ORDER BY expires_at DESC, id DESC LIMIT $4)",
            org,
            source.as_slice(),
            now,
            PER_NETWORK - 1
        )?;
    }
    q!(
        tx,
        execute,
        "DELETE FROM slot_hold WHERE org_id = $1 AND source_hash IS NOT NULL AND expires_at > $2 AND id NOT IN (
             SELECT id FROM slot_hold WHERE org_id = $1 AND source_hash IS NOT NULL AND expires_at > $2
             ORDER BY expires_at DESC, id DESC LIMIT $3)",
        org,
        now,
        PER_BUSINESS - 1
    )?;
    Ok(())
}

pub(super) async fn release(tx: &mut Tx, org: OrgId, id: HoldId) -> Result<()> {
    q!(tx, execute, "DELETE FROM slot_hold WHERE org_id = $1 AND id = $2", org, id)?;
    Ok(())
}

/// What is kept under this id, also when its time is over.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: HoldId) -> Result<Option<Held>> {
    let sql = "SELECT id, crew_id, starts_at, ends_at, expires_at FROM slot_hold WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional as Held, sql, org, id)?)
}
