//! The net under the queue: finds messages that are due and that no live task carries.
//!
//! It does not go through the queue, since a net that hangs on the thing it protects is no net.

use chrono::Duration;
use sqlx::FromRow;

use super::{Status, delivery, doubt, pace, send, settled, wakeup};
use crate::{
    clock::Origin,
    db::{Db, Tx, q},
    demo::DEMO,
    error::Result,
    id::{LeadId, MessageId, OrgId},
    tasks,
};

/// A message waits at least this long past its time before the net looks at it: the queue is normally far quicker.
const PATIENCE: Duration = Duration::seconds(60);
const BITE: i64 = 200;

#[derive(FromRow)]
struct Stranded {
    org_id: OrgId,
    id: MessageId,
    lead_id: Option<LeadId>,
    status: Status,
    has_dead_task: bool,
}

/// Looks once. Returns how many messages were taken up.
pub async fn run(db: &Db, origin: &Origin) -> Result<usize> {
    let mut tx = db.begin().await?;
    let stranded = find(&mut tx, origin).await?;
    for message in &stranded {
        take_up(&mut tx, origin, message).await?;
    }
    delivery::tidy(&mut tx, origin).await?;
    pace::tidy(&mut tx, origin.now()).await?;
    tx.commit().await?;
    Ok(stranded.len())
}

async fn find(tx: &mut Tx, origin: &Origin) -> Result<Vec<Stranded>> {
    Ok(q!(
        tx,
        fetch_all as Stranded,
        "SELECT m.org_id, m.id, m.lead_id, m.status,
             EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id AND t.status = 'dead') AS has_dead_task
         FROM message m
         WHERE m.direction = 'out' AND m.status IN ('queued', 'sending', 'held') AND m.next_attempt_at < $1
           AND m.org_id <> $3
           AND NOT EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id AND t.status IN ('ready', 'running'))
         ORDER BY m.next_attempt_at LIMIT $2",
        origin.now() - PATIENCE,
        BITE,
        DEMO
    )?)
}

async fn take_up(tx: &mut Tx, origin: &Origin, message: &Stranded) -> Result<()> {
    let turn = format!("sweep:{}", origin.uuid());
    match (message.status, message.has_dead_task) {
        (Status::Sending, _) => {
            let Some(left) = send::load(&mut *tx, origin, message.id).await? else { return Ok(()) };
            doubt::begin(tx, origin, &left, "the program stopped while it was being sent").await
        }
        (_, true) => give_up(tx, origin, message).await,
        (_, false) => {
            let task = wakeup(message.org_id, message.id, origin.now(), &turn);
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
