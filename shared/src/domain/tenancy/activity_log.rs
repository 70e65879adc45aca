//! Activity log of leads and jobs: who did what, and when. Its rows are the timelines that people read.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::types::Json;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::tenancy::session::Session,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_all, batch_row, q},
        error::Result,
        id::{AccountId, EventId, JobId, LeadId, OrgId},
        live::{self, Topic},
    },
};

mod detail;

pub(crate) use detail::{BrokenPromise, OwnerChange, RefusedPhoto, SendingDetail, SettledRefund, read_detail};
pub use detail::{NotSentBy, RefundOutcome};

use detail::PaidMark;

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

    fn actor_kind(&self) -> ActivityActorKind {
        match self {
            Self::Account { .. } => ActivityActorKind::Account,
            Self::Customer { .. } => ActivityActorKind::Customer,
            Self::System => ActivityActorKind::System,
        }
    }
}

/// Of what kind the one is who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkActorKind)]
pub enum ActivityActorKind {
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
    /// A refund in doubt was settled by a person.
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
    /// The lead was assigned to a member, or unassigned.
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
    /// Prior state, if the change can be undone: a snapshot of the job, or `{"stage": …}`.
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
    let row = batch_row!(work_event {
        org_id: org,
        id,
        lead_id: new.lead,
        job_id: new.job,
        subject_id: new.subject,
        kind: new.kind,
        at: new.at.min(now),
        recorded_at: now,
        actor_kind: new.by.actor_kind(),
        account_id: new.by.account_id(),
        actor_name: new.by.display_name(),
        detail: Json(new.detail.clone()),
        was: new.was.clone().map(Json),
    });
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

pub(crate) async fn is_undone(conn: &mut dyn AsConn, org: OrgId, event: EventId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM work_event WHERE org_id = $1 AND id = $2 AND undone_at IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, event)?)
}

/// Marks an entry of the history as undone with its cause. True for a payment that had made its lead paid.
pub(crate) async fn withdraw_entry(tx: &mut Tx, org: OrgId, event: EventId, at: DateTime<Utc>) -> Result<bool> {
    let sql = "UPDATE work_event SET undone_at = $3 WHERE org_id = $1 AND id = $2 RETURNING detail";
    let detail = q!(tx, fetch_optional scalar Json<PaidMark>, sql, org, event, at)?;
    Ok(detail.is_some_and(|Json(mark)| mark.made_paid))
}

/// Marks the entries of one kind about a subject as undone.
pub(crate) async fn withdraw_entries(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    (kind, subject): (EventKind, Uuid),
    at: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE work_event SET undone_at = $5
         WHERE org_id = $1 AND lead_id = $2 AND kind = $3 AND subject_id = $4 AND undone_at IS NULL";
    q!(tx, execute, sql, org, lead, kind, subject, at)?;
    Ok(())
}

/// Marks that this payment made the lead paid: when it is undone, the lead is unpaid again, even where nothing was
/// agreed.
pub(crate) async fn mark_made_paid(tx: &mut Tx, org: OrgId, event: EventId) -> Result<()> {
    let sql = "SELECT detail FROM work_event WHERE org_id = $1 AND id = $2";
    let Json(mark) = q!(&mut *tx, fetch_one scalar Json<PaidMark>, sql, org, event)?;
    let marked = Json(PaidMark { made_paid: true, ..mark });
    q!(tx, execute, "UPDATE work_event SET detail = $3 WHERE org_id = $1 AND id = $2", org, event, marked)?;
    Ok(())
}
