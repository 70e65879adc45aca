//! The net under the queue: finds messages that are due and that no live task carries.
//!
//! It does not go through the queue, since a net that hangs on the thing it protects is no net.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{Channel, Status, delivery, reconcile, send, send_rate, settled, wakeup};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Tx, q, qb},
    error::Result,
    id::{DEMO_ORG, LeadId, MessageId, OrgId},
    tasks,
};

/// A message waits at least this long past its time before the net looks at it: the queue is normally far quicker.
const PATIENCE: Duration = Duration::seconds(60);
/// Messages looked at by one statement, and taken up by one transaction.
const SLICE: i64 = 1_000;
const BITE: usize = 50;

#[derive(FromRow)]
struct Stranded {
    org_id: OrgId,
    id: MessageId,
    lead_id: Option<LeadId>,
    channel: Channel,
    status: Status,
    next_attempt_at: DateTime<Utc>,
    has_live_task: bool,
    has_dead_task: bool,
}

/// Looks once through all that is overdue. Returns how many messages were taken up.
///
/// It reads beside the writer, in slices; what it finds is looked at again in the transaction that takes it up.
pub async fn run(db: &Db, origin: &Origin) -> Result<usize> {
    let before = origin.now() - PATIENCE;
    let mut taken = 0;
    for status in [Status::Queued, Status::Sending, Status::Held] {
        let mut after = (DateTime::UNIX_EPOCH, MessageId(Uuid::nil()));
        loop {
            let slice = find(&mut db.read().await?, status, after, before).await?;
            let Some(last) = slice.last() else { break };
            after = (last.next_attempt_at, last.id);
            let stranded: Vec<MessageId> = slice.iter().filter(|one| !one.has_live_task).map(|one| one.id).collect();
            for some in stranded.chunks(BITE) {
                taken += take_up_some(db, origin, some).await?;
            }
        }
    }
    let mut tx = db.begin().await?;
    delivery::tidy(&mut tx, origin).await?;
    send_rate::tidy(&mut tx, origin.now()).await?;
    tx.commit().await?;
    Ok(taken)
}

/// Whether a task is there for message `m`, and whether it is at work on it. The list of states is that of the index
/// `task_live_by_subject`, letter for letter: `SQLite` uses the index only then.
const TASKS: &str =
    "EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id AND t.status IN ('ready', 'running', 'dead')
                 AND t.status <> 'dead') AS has_live_task,
             EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id AND t.status IN ('ready', 'running', 'dead')
                 AND t.status = 'dead') AS has_dead_task";

/// The next slice of what is overdue, in the order of the index.
async fn find(
    conn: &mut dyn AsConn,
    status: Status,
    (at, id): (DateTime<Utc>, MessageId),
    before: DateTime<Utc>,
) -> Result<Vec<Stranded>> {
    Ok(qb!(conn, fetch_all as Stranded, |b| {
        b.push("SELECT m.org_id, m.id, m.lead_id, m.channel, m.status, m.next_attempt_at, ").push(TASKS);
        b.push(" FROM message m WHERE m.status IN ('queued', 'sending', 'held') AND m.status = ").push_bind(status);
        b.push(" AND m.next_attempt_at < ").push_bind(before).push(" AND m.next_attempt_at >= ").push_bind(at);
        b.push(" AND (m.next_attempt_at > ").push_bind(at).push(" OR m.id > ").push_bind(id);
        b.push(") AND m.direction = 'out' AND m.org_id <> ").push_bind(DEMO_ORG);
        b.push(" ORDER BY m.next_attempt_at, m.id LIMIT ").push_bind(SLICE);
    })?)
}

async fn take_up_some(db: &Db, origin: &Origin, ids: &[MessageId]) -> Result<usize> {
    let mut tx = db.begin().await?;
    let mut taken = 0;
    for id in ids {
        let still = qb!(&mut tx, fetch_optional as Stranded, |b| {
            b.push("SELECT m.org_id, m.id, m.lead_id, m.channel, m.status, m.next_attempt_at, ").push(TASKS);
            b.push(" FROM message m WHERE m.status IN ('queued', 'sending', 'held') AND m.id = ").push_bind(*id);
        })?;
        let Some(message) = still.filter(|message| !message.has_live_task) else { continue };
        take_up(&mut tx, origin, &message).await?;
        taken += 1;
    }
    tx.commit().await?;
    Ok(taken)
}

async fn take_up(tx: &mut Tx, origin: &Origin, message: &Stranded) -> Result<()> {
    let turn = format!("sweep:{}", origin.uuid());
    match (message.status, message.has_dead_task) {
        (Status::Sending, _) => {
            let Some(left) = send::load(&mut *tx, origin, message.id).await? else { return Ok(()) };
            reconcile::begin(tx, origin, &left, "the program stopped while it was being sent").await
        }
        (_, true) => give_up(tx, origin, message).await,
        (_, false) => {
            let task = wakeup(message.org_id, message.id, message.channel, origin.now(), &turn);
            tasks::enqueue(tx, origin, vec![task]).await?;
            Ok(())
        }
    }
}

async fn give_up(tx: &mut Tx, origin: &Origin, message: &Stranded) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'failed', reason = 'an internal fault stopped it', fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held')",
        message.org_id,
        message.id
    )?;
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}
