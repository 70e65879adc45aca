//! What is to be said later, unless something happens first.
//!
//! A plan is made in the transaction of what it follows from, and ended in the transaction of what makes it idle. When
//! the time of a step comes, the rule of what it is about looks once more and words it; the gate decides like for any
//! other message whether it leaves. One plan, one try at each step.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        growth::review,
        messaging::{
            automation,
            message::{Status, paper::unsent_of, send_policy::SetUp},
        },
        work::visit,
    },
    platform::{
        clock::Origin,
        db::{AsConn, q},
        error::Result,
        id::{FollowUpId, LeadId, OrgId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

pub mod compose;
pub(crate) mod estimate;
mod foresee;
mod plan;
pub(crate) mod run;
pub mod sweep;

pub use foresee::{Foreseen, preview};
pub(crate) use plan::stop_all;
pub use plan::{plan, stop, stop_for_lead, stop_talk, undone};
pub use run::run;

use plan::wakeup;

/// What is followed up. Each has its rule in `follow/run.rs`; what has none cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type, Serialize, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FollowUpAbout)]
pub enum About {
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

/// Which step of a plan: its name is kept for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// So many days after it was sent.
    Day(i64),
    /// So many days after it is due; before it when below 0.
    Due(i64),
    /// So many days after the bank refused a card.
    Card(u64),
    /// What is told of a visit.
    Visit(visit::Said),
    /// A request for a review.
    Review(review::Turn),
}

impl Step {
    /// `day_2`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Visit(said) => said.name().to_owned(),
            Self::Review(turn) => turn.name().to_owned(),
            Self::Day(days) => format!("day_{days}"),
            Self::Due(days) => format!("due_{days}"),
            Self::Card(days) => format!("card_{days}"),
        }
    }
}

/// One step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    pub step: Step,
    pub due_at: DateTime<Utc>,
    /// Said later than this, it would be of no use.
    pub give_up_at: DateTime<Utc>,
}

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FollowUpState)]
pub enum State {
    Waiting,
    /// The rule has decided; whether a message left stands with the message.
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
pub struct StepView {
    /// `day_2`.
    pub step: String,
    pub due_at: DateTime<Utc>,
    pub state: State,
    /// Why it was stopped or skipped.
    pub reason: Option<String>,
    /// Why the message of a step that is done has not left: "Waiting to send: it is night there". Null when it left.
    pub unsent: Option<String>,
}

/// A step, with its message.
#[derive(FromRow)]
struct StepRow {
    step: String,
    due_at: DateTime<Utc>,
    state: State,
    reason: Option<String>,
    message_status: Option<Status>,
    message_reason: Option<String>,
}

impl From<StepRow> for StepView {
    fn from(row: StepRow) -> Self {
        let StepRow { step, due_at, state, reason, message_status, message_reason } = row;
        Self {
            step,
            due_at,
            state,
            reason,
            unsent: message_status.and_then(|status| unsent_of(status, message_reason)),
        }
    }
}

/// A step whose time has come.
#[derive(Clone, Debug, FromRow)]
pub struct Due {
    pub org_id: OrgId,
    pub id: FollowUpId,
    pub lead_id: LeadId,
    pub about: About,
    pub about_id: Uuid,
    pub step: String,
    pub give_up_at: DateTime<Utc>,
    /// When its plan was made.
    pub created_at: DateTime<Utc>,
}

/// What a rule makes of a step whose time has come.
#[derive(Debug)]
pub enum Decision {
    /// By the rule room: said, or not said for a reason that may change until the next step.
    Say(Vec<automation::Decision>),
    /// There is nothing to say any more.
    Skip(&'static str),
}

/// What carrying out a step needs to know about the install.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    /// What this install can send.
    pub set_up: SetUp,
}

/// The steps of a thing, in the order of their time, the newest plan last.
pub async fn of(conn: &mut dyn AsConn, org: OrgId, about_id: Uuid) -> Result<Vec<StepView>> {
    let rows = q!(
        conn,
        fetch_all as StepRow,
        "SELECT f.step, f.due_at, f.state, f.reason, m.status AS message_status, m.reason AS message_reason
         FROM follow_up f LEFT JOIN message m ON m.org_id = f.org_id AND m.id = f.message_id
         WHERE f.org_id = $1 AND f.about_id = $2 ORDER BY f.generation, f.due_at, f.id",
        org,
        about_id
    )?;
    Ok(rows.into_iter().map(StepView::from).collect())
}
