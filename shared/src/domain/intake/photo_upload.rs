//! Form photos waiting to be re-encoded. The lead is stored first; a worker re-encodes its photos and adds them later.
//!
//! Until then the raw bytes lie in the file store under a key ending in `.raw`, or, while the bucket is unavailable, in
//! a folder of the API ([`NewPhotoUpload::is_stored`]). Raw photos can contain their location: they are never served, and
//! are deleted once re-encoded or refused. Deleting the row ends the wait, so two workers on one photo, or a crashed
//! worker, do no harm.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use sqlx::FromRow;

use crate::{
    domain::{
        intake::lead::{NewPhoto, projection},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent, RefusedPhoto},
            storage_quota,
        },
    },
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Db, Tx,
            batch::{Insert, insert_all},
            batch_rows, q,
        },
        error::{Error, Result},
        id::{LeadId, OrgId, PhotoId, TouchId},
        live::{self, Topic},
        tasks::{self, NewTask, TaskKind},
    },
};

pub mod pending_bytes;
pub mod round_robin;

pub(crate) use pending_bytes::add_pending_bytes;
pub(crate) use round_robin::next_turn_of_network;

/// Total size of waiting photos unless `PHOTO_SPOOL_BYTES` is set.
pub const DEFAULT_SPOOL_BYTES: i64 = 2_000_000_000;
/// Delay of a photo after a file-store fault.
const AFTER_FAULT: Duration = Duration::seconds(30);
/// A photo is given up after this many runs that ended without a result, such as by crashing the process.
pub const MAX_ATTEMPTS: i64 = 5;
/// A photo waiting longer than this has no task.
const OVERDUE: Duration = Duration::minutes(1);
/// A photo not stored after this time is on a machine that no longer exists.
const LOST_AFTER: Duration = Duration::days(7);
const RAW: &str = ".raw";

#[derive(Clone, Debug)]
pub struct NewPhotoUpload {
    pub id: PhotoId,
    pub original_name: String,
    pub bytes: i64,
    pub raw_key: String,
    pub is_stored: bool,
}

#[derive(Clone, Debug, FromRow)]
pub struct PhotoUpload {
    pub org_id: OrgId,
    pub id: PhotoId,
    pub lead_id: LeadId,
    pub inquiry_id: TouchId,
    pub position: i64,
    pub original_name: String,
    pub raw_key: String,
    /// Runs begun without a result, this one included.
    pub tries: i64,
    pub created_at: DateTime<Utc>,
}

#[must_use]
pub fn raw_storage_key(org: OrgId, id: PhotoId) -> String {
    format!("{org}/{id}{RAW}")
}

/// Whether a file-store key is that of raw bytes, which must never leave the install.
#[must_use]
pub fn is_raw_key(key: &str) -> bool {
    key.ends_with(RAW)
}

/// Rows of a form's photos. The last argument is the hashed network and the turn of the first photo
/// ([`round_robin::next_turn_of_network`]); photos without a counted network share one turn.
pub(crate) fn build_upload_insert<'a>(
    origin: &ClockRng,
    org: OrgId,
    (lead, is_held): (LeadId, bool),
    touch: TouchId,
    photos: &'a [NewPhotoUpload],
    (source, turn): (Option<Vec<u8>>, i64),
) -> Insert<'a> {
    let now = origin.now();
    let step = i64::from(source.is_some());
    batch_rows!((0_i64..).zip(photos), |(position, photo)| photo_upload {
        org_id: org,
        id: photo.id,
        lead_id: lead,
        inquiry_id: touch,
        position,
        original_name: photo.original_name.as_str(),
        bytes: photo.bytes,
        raw_key: photo.raw_key.as_str(),
        is_stored: photo.is_stored,
        is_held,
        tries: 0_i64,
        created_at: now,
        source_hash: source.clone(),
        turn: turn + position * step,
    })
}

/// A re-encoding task. It has no business, so it takes none of the business's task slots.
pub(crate) fn build_redraw_task(origin: &ClockRng, subject: uuid::Uuid) -> NewTask {
    NewTask {
        org: None,
        kind: TaskKind::RedrawPhotos,
        subject: Some(subject),
        run_at: origin.now(),
        unique_key: format!("photos:{subject}"),
    }
}

/// The share of waiting bytes for one business: half of what the others leave free, so there is always room for another
/// business.
#[must_use]
pub fn org_share_bytes(limit: i64, others: i64) -> i64 {
    limit.saturating_sub(others).max(0) / 2
}

/// The limit of one network's concurrent uploads, and of accepted photos from a network with too many requests.
#[must_use]
pub fn network_share_bytes(limit: i64) -> i64 {
    limit / 4
}

/// Checks the business's quota; waiting photos count with their raw size.
///
/// # Errors
/// [`Error::QuotaFull`] when the business would have more than `limit` bytes.
pub async fn check_upload_quota(conn: &mut dyn AsConn, org: OrgId, bytes: i64, limit: i64) -> Result<()> {
    let used = storage_quota::load_usage(&mut *conn, org, limit).await?.used;
    let waiting = pending_bytes::load_org_bytes(conn, org).await?;
    if used.saturating_add(waiting).saturating_add(bytes) <= limit { Ok(()) } else { Err(Error::QuotaFull) }
}

pub async fn count_by_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM photo_upload WHERE org_id = $1 AND lead_id = $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, lead)?)
}

/// Whether the file store has the bytes; none when the photo no longer waits.
pub async fn find_is_stored(conn: &mut dyn AsConn, org: OrgId, id: PhotoId) -> Result<Option<bool>> {
    let sql = "SELECT is_stored FROM photo_upload WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar bool, sql, org, id)?)
}

