//! Undo of an import: removes the imported customers that nothing has happened to since.

use chrono::Duration;
use serde::Serialize;
use utoipa::ToSchema;

use super::{IMPORT_UNDO_WINDOW, find};
use crate::{
    conflicts::ConflictCode,
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, Result},
        id::{CustomerId, CustomerImportId, LeadId, OrgId},
        live::{self, Topic},
    },
};

const TOO_LATE: Error = ConflictCode::ImportUndoTooLate.into_error();
const UNDONE: Error = ConflictCode::ImportUndone.into_error();

/// What went again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CustomerImportUndone {
    pub removed: i64,
    /// Customers who stay, because something has come of them since.
    pub kept: i64,
}

/// Imported customers still as imported: the request, if any, is unchanged, and there is no message, call, payment or
/// manual change.
const UNTOUCHED: &str = "
    SELECT r.customer_id, r.lead_id FROM customer_import_row r
    JOIN customer c ON c.org_id = r.org_id AND c.id = r.customer_id
    WHERE r.org_id = $1 AND r.import_id = $2 AND c.merged_into IS NULL AND c.complaint_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = r.org_id AND l.customer_id = r.customer_id
        AND (r.lead_id IS NULL OR l.id <> r.lead_id OR l.stage <> 'new' OR l.touch_count > 1 OR l.photo_count > 0))
      AND NOT EXISTS (SELECT 1 FROM job x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM estimate x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM invoice x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM payment x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM consent x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM message x WHERE x.org_id = r.org_id
        AND (x.customer_id = r.customer_id OR x.lead_id = r.lead_id))
      AND NOT EXISTS (SELECT 1 FROM call x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM conversation x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM review_request x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM review x WHERE x.org_id = r.org_id AND x.customer_id = r.customer_id)
      AND NOT EXISTS (SELECT 1 FROM work_event x WHERE x.org_id = r.org_id AND x.lead_id = r.lead_id)
      AND NOT EXISTS (SELECT 1 FROM file x WHERE x.org_id = r.org_id AND x.lead_id = r.lead_id)
      AND NOT EXISTS (SELECT 1 FROM customer_merge x WHERE x.org_id = r.org_id
        AND (x.kept_id = r.customer_id OR x.gone_id = r.customer_id))
      AND r.customer_id NOT IN (SELECT x.subject_id FROM audit_event x
        WHERE x.org_id = $1 AND x.id >= $3 AND x.subject_id IS NOT NULL)
      AND (r.lead_id IS NULL OR r.lead_id NOT IN (SELECT x.subject_id FROM audit_event x
        WHERE x.org_id = $1 AND x.id >= $3 AND x.subject_id IS NOT NULL))";
/// How far the clock of another API may be behind: lines of the audit log are read from so long before the import.
const CLOCK_SKEW: Duration = Duration::hours(1);

/// # Errors
/// [`Error::NotFound`] without such a list; [`Error::Conflict`] when it is too late, or was done already.
pub async fn undo_import(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: CustomerImportId,
) -> Result<CustomerImportUndone> {
    crate::domain::tenancy::org::lock(&mut *tx, org).await?;
    let entry = find(&mut *tx, org, id).await?;
    if entry.undone_at.is_some() {
        return Err(UNDONE);
    }
    if origin.now() - entry.at > IMPORT_UNDO_WINDOW {
        return Err(TOO_LATE);
    }
    let first_line = live::min_id_at(entry.at - CLOCK_SKEW);
    let untouched = q!(&mut *tx, fetch_all as (CustomerId, Option<LeadId>), UNTOUCHED, org, id, first_line)?;
    for (customer, lead) in &untouched {
        delete_imported_customer(&mut *tx, org, *customer, *lead).await?;
    }
    let sql = "UPDATE customer_import SET undone_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, origin.now())?;
    live::publish_event(tx, origin, org, Topic::Customer, org.0, None).await?;
    let removed = i64::try_from(untouched.len()).unwrap_or(i64::MAX);
    Ok(CustomerImportUndone { removed, kept: entry.customers - removed })
}

/// Deletes the customer with keys and places, and the request with everything attached, including its counts in the
/// figures.
async fn delete_imported_customer(tx: &mut Tx, org: OrgId, customer: CustomerId, lead: Option<LeadId>) -> Result<()> {
    if let Some(lead) = lead {
        tx.mark_dirty(org, lead);
        q!(&mut *tx, execute, "DELETE FROM lead WHERE org_id = $1 AND id = $2", org, lead)?;
    }
    q!(tx, execute, "DELETE FROM customer WHERE org_id = $1 AND id = $2", org, customer)?;
    Ok(())
}
