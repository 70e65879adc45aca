//! Notes of a job: what whoever was there wants the others to know. Always taken, whatever became of the job.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{find, status::happened};
use crate::{
    domain::work::activity::{self, Doer, EventKind, NewEvent},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{JobId, NoteId, OrgId},
        text::lines,
    },
};

pub const MAX_BODY: usize = 4_000;

/// A note as it is sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NewNote {
    pub body: Option<String>,
    /// By the device that was there.
    pub happened_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[schema(as = JobNote)]
pub struct Note {
    pub id: NoteId,
    pub body: String,
    /// Who wrote it, by name.
    pub author: String,
    pub at: DateTime<Utc>,
}

/// All notes of a job, the newest first.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<Note>> {
    let sql = "SELECT id, body, author, at FROM job_note WHERE org_id = $1 AND job_id = $2 ORDER BY at DESC, id DESC";
    Ok(q!(conn, fetch_all as Note, sql, org, job)?)
}

/// # Errors
/// [`Error::NotFound`] when the job has no such note.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: NoteId) -> Result<Note> {
    let sql = "SELECT id, body, author, at FROM job_note WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Note, sql, org, id)?.ok_or(Error::NotFound)
}

/// # Errors
/// [`Error::Invalid`] when there is nothing in it, [`Error::NotFound`] when the org has no such job.
pub async fn add(tx: &mut Tx, origin: &Origin, org: OrgId, job: JobId, new: &NewNote, by: &Doer) -> Result<Note> {
    let mut errors = FieldErrors::default();
    let body = lines("body", new.body.as_deref(), MAX_BODY).required("Write something first", &mut errors);
    errors.finish()?;
    let lead = find(&mut *tx, org, job).await?.lead_id;
    let at = happened(new.happened_at, origin.now());
    let note = Note { id: NoteId(origin.uuid()), body, author: by.name().to_owned(), at };
    q!(
        &mut *tx,
        execute,
        "INSERT INTO job_note (org_id, id, job_id, body, account_id, author, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        org,
        note.id,
        job,
        &note.body,
        by.account(),
        &note.author,
        note.at
    )?;
    let event = NewEvent {
        job: Some(job),
        detail: json!({"noteId": note.id}),
        ..NewEvent::new(lead, EventKind::NoteAdded, at, by.clone())
    };
    activity::record(tx, origin, org, event).await?;
    Ok(note)
}
