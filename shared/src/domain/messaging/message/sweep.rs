//! Safety net for the queue: finds due messages that no live task carries.
//!
//! It does not use the queue, because it covers failures of the queue.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    MessageChannel, MessageStatus, build_repeat_task, delivery, reconcile, refresh_after_change, send, send_rate,
};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q, qb},
    error::Result,
    id::{DEMO_ORG, LeadId, MessageId, OrgId},
    tasks,
};

/// Minimum delay past the due time; the queue is normally far quicker.
const PATIENCE: Duration = Duration::seconds(60);
/// Messages read by one statement, and taken up by one transaction.
const SLICE: i64 = 1_000;
const BITE: usize = 50;

#[derive(FromRow)]
struct StrandedMessage {
    org_id: OrgId,
    id: MessageId,
    lead_id: Option<LeadId>,
    channel: MessageChannel,
    status: MessageStatus,
    next_attempt_at: DateTime<Utc>,
    has_live_task: bool,
    has_dead_task: bool,
}

/// Scans overdue messages in slices on read connections, checks each again in the transaction that takes it up, and
/// returns how many were taken up.
pub async fn requeue_stranded_messages(db: &Db, origin: &ClockRng) -> Result<usize> {
    let before = origin.now() - PATIENCE;
    let mut taken = 0;
    for status in [MessageStatus::Queued, MessageStatus::Sending, MessageStatus::Held] {
        let mut after = (DateTime::UNIX_EPOCH, MessageId(Uuid::nil()));
        loop {
            let slice = list_overdue_messages(&mut db.acquire_reader().await?, status, after, before).await?;
            let Some(last) = slice.last() else { break };
            after = (last.next_attempt_at, last.id);
            let stranded: Vec<MessageId> = slice.iter().filter(|one| !one.has_live_task).map(|one| one.id).collect();
            for some in stranded.chunks(BITE) {
                taken += requeue_batch(db, origin, some).await?;
            }
        }
    }
    let mut tx = db.begin().await?;
    delivery::prune_early_reports(&mut tx, origin).await?;
    send_rate::prune_lanes(&mut tx, origin.now()).await?;
    tx.commit().await?;
    Ok(taken)
}

/// Whether message `m` has a live task, and a dead one. The list of states is that of the index
/// `task_live_by_subject`, letter for letter: `SQLite` uses the index only then.
const TASKS: &str =
    "EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id AND t.status IN ('ready', 'running', 'dead')
                 AND t.status <> 'dead') AS has_live_task,
             EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id AND t.status IN ('ready', 'running', 'dead')
                 AND t.status = 'dead') AS has_dead_task";

async fn list_overdue_messages(
    conn: &mut dyn AsConn,
    status: MessageStatus,
    (at, id): (DateTime<Utc>, MessageId),
    before: DateTime<Utc>,
) -> Result<Vec<StrandedMessage>> {
    Ok(qb!(conn, fetch_all as StrandedMessage, |b| {
        b.push("SELECT m.org_id, m.id, m.lead_id, m.channel, m.status, m.next_attempt_at, ").push(TASKS);
        b.push(" FROM message m WHERE m.status IN ('queued', 'sending', 'held') AND m.status = ").push_bind(status);
        b.push(" AND m.next_attempt_at < ").push_bind(before).push(" AND m.next_attempt_at >= ").push_bind(at);
        b.push(" AND (m.next_attempt_at > ").push_bind(at).push(" OR m.id > ").push_bind(id);
        b.push(") AND m.direction = 'out' AND m.org_id <> ").push_bind(DEMO_ORG);
        b.push(" ORDER BY m.next_attempt_at, m.id LIMIT ").push_bind(SLICE);
    })?)
}

async fn requeue_batch(db: &Db, origin: &ClockRng, ids: &[MessageId]) -> Result<usize> {
    let mut tx = db.begin().await?;
    let mut taken = 0;
    for id in ids {
        let still = qb!(&mut tx, fetch_optional as StrandedMessage, |b| {
            b.push("SELECT m.org_id, m.id, m.lead_id, m.channel, m.status, m.next_attempt_at, ").push(TASKS);
            b.push(" FROM message m WHERE m.status IN ('queued', 'sending', 'held') AND m.id = ").push_bind(*id);
        })?;
        let Some(message) = still.filter(|message| !message.has_live_task) else { continue };
        requeue_message(&mut tx, origin, &message).await?;
        taken += 1;
    }
    tx.commit().await?;
    Ok(taken)
}

async fn requeue_message(tx: &mut Tx, origin: &ClockRng, message: &StrandedMessage) -> Result<()> {
    let turn = format!("sweep:{}", origin.uuid_v7());
    match (message.status, message.has_dead_task) {
        (MessageStatus::Sending, _) => {
            let Some(left) = send::load_message(&mut *tx, origin, message.id).await? else { return Ok(()) };
            reconcile::begin_reconciliation(tx, origin, &left, "the program stopped while it was being sent").await
        }
        (_, true) => expire_message(tx, origin, message).await,
        (_, false) => {
            let (subject, now) = ((message.org_id, message.id), origin.now());
            let task = build_repeat_task(&mut *tx, subject, message.channel, now, &turn).await?;
            tasks::enqueue(tx, origin, vec![task]).await?;
            Ok(())
        }
    }
}

async fn expire_message(tx: &mut Tx, origin: &ClockRng, message: &StrandedMessage) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'failed', reason = 'an internal fault stopped it', fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held')",
        message.org_id,
        message.id
    )?;
    refresh_after_change(tx, origin, message.org_id, message.lead_id, message.id).await
}
