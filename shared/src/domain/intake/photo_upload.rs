//! Photos of forms that wait to be redrawn. The lead is taken first; its photos join it when a worker has redrawn them.
//!
//! Until then the bytes lie as they came: in the file store under a key that ends in `.raw`, or, while a bucket does not
//! take them, in a folder of the API ([`NewUpload::is_stored`]). They hold where a photo was taken: nobody is served them,
//! and they go as soon as the photo is redrawn or refused. The row is what counts: its removal ends the
//! wait, so that two workers at one photo, or one that died between two steps, do no harm.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::FromRow;

use crate::{
    domain::{
        intake::lead::NewPhoto,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            file::quota,
        },
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Db, Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::{Error, Result},
        id::{LeadId, OrgId, PhotoId, TouchId},
        live::{self, Topic},
        tasks::{self, Kind, NewTask},
    },
};

pub mod turn;
pub mod waiting;

/// What all photos that wait may come to, unless `PHOTO_SPOOL_BYTES` says otherwise.
pub const DEFAULT_LIMIT: i64 = 2_000_000_000;
/// After the store failed, that photo waits for so long.
const AFTER_FAULT: Duration = Duration::seconds(30);
/// A photo that ended so many runs without a word, as one that kills the process would, ends no more.
pub const MOST_TRIES: i64 = 5;
/// What waits longer than this is carried by no task.
const OVERDUE: Duration = Duration::minutes(1);
/// A photo that the store has not been given after so long lies on a machine that is gone.
const LOST_AFTER: Duration = Duration::days(7);
const RAW: &str = ".raw";

/// A photo that came in and lies, as it came, in the file store or in the API's folder.
#[derive(Clone, Debug)]
pub struct NewUpload {
    pub id: PhotoId,
    pub original_name: String,
    pub bytes: i64,
    pub raw_key: String,
    /// Whether the file store has the bytes.
    pub is_stored: bool,
}

/// A photo in a worker's hands.
#[derive(Clone, Debug, FromRow)]
pub struct Upload {
    pub org_id: OrgId,
    pub id: PhotoId,
    pub lead_id: LeadId,
    pub touch_id: TouchId,
    pub position: i64,
    pub original_name: String,
    pub raw_key: String,
    /// Runs that were begun and did not come back, this one too.
    pub tries: i64,
    pub created_at: DateTime<Utc>,
}

/// Where the bytes lie as they came.
#[must_use]
pub fn raw_key(org: OrgId, id: PhotoId) -> String {
    format!("{org}/{id}{RAW}")
}

/// Whether a key of the file store is that of bytes as they came, which leave the install by no way.
#[must_use]
pub fn is_raw(key: &str) -> bool {
    key.ends_with(RAW)
}

/// The rows of a form's photos, for a lead that `is_held` or not. Last come the network, blurred, and the turn of the first
/// photo ([`turn::of_network`]); photos of no network that is counted have one turn together.
pub(crate) fn rows<'a>(
    origin: &Origin,
    org: OrgId,
    (lead, is_held): (LeadId, bool),
    touch: TouchId,
    photos: &'a [NewUpload],
    (source, turn): (Option<Vec<u8>>, i64),
) -> Insert<'a> {
    let now = origin.now();
    let step = i64::from(source.is_some());
    Insert::into(
        "photo_upload (org_id, id, lead_id, touch_id, position, original_name, bytes, raw_key, is_stored, is_held, tries,
             created_at, source_hash, turn)",
    )
    .rows((0_i64..).zip(photos).map(|(position, photo)| {
        values![
            org,
            photo.id,
            lead,
            touch,
            position,
            photo.original_name.as_str(),
            photo.bytes,
            photo.raw_key.as_str(),
            photo.is_stored,
            is_held,
            0_i64,
            now,
            source.clone(),
            turn + position * step
        ]
    }))
}

