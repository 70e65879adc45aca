//! Follow-ups: planned messages that are cancelled when an event makes them unnecessary.
//!
//! A plan is made in the transaction of its cause, and ended in the transaction that makes it unnecessary. When a step
//! is due, the rule of its subject checks again and words it; the send policy applies as for any message. Each step of
//! a plan is tried once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    conflicts::reword_stored_reason,
    domain::{
        messaging::{
            automation,
            message::{MessageStatus, document_send::why_unsent},
        },
        tenancy::org::SendChannels,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, q},
        error::Result,
        id::{FollowUpId, LeadId, MessageId, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

pub mod compose;
mod plan;
pub(crate) mod run;
mod step_preview;
pub mod subject;
pub mod sweep;
mod visit_reach;

pub(crate) use compose::build_email_page;
pub use compose::{
    FollowUpRecipient, FollowUpWording, compose_message, compose_on_each_channel, load_recipient,
    load_recipient_of_visit,
};
pub(crate) use plan::{cancel_all_plans, find_told_visit, skip_next_step, store_visit_time};
pub use plan::{cancel_on_conversation, cancel_plans, cancel_plans_for_lead, revert_event, schedule_plan};
pub use run::run_step;
pub(crate) use run::{
    StepSentDetail, apply_decision, decide_in_time, postpone_step, run_decided_step, send_step, skip_step,
};
pub(crate) use step_preview::is_step_worded;
pub use step_preview::{UpcomingStep, preview_upcoming_steps};
pub use subject::FollowUpRule;
pub(crate) use visit_reach::{alert_unreachable_visits, build_unreachable_visit_alert};

use plan::build_step_task;

/// What is followed up, each by the rule of its domain ([`subject`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type, Serialize, Deserialize, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FollowUpAbout)]
pub enum FollowUpSubject {
    /// An estimate that waits for an answer.
    Estimate,
    /// An invoice that waits for payment.
    Invoice,
    /// A visit that is coming.
    Job,
    /// A change order that waits for an answer.
    ChangeOrder,
    /// A customer who is asked for a review.
    Review,
}

/// A step of a plan. Its name is stored and must not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FollowUpStep {
    /// Days after sending.
    Day(i64),
    /// Days after the due date; negative before it.
    Due(i64),
    /// Days after the bank refused a card.
    Card(u64),
    /// By its stored name.
    Named(&'static str),
}

impl FollowUpStep {
    /// `day_2`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Named(name) => name.to_owned(),
            Self::Day(days) => format!("day_{days}"),
            Self::Due(days) => format!("due_{days}"),
            Self::Card(days) => format!("card_{days}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    pub step: FollowUpStep,
    pub due_at: DateTime<Utc>,
    /// The message is useless after this time.
    pub expires_at: DateTime<Utc>,
}

/// State of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FollowUpState {
    Waiting,
    /// The rule has decided; whether a message left is stored with the message.
    Done,
    /// Something happened first.
    Stopped,
    /// When its time came there was nothing to say any more.
    Skipped,
}

/// A step as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FollowUp)]
pub struct FollowUpView {
    /// `day_2`.
    pub step: String,
    pub due_at: DateTime<Utc>,
    pub state: FollowUpState,
    /// Why it was stopped or skipped.
    pub reason: Option<String>,
    /// Why the message of a step that is done has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
}

#[derive(FromRow)]
struct FollowUpStepRow {
    step: String,
    due_at: DateTime<Utc>,
    state: FollowUpState,
    reason: Option<String>,
    message_status: Option<MessageStatus>,
    message_reason: Option<String>,
}

impl From<FollowUpStepRow> for FollowUpView {
    fn from(row: FollowUpStepRow) -> Self {
        let FollowUpStepRow { step, due_at, state, reason, message_status, message_reason } = row;
        Self {
            step,
            due_at,
            state,
            reason: reason.map(|why| reword_stored_reason(&why).into_owned()),
            unsent: message_status.and_then(|status| why_unsent(status, message_reason)),
        }
    }
}

#[derive(Clone, Debug, FromRow)]
pub struct DueFollowUp {
    pub org_id: OrgId,
    pub id: FollowUpId,
    pub lead_id: LeadId,
    pub about: FollowUpSubject,
    pub about_id: Uuid,
    pub step: String,
    pub expires_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug)]
pub enum FollowUpDecision {
    /// Automation decisions: sent, or not sent for a reason that may change until the next step.
    Say(Vec<automation::RuleDecision>),
    Skip(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct FollowUpContext<'a> {
    pub origin: &'a ClockRng,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    pub set_up: SendChannels,
}

/// Step that a message is of, also the email in place of its text. None for a message of no plan.
pub(crate) async fn find_step_of_message(conn: &mut dyn AsConn, org: OrgId, id: MessageId) -> Result<Option<String>> {
    let sql = "SELECT dedupe_key FROM message WHERE org_id = $1 AND id = $2";
    let key = q!(&mut *conn, fetch_optional scalar String, sql, org, id)?.unwrap_or_default();
    let planned = key.strip_prefix("follow:").and_then(|rest| rest.split(':').next()?.parse::<Uuid>().ok());
    let Some(planned) = planned else { return Ok(None) };
    let sql = "SELECT step FROM follow_up WHERE org_id = $1 AND id = $2";
    Ok(q!(conn, fetch_optional scalar String, sql, org, planned)?)
}

/// Steps about one subject by due time, the newest plan last.
pub async fn list_steps(conn: &mut dyn AsConn, org: OrgId, about_id: Uuid) -> Result<Vec<FollowUpView>> {
    let rows = q!(
        conn,
        fetch_all as FollowUpStepRow,
        "SELECT f.step, f.due_at, f.state, f.reason, m.status AS message_status, m.reason AS message_reason
         FROM follow_up f LEFT JOIN message m ON m.org_id = f.org_id AND m.id = f.message_id
         WHERE f.org_id = $1 AND f.about_id = $2 ORDER BY f.generation, f.due_at, f.id",
        org,
        about_id
    )?;
    Ok(rows.into_iter().map(FollowUpView::from).collect())
}
