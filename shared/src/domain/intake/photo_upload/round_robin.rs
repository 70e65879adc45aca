//! Fair order of photos: businesses take turns, so that one cannot delay the others; within a business networks take
//! turns, and within a network the order of leads applies. Photos of held requests come last, across all businesses,
//! because anyone can send them.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::PhotoUpload;
use crate::platform::{
    db::{AsConn, Db, q},
    error::Result,
    id::{OrgId, PhotoId},
};

/// Lease on a photo: longer than any photo takes, even with a slow store. A crashed worker holds it this long.
const CLAIM_TIMEOUT: Duration = Duration::minutes(2);

/// The business that had the last turn in this process. Turns go round in the order of ids.
#[derive(Debug, Default)]
pub struct OrgRoundRobin(Mutex<Uuid>);

impl OrgRoundRobin {
    fn last_org(&self) -> OrgId {
        OrgId(*self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set_last_org(&self, org: OrgId) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = org.0;
    }
}

pub async fn has_waiting(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    Ok(find_next(conn, OrgId(Uuid::nil()), now).await?.is_some())
}

async fn find_next(conn: &mut dyn AsConn, last: OrgId, now: DateTime<Utc>) -> Result<Option<(OrgId, PhotoId)>> {
    let first = OrgId(Uuid::nil());
    for (is_held, after) in [(false, last), (false, first), (true, last), (true, first)] {
        let found = find_first_after(&mut *conn, after, is_held, now).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

async fn find_first_after(
    conn: &mut dyn AsConn,
    after: OrgId,
    is_held: bool,
    now: DateTime<Utc>,
) -> Result<Option<(OrgId, PhotoId)>> {
    let sql = "SELECT org_id, id FROM photo_upload
         WHERE is_stored AND (busy_until IS NULL OR busy_until < $1) AND org_id > $2 AND is_held = $3
         ORDER BY org_id, turn, created_at, inquiry_id, position LIMIT 1";
    Ok(q!(conn, fetch_optional as (OrgId, PhotoId), sql, now, after, is_held)?)
}

/// The turn of the next photo of a network within its business: after the network's own, and not before those served
/// now.
pub(crate) async fn next_turn_of_network(conn: &mut dyn AsConn, org: OrgId, source: Option<&[u8]>) -> Result<i64> {
    let served = "SELECT MIN(turn) FROM photo_upload WHERE is_stored AND org_id = $1 AND is_held = $2";
    let served = q!(&mut *conn, fetch_one scalar Option<i64>, served, org, false)?;
    let served = served.unwrap_or_default();
    let Some(source) = source else { return Ok(served) };
    let own = "SELECT MAX(turn) FROM photo_upload WHERE org_id = $1 AND source_hash = $2";
    let own = q!(conn, fetch_one scalar Option<i64>, own, org, source)?;
    Ok(own.map_or(served, |own| served.max(own + 1)))
}

pub async fn claim_next_upload(db: &Db, turns: &OrgRoundRobin, now: DateTime<Utc>) -> Result<Option<PhotoUpload>> {
    loop {
        let Some((org, id)) = find_next(&mut db.acquire_reader().await?, turns.last_org(), now).await? else {
            return Ok(None);
        };
        let sql = "UPDATE photo_upload SET tries = tries + 1, busy_until = $4
             WHERE org_id = $1 AND id = $2 AND is_stored AND (busy_until IS NULL OR busy_until < $3)
             RETURNING org_id, id, lead_id, inquiry_id, position, original_name, raw_key, tries, created_at";
        let mut tx = db.begin().await?;
        let taken = q!(&mut tx, fetch_optional as PhotoUpload, sql, org, id, now, now + CLAIM_TIMEOUT)?;
        tx.commit().await?;
        // Otherwise another worker was faster; try the next one.
        if taken.is_some() {
            turns.set_last_org(org);
            return Ok(taken);
        }
    }
}