/// A wish that photos be redrawn. Nobody's: it takes up no place among the tasks of the business.
pub(crate) fn wanted(origin: &Origin, subject: uuid::Uuid) -> NewTask {
    NewTask {
        org: None,
        kind: Kind::RedrawPhotos,
        subject: Some(subject),
        run_at: origin.now(),
        unique_key: format!("photos:{subject}"),
    }
}

/// What the photos of one business may come to while they wait: half of what the others leave free. So there is room for
/// one more business, however many have filled their shares.
#[must_use]
pub fn share(limit: i64, others: i64) -> i64 {
    limit.saturating_sub(others).max(0) / 2
}

/// What one network may be sending at one time, and up to where the photos of one that sends too many requests are taken.
#[must_use]
pub fn share_of_network(limit: i64) -> i64 {
    limit / 4
}

/// Refuses photos for which the business has no room: what waits counts as it came.
///
/// # Errors
/// [`Error::QuotaFull`] when the business would have more than `limit` bytes.
pub async fn check_room(conn: &mut dyn AsConn, org: OrgId, bytes: i64, limit: i64) -> Result<()> {
    let used = quota::of(&mut *conn, org, limit).await?.used;
    let waiting = waiting::bytes_of(conn, org).await?;
    if used.saturating_add(waiting).saturating_add(bytes) <= limit { Ok(()) } else { Err(Error::QuotaFull) }
}

/// How many photos of a lead wait.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM photo_upload WHERE org_id = $1 AND lead_id = $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, lead)?)
}

/// Whether the file store has the bytes; none when the photo does not wait any more.
pub async fn is_stored(conn: &mut dyn AsConn, org: OrgId, id: PhotoId) -> Result<Option<bool>> {
    let sql = "SELECT is_stored FROM photo_upload WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar bool, sql, org, id)?)
}

/// The photos of a lead wait among those of held requests, or no more. Before the lead itself is changed, as where a photo
/// is refused.
pub(crate) async fn hold(tx: &mut Tx, org: OrgId, lead: LeadId, is_held: bool) -> Result<()> {
    let sql = "UPDATE photo_upload SET is_held = $3 WHERE org_id = $1 AND lead_id = $2 AND is_held <> $3";
    q!(tx, execute, sql, org, lead, is_held)?;
    Ok(())
}

/// The file store has the bytes now, and a worker may take the photo. Returns whether it still waits: not when the person who sent
/// it was erased meanwhile.
pub async fn stored(tx: &mut Tx, origin: &Origin, org: OrgId, id: PhotoId) -> Result<bool> {
    let sql = "UPDATE photo_upload SET is_stored = TRUE WHERE org_id = $1 AND id = $2 AND NOT is_stored";
    if q!(&mut *tx, execute, sql, org, id)? > 0 {
        tasks::enqueue(tx, origin, vec![wanted(origin, id.0)]).await?;
        return Ok(true);
    }
    Ok(is_stored(tx, org, id).await?.is_some())
}

/// The store failed, not the photo: it waits a little, and this was no try.
pub async fn give_back(db: &Db, now: DateTime<Utc>, upload: &Upload) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "UPDATE photo_upload SET tries = tries - 1, busy_until = $3 WHERE org_id = $1 AND id = $2 AND tries > 0";
    q!(&mut tx, execute, sql, upload.org_id, upload.id, now + AFTER_FAULT)?;
    tx.commit().await
}

