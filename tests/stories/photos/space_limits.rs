//! Space for waiting photos: a single business or network cannot fill it.

use chrono::Duration;
use shared::{
    domain::intake::photo_upload::{self, pending_bytes as total},
    ops::erasure,
    platform::{
        db::q,
        id::{CustomerId, OrgId},
    },
};
use tests::{app::TestApp, both_databases};

use super::{LEADS, asks, form, form_to, in_spool, lead_of};

async fn waiting(app: &TestApp, org: OrgId) -> i64 {
    let sql = "SELECT COUNT(*) FROM photo_upload WHERE org_id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, org).unwrap()
}

async fn totals(app: &TestApp, acme: OrgId, best: OrgId) -> [i64; 3] {
    let mut conn = app.db.acquire_reader().await.unwrap();
    let (acme, best) = (total::load_org_bytes(&mut conn, acme).await, total::load_org_bytes(&mut conn, best).await);
    [acme.unwrap(), best.unwrap(), total::load_total_bytes(&mut conn).await.unwrap()]
}

both_databases! {
    async fn pending_photo_total_follows_added_and_erased_photos(app) {
        let (acme, best) = (app.org("Acme Plumbing").await.id(), app.org("Best Roofing").await.id());
        let first = lead_of(&asks(app, form(1, 2)).await);
        asks(app, form(2, 1)).await;
        asks(app, form_to("best-roofing", 3, 1)).await;
        assert_eq!(totals(app, acme, best).await, [210, 70, 280]);
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        let ann = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, acme, first).unwrap();
        app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, acme, ann, "Ann Lee", None).await).await.unwrap();
        app.advance(erasure::GRACE);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        assert_eq!(totals(app, acme, best).await, [70, 70, 140]);
        app.run_tasks().await;
        assert_eq!((totals(app, acme, best).await, app.count("photo_backlog").await), ([0; 3], 0));
    }

    async fn pending_photo_total_of_deleted_uploads_is_reset_by_the_sweep(app) {
        let acme = app.org("Acme Plumbing").await.id();
        asks(app, form(1, 2)).await;
        let sql = "DELETE FROM photo_upload WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, acme)?)).await.unwrap();
        assert_eq!(totals(app, acme, acme).await, [140; 3]);
        app.advance(Duration::minutes(1));
        photo_upload::sweep_stalled_uploads(&app.db, &app.origin).await.unwrap();
        assert_eq!(totals(app, acme, acme).await, [0; 3]);
        app.run_tasks().await;
    }

    async fn business_at_its_spool_share_does_not_block_another_business(app) {
        // A photo has 70 bytes.
        app.settings.photo_spool = 600;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let first = asks(app, form(1, 5)).await.json();
        assert!(first["photosLeftOut"].as_str().unwrap().contains("no room for one of your photos"), "{first}");
        let second = asks(app, form(2, 2)).await.json();
        assert!(second["photosLeftOut"].as_str().unwrap().contains("no room for 2 of your photos"), "{second}");
        assert_eq!(waiting(app, acme.id()).await, 4, "half of the room");
        let beside = asks(app, form_to("best-roofing", 3, 2)).await.json();
        assert_eq!((beside.get("photosLeftOut"), waiting(app, best.id()).await), (None, 2));
        let more = asks(app, form_to("best-roofing", 4, 1)).await.json();
        assert!(more["photosLeftOut"].is_string(), "half of what the other leaves free: {more}");
        app.run_tasks().await;
        assert_eq!((app.count("lead").await, app.count("photo").await, app.count("photo_upload").await), (4, 6, 0));
        assert!(in_spool(app).is_empty());
        assert_eq!(asks(app, form(5, 4)).await.json().get("photosLeftOut"), None, "there is room again");
        app.run_tasks().await;
    }

    async fn network_over_hourly_rate_limit_adds_no_photos_past_a_quarter(app) {
        app.settings.photo_spool = 600;
        let shop = app.org("Acme Plumbing").await;
        let network = app.client().from_address([198, 51, 100, 7]);
        for n in 1..=9 {
            assert_eq!(network.post_form(LEADS, form(n, 0)).await.status, 201);
        }
        let tenth = network.post_form(LEADS, form(10, 2)).await;
        assert_eq!((tenth.status.as_u16(), tenth.json().get("photosLeftOut")), (201, None));
        let flood = network.post_form(LEADS, form(11, 1)).await;
        assert_eq!((flood.status.as_u16(), flood.json()["photosLeftOut"].is_string()), (201, true), "{}", flood.json());
        let elsewhere = app.client().from_address([198, 51, 100, 8]).post_form(LEADS, form(12, 1)).await;
        assert_eq!((elsewhere.status.as_u16(), elsewhere.json().get("photosLeftOut")), (201, None));
        assert_eq!((app.count("lead").await, waiting(app, shop.id()).await), (12, 3));
        app.run_tasks().await;
    }

    async fn request_over_a_quarter_of_the_spool_is_accepted_without_the_rest(app) {
        app.settings.photo_spool = 600;
        app.org("Acme Plumbing").await;
        let from = app.client().from_address([198, 51, 100, 7]).post_form(LEADS, form(1, 3)).await;
        let words = from.json()["photosLeftOut"].as_str().unwrap().to_owned();
        assert!(words.contains("no room for one of your photos"), "{words}");
        assert_eq!((app.count("lead").await, app.count("photo_upload").await), (1, 2));
        app.run_tasks().await;
    }
}
