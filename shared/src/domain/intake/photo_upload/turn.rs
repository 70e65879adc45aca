//! Whose photo is next: one of each business in turn, so that the crowd of one makes no other wait; within a business one of
//! each network that forms come from, and those of one network in the order of the leads. Those of held requests come after
//! all others, of whichever business: anybody can send them.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::Upload;
use crate::platform::{
    db::{AsConn, Db, q},
    error::Result,
    id::{OrgId, PhotoId},
};

/// Longer than a photo takes, however slow the store. A worker that died with one has it for so long.
const BUSY: Duration = Duration::minutes(2);

/// Which business had the last turn in this process. They follow in the order of their ids, and then it is the first's
/// again.
#[derive(Debug, Default)]
pub struct Turns(Mutex<Uuid>);

impl Turns {
    fn last(&self) -> OrgId {
        OrgId(*self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn had(&self, org: OrgId) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = org.0;
    }
}

/// Whether a photo waits that nobody has.
pub async fn has_waiting(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    Ok(next(conn, OrgId(Uuid::nil()), now).await?.is_some())
}

/// The first photo of the next business after this one.
async fn next(conn: &mut dyn AsConn, last: OrgId, now: DateTime<Utc>) -> Result<Option<(OrgId, PhotoId)>> {
    let first = OrgId(Uuid::nil());
    for (is_held, after) in [(false, last), (false, first), (true, last), (true, first)] {
        let found = first_after(&mut *conn, after, is_held, now).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

async fn first_after(
    conn: &mut dyn AsConn,
    after: OrgId,
    is_held: bool,
    now: DateTime<Utc>,
) -> Result<Option<(OrgId, PhotoId)>> {
    let sql = "SELECT org_id, id FROM photo_upload
         WHERE is_stored AND (busy_until IS NULL OR busy_until < $1) AND org_id > $2 AND is_held = $3
         ORDER BY org_id, turn, created_at, touch_id, position LIMIT 1";
    Ok(q!(conn, fetch_optional as (OrgId, PhotoId), sql, now, after, is_held)?)
}

/// The turn of the next photo that comes from a network, among those of its business: after the network's own, and not
/// before those that are served now.
pub(crate) async fn of_network(conn: &mut dyn AsConn, org: OrgId, source: Option<&[u8]>) -> Result<i64> {
    let served = "SELECT MIN(turn) FROM photo_upload WHERE is_stored AND org_id = $1 AND is_held = $2";
    let served = q!(&mut *conn, fetch_one scalar Option<i64>, served, org, false)?;
    let served = served.unwrap_or_default();
    let Some(source) = source else { return Ok(served) };
    let own = "SELECT MAX(turn) FROM photo_upload WHERE org_id = $1 AND source_hash = $2";
    let own = q!(conn, fetch_one scalar Option<i64>, own, org, source)?;
    Ok(own.map_or(served, |own| served.max(own + 1)))
}

/// Takes the next photo of the line; none when nobody's waits.
pub async fn take(db: &Db, turns: &Turns, now: DateTime<Utc>) -> Result<Option<Upload>> {
    loop {
        let Some((org, id)) = next(&mut db.read().await?, turns.last(), now).await? else { return Ok(None) };
        let sql = "UPDATE photo_upload SET tries = tries + 1, busy_until = $4
             WHERE org_id = $1 AND id = $2 AND is_stored AND (busy_until IS NULL OR busy_until < $3)
             RETURNING org_id, id, lead_id, touch_id, position, original_name, raw_key, tries, created_at";
        let mut tx = db.begin().await?;
        let taken = q!(&mut tx, fetch_optional as Upload, sql, org, id, now, now + BUSY)?;
        tx.commit().await?;
        // Another worker may have been faster; then there is another first.
        if taken.is_some() {
            turns.had(org);
            return Ok(taken);
        }
    }
}