/// Ends the wait: the redrawn photo joins its lead. Returns whether a row names its files: not when the lead, the person
/// or the business was erased meanwhile. Its room was taken when it was received, so no quota refuses it now.
pub async fn finish(tx: &mut Tx, origin: &Origin, upload: &Upload, photo: &NewPhoto) -> Result<bool> {
    let org = upload.org_id;
    let sql = "DELETE FROM photo_upload WHERE org_id = $1 AND id = $2 RETURNING bytes";
    let Some(waited) = q!(&mut *tx, fetch_optional scalar i64, sql, org, upload.id)? else {
        return is_redrawn(tx, org, photo.id).await;
    };
    let bytes = i64::try_from(photo.bytes).unwrap_or(i64::MAX);
    let row = Insert::into(
        "photo (org_id, id, lead_id, touch_id, position, original_name, width, height, bytes, full_key, thumb_key, created_at)",
    )
    .row(values![
        org,
        photo.id,
        upload.lead_id,
        upload.touch_id,
        upload.position,
        photo.original_name.as_str(),
        i64::from(photo.width),
        i64::from(photo.height),
        bytes,
        photo.full_key.as_str(),
        photo.thumb_key.as_str(),
        upload.created_at
    ]);
    insert_all(tx, &[row, live::event(origin, org, Topic::Lead, upload.lead_id.0, None)]).await?;
    quota::count(&mut *tx, org, bytes).await?;
    waiting::remove(tx, org, waited).await?;
    Ok(true)
}

async fn is_redrawn(conn: &mut dyn AsConn, org: OrgId, id: PhotoId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM photo WHERE org_id = $1 AND id = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, id)?)
}

/// Whether a photo neither waits nor is one of its lead's: no row will name its files any more.
pub async fn is_gone(conn: &mut dyn AsConn, org: OrgId, id: PhotoId) -> Result<bool> {
    let waits = is_stored(&mut *conn, org, id).await?.is_some();
    Ok(!waits && !is_redrawn(conn, org, id).await?)
}

/// Ends the wait without a photo, and says why on the lead's timeline: "is damaged and cannot be read".
pub async fn refuse(tx: &mut Tx, origin: &Origin, upload: &Upload, why: &str) -> Result<()> {
    let (org, lead) = (upload.org_id, upload.lead_id);
    let sql = "DELETE FROM photo_upload WHERE org_id = $1 AND id = $2 RETURNING bytes";
    let Some(waited) = q!(&mut *tx, fetch_optional scalar i64, sql, org, upload.id)? else { return Ok(()) };
    let sql = "UPDATE lead SET photo_count = photo_count - 1 WHERE org_id = $1 AND id = $2 AND photo_count > 0";
    q!(&mut *tx, execute, sql, org, lead)?;
    let detail = json!({"name": upload.original_name, "why": why});
    let event = NewEvent { detail, ..NewEvent::new(lead, EventKind::PhotoRefused, origin.now(), Doer::System) };
    activity::record(&mut *tx, origin, org, event).await?;
    waiting::remove(tx, org, waited).await
}

/// Wakes a worker for what waits.
pub async fn go_on(db: &Db, origin: &Origin) -> Result<()> {
    let mut tx = db.begin().await?;
    tasks::enqueue(&mut tx, origin, vec![wanted(origin, origin.uuid())]).await?;
    tx.commit().await
}

/// Wakes a worker for photos that no task carries, and gives up those whose bytes the store was never given. Returns how
/// many were given up.
pub async fn sweep(db: &Db, origin: &Origin) -> Result<usize> {
    let now = origin.now();
    let mut conn = db.read().await?;
    let sql = "SELECT EXISTS (SELECT 1 FROM photo_upload
         WHERE is_stored AND created_at < $1 AND (busy_until IS NULL OR busy_until < $2))";
    let is_overdue = q!(&mut conn, fetch_one scalar bool, sql, now - OVERDUE, now)?;
    let sql =
        "SELECT org_id, id, lead_id, touch_id, position, original_name, raw_key, tries, created_at FROM photo_upload
         WHERE NOT is_stored AND created_at < $1 LIMIT 100";
    let lost = q!(&mut conn, fetch_all as Upload, sql, now - LOST_AFTER)?;
    drop(conn);
    if is_overdue {
        go_on(db, origin).await?;
    }
    waiting::tidy(db).await?;
    for upload in &lost {
        let mut tx = db.begin().await?;
        refuse(&mut tx, origin, upload, "was lost on its way into the file store").await?;
        tx.commit().await?;
    }
    Ok(lost.len())
}
