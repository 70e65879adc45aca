//! A draft of an invoice, and one that was sent.

use serde_json::json;
use shared::platform::{
    db::{Tx, q},
    error::Result,
};
use sqlx::types::Json;
use uuid::Uuid;

use super::Place;

const DRAFT: Uuid = Uuid::from_u128(96);
pub(super) const OPEN: Uuid = Uuid::from_u128(97);
const FILE: Uuid = Uuid::from_u128(98);

pub(super) fn of(operation: &str) -> Uuid {
    if matches!(operation, "sendInvoice" | "voidInvoice" | "promiseInvoice" | "disputeInvoice" | "renewInvoiceLink") {
        OPEN
    } else {
        DRAFT
    }
}

/// Removes both, so that records they refer to can be restored.
pub(super) async fn clear(tx: &mut Tx, place: &Place) -> Result<()> {
    q!(&mut *tx, execute, "DELETE FROM invoice WHERE org_id = $1", place.org)?;
    q!(tx, execute, "DELETE FROM access_link WHERE org_id = $1 AND kind = 'invoice'", place.org)?;
    Ok(())
}

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, lead, customer, now, .. } = *place;
    let content = Json(json!({
        "prefix": "INV-", "isFinal": false, "language": "en", "title": null, "about": null,
        "from": {"name": "Acme Plumbing"}, "to": {"name": "Ann Lee"}, "howToPay": null,
        "paper": {"lines": [{"id": "1", "name": "Work", "quantity": 1, "unit": "each", "unitPrice": 350}]},
    }));
    for (id, number, status, file) in [(DRAFT, None, "draft", None), (OPEN, Some(1_i64), "open", Some(FILE))] {
        q!(
            &mut *tx,
            execute,
            "INSERT INTO invoice (org_id, id, lead_id, customer_id, number, status, content, total_cents, paid_cents,
                 issued_on, due_on, file_id, created_at, reminders_enabled)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 35000, 0, '2026-09-17', '2026-10-01', $8, $9, FALSE)",
            org,
            id,
            lead,
            customer,
            number,
            status,
            content.clone(),
            file,
            now
        )?;
    }
    // Links that were sent to recipients.
    q!(
        tx,
        execute,
        "INSERT INTO access_link (org_id, id, kind, subject_id, created_at, seen) VALUES ($1, $2, 'invoice', $2, $3, 0)",
        org,
        OPEN,
        now
    )?;
    Ok(())
}
