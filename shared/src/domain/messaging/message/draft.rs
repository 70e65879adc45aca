//! Message drafts: everything known of a message before it is stored under its own id.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{MessageChannel, MessageKind};
use crate::{
    documents::{response_time::PromisedResponseTime, template::EmailPage},
    platform::{
        contact_hours::ContactClass,
        id::{AccountId, CustomerId, EventId, FileId, LeadId, MessageId},
        recipient::Recipient,
    },
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDraft {
    /// Set when it goes to a customer.
    pub customer: Option<CustomerId>,
    pub kind: MessageKind,
    /// That of its kind, unless it answers a text that has just come.
    pub class: ContactClass,
    pub to: Recipient,
    pub subject: Option<String>,
    pub body: String,
    /// Content of the HTML version of an email.
    pub page: Option<EmailPage>,
    /// Idempotency key within the org: cause, cause's id, step, channel, recipient.
    pub dedupe_key: String,
    /// Earliest send time; none is at once.
    pub not_before: Option<DateTime<Utc>>,
    /// The estimate, job, invoice or visit to the pay page it is about.
    pub about: Option<Uuid>,
    /// Event that caused it; when that is undone, it is not sent.
    pub event: Option<EventId>,
    /// Useless after this time; none is the limit of its kind.
    pub expires_at: Option<DateTime<Utc>>,
    /// Promise of its words, counted from when it leaves, or from `promise_starts_at` if that is later.
    pub promised: Option<PromisedResponseTime>,
    /// From when on the promise counts at the earliest: the time at which the request is read.
    pub promise_starts_at: Option<DateTime<Utc>>,
    /// Files, and whether each is an attachment or behind the link.
    pub files: Vec<(FileId, bool)>,
}

impl MessageDraft {
    #[must_use]
    pub fn new(kind: MessageKind, to: impl Into<Recipient>, body: String, dedupe_key: String) -> Self {
        Self {
            customer: None,
            kind,
            class: kind.class(),
            to: to.into(),
            subject: None,
            body,
            page: None,
            dedupe_key,
            not_before: None,
            about: None,
            event: None,
            expires_at: None,
            promised: None,
            promise_starts_at: None,
            files: Vec::new(),
        }
    }

    #[must_use]
    pub fn channel(&self) -> MessageChannel {
        self.to.channel()
    }

    #[must_use]
    pub fn with_id(self, id: MessageId) -> NewMessage {
        NewMessage { id, lead: None, author: None, draft: self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub lead: Option<LeadId>,
    pub author: Option<AccountId>,
    pub draft: MessageDraft,
}

impl NewMessage {
    #[must_use]
    pub fn map_draft(self, words: impl FnOnce(MessageDraft) -> MessageDraft) -> Self {
        Self { draft: words(self.draft), ..self }
    }
}
