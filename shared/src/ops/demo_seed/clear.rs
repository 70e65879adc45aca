//! Taking the old demonstration away, with every row that is its own.

use super::DEMO_ORG;
use crate::platform::{
    db::{Tx, q},
    error::Result,
};

/// What does not go with the business itself: no foreign key leads there, or one that PostgreSQL looks at before all that
/// hangs on it is gone.
const APART: [&str; 16] = [
    "DELETE FROM review WHERE org_id = $1",
    "DELETE FROM review_ask WHERE org_id = $1",
    "DELETE FROM payment WHERE org_id = $1",
    "DELETE FROM invoice WHERE org_id = $1",
    "DELETE FROM approval WHERE org_id = $1",
    "DELETE FROM estimate WHERE org_id = $1",
    "DELETE FROM file WHERE org_id = $1",
    "DELETE FROM job WHERE org_id = $1",
    "DELETE FROM consent WHERE org_id = $1",
    "DELETE FROM opt_out WHERE org_id = $1",
    "DELETE FROM idempotency WHERE org_id = $1",
    "DELETE FROM audit_event WHERE org_id = $1",
    "DELETE FROM audit_head WHERE org_id = $1",
    "DELETE FROM audit_anchor WHERE org_id = $1",
    "DELETE FROM live_event WHERE org_id = $1",
    "DELETE FROM task WHERE org_id = $1",
];

/// Removes all of it.
pub(super) async fn clear(tx: &mut Tx) -> Result<()> {
    for sql in APART {
        q!(&mut *tx, execute, sql, DEMO_ORG)?;
    }
    q!(tx, execute, "DELETE FROM org WHERE id = $1", DEMO_ORG)?;
    Ok(())
}
