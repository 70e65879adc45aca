//! Photos and documents of leads and jobs. The bytes are in the file store, under keys that only these rows hold.
//!
//! Photos from a form or a text are older rows of another table (`photo`), served like other files.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::storage_quota,
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all},
            q,
        },
        error::{Error, Result},
        id::{AccountId, FileId, JobId, LeadId, OrgId},
    },
};

pub mod address;
pub mod archive_files;
pub mod document;
pub mod list;
mod new;
pub mod remove;

pub use address::{FileVariant, sign_file_url};
pub use list::{FileView, list_files_by_ids, list_job_files, list_lead_files};
pub use new::NewFile;
pub use remove::remove_file;

/// In characters.
const MAX_NAME: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FileType {
    Photo,
    Document,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FileCategory {
    Estimate,
    Invoice,
    ProgressPhoto,
    CompletionPhoto,
    ReviewRequest,
}

/// When a photo was taken, seen from the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FileMoment {
    Before,
    During,
    After,
}

impl FileMoment {
    #[must_use]
    pub fn photo_category(self) -> FileCategory {
        match self {
            Self::Before | Self::During => FileCategory::ProgressPhoto,
            Self::After => FileCategory::CompletionPhoto,
        }
    }
}

/// Which part of the product a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AutomationTool {
    AutoReply,
    JobTracker,
    ReviewBooster,
    LeadIntake,
    KpiPulse,
}

/// Stores a generated document. It counts towards the quota but is never refused: a business over quota must still be
/// able to send invoices.
pub async fn insert_document(tx: &mut Tx, origin: &ClockRng, org: OrgId, new: NewFile) -> Result<FileId> {
    insert_all(tx, &[new.build_insert(origin, org)]).await?;
    storage_quota::add_usage(tx, org, new.bytes).await?;
    Ok(new.id)
}

/// # Errors
/// [`Error::QuotaFull`] when the business would have more than `limit` bytes.
pub async fn insert_uploads(tx: &mut Tx, origin: &ClockRng, org: OrgId, limit: i64, new: &[NewFile]) -> Result<()> {
    let rows: Vec<Insert<'_>> = new.iter().map(|file| file.build_insert(origin, org)).collect();
    insert_all(tx, &rows).await?;
    storage_quota::reserve_bytes(tx, org, new.iter().map(|file| file.bytes).sum(), limit).await
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StoredFile {
    pub id: FileId,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub kind: FileType,
    pub name: String,
    pub content_type: String,
    pub full_key: String,
    pub thumb_key: Option<String>,
}

impl StoredFile {
    /// A document has no thumbnail.
    pub fn storage_key(&self, variant: FileVariant) -> Result<&str> {
        match variant {
            FileVariant::Full | FileVariant::Download => Ok(&self.full_key),
            FileVariant::Thumb => self.thumb_key.as_deref().ok_or(Error::NotFound),
        }
    }
}

pub async fn check_lead_exists(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if q!(conn, fetch_one scalar bool, sql, org, lead)? { Ok(()) } else { Err(Error::NotFound) }
}

/// Does not check who asks.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such file, or it was removed.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: FileId) -> Result<StoredFile> {
    let found = q!(
        conn,
        fetch_optional as StoredFile,
        "SELECT id, lead_id, job_id, kind, name, content_type, full_key, thumb_key FROM file
         WHERE org_id = $1 AND id = $2 AND removed_at IS NULL
         UNION ALL
         SELECT id, lead_id, NULL, 'photo', original_name, 'image/jpeg', full_key, thumb_key FROM photo
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?;
    let found = found.ok_or(Error::NotFound)?;
    Ok(StoredFile { name: display_file_name(found.kind, found.name), ..found })
}

/// For crew members: photos of their crews' jobs and of the leads of these. Documents show prices and are for the
/// office only.
pub async fn find_for_crew(conn: &mut dyn AsConn, org: OrgId, account: AccountId, id: FileId) -> Result<StoredFile> {
    let found = find(&mut *conn, org, id).await?;
    let is_theirs = q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM job j JOIN crew_member m ON m.org_id = j.org_id AND m.crew_id = j.crew_id
             WHERE j.org_id = $1 AND j.lead_id = $2 AND ($3 IS NULL OR j.id = $3) AND m.account_id = $4)",
        org,
        found.lead_id,
        found.job_id,
        account
    )?;
    if is_theirs && found.kind == FileType::Photo { Ok(found) } else { Err(Error::NotFound) }
}

/// Whether this is or was a photo of the lead; with a job, one its people see. Removed photos count: a copy may still
/// be in transit.
pub async fn was_photo_of(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
    id: FileId,
) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM file WHERE org_id = $1 AND lead_id = $2 AND id = $3 AND kind = 'photo'
                 AND (job_id IS NULL OR $4 IS NULL OR job_id = $4))
             OR EXISTS (SELECT 1 FROM photo WHERE org_id = $1 AND lead_id = $2 AND id = $3)",
        org,
        lead,
        id,
        job
    )?)
}

