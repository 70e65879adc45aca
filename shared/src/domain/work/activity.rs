//! Work events: actor, time and details. Timelines of jobs and leads are read from these rows; a change can be undone
//! by its row for a minute ([`undo`]).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{intake::lead, tenancy::session::Session},
    platform::{
        clock::ClockRng,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::Result,
        id::{AccountId, EventId, JobId, LeadId, OrgId},
        live::{self, Topic},
    },
};

mod refunded;
mod title;
mod told;
pub mod undo;

pub use undo::{Undoable, Undone, find_undoable, snapshot_job, undo_event};

/// Window in which a change and its effects can be undone.
pub const UNDO_WINDOW: Duration = lead::release::UNDO_WINDOW;
const MOST_SHOWN: i64 = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivityActor {
    Account { id: AccountId, name: String },
    Customer { name: String },
    System,
}

impl ActivityActor {
    #[must_use]
    pub fn from_session(session: &Session) -> Self {
        Self::Account { id: session.account_id, name: session.name.clone() }
    }

    #[must_use]
    pub fn account_id(&self) -> Option<AccountId> {
        match self {
            Self::Account { id, .. } => Some(*id),
            Self::Customer { .. } | Self::System => None,
        }
    }

    #[must_use]
    pub fn display_name(&self) -> &str {
        match self {
            Self::Account { name, .. } | Self::Customer { name } => name,
            Self::System => "Toolbox",
        }
    }

    fn actor_kind(&self) -> ActorKind {
        match self {
            Self::Account { .. } => ActorKind::Account,
            Self::Customer { .. } => ActorKind::Customer,
            Self::System => ActorKind::System,
        }
    }
}

/// Of what kind the one is who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkActorKind)]
pub enum ActorKind {
    Account,
    Customer,
    System,
}

/// What happened. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkEventKind)]
pub enum EventKind {
    StageChanged,
    EstimateSent,
    EstimateViewed,
    EstimateApproved,
    EstimateDeclined,
    EstimateAsked,
    EstimateReplaced,
    EstimateWithdrawn,
    JobCreated,
    JobScheduled,
    JobMoved,
    JobUnscheduled,
    JobAssigned,
    JobEdited,
    OnMyWay,
    RunningLate,
    Started,
    Stopped,
    FilesAdded,
    Checked,
    NoteAdded,
    Completed,
    Reopened,
    Cancelled,
    Restored,
    VisitConfirmed,
    Booked,
    MovedByCustomer,
    CancelledByCustomer,
    InvoiceMade,
    InvoiceSent,
    InvoiceViewed,
    InvoiceAsked,
    InvoiceVoided,
    PaymentRecorded,
    PaymentFailed,
    PaymentUndone,
    Refunded,
    /// Somebody said how a refund in doubt ended.
    RefundSettled,
    WrittenOff,
    PromiseSet,
    DisputeSet,
    ReminderSent,
    CustomersMerged,
    ChangeOrderSent,
    ChangeOrderViewed,
    ChangeOrderApproved,
    ChangeOrderDeclined,
    ChangeOrderAsked,
    ChangeOrderReplaced,
    ChangeOrderWithdrawn,
    ReviewAsked,
    ReviewReceived,
    /// A person noted that they have answered outside of Toolbox.
    Answered,
    /// A person noted that the customer wants no answer any more.
    AnswerWaived,
    /// Nobody answered in the time that our words had promised.
    PromiseBroken,
    /// The lead was given to somebody of the business, or to nobody.
    OwnerChanged,
    /// A photo that came with a form turned out to be none, or was lost.
    PhotoRefused,
}

#[derive(Clone, Debug)]
pub struct ActivityRecorded {
    pub org: OrgId,
    pub kind: EventKind,
    pub lead: LeadId,
    pub job: Option<JobId>,
    /// Id of the estimate, invoice, payment or file.
    pub subject: Option<Uuid>,
    pub origin: ClockRng,
}

#[derive(Clone, Debug)]
pub struct NewEvent {
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub subject: Option<Uuid>,
    pub kind: EventKind,
    /// Reported by the device; never in the future.
    pub at: DateTime<Utc>,
    pub by: ActivityActor,
    pub detail: Value,
    /// Prior state, if the change can be undone: [`job_before`], or `{"stage": …}`.
    pub was: Option<Value>,
}

impl NewEvent {
    #[must_use]
    pub fn new(lead: LeadId, kind: EventKind, at: DateTime<Utc>, by: ActivityActor) -> Self {
        Self { lead, job: None, subject: None, kind, at, by, detail: json!({}), was: None }
    }
}

/// Stores the event and notifies browsers; webhooks are notified by a commit hook.
pub async fn record_event(tx: &mut Tx, origin: &ClockRng, org: OrgId, new: NewEvent) -> Result<EventId> {
    let (id, now) = (EventId(origin.uuid_v7()), origin.now());
    let row = Insert::into(
        "work_event (org_id, id, lead_id, job_id, subject_id, kind, at, recorded_at, actor_kind, account_id, actor_name,
             detail, was)",
    )
    .with_row(values![
        org,
        id,
        new.lead,
        new.job,
        new.subject,
        new.kind,
        new.at.min(now),
        now,
        new.by.actor_kind(),
        new.by.account_id(),
        new.by.display_name(),
        Json(new.detail.clone()),
        new.was.clone().map(Json)
    ]);
    let mut rows = vec![row, live::build_event_insert(origin, org, Topic::Lead, new.lead.0, None)];
    if let Some(job) = new.job {
        rows.push(live::build_event_insert(origin, org, Topic::Job, job.0, Some(new.lead.0)));
    }
    insert_all(tx, &rows).await?;
    let recorded = ActivityRecorded {
        org,
        kind: new.kind,
        lead: new.lead,
        job: new.job,
        subject: new.subject,
        origin: origin.clone(),
    };
    tx.emit_event(org, recorded);
    Ok(id)
}

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
    pub by_kind: ActorKind,
    pub job_id: Option<JobId>,
    /// The estimate, invoice, payment or file it is about.
    pub subject_id: Option<Uuid>,
    #[schema(value_type = std::collections::BTreeMap<String, Value>)]
    pub detail: Value,
    /// It was taken back.
    pub undone: bool,
}

#[derive(FromRow)]
struct ActivityRow {
    id: EventId,
    job_id: Option<JobId>,
    subject_id: Option<Uuid>,
    kind: EventKind,
    at: DateTime<Utc>,
    actor_kind: ActorKind,
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
    told::apply_message_status(conn, org, events).await
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
    let events =
        refunded::retitle_refunds(&mut *conn, org, rows.into_iter().rev().map(ActivityRow::into_view).collect())
            .await?;
    told::apply_message_status(conn, org, events).await
}
