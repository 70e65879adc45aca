//! An open estimate with its PDF.

use serde_json::json;
use shared::platform::{
    db::{Tx, q},
    error::Result,
    id::OrgId,
};
use sqlx::types::Json;
use tests::{app::TestApp, people::Shop};
use uuid::Uuid;

use super::Place;

const FILE: Uuid = Uuid::from_u128(98);

fn key(org: OrgId) -> String {
    format!("{org}/estimate-story.pdf")
}

pub(super) async fn set_up(app: &TestApp, shop: &Shop) {
    app.context.storage.put(&key(shop.id()), b"%PDF-1.4 a story").await.unwrap();
}

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, lead, customer, other, now, .. } = *place;
    q!(&mut *tx, execute, "DELETE FROM estimate WHERE org_id = $1 AND number = 1", org)?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO file (org_id, id, lead_id, kind, category, tool, name, content_type, bytes, sha256, full_key,
             taken_at, created_at)
         VALUES ($1, $2, $3, 'document', 'estimate', 'job_tracker', 'Estimate EST-1.pdf', 'application/pdf', 16, $4, $5,
             $6, $6)
         ON CONFLICT (org_id, id) DO NOTHING",
        org,
        FILE,
        lead,
        vec![0_u8; 32],
        key(org),
        now
    )?;
    let content = json!({
        "number": "EST-1", "language": "en", "title": null, "from": {"name": "Acme Plumbing"}, "to": {"name": "Ann Lee"},
        "paper": {"lines": [{"id": "1", "name": "Work", "quantity": 1, "unit": "each", "unitPrice": 350}]},
        "deposit": null, "link": other, "ways": {"email": true, "text": true},
    });
    q!(
        tx,
        execute,
        "INSERT INTO estimate (org_id, id, lead_id, customer_id, number, version, status, content, total_cents,
             deposit_cents, issued_on, file_id, created_at)
         VALUES ($1, $2, $3, $4, 1, 1, 'open', $5, 35000, 0, '2026-11-21', $6, $7)",
        org,
        other,
        lead,
        customer,
        Json(content),
        FILE,
        now
    )?;
    Ok(())
}