pub async fn has_photo(conn: &mut dyn AsConn, org: OrgId, job: JobId, moment: FileMoment) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM file WHERE org_id = $1 AND job_id = $2 AND moment = $3 AND kind = 'photo'
             AND removed_at IS NULL)",
        org,
        job,
        moment
    )?)
}

pub async fn mark_viewed(tx: &mut Tx, org: OrgId, id: FileId, now: DateTime<Utc>) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE file SET viewed_at = $3 WHERE org_id = $1 AND id = $2 AND viewed_at IS NULL";
    q!(tx, execute, sql, org, id, now)?;
    Ok(())
}

pub async fn mark_downloaded(tx: &mut Tx, org: OrgId, id: FileId, now: DateTime<Utc>) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE file SET downloaded_at = $3 WHERE org_id = $1 AND id = $2 AND downloaded_at IS NULL";
    q!(tx, execute, sql, org, id, now)?;
    Ok(())
}

/// Whether a row names this key of the file store. Files removed after `limit` count: a running response may still read
/// them.
pub async fn is_key_referenced(conn: &mut dyn AsConn, key: &str, limit: DateTime<Utc>) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM photo WHERE full_key = $1) OR EXISTS (SELECT 1 FROM photo WHERE thumb_key = $1)
             OR EXISTS (SELECT 1 FROM photo_upload WHERE raw_key = $1)
             OR EXISTS (SELECT 1 FROM file WHERE full_key = $1 AND (removed_at IS NULL OR removed_at > $2))
             OR EXISTS (SELECT 1 FROM file WHERE thumb_key = $1 AND (removed_at IS NULL OR removed_at > $2))
             OR EXISTS (SELECT 1 FROM org WHERE logo_key = $1)",
        key,
        limit
    )?)
}

pub async fn list_storage_keys(conn: &mut dyn AsConn, org: OrgId) -> Result<BTreeSet<String>> {
    let sql = "SELECT full_key FROM photo WHERE org_id = $1
        UNION SELECT thumb_key FROM photo WHERE org_id = $1 AND thumb_key IS NOT NULL
        UNION SELECT full_key FROM file WHERE org_id = $1 AND removed_at IS NULL
        UNION SELECT thumb_key FROM file WHERE org_id = $1 AND removed_at IS NULL AND thumb_key IS NOT NULL
        UNION SELECT logo_key FROM org WHERE id = $1 AND logo_key IS NOT NULL";
    Ok(q!(conn, fetch_all scalar String, sql, org)?.into_iter().collect())
}

/// File name without folders and without characters that some systems reject, with the ending of its content.
#[must_use]
pub fn sanitize_file_name(given: &str, ending: &str, nameless: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let shown = |c: &char| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |c| if matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|') { '-' } else { c };
    let name: String = last.chars().filter(shown).map(plain).collect();
    let stem = match name.rsplit_once('.') {
        Some((stem, tail)) if tail.len() <= 5 && tail.chars().all(|c| c.is_ascii_alphanumeric()) => stem,
        _ => &name,
    };
    let stem: String = stem.trim_matches([' ', '.']).chars().take(MAX_NAME - ending.len() - 1).collect();
    let stem = stem.trim_end_matches([' ', '.']);
    format!("{}.{ending}", if stem.is_empty() { nameless } else { stem })
}

/// A photo from a form keeps its old name but is a JPEG now.
fn display_file_name(kind: FileType, name: String) -> String {
    match kind {
        FileType::Photo => sanitize_file_name(&name, "jpg", "photo"),
        FileType::Document => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_keeps_safe_stem_and_gets_actual_extension() {
        let table = [
            ("C:\\pics\\leak.png", "leak.jpg"),
            ("../../etc/passwd", "passwd.jpg"),
            ("a\u{0}b\u{202e}.PNG", "ab.jpg"),
            ("Mr. Smith's roof", "Mr. Smith's roof.jpg"),
            ("what: \"this\"?.webp", "what- -this--.jpg"),
            ("Łukasz – před.jpeg", "Łukasz – před.jpg"),
            ("", "photo.jpg"),
            (".jpg", "photo.jpg"),
            ("...", "photo.jpg"),
            ("a.b.c", "a.b.jpg"),
        ];
        for (given, wanted) in table {
            assert_eq!(sanitize_file_name(given, "jpg", "photo"), wanted, "{given:?}");
        }
        let long = sanitize_file_name(&"ä".repeat(300), "pdf", "document");
        assert_eq!(long.chars().count(), MAX_NAME);
    }
}
