//! Removal of the previous demonstration with all its rows.

use super::DEMO_ORG;
use crate::platform::{
    db::{Tx, q},
    error::Result,
};

/// Rows that are not deleted with the business: they have no foreign key to it, or one that PostgreSQL checks before
/// their dependents are gone.
const DELETE_STATEMENTS: [&str; 16] = [
    "DELETE FROM review WHERE org_id = $1",
    "DELETE FROM review_request WHERE org_id = $1",
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

pub(super) async fn delete_demo_rows(tx: &mut Tx) -> Result<()> {
    for sql in DELETE_STATEMENTS {
        q!(&mut *tx, execute, sql, DEMO_ORG)?;
    }
    q!(tx, execute, "DELETE FROM org WHERE id = $1", DEMO_ORG)?;
    Ok(())
}
