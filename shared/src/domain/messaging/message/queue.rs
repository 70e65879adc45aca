//! Storing messages as `queued`, each once, together with the tasks that carry them.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{MessageChannel, MessageDirection, MessageStatus, NewMessage};
use crate::platform::{
    clock::ClockRng,
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

const INTO: &str = "message (org_id, id, lead_id, customer_id, direction, channel, kind, class, to_address, subject, body,
    page, status, dedupe_key, account_id, attempts, fence, next_attempt_at, deadline_at, doubt_checks, segments, created_at,
    about_id, event_id, promise_minutes, promise_words, promise_told_from)";

impl NewMessage {
    fn send_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.draft.not_before.unwrap_or(now).max(now)
    }

    fn expires_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let worth = self.draft.kind.max_age(self.draft.channel);
        self.draft.give_up_at.unwrap_or_else(|| self.send_at(now) + worth)
    }
}

/// Stores messages as `queued` with their tasks, in the open transaction. Messages with a key that exists are left out.
/// Returns the new ids.
pub async fn queue_messages(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    messages: &[NewMessage],
) -> Result<Vec<MessageId>> {
    let stored = store_queued(tx, origin, org, messages).await?;
    tasks::enqueue(tx, origin, build_send_tasks(origin, org, messages, &stored)).await?;
    Ok(stored)
}

/// Tasks of messages that were just stored; they belong into the same transaction.
pub(crate) fn build_send_tasks(
    origin: &ClockRng,
    org: OrgId,
    messages: &[NewMessage],
    stored: &[MessageId],
) -> Vec<NewTask> {
    let now = origin.now();
    let new = messages.iter().filter(|m| stored.contains(&m.id));
    new.map(|m| build_send_task(org, m.id, m.draft.channel, m.send_at(now), "0")).collect()
}

fn count_segments(message: &NewMessage) -> Option<i64> {
    let counted = || i64::try_from(sms_segments::count_segments(&message.draft.body).segments).unwrap_or(i64::MAX);
    (message.draft.channel == MessageChannel::Sms).then(counted)
}

/// Without the tasks: see [`queue_messages`] and [`build_send_tasks`].
pub(crate) async fn store_queued(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    messages: &[NewMessage],
) -> Result<Vec<MessageId>> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    tx.guard_writable(org);
    let now = origin.now();
    let stored = qb!(&mut *tx, fetch_all scalar MessageId, |b| {
        b.push("INSERT INTO ").push(INTO).push(" ");
        b.push_values(messages, |mut cells, m| {
            for value in build_message_row(org, m.clone(), now) {
                cells.push_value(&*value);
            }
        });
        b.push(" ON CONFLICT (org_id, dedupe_key) DO NOTHING RETURNING id");
    })?;
    let files = build_attachment_rows(org, messages.iter().filter(|m| stored.contains(&m.id)));
    insert_all(tx, &[files]).await?;
    Ok(stored)
}

fn build_attachment_rows<'a, 'm>(org: OrgId, messages: impl Iterator<Item = &'m NewMessage>) -> Insert<'a> {
    let files = messages.flat_map(|m| m.draft.files.iter().map(move |(file, is_attached)| (m.id, *file, *is_attached)));
    Insert::into("message_file (org_id, message_id, file_id, is_attached)")
        .with_rows(files.map(|(message, file, is_attached)| values![org, message, file, is_attached]))
}

/// Rows of messages about a new object, so that their keys are unused, and of their tasks: written with that object.
pub(crate) fn build_message_rows<'a>(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    messages: Vec<NewMessage>,
) -> [Insert<'a>; 3] {
    tx.guard_writable(org);
    let now = origin.now();
    let ids: Vec<MessageId> = messages.iter().map(|m| m.id).collect();
    let tasks = tasks::build_task_insert(tx, origin, build_send_tasks(origin, org, &messages, &ids));
    let files = build_attachment_rows(org, messages.iter());
    [Insert::into(INTO).with_rows(messages.into_iter().map(|m| build_message_row(org, m, now))), files, tasks]
}

fn build_message_row<'a>(org: OrgId, m: NewMessage, now: DateTime<Utc>) -> Vec<Value<'a>> {
    let (due, deadline, segments) = (m.send_at(now), m.expires_at(now), count_segments(&m));
    let d = m.draft;
    let told_from = d.promised.as_ref().and(d.told_from);
    values![
        org,
        m.id,
        m.lead,
        d.customer,
        MessageDirection::Out,
        d.channel,
        d.kind,
        d.kind.class(),
        d.to,
        d.subject,
        d.body,
        d.page.map(Json),
        MessageStatus::Queued,
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

/// `turn` distinguishes the wake-ups of one message.
pub(super) fn build_send_task(
    org: OrgId,
    id: MessageId,
    channel: MessageChannel,
    run_at: DateTime<Utc>,
    turn: &str,
) -> NewTask {
    NewTask {
        org: Some(org),
        kind: match channel {
            MessageChannel::Sms => tasks::Kind::SendMessage,
            MessageChannel::Email => tasks::Kind::SendEmail,
        },
        subject: Some(id.0),
        run_at,
        unique_key: format!("send:{id}:{turn}"),
    }
}
