//! What happened to a piece of work: who did what, when, and how. The timeline of a job and of a lead is read from these
//! rows; a change can be taken back by its row for a minute ([`undo`]).

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{intake::lead, tenancy::session::Session},
    platform::{
        clock::Origin,
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

pub use undo::{Undoable, Undone, job_before, undo, undoable};

/// A changed mind within this time takes a change back, with what follows from it.
pub const UNDO: Duration = lead::release::UNDO;
/// More than this nobody reads.
const MOST_SHOWN: i64 = 500;

/// Who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doer {
    Account { id: AccountId, name: String },
    Customer { name: String },
    System,
}

impl Doer {
    /// The person who is signed in.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self::Account { id: session.account_id, name: session.name.clone() }
    }

    #[must_use]
    pub fn account(&self) -> Option<AccountId> {
        match self {
            Self::Account { id, .. } => Some(*id),
            Self::Customer { .. } | Self::System => None,
        }
    }

    /// As people read it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Account { name, .. } | Self::Customer { name } => name,
            Self::System => "Toolbox",
        }
    }

    fn kind(&self) -> ActorKind {
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

/// A line of the timeline was written.
#[derive(Clone, Debug)]
pub struct ActivityRecorded {
    pub org: OrgId,
    pub kind: EventKind,
    pub lead: LeadId,
    pub job: Option<JobId>,
    /// The estimate, invoice, payment or file it is about.
    pub subject: Option<Uuid>,
    /// The clock and entropy of the change.
    pub origin: Origin,
}

/// Something that has just happened.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub lead: LeadId,
    pub job: Option<JobId>,
    /// The estimate, invoice, payment or file it is about.
    pub subject: Option<Uuid>,
    pub kind: EventKind,
    /// By the device that was there; never after now.
    pub at: DateTime<Utc>,
    pub by: Doer,
    pub detail: Value,
    /// What stood before, if it can be taken back: [`job_before`], or `{"stage": …}`.
    pub was: Option<Value>,
}

impl NewEvent {
    /// Something about a lead, with nothing more to say of it.
    #[must_use]
    pub fn new(lead: LeadId, kind: EventKind, at: DateTime<Utc>, by: Doer) -> Self {
        Self { lead, job: None, subject: None, kind, at, by, detail: json!({}), was: None }
    }
}

/// Notes it, and tells the browsers that look; the programs that listen are told by a commit hook.
pub async fn record(tx: &mut Tx, origin: &Origin, org: OrgId, new: NewEvent) -> Result<EventId> {
    let (id, now) = (EventId(origin.uuid()), origin.now());
    let row = Insert::into(
        "work_event (org_id, id, lead_id, job_id, subject_id, kind, at, recorded_at, actor_kind, account_id, actor_name,
             detail, was)",
    )
    .row(values![
        org,
        id,
        new.lead,
        new.job,
        new.subject,
        new.kind,
        new.at.min(now),
        now,
        new.by.kind(),
        new.by.account(),
        new.by.name(),
        Json(new.detail.clone()),
        new.was.clone().map(Json)
    ]);
    let mut rows = vec![row, live::event(origin, org, Topic::Lead, new.lead.0, None)];
    if let Some(job) = new.job {
        rows.push(live::event(origin, org, Topic::Job, job.0, Some(new.lead.0)));
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
    tx.emit(org, recorded);
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
struct Row {
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

impl Row {
    fn view(self) -> EventView {
        EventView {
            id: self.id,
            kind: self.kind,
            title: title::of(self.kind, &self.detail.0),
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

/// What happened to a job, oldest first: the newest 500.
pub async fn of_job(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Vec<EventView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as Row,
        "SELECT id, job_id, subject_id, kind, at, actor_kind, actor_name, detail, undone_at FROM work_event
         WHERE org_id = $1 AND job_id = $2 ORDER BY at DESC, id DESC LIMIT $3",
        org,
        job,
        MOST_SHOWN
    )?;
    let events = rows.into_iter().rev().map(Row::view).collect();
    told::by_messages(conn, org, events).await
}

/// What happened to a lead and its jobs, oldest first: the newest 500.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<EventView>> {
    let rows = q!(
        &mut *conn,
        fetch_all as Row,
        "SELECT id, job_id, subject_id, kind, at, actor_kind, actor_name, detail, undone_at FROM work_event
         WHERE org_id = $1 AND lead_id = $2 ORDER BY at DESC, id DESC LIMIT $3",
        org,
        lead,
        MOST_SHOWN
    )?;
    let events = refunded::by_state(&mut *conn, org, rows.into_iter().rev().map(Row::view).collect()).await?;
    told::by_messages(conn, org, events).await
}
