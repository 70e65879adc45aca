//! The end of seeding: no task is left and no message waits, nothing of it is ever planned, and what is said to come
//! lies ahead.

use chrono::Duration;

use super::DEMO_ORG;
use crate::platform::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
    live::{self, Topic},
};

/// Why a message that waited did not leave.
const OVER: &str = "it was not needed any more";

/// Leaves nothing behind that a worker would look at.
pub(super) async fn close(tx: &mut Tx, origin: &Origin) -> Result<()> {
    let now = origin.now();
    let waits =
        "UPDATE message SET status = 'not_sent', reason = $2 WHERE org_id = $1 AND status IN ('queued', 'held')";
    q!(&mut *tx, execute, waits, DEMO_ORG, OVER)?;
    // What had its time and was passed over in the telling of a year. What lies ahead stands there to be seen.
    q!(
        &mut *tx,
        execute,
        "DELETE FROM follow_up WHERE org_id = $1 AND state = 'waiting' AND due_at <= $2",
        DEMO_ORG,
        now
    )?;
    let told = "UPDATE alert SET told_at = COALESCE(told_at, created_at), climbs_at = NULL WHERE org_id = $1";
    q!(&mut *tx, execute, told, DEMO_ORG)?;
    let seen = "UPDATE alert SET seen_at = created_at WHERE org_id = $1 AND created_at < $2";
    q!(&mut *tx, execute, seen, DEMO_ORG, now - Duration::hours(12))?;
    let read = "UPDATE thread SET unread = 0 WHERE org_id = $1 AND last_at < $2";
    q!(&mut *tx, execute, read, DEMO_ORG, now - Duration::hours(36))?;
    q!(&mut *tx, execute, "DELETE FROM pulse_plan WHERE org_id = $1", DEMO_ORG)?;
    // A year's worth of them says nothing to a page that is open; one does.
    q!(&mut *tx, execute, "DELETE FROM live_event WHERE org_id = $1", DEMO_ORG)?;
    live::announce(tx, origin, DEMO_ORG, Topic::Settings, DEMO_ORG.0, None).await
}
