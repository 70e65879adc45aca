//! End of seeding: no task and no waiting message is left, nothing is ever planned, and planned steps lie in the
//! future.

use chrono::Duration;

use super::DEMO_ORG;
use crate::platform::{
    clock::ClockRng,
    db::{Tx, q},
    error::Result,
    live::{self, Topic},
};

/// Reason given for waiting messages, which are dropped.
const OVER: &str = "it was no longer needed";

pub(super) async fn finalize_seed(tx: &mut Tx, origin: &ClockRng) -> Result<()> {
    let now = origin.now();
    let waits =
        "UPDATE message SET status = 'not_sent', reason = $2 WHERE org_id = $1 AND status IN ('queued', 'held')";
    q!(&mut *tx, execute, waits, DEMO_ORG, OVER)?;
    // Steps whose time has passed without being sent. Future ones stay, so that they can be seen.
    q!(
        &mut *tx,
        execute,
        "DELETE FROM follow_up WHERE org_id = $1 AND state = 'waiting' AND due_at <= $2",
        DEMO_ORG,
        now
    )?;
    let sql = "UPDATE alert SET notified_at = COALESCE(notified_at, created_at), escalates_at = NULL WHERE org_id = $1";
    q!(&mut *tx, execute, sql, DEMO_ORG)?;
    let seen = "UPDATE alert SET seen_at = created_at WHERE org_id = $1 AND created_at < $2";
    q!(&mut *tx, execute, seen, DEMO_ORG, now - Duration::hours(12))?;
    // Emergencies were answered on the phone.
    let urgent = "UPDATE alert SET seen_at = created_at WHERE org_id = $1 AND is_urgent AND seen_at IS NULL";
    q!(&mut *tx, execute, urgent, DEMO_ORG)?;
    let read = "UPDATE conversation SET unread = 0 WHERE org_id = $1 AND last_at < $2";
    q!(&mut *tx, execute, read, DEMO_ORG, now - Duration::hours(36))?;
    q!(&mut *tx, execute, "DELETE FROM pulse_plan WHERE org_id = $1", DEMO_ORG)?;
    // One event replaces those of a year for open pages.
    q!(&mut *tx, execute, "DELETE FROM live_event WHERE org_id = $1", DEMO_ORG)?;
    live::publish_event(tx, origin, DEMO_ORG, Topic::Settings, DEMO_ORG.0, None).await
}
