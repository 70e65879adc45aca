//! Photos and documents of a lead or a job. The rows are here; their bytes lie in the file store, under keys that only
//! the rows name.
//!
//! Photos that came with a form or a text are older rows of their own (`photo`); from here on they are files like others.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all},
        q,
    },
    error::{Error, Result},
    id::{AccountId, FileId, JobId, LeadId, OrgId},
};

pub mod address;
pub mod document;
pub mod list;
mod new;
pub mod pack;
pub mod quota;
pub mod remove;

pub use address::{Variant, address};
pub use list::{AutomatedFile, of_job, of_lead, with_ids};
pub use new::NewFile;
pub use remove::remove;

/// The longest name of a file, in characters.
const MAX_NAME: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FileType)]
pub enum Kind {
    Photo,
    Document,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FileCategory)]
pub enum Category {
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
#[schema(as = FileMoment)]
pub enum Moment {
    Before,
    During,
    After,
}

impl Moment {
    /// What a photo of this moment shows.
    #[must_use]
    pub fn category(self) -> Category {
        match self {
            Self::Before | Self::During => Category::ProgressPhoto,
            Self::After => Category::CompletionPhoto,
        }
    }
}

/// Which part of the product a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = AutomationTool)]
pub enum Tool {
    AutoReply,
    JobTracker,
    ReviewBooster,
    LeadIntake,
    KpiPulse,
}

/// Stores the row of a paper that we made. It counts in the business's space and is never refused for want of it: a
/// business whose space is full must still be able to send its invoices.
pub async fn add(tx: &mut Tx, origin: &Origin, org: OrgId, new: NewFile) -> Result<FileId> {
    insert_all(tx, &[new.row(origin, org)]).await?;
    quota::count(tx, org, new.bytes).await?;
    Ok(new.id)
}

/// Stores the rows of what somebody uploaded.
///
/// # Errors
/// [`Error::QuotaFull`] when the business would have more than `limit` bytes.
pub async fn add_uploads(tx: &mut Tx, origin: &Origin, org: OrgId, limit: i64, new: &[NewFile]) -> Result<()> {
    let rows: Vec<Insert<'_>> = new.iter().map(|file| file.row(origin, org)).collect();
    insert_all(tx, &rows).await?;
    quota::take(tx, org, new.iter().map(|file| file.bytes).sum(), limit).await
}

/// A file as it is served.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Stored {
    pub id: FileId,
    pub lead_id: LeadId,
    pub job_id: Option<JobId>,
    pub kind: Kind,
    pub name: String,
    pub content_type: String,
    pub full_key: String,
    pub thumb_key: Option<String>,
}

impl Stored {
    /// Where this variant lies. A document has no thumbnail.
    ///
    /// # Errors
    /// [`Error::NotFound`]
    pub fn key(&self, variant: Variant) -> Result<&str> {
        match variant {
            Variant::Full | Variant::Download => Ok(&self.full_key),
            Variant::Thumb => self.thumb_key.as_deref().ok_or(Error::NotFound),
        }
    }
}

/// # Errors
/// [`Error::NotFound`] when the org has no such lead.
pub async fn has_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM lead WHERE org_id = $1 AND id = $2)";
    if q!(conn, fetch_one scalar bool, sql, org, lead)? { Ok(()) } else { Err(Error::NotFound) }
}

/// A file that is there, whoever asks.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such file, or it was removed.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: FileId) -> Result<Stored> {
    let found = q!(
        conn,
        fetch_optional as Stored,
        "SELECT id, lead_id, job_id, kind, name, content_type, full_key, thumb_key FROM file
         WHERE org_id = $1 AND id = $2 AND removed_at IS NULL
         UNION ALL
         SELECT id, lead_id, NULL, 'photo', original_name, 'image/jpeg', full_key, thumb_key FROM photo
         WHERE org_id = $1 AND id = $2",
        org,
        id
    )?;
    let found = found.ok_or(Error::NotFound)?;
    Ok(Stored { name: shown_name(found.kind, found.name), ..found })
}

/// The same for somebody of a crew: photos of their crews' jobs, and of the requests these came from. Documents name
/// prices and are the office's.
///
/// # Errors
/// [`Error::NotFound`]
pub async fn find_for_crew(conn: &mut dyn AsConn, org: OrgId, account: AccountId, id: FileId) -> Result<Stored> {
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
    if is_theirs && found.kind == Kind::Photo { Ok(found) } else { Err(Error::NotFound) }
}

/// Whether this is, or was, a photo of the lead; with a job, one that its people see. What was removed counts: a copy of
/// it may still be on its way.
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

/// Whether the job has a photo of this moment.
pub async fn has_photo(conn: &mut dyn AsConn, org: OrgId, job: JobId, moment: Moment) -> Result<bool> {
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

/// The customer opened it at their link.
pub async fn note_viewed(tx: &mut Tx, org: OrgId, id: FileId, now: DateTime<Utc>) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE file SET viewed_at = $3 WHERE org_id = $1 AND id = $2 AND viewed_at IS NULL";
    q!(tx, execute, sql, org, id, now)?;
    Ok(())
}

/// The customer took it from their link.
pub async fn note_downloaded(tx: &mut Tx, org: OrgId, id: FileId, now: DateTime<Utc>) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE file SET downloaded_at = $3 WHERE org_id = $1 AND id = $2 AND downloaded_at IS NULL";
    q!(tx, execute, sql, org, id, now)?;
    Ok(())
}

/// Whether any row names this key of the file store. What was removed after `limit` still counts: an answer that is
/// under way may be reading it.
pub async fn is_named(conn: &mut dyn AsConn, key: &str, limit: DateTime<Utc>) -> Result<bool> {
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

/// The keys of all files that a business has.
pub async fn named(conn: &mut dyn AsConn, org: OrgId) -> Result<BTreeSet<String>> {
    let sql = "SELECT full_key FROM photo WHERE org_id = $1
        UNION SELECT thumb_key FROM photo WHERE org_id = $1 AND thumb_key IS NOT NULL
        UNION SELECT full_key FROM file WHERE org_id = $1 AND removed_at IS NULL
        UNION SELECT thumb_key FROM file WHERE org_id = $1 AND removed_at IS NULL AND thumb_key IS NOT NULL
        UNION SELECT logo_key FROM org WHERE id = $1 AND logo_key IS NOT NULL";
    Ok(q!(conn, fetch_all scalar String, sql, org)?.into_iter().collect())
}

/// A file's name as a person reads it, without its folders and without what cannot stand in a file's name anywhere,
/// with the ending that its content has.
#[must_use]
pub fn tidy_name(given: &str, ending: &str, nameless: &str) -> String {
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

/// A photo that came with a form has kept the name it had there, and is a JPEG now.
fn shown_name(kind: Kind, name: String) -> String {
    match kind {
        Kind::Photo => tidy_name(&name, "jpg", "photo"),
        Kind::Document => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_what_a_person_calls_it_and_ends_as_what_it_is() {
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
            assert_eq!(tidy_name(given, "jpg", "photo"), wanted, "{given:?}");
        }
        let long = tidy_name(&"ä".repeat(300), "pdf", "document");
        assert_eq!(long.chars().count(), MAX_NAME);
    }
}
