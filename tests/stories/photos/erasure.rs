//! Erasure of a person while photos are redrawn or moved: no row and no file comes back.

use shared::{
    domain::intake::{
        lead::NewPhoto,
        photo_upload::{
            self, PhotoUpload,
            round_robin::{self, OrgRoundRobin},
        },
    },
    ops::erasure,
    platform::{
        db::{Engine, q},
        id::{CustomerId, LeadId, OrgId},
        photo::ProcessedPhoto,
    },
};
use tests::{app::TestApp, both_databases};
use worker::tasks::intake::reencode_photos;

use super::{asks, bucket_away, form, in_spool, lead_of, photo_events, stored};

/// A photo that a worker has redrawn but not stored yet.
async fn in_hand(app: &TestApp) -> (PhotoUpload, ProcessedPhoto) {
    let upload = round_robin::claim_next_upload(&app.db, &OrgRoundRobin::default(), app.now()).await.unwrap().unwrap();
    let raw = app.context.storage.get(&upload.raw_key).await.unwrap();
    let picture = reencode_photos::reencode_photo(&app.context, raw.to_vec()).await.unwrap();
    app.run_tasks().await;
    (upload, picture)
}

async fn is_to_be_erased(app: &TestApp, org: OrgId, lead: LeadId) {
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let person = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, org, lead).unwrap();
    app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, org, person, "Ann Lee", None).await)
        .await
        .unwrap();
    app.advance(erasure::GRACE);
}

async fn erase(app: &TestApp) {
    worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
}

async fn waits_when_given(app: &TestApp, org: OrgId, upload: &PhotoUpload) -> bool {
    app.within(async |tx| photo_upload::mark_stored(tx, &app.origin, org, upload.id).await).await.unwrap()
}

/// Rows of photos, redrawn or not, and files, in the store or in the API's folder.
async fn left(app: &TestApp) -> (i64, i64, Vec<String>, usize) {
    (app.count("photo").await, app.count("photo_upload").await, stored(app).await, in_spool(app).len())
}

const NOTHING: (i64, i64, Vec<String>, usize) = (0, 0, Vec::new(), 0);

both_databases! {
    async fn photo_of_customer_erased_before_storing_leaves_no_row_or_file(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 1)).await);
        let (upload, picture) = in_hand(app).await;
        is_to_be_erased(app, shop.id(), lead).await;
        erase(app).await;
        reencode_photos::store_photo(&app.context, &upload, &picture).await.unwrap();
        assert_eq!(left(app).await, NOTHING);
        app.run_tasks().await;
    }

    async fn photo_attached_during_erasure_is_removed_with_its_files(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 1)).await);
        let (upload, picture) = in_hand(app).await;
        let stem = upload.raw_key.trim_end_matches(".raw");
        let photo = NewPhoto {
            id: upload.id,
            original_name: upload.original_name.clone(),
            width: picture.width,
            height: picture.height,
            bytes: 700,
            full_key: format!("{stem}.jpg"),
            thumb_key: format!("{stem}-thumb.jpg"),
        };
        app.context.storage.put(&photo.full_key, &picture.full).await.unwrap();
        app.context.storage.put(&photo.thumb_key, &picture.thumb).await.unwrap();
        is_to_be_erased(app, shop.id(), lead).await;
        let mut tx = app.db.begin().await.unwrap();
        assert!(photo_upload::finish_upload(&mut tx, &app.origin, &upload, &photo).await.unwrap());
        // SQLite has one writer: the erasure begins after it. The worker removes the bytes that came in.
        let held = if app.db.engine() == Engine::Postgres {
            Some(tx)
        } else {
            tx.commit().await.unwrap();
            app.context.storage.delete(&upload.raw_key).await.unwrap();
            None
        };
        let joins = async {
            let Some(tx) = held else { return };
            // The erasure has begun once the bytes are gone; the row is locked.
            while app.context.storage.get(&upload.raw_key).await.is_ok() {
                tokio::task::yield_now().await;
            }
            tx.commit().await.unwrap();
        };
        tokio::join!(erase(app), joins);
        assert_eq!(left(app).await, NOTHING);
        app.run_tasks().await;
    }

    async fn lost_photo_half_written_by_a_dead_worker_leaves_no_file(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 2)).await);
        let (upload, picture) = in_hand(app).await;
        let full = upload.raw_key.replace(".raw", ".jpg");
        app.context.storage.put(&full, &picture.full).await.unwrap();
        app.context.storage.delete(&upload.raw_key).await.unwrap();
        app.advance(chrono::Duration::minutes(3));
        photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap();
        app.run_tasks().await;
        assert_eq!(photo_events(app, shop.id(), lead).await, ["Photo “1.png” is lost"]);
        assert_eq!(stored(app).await, [".jpg", ".jpg"], "those of the other");
    }

    async fn photo_waiting_for_bucket_is_dropped_after_customer_erasure(app) {
        let shop = app.org("Acme Plumbing").await;
        app.settings.storage = bucket_away();
        let lead = lead_of(&asks(app, form(1, 1)).await);
        app.run_tasks().await;
        let state = app.state();
        assert!(api::spool::forward_all(&state).await.is_err());
        is_to_be_erased(app, shop.id(), lead).await;
        erase(app).await;
        assert_eq!((api::spool::forward_all(&state).await.unwrap(), left(app).await), (0, NOTHING));
        app.run_tasks().await;
    }

    async fn photo_stored_after_customer_erasure_is_not_kept_pending(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = lead_of(&asks(app, form(1, 1)).await);
        let upload = round_robin::claim_next_upload(&app.db, &OrgRoundRobin::default(), app.now()).await.unwrap().unwrap();
        app.run_tasks().await;
        assert!(waits_when_given(app, shop.id(), &upload).await);
        is_to_be_erased(app, shop.id(), lead).await;
        erase(app).await;
        assert!(!waits_when_given(app, shop.id(), &upload).await);
        assert_eq!(left(app).await, NOTHING);
        app.run_tasks().await;
    }
}
