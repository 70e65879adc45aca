//! Storing messages as `queued`, each once, together with the tasks that carry them.

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use super::{Channel, Direction, Kind, Status};
use crate::{
    clock::Origin,
    db::{
        Tx,
        batch::{Insert, insert_all, values},
        qb,
    },
    error::Result,
    id::{AccountId, CustomerId, EventId, FileId, LeadId, MessageId, OrgId},
    segments,
    tasks::{self, NewTask},
    template::Page,
};

/// A message as the rules want it, not yet stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub lead: Option<LeadId>,
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
    /// The person who wrote it.
    pub author: Option<AccountId>,
    /// The estimate, job, invoice or visit to the pay page it is about.
    pub about: Option<Uuid>,
    /// What it follows from: undone, it is not sent.
    pub event: Option<EventId>,
    /// Said later than this, it would be of no use; none is what its kind says.
    pub give_up_at: Option<DateTime<Utc>>,
    /// What goes out with it, and whether as an attachment or behind its link.
    pub files: Vec<(FileId, bool)>,
}

impl NewMessage {
    /// Words for one address, to be sent at once.
    #[must_use]
    pub fn new(id: MessageId, channel: Channel, kind: Kind, to: String, body: String, dedupe_key: String) -> Self {
        Self {
            id,
            lead: None,
            customer: None,
            channel,
            kind,
            to,
            subject: None,
            body,
            page: None,
            dedupe_key,
            not_before: None,
            author: None,
            about: None,
            event: None,
            give_up_at: None,
            files: Vec::new(),
        }
    }

    fn due(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.not_before.unwrap_or(now).max(now)
    }

    fn deadline(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.give_up_at.unwrap_or_else(|| self.due(now) + self.kind.worth_sending_for(self.channel))
    }
}

/// Stores messages as `queued` together with the tasks that carry them, all in the open transaction. A message whose
/// key is already there is left out: one intent, one message. Returns the ids that are new.
pub async fn queue(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    let stored = store(tx, origin, org, messages).await?;
    tasks::enqueue(tx, origin, wakeups(origin, org, messages, &stored)).await?;
    Ok(stored)
}

/// The tasks of messages that were just stored; they belong into the same transaction.
pub(crate) fn wakeups(origin: &Origin, org: OrgId, messages: &[NewMessage], stored: &[MessageId]) -> Vec<NewTask> {
    let now = origin.now();
    let new = messages.iter().filter(|m| stored.contains(&m.id));
    new.map(|m| wakeup(org, m.id, m.due(now), "0")).collect()
}

fn segments_of(message: &NewMessage) -> Option<i64> {
    let counted = || i64::try_from(segments::count(&message.body).segments).unwrap_or(i64::MAX);
    (message.channel == Channel::Sms).then(counted)
}

/// Stores messages without the tasks that carry them: see [`queue`] and [`wakeups`].
pub(crate) async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let now = origin.now();
    let stored = qb!(&mut *tx, fetch_all scalar MessageId, |b| {
        b.push(
            "INSERT INTO message (org_id, id, lead_id, customer_id, direction, channel, kind, class, to_address, subject,
                 body, page, status, dedupe_key, account_id, attempts, fence, next_attempt_at, deadline_at, doubt_checks,
                 segments, created_at, about_id, event_id) ",
        );
        b.push_values(messages, |mut row, m| {
            row.push_bind(org).push_bind(m.id).push_bind(m.lead).push_bind(m.customer).push_bind(Direction::Out);
            row.push_bind(m.channel).push_bind(m.kind).push_bind(m.kind.class()).push_bind(m.to.as_str());
            row.push_bind(m.subject.as_deref()).push_bind(m.body.as_str()).push_bind(m.page.as_ref().map(Json));
            row.push_bind(Status::Queued).push_bind(m.dedupe_key.as_str()).push_bind(m.author);
            row.push_bind(0_i64).push_bind(0_i64).push_bind(m.due(now)).push_bind(m.deadline(now)).push_bind(0_i64);
            row.push_bind(segments_of(m)).push_bind(now).push_bind(m.about).push_bind(m.event);
        });
        b.push(" ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id");
    })?;
    let with_files = messages.iter().filter(|m| stored.contains(&m.id));
    let files = with_files.flat_map(|m| m.files.iter().map(|(file, attached)| values![org, m.id, *file, *attached]));
    let files = Insert::into("message_file (org_id, message_id, file_id, is_attached)").rows(files);
    insert_all(tx, &[files]).await?;
    Ok(stored)
}

/// The task that carries a message; `turn` tells apart the wake-ups of one message.
pub(super) fn wakeup(org: OrgId, id: MessageId, run_at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::SendMessage,
        subject: Some(id.0),
        run_at,
        unique_key: format!("send:{id}:{turn}"),
    }
}