/// Holds or releases the photos of a lead. Lock order: before the lead is changed, as when a photo is refused.
pub(crate) async fn set_quarantined_by_lead(tx: &mut Tx, org: OrgId, lead: LeadId, is_held: bool) -> Result<()> {
    let sql = "UPDATE photo_upload SET is_held = $3 WHERE org_id = $1 AND lead_id = $2 AND is_held <> $3";
    q!(tx, execute, sql, org, lead, is_held)?;
    Ok(())
}

/// Marks the bytes as stored, so that a worker may take the photo. False when it no longer waits because the customer
/// was erased.
pub async fn mark_stored(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: PhotoId) -> Result<bool> {
    let sql = "UPDATE photo_upload SET is_stored = TRUE WHERE org_id = $1 AND id = $2 AND NOT is_stored";
    if q!(&mut *tx, execute, sql, org, id)? > 0 {
        tasks::enqueue(tx, origin, vec![build_redraw_task(origin, id.0)]).await?;
        return Ok(true);
    }
    Ok(find_is_stored(tx, org, id).await?.is_some())
}

/// After a file-store fault: delays the photo without counting a try.
pub async fn release_after_fault(db: &Db, now: DateTime<Utc>, upload: &PhotoUpload) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "UPDATE photo_upload SET tries = tries - 1, busy_until = $3 WHERE org_id = $1 AND id = $2 AND tries > 0";
    q!(&mut tx, execute, sql, upload.org_id, upload.id, now + AFTER_FAULT)?;
    tx.commit().await
}

/// Adds the re-encoded photo to its lead. False when lead, customer or business was erased meanwhile. Its quota was
/// reserved on receipt, so none is checked here.
pub async fn finish_upload(tx: &mut Tx, origin: &ClockRng, upload: &PhotoUpload, photo: &NewPhoto) -> Result<bool> {
    let org = upload.org_id;
    let sql = "DELETE FROM photo_upload WHERE org_id = $1 AND id = $2 RETURNING bytes";
    let Some(waited) = q!(&mut *tx, fetch_optional scalar i64, sql, org, upload.id)? else {
        return is_redrawn(tx, org, photo.id).await;
    };
    let bytes = i64::try_from(photo.bytes).unwrap_or(i64::MAX);
    let of = (upload.lead_id, upload.inquiry_id);
    let row = projection::build_uploaded_photo(org, of, (upload.position, upload.created_at), photo);
    insert_all(tx, &[row, live::build_event_insert(origin, org, Topic::Lead, upload.lead_id.0, None)]).await?;
    storage_quota::add_usage(&mut *tx, org, bytes).await?;
    pending_bytes::subtract_bytes(tx, org, waited).await?;
    Ok(true)
}

async fn is_redrawn(conn: &mut dyn AsConn, org: OrgId, id: PhotoId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM photo WHERE org_id = $1 AND id = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, id)?)
}

pub async fn is_gone(conn: &mut dyn AsConn, org: OrgId, id: PhotoId) -> Result<bool> {
    let waits = find_is_stored(&mut *conn, org, id).await?.is_some();
    Ok(!waits && !is_redrawn(conn, org, id).await?)
}

/// Removes the photo and puts the reason on the lead's timeline: "is damaged and cannot be read".
pub async fn reject_upload(tx: &mut Tx, origin: &ClockRng, upload: &PhotoUpload, why: &str) -> Result<()> {
    let (org, lead) = (upload.org_id, upload.lead_id);
    let sql = "DELETE FROM photo_upload WHERE org_id = $1 AND id = $2 RETURNING bytes";
    let Some(waited) = q!(&mut *tx, fetch_optional scalar i64, sql, org, upload.id)? else { return Ok(()) };
    projection::subtract_photo(&mut *tx, org, lead).await?;
    let detail = json!(RefusedPhoto { name: upload.original_name.clone(), why: why.to_owned() });
    let event =
        NewEvent { detail, ..NewEvent::new(lead, EventKind::PhotoRefused, origin.now(), ActivityActor::System) };
    activity_log::record_event(&mut *tx, origin, org, event).await?;
    pending_bytes::subtract_bytes(tx, org, waited).await
}

pub async fn enqueue_redraw(db: &Db, origin: &ClockRng) -> Result<()> {
    let mut tx = db.begin().await?;
    tasks::enqueue(&mut tx, origin, vec![build_redraw_task(origin, origin.uuid_v7())]).await?;
    tx.commit().await
}

/// Enqueues tasks for photos without one, and gives up photos whose bytes were never stored. Returns how many were
/// given up.
pub async fn sweep_stalled_uploads(db: &Db, origin: &ClockRng) -> Result<usize> {
    let now = origin.now();
    let mut conn = db.acquire_reader().await?;
    let sql = "SELECT EXISTS (SELECT 1 FROM photo_upload
         WHERE is_stored AND created_at < $1 AND (busy_until IS NULL OR busy_until < $2))";
    let is_overdue = q!(&mut conn, fetch_one scalar bool, sql, now - OVERDUE, now)?;
    let sql =
        "SELECT org_id, id, lead_id, inquiry_id, position, original_name, raw_key, tries, created_at FROM photo_upload
         WHERE NOT is_stored AND created_at < $1 LIMIT 100";
    let lost = q!(&mut conn, fetch_all as PhotoUpload, sql, now - LOST_AFTER)?;
    drop(conn);
    if is_overdue {
        enqueue_redraw(db, origin).await?;
    }
    pending_bytes::prune_idle_totals(db).await?;
    for upload in &lost {
        let mut tx = db.begin().await?;
        reject_upload(&mut tx, origin, upload, "was lost on its way into the file store").await?;
        tx.commit().await?;
    }
    Ok(lost.len())
}
