//! Worklist: everybody who waits for the business, and why. The one definition of "waiting": the worklist screen, its
//! count on badges, the dashboard's figures and the tasks of the pulse are all read from `load_open_items`.
//!
//! Each kind has one SQL text, bounded by an index and a limit (`people`, `records`); the results are merged here.
//! Whether somebody waits follows from the records: an answer is read from the conversation, the promises and the
//! figures, a payment from the invoice. A mark (`marks`) only hides what was there when a person set it.
//!
//! A person has one item at a time, however they asked: the most urgent one.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    id::{AccountId, CustomerId, EstimateId, InvoiceId, JobId, LeadId, ReviewId},
    money::Cents,
    text_enum::display_serialized,
};

mod auto_reply;
mod change;
mod details;
mod item_key;
mod marks;
mod open_items;
mod page;
mod people;
mod records;
mod thread_waits;

pub use auto_reply::WorkItemAutoReply;
pub use change::{find_lead_of_item, mark_done, snooze_item, undo_mark};
pub(crate) use details::load_names;
pub use item_key::WorkItemKey;
pub(crate) use open_items::load_open_items;
pub use open_items::{OpenItem, load_count};
pub use page::{WorklistPage, WorklistQuery, load_page};
pub use thread_waits::load_thread_waits;

/// Items that are counted; more are shown as "2,000+".
pub const COUNT_CAP: usize = 2_000;
/// Characters of an excerpt.
const EXCERPT: usize = 140;

/// Why somebody waits. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum WorkItemKind {
    /// An urgent alert that nobody has seen.
    Emergency,
    /// A request that spam protection holds back.
    HeldRequest,
    /// A visit that was asked for and is not booked.
    ConfirmRequest,
    /// A text, an email or a form that no person has answered.
    Answer,
    /// A missed call that no person has answered.
    CallBack,
    /// A quote that was asked for, in a conversation that a person has begun.
    SendEstimate,
    /// An approved estimate without a job, or a job without a time.
    Schedule,
    /// A job of today or tomorrow without a crew.
    AssignCrew,
    /// A finished job without an invoice, or an invoice that is still a draft.
    SendInvoice,
    /// An invoice past its due date.
    Collect,
    /// A review of three stars or less without an answer.
    ReviewAnswer,
}

display_serialized!(WorkItemKind);

impl WorkItemKind {
    /// Kinds of which a person has one at a time, the most urgent first.
    fn urgency(self) -> Option<u8> {
        match self {
            Self::Emergency => Some(0),
            Self::HeldRequest => Some(1),
            Self::ConfirmRequest => Some(2),
            Self::Answer | Self::CallBack => Some(3),
            Self::SendEstimate => Some(4),
            _ => None,
        }
    }

    fn is_money(self) -> bool {
        matches!(self, Self::SendInvoice | Self::Collect)
    }

    /// The kind under which it is marked: whether to call or to write back changes while somebody waits.
    fn mark_kind(self) -> Self {
        if self == Self::CallBack { Self::Answer } else { self }
    }

    /// Whether it is hidden with the customer's conversation when it is snoozed.
    fn is_about_conversation(self) -> bool {
        matches!(self, Self::Emergency | Self::ConfirmRequest | Self::Answer | Self::CallBack)
    }
}

/// How it came in, or what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkItemSource {
    Form,
    Text,
    Call,
    Estimate,
    Job,
    Invoice,
    Review,
    Booking,
}

/// What the one button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkItemAction {
    Call,
    Answer,
    Book,
    SendEstimate,
    AssignCrew,
    SendInvoice,
    Collect,
    Open,
}

/// Whose it is: the owner of its lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WorkItemAssignee {
    pub id: AccountId,
    pub name: String,
}

/// Somebody who waits.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkItem {
    /// Stable while the person waits: the kind and an id.
    #[schema(example = "answer:01985c2e-7c4a-7b1e-8f56-0242ac120002")]
    pub key: String,
    pub kind: WorkItemKind,
    pub source: WorkItemSource,
    pub action: WorkItemAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub customer_id: Option<CustomerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lead_id: Option<LeadId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub job_id: Option<JobId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub estimate_id: Option<EstimateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub invoice_id: Option<InvoiceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub review_id: Option<ReviewId>,
    pub customer_name: Option<String>,
    /// E.164.
    pub phone: Option<String>,
    /// Why this number gets no texts: they said STOP, or may have. Absent when it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub no_text: Option<&'static str>,
    pub service: Option<String>,
    /// Their own words, at most 140 characters.
    pub excerpt: Option<String>,
    /// The newest thing that waits. What comes later has a later one.
    pub since: DateTime<Utc>,
    /// When an answer was promised.
    pub answer_by: Option<DateTime<Utc>>,
    /// The promised time is over.
    pub is_late: bool,
    pub amount_cents: Option<i64>,
    pub assignee: Option<WorkItemAssignee>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub auto_reply: Option<WorkItemAutoReply>,
    pub snoozed_until: Option<DateTime<Utc>>,
    pub done_at: Option<DateTime<Utc>>,
    /// Who marked it as done.
    pub done_by: Option<String>,
}

/// How many wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorklistCount {
    #[schema(minimum = 0, maximum = 2000)]
    pub waiting: i64,
    /// Of these, those whose promised time is over.
    #[schema(minimum = 0, maximum = 2000)]
    pub late: i64,
    /// There are more than are counted.
    pub is_capped: bool,
}

/// Which items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorklistView {
    #[default]
    Next,
    Snoozed,
    Done,
}

display_serialized!(WorklistView);

/// Whose items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorklistAssignee {
    Me,
    #[default]
    All,
}

display_serialized!(WorklistAssignee);

/// A row of one of the SQL texts: what waits, and since when.
#[derive(Clone, Debug, sqlx::FromRow)]
struct WaitingRow {
    subject_id: Uuid,
    #[sqlx(default)]
    customer_id: Option<CustomerId>,
    #[sqlx(default)]
    lead_id: Option<LeadId>,
    #[sqlx(default)]
    job_id: Option<JobId>,
    since: DateTime<Utc>,
    #[sqlx(default)]
    answer_by: Option<DateTime<Utc>>,
    #[sqlx(default)]
    cents: Option<Cents>,
    /// The service of a job, or the name below a review.
    #[sqlx(default)]
    label: Option<String>,
}
