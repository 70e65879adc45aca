//! A message in words: all that is to be known of it before it is stored under an id of its own.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Channel, Kind};
use crate::{
    documents::{response_time::Promised, template::Page},
    platform::id::{AccountId, CustomerId, EventId, FileId, LeadId, MessageId},
};

/// A message as whoever words it has it; its id comes when it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The person it goes to, when it goes to a customer.
    pub customer: Option<CustomerId>,
    pub channel: Channel,
    pub kind: Kind,
    /// E.164 or an email address.
    pub to: String,
    pub subject: Option<String>,
    pub body: String,
    /// What the HTML of an email shows beside the text.
    pub page: Option<Page>,
    /// One logical message, one key within its org: cause, cause's id, step, channel, recipient.
    pub dedupe_key: String,
    /// Not sent before then; none is at once.
    pub not_before: Option<DateTime<Utc>>,
    /// The estimate, job, invoice or visit to the pay page it is about.
    pub about: Option<Uuid>,
    /// What it follows from: undone, it is not sent.
    pub event: Option<EventId>,
    /// Said later than this, it would be of no use; none is what its kind says.
    pub give_up_at: Option<DateTime<Utc>>,
    /// What its words promise, from when they go out.
    pub promised: Option<Promised>,
    /// From when on somebody of the business could have been told of the request that it answers.
    pub told_from: Option<DateTime<Utc>>,
    /// What goes out with it, and whether as an attachment or behind its link.
    pub files: Vec<(FileId, bool)>,
}

impl Draft {
    /// Words for one address, to be sent at once.
    #[must_use]
    pub fn new(channel: Channel, kind: Kind, to: String, body: String, dedupe_key: String) -> Self {
        Self {
            customer: None,
            channel,
            kind,
            to,
            subject: None,
            body,
            page: None,
            dedupe_key,
            not_before: None,
            about: None,
            event: None,
            give_up_at: None,
            promised: None,
            told_from: None,
            files: Vec::new(),
        }
    }

    /// Ready to be stored, about no lead in particular and by nobody.
    #[must_use]
    pub fn under(self, id: MessageId) -> NewMessage {
        NewMessage { id, lead: None, author: None, draft: self }
    }
}

/// A message that is about to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub lead: Option<LeadId>,
    /// The person who wrote it.
    pub author: Option<AccountId>,
    pub draft: Draft,
}

impl NewMessage {
    /// The same in other words.
    #[must_use]
    pub fn saying(self, words: impl FnOnce(Draft) -> Draft) -> Self {
        Self { draft: words(self.draft), ..self }
    }
}
