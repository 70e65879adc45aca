//! Storing messages as `queued`, each once, together with the tasks that carry them.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{Channel, Direction, NewMessage, Status};
use crate::platform::{
    clock::Origin,
    db::{
        Tx,
        batch::{Insert, Value, insert_all, values},
        qb,
    },
    error::Result,
    id::{MessageId, OrgId},
    sms_segments,
    tasks::{self, NewTask},
};

/// The table and the columns that a message to be sent begins with.
const INTO: &str = "message (org_id, id, lead_id, customer_id, direction, channel, kind, class, to_address, subject, body,
    page, status, dedupe_key, account_id, attempts, fence, next_attempt_at, deadline_at, doubt_checks, segments, created_at,
    about_id, event_id, promise_minutes, promise_words, promise_told_from)";

impl NewMessage {
    fn due(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.draft.not_before.unwrap_or(now).max(now)
    }

    fn deadline(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let worth = self.draft.kind.worth_sending_for(self.draft.channel);
        self.draft.give_up_at.unwrap_or_else(|| self.due(now) + worth)
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
    new.map(|m| wakeup(org, m.id, m.draft.channel, m.due(now), "0")).collect()
}

fn segments_of(message: &NewMessage) -> Option<i64> {
    let counted = || i64::try_from(sms_segments::count(&message.draft.body).segments).unwrap_or(i64::MAX);
    (message.draft.channel == Channel::Sms).then(counted)
}

/// Stores messages without the tasks that carry them: see [`queue`] and [`wakeups`].
pub(crate) async fn store(tx: &mut Tx, origin: &Origin, org: OrgId, messages: &[NewMessage]) -> Result<Vec<MessageId>> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    tx.guard_writable(org);
    let now = origin.now();
    let stored = qb!(&mut *tx, fetch_all scalar MessageId, |b| {
        b.push("INSERT INTO ").push(INTO).push(" ");
        b.push_values(messages, |mut cells, m| {
            for value in row(org, m.clone(), now) {
                cells.push_value(&*value);
            }
        });
        b.push(" ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id");
    })?;
    let files = files(org, messages.iter().filter(|m| stored.contains(&m.id)));
    insert_all(tx, &[files]).await?;
    Ok(stored)
}

fn files<'a, 'm>(org: OrgId, messages: impl Iterator<Item = &'m NewMessage>) -> Insert<'a> {
    let files = messages.flat_map(|m| m.draft.files.iter().map(move |(file, is_attached)| (m.id, *file, *is_attached)));
    Insert::into("message_file (org_id, message_id, file_id, is_attached)")
        .rows(files.map(|(message, file, is_attached)| values![org, message, file, is_attached]))
}

/// The rows of messages about something that is new itself, so that nobody has used their keys, and of the tasks that
/// carry them: to be written with what they are about.
pub(crate) fn rows<'a>(tx: &mut Tx, origin: &Origin, org: OrgId, messages: Vec<NewMessage>) -> [Insert<'a>; 3] {
    tx.guard_writable(org);
    let now = origin.now();
    let ids: Vec<MessageId> = messages.iter().map(|m| m.id).collect();
    let tasks = tasks::rows(tx, origin, wakeups(origin, org, &messages, &ids));
    let files = files(org, messages.iter());
    [Insert::into(INTO).rows(messages.into_iter().map(|m| row(org, m, now))), files, tasks]
}

fn row<'a>(org: OrgId, m: NewMessage, now: DateTime<Utc>) -> Vec<Value<'a>> {
    let (due, deadline, segments) = (m.due(now), m.deadline(now), segments_of(&m));
    let d = m.draft;
    let told_from = d.promised.as_ref().and(d.told_from);
    values![
        org,
        m.id,
        m.lead,
        d.customer,
        Direction::Out,
        d.channel,
        d.kind,
        d.kind.class(),
        d.to,
        d.subject,
        d.body,
        d.page.map(Json),
        Status::Queued,
        d.dedupe_key,
        m.author,
        0_i64,
        0_i64,
        due,
        deadline,
        0_i64,
        segments,
        now,
        d.about,
        d.event,
        d.promised.as_ref().map(|promised| promised.within.num_minutes()),
        d.promised.map(|promised| promised.words),
        told_from
    ]
}

/// The task that carries a message; `turn` tells apart the wake-ups of one message.
pub(super) fn wakeup(org: OrgId, id: MessageId, channel: Channel, run_at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: match channel {
            Channel::Sms => tasks::Kind::SendMessage,
            Channel::Email => tasks::Kind::SendEmail,
        },
        subject: Some(id.0),
        run_at,
        unique_key: format!("send:{id}:{turn}"),
    }
}
