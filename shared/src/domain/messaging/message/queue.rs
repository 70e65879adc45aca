//! Storing messages as `queued`, each once, together with the tasks that carry them.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::{MessageChannel, MessageDirection, MessageStatus, NewMessage};
use crate::platform::{
    clock::ClockRng,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all, values},
        batch_rows, q, qb,
    },
    error::Result,
    id::{MessageId, OrgId},
    sms_segments,
    tasks::{self, NewTask, TaskKind},
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
    new.map(|m| {
        let channel = m.draft.channel();
        let task = build_send_task(org, m.id, send_task_kind(channel), m.send_at(now), "0");
        if goes_first(channel, &m.draft.dedupe_key) { task.before_other_emails() } else { task }
    })
    .collect()
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
        class: m.draft.class,
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

/// Keys of the emails that go ahead of the other emails of the business: somebody waits to get in, or must learn of a
/// danger to an account. Other notices to the people of a business wait as all emails do.
const KEYS_OF_FIRST_EMAILS: [&str; 5] = ["password_reset:", "address_proof:", "invite:", "account:", "security:"];

fn goes_first(channel: MessageChannel, dedupe_key: &str) -> bool {
    channel == MessageChannel::Email && KEYS_OF_FIRST_EMAILS.iter().any(|prefix| dedupe_key.starts_with(prefix))
}

fn send_task_kind(channel: MessageChannel) -> TaskKind {
    match channel {
        MessageChannel::Sms => TaskKind::SendMessage,
        MessageChannel::Email => TaskKind::SendEmail,
    }
}

/// Task that takes up a stored message again. An email that goes first still does.
pub(super) async fn build_repeat_task(
    conn: &mut dyn AsConn,
    (org, id): (OrgId, MessageId),
    channel: MessageChannel,
    run_at: DateTime<Utc>,
    turn: &str,
) -> Result<NewTask> {
    let task = build_send_task(org, id, send_task_kind(channel), run_at, turn);
    if channel != MessageChannel::Email {
        return Ok(task);
    }
    let sql = "SELECT dedupe_key FROM message WHERE org_id = $1 AND id = $2";
    let key = q!(conn, fetch_optional scalar String, sql, org, id)?;
    let goes_first = key.is_some_and(|key| goes_first(channel, &key));
    Ok(if goes_first { task.before_other_emails() } else { task })
}

/// `turn` distinguishes the wake-ups of one message.
pub(super) fn build_send_task(org: OrgId, id: MessageId, kind: TaskKind, run_at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask { org: Some(org), kind, subject: Some(id.0), run_at, unique_key: format!("send:{id}:{turn}") }
}
