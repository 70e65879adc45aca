//! Timelines of jobs and leads, read from the activity log. A change can be undone by its row for a minute ([`undo`]).

use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        messaging::lead_response,
        tenancy::activity_log::{ActivityActorKind, EventKind},
    },
    platform::{
        db::{AsConn, Handler, q},
        error::Result,
        id::{EventId, JobId, LeadId, OrgId},
    },
};

mod message_status;
mod title;
pub mod undo;

pub use undo::{JobSnapshot, UndoResult, UndoableEvent, find_undoable, snapshot_job, undo_event};

/// Window in which a change and its effects can be undone.
pub const UNDO_WINDOW: Duration = lead_response::UNDO_WINDOW;
const MOST_SHOWN: i64 = 500;

/// An event as people read it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkEvent)]
pub struct EventView {
    pub id: EventId,
    pub kind: EventKind,
    /// "Moved from New to Quoted".
    pub title: String,
    pub at: DateTime<Utc>,
    /// Who did it, by name.
    pub by: String,
    pub by_kind: ActivityActorKind,
    pub job_id: Option<JobId>,
    /// The estimate, invoice, payment or file it is about.
    pub subject_id: Option<Uuid>,
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub detail: Value,
    /// It was undone.
    pub undone: bool,
}

/// Gives events the titles of their present state.
pub type EventTitleUpdater =
    for<'a> fn(&'a mut dyn AsConn, OrgId, Vec<EventView>) -> BoxFuture<'a, Result<Vec<EventView>>>;

/// Registered by the domains that know the subjects; found by [`AsConn::handlers`].
pub struct EventTitleUpdaters(pub &'static [EventTitleUpdater]);

impl Handler for EventTitleUpdaters {}

#[derive(FromRow)]
struct ActivityRow {
    id: EventId,
    job_id: Option<JobId>,
    subject_id: Option<Uuid>,
    kind: EventKind,
    at: DateTime<Utc>,
    actor_kind: ActivityActorKind,
    actor_name: String,
    detail: Json<Value>,
    undone_at: Option<DateTime<Utc>>,
}

impl ActivityRow {
    fn into_view(self) -> EventView {
        EventView {
            id: self.id,
            kind: self.kind,
            title: title::event_title(self.kind, &self.detail.0),
            at: self.at,
            by: self.actor_name,
            by_kind: self.actor_kind,
            job_id: self.job_id,
            subject_id: self.subject_id,
            detail: self.detail.0,
            undone: self.undone_at.is_some(),
        }
    }
}

/// Oldest first: the newest 500.
pub async fn list_job_events(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<EventView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as ActivityRow,
        "SELECT id, job_id, subject_id, kind, at, actor_kind, actor_name, detail, undone_at FROM work_event
         WHERE org_id = $1 AND job_id = $2 ORDER BY at DESC, id DESC LIMIT $3",
        org,
        job,
        MOST_SHOWN
    )?;
    let events = rows.into_iter().rev().map(ActivityRow::into_view).collect();
    message_status::apply_message_status(conn, org, events).await
}

/// Oldest first: the newest 500, with those of its jobs.
pub async fn list_lead_events(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<EventView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as ActivityRow,
        "SELECT id, job_id, subject_id, kind, at, actor_kind, actor_name, detail, undone_at FROM work_event
         WHERE org_id = $1 AND lead_id = $2 ORDER BY at DESC, id DESC LIMIT $3",
        org,
        lead,
        MOST_SHOWN
    )?;
    let mut events = rows.into_iter().rev().map(ActivityRow::into_view).collect();
    for retitle in conn.handlers().find_handler::<EventTitleUpdaters>()?.0 {
        events = retitle(&mut *conn, org, events).await?;
    }
    message_status::apply_message_status(conn, org, events).await
}
