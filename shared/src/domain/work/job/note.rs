//! Job notes. Accepted in any status of the job.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{find, status::clamp_event_time};
use crate::{
    domain::tenancy::activity_log::{self, ActivityActor, EventKind, NewEvent},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{JobId, NoteId, OrgId},
        text::multi_line,
    },
};

pub const MAX_BODY: usize = 4_000;

/// A note written on site.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewJobNote {
    #[schema(required, schema_with = field_schemas::required_text::<4_000>)]
    pub body: Option<String>,
    /// By the device that was there, within the last three days.
    pub happened_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
pub struct JobNote {
    pub id: NoteId,
    pub body: String,
    /// Who wrote it, by name.
    pub author: String,
    pub at: DateTime<Utc>,
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<JobNote>> {
    let sql = "SELECT id, body, author, at FROM job_note WHERE org_id = $1 AND job_id = $2 ORDER BY at DESC, id DESC";
    Ok(q!(conn, fetch_all as JobNote, sql, org, job)?)
}

pub async fn get(conn: &mut dyn AsConn, org: OrgId, id: NoteId) -> Result<JobNote> {
    let sql = "SELECT id, body, author, at FROM job_note WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as JobNote, sql, org, id)?.ok_or(Error::NotFound)
}

/// # Errors
/// [`Error::Invalid`] when there is nothing in it, [`Error::NotFound`] when the org has no such job.
pub async fn add_note(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: JobId,
    new: &NewJobNote,
    by: &ActivityActor,
) -> Result<JobNote> {
    let mut errors = FieldErrors::default();
    let body = multi_line("body", new.body.as_deref(), MAX_BODY).parse_required("Write something first", &mut errors);
    errors.into_result()?;
    let lead = find(&mut *tx, org, job).await?.lead_id;
    let at = clamp_event_time(new.happened_at, origin.now());
    let note = JobNote { id: NoteId(origin.uuid_v7()), body, author: by.display_name().to_owned(), at };
    q!(
        &mut *tx,
        execute,
        "INSERT INTO job_note (org_id, id, job_id, body, account_id, author, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        org,
        note.id,
        job,
        &note.body,
        by.account_id(),
        &note.author,
        note.at
    )?;
    let event = NewEvent {
        job: Some(job),
        detail: json!({"noteId": note.id}),
        ..NewEvent::new(lead, EventKind::NoteAdded, at, by.clone())
    };
    activity_log::record_event(tx, origin, org, event).await?;
    Ok(note)
}
