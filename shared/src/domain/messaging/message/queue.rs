//! Storing messages as `queued`, each once, together with the tasks that carry them.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{MessageChannel, MessageDirection, MessageStatus, NewMessage};
use crate::platform::{
    clock::ClockRng,
    db::{
        Tx,
        batch::{Insert, insert_all, values},
        batch_rows, qb,
    },
    error::Result,
    id::{MessageId, OrgId},
    sms_segments,
    tasks::{self, NewTask},
};

impl NewMessage {
    fn send_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.draft.not_before.unwrap_or(now).max(now)
    }

    fn expires_at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let worth = self.draft.kind.max_age(self.draft.channel());
        self.draft.expires_at.unwrap_or_else(|| self.send_at(now) + worth)
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
    new.map(|m| build_send_task(org, m.id, m.draft.channel(), m.send_at(now), "0")).collect()
}

fn count_segments(message: &NewMessage) -> Option<i64> {
    let counted = || i64::try_from(sms_segments::count_segments(&message.draft.body).segments).unwrap_or(i64::MAX);
    message.draft.to.is_phone().then(counted)
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
    let rows = build_message_insert(org, messages.iter().cloned(), now);
    let stored = qb!(&mut *tx, fetch_all scalar MessageId, |b| {
        rows.push_to(&mut b);
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
    [build_message_insert(org, messages.into_iter(), now), files, tasks]
}

fn build_message_insert<'a>(org: OrgId, messages: impl Iterator<Item = NewMessage>, now: DateTime<Utc>) -> Insert<'a> {
    let timed = messages.map(|m| ((m.send_at(now), m.expires_at(now), count_segments(&m)), m));
    batch_rows!(timed, |((due, deadline, segments), m)| message {
        org_id: org,
        id: m.id,
        lead_id: m.lead,
        customer_id: m.draft.customer,
        direction: MessageDirection::Out,
        channel: m.draft.channel(),
        kind: m.draft.kind,
        class: m.draft.kind.class(),
        to_address: m.draft.to.into_string(),
        subject: m.draft.subject,
        body: m.draft.body,
        page: m.draft.page.map(Json),
        status: MessageStatus::Queued,
        dedupe_key: m.draft.dedupe_key,
        account_id: m.author,
        attempts: 0_i64,
        fence: 0_i64,
        next_attempt_at: due,
        deadline_at: deadline,
        reconcile_checks: 0_i64,
        segments,
        created_at: now,
        about_id: m.draft.about,
        event_id: m.draft.event,
        sla_minutes: m.draft.promised.as_ref().map(|promised| promised.within.num_minutes()),
        sla_starts_at: m.draft.promised.as_ref().and(m.draft.promise_starts_at),
        sla_text: m.draft.promised.map(|promised| promised.words),
    })
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
            MessageChannel::Sms => tasks::TaskKind::SendMessage,
            MessageChannel::Email => tasks::TaskKind::SendEmail,
        },
        subject: Some(id.0),
        run_at,
        unique_key: format!("send:{id}:{turn}"),
    }
}
