//! A photo of the job, in the store with its thumbnail.

use shared::platform::{
    db::{Tx, q},
    error::Result,
    id::OrgId,
};
use tests::{app::TestApp, http::pixel, people::Shop};

use super::Place;

fn keys(org: OrgId) -> [String; 2] {
    [format!("{org}/photo-story.jpg"), format!("{org}/photo-story-thumb.jpg")]
}

pub(super) async fn set_up(app: &TestApp, shop: &Shop) {
    for key in keys(shop.id()) {
        app.context.storage.put(&key, &pixel()).await.unwrap();
    }
}

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, lead, other, now, .. } = *place;
    let [full, thumb] = keys(org);
    q!(
        tx,
        execute,
        "INSERT INTO file (org_id, id, lead_id, job_id, kind, category, moment, tool, name, content_type, bytes, sha256,
             width, height, full_key, thumb_key, taken_at, created_at)
         VALUES ($1, $2, $3, $2, 'photo', 'progress_photo', 'before', 'job_tracker', 'leak.jpg', 'image/jpeg', 70, $4, 1,
             1, $5, $6, $7, $7)
         ON CONFLICT (org_id, id) DO UPDATE SET removed_at = NULL",
        org,
        other,
        lead,
        vec![0_u8; 32],
        full,
        thumb,
        now
    )?;
    Ok(())
}
