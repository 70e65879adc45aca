//! Erasures that fail, as at a file that cannot be removed: they hold up no one else, are tried again until they are
//! done, and the owner is told after a day.

use std::path::PathBuf;

use shared::platform::id::LeadId;

use super::*;

const TOLD: &str = "alert WHERE title = 'An erasure is not done'";

async fn customer_named(app: &TestApp, shop: &Shop, name: &str) -> CustomerId {
    let sql = "SELECT id FROM customer WHERE org_id = $1 AND name = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), name).unwrap()
}

/// A folder in place of an email's file cannot be removed as a file. Returns its path.
async fn file_cannot_be_removed(app: &TestApp, shop: &Shop, id: CustomerId) -> PathBuf {
    let sql = "SELECT id FROM message WHERE org_id = $1 AND customer_id = $2 AND channel = 'email' ORDER BY id LIMIT 1";
    let mut conn = app.db.acquire_reader().await.unwrap();
    let letter = q!(&mut conn, fetch_one scalar MessageId, sql, shop.id(), id).unwrap();
    let path = app.settings.data_dir.join("mail").join(format!("{letter}.eml"));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Whether an erasure failed that was due.
async fn fails(app: &TestApp) -> bool {
    worker::housekeeping::run_due_erasures(&app.context).await.is_err()
}

async fn text_of(app: &TestApp, shop: &Shop) -> Vec<String> {
    traces(&all_text(&app.db, shop.id()).await)
}

both_databases! {
    async fn failing_erasure_holds_up_no_other_and_its_owner_is_told_after_a_day(app) {
        let (acme, ann, _) = shop_with_ann(app).await;
        let best = app.org("Best Roofing").await;
        Visitor::ann().submits_lead(app, &best).await;
        app.run_tasks().await;
        let stuck = file_cannot_be_removed(app, &acme, ann).await;
        asks_to_erase(app, &acme, ann).await;
        app.advance(Duration::minutes(1));
        asks_to_erase(app, &best, customer_named(app, &best, NAME).await).await;
        app.advance(erasure::GRACE);
        assert!(fails(app).await);
        assert_eq!(text_of(app, &best).await, Vec::<String>::new(), "the other business's is done");
        assert!(!text_of(app, &acme).await.is_empty());
        assert!(!fails(app).await, "the one that failed is not among those that are due");
        for _ in 0..23 {
            app.advance(erasure::postponement::RETRY_FAILED);
            assert!(fails(app).await);
        }
        assert_eq!(app.count(TOLD).await, 0, "not for what a next try mends");
        for _ in 0..2 {
            app.advance(erasure::postponement::RETRY_FAILED);
            assert!(fails(app).await);
        }
        assert_eq!((app.count(TOLD).await, app.count(&format!("{TOLD} AND seen_at IS NULL")).await), (1, 1), "once");
        std::fs::remove_dir(&stuck).unwrap();
        app.advance(erasure::postponement::RETRY_FAILED);
        assert!(!fails(app).await);
        assert_eq!(text_of(app, &acme).await, Vec::<String>::new());
        assert_eq!(app.count(&format!("{TOLD} AND seen_at IS NULL")).await, 0, "nothing fails any more");
        app.run_tasks().await;
    }

    async fn erasure_with_an_unreadable_list_is_put_off_and_its_owner_is_told_after_a_day(app) {
        let (shop, ann, _) = shop_with_ann(app).await;
        // A folder in place of the list cannot be read as a file.
        let list = app.context.backup.folder.join("erasures.list");
        std::fs::create_dir_all(&list).unwrap();
        asks_to_erase(app, &shop, ann).await;
        app.advance(erasure::GRACE);
        assert!(fails(app).await);
        assert!(!fails(app).await, "it is not among those that are due");
        for _ in 0..23 {
            app.advance(erasure::postponement::RETRY_FAILED);
            assert!(fails(app).await);
        }
        assert_eq!(app.count(TOLD).await, 0);
        app.advance(erasure::postponement::RETRY_FAILED);
        assert!(fails(app).await);
        assert_eq!(app.count(TOLD).await, 1);
        std::fs::remove_dir(&list).unwrap();
        app.advance(erasure::postponement::RETRY_FAILED);
        assert!(!fails(app).await);
        assert_eq!(text_of(app, &shop).await, Vec::<String>::new());
        assert_eq!(app.count(&format!("{TOLD} AND seen_at IS NULL")).await, 0);
        app.run_tasks().await;
    }

    async fn erasure_that_has_begun_is_finished_although_a_job_was_booked_since(app) {
        let (shop, ann, _) = shop_with_ann(app).await;
        let stuck = file_cannot_be_removed(app, &shop, ann).await;
        asks_to_erase(app, &shop, ann).await;
        app.advance(erasure::GRACE);
        assert!(fails(app).await);
        let sql = "SELECT id FROM lead WHERE org_id = $1";
        let lead = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar LeadId, sql, shop.id()).unwrap();
        let owner = app.client().signed_in(app, shop.owner()).await;
        let body = json!({"leadId": lead, "startsAt": app.now() + Duration::days(9), "address": "12 Oak St"});
        assert_eq!(owner.post("/api/jobs", &body).await.status, 201);
        std::fs::remove_dir(&stuck).unwrap();
        app.advance(erasure::postponement::RETRY_FAILED);
        assert!(!fails(app).await);
        assert_eq!(text_of(app, &shop).await, Vec::<String>::new());
        assert_eq!(app.count("alert WHERE title = 'An erasure has to wait'").await, 0);
        app.run_tasks().await;
    }

    async fn erasure_that_has_begun_cannot_be_undone(app) {
        let (shop, ann, owner) = shop_with_ann(app).await;
        let (wish, overview) = (format!("/api/customers/{ann}/erasure"), format!("/api/customers/{ann}/personal-data"));
        let stuck = file_cannot_be_removed(app, &shop, ann).await;
        asks_to_erase(app, &shop, ann).await;
        assert_eq!(owner.get(&overview).await.json()["hasBegun"], false);
        app.advance(erasure::GRACE);
        assert!(fails(app).await);
        let owner = app.client().signed_in(app, shop.owner()).await;
        let seen = owner.get(&overview).await.json();
        assert_eq!((&seen["hasBegun"], &seen["waiting"]["customerId"]), (&json!(true), &json!(ann)));
        let undone = owner.send(Method::DELETE, &wish, "application/json", Vec::new()).await;
        let refusal = undone.json();
        assert_eq!((undone.status.as_u16(), &refusal["detail"]), (409, &json!("This customer is already being erased. You can no longer undo it.")));
        std::fs::remove_dir(&stuck).unwrap();
        app.advance(erasure::postponement::RETRY_FAILED);
        assert!(!fails(app).await);
        assert_eq!(text_of(app, &shop).await, Vec::<String>::new());
        let seen = owner.get(&overview).await.json();
        assert_eq!((&seen["hasBegun"], seen["erasedAt"].is_string()), (&json!(false), true));
        app.run_tasks().await;
    }

    async fn undo_while_an_erasure_begins_says_that_it_has_begun(app) {
        let (shop, ann, owner) = shop_with_ann(app).await;
        asks_to_erase(app, &shop, ann).await;
        let mut begin = app.db.begin().await.unwrap();
        let mark = "UPDATE erasure SET ended_at = $2 WHERE org_id = $1";
        q!(&mut begin, execute, mark, shop.id(), app.now()).unwrap();
        let wish = format!("/api/customers/{ann}/erasure");
        let undo = owner.send(Method::DELETE, &wish, "application/json", Vec::new());
        let end = async {
            app.waits_for_locks(1).await;
            begin.commit().await.unwrap();
        };
        let (undone, ()) = futures::join!(undo, end);
        let refusal = undone.json();
        assert_eq!((undone.status.as_u16(), &refusal["detail"]), (409, &json!("This customer is already being erased. You can no longer undo it.")));
    }

    async fn night_goes_on_with_other_people_and_businesses_where_an_erasure_fails(app) {
        let (acme, ann, _) = shop_with_ann(app).await;
        let best = app.org("Best Roofing").await;
        Visitor::number(2).submits_lead(app, &acme).await;
        Visitor::number(3).submits_lead(app, &best).await;
        app.run_tasks().await;
        let stuck = file_cannot_be_removed(app, &acme, ann).await;
        for shop in [&acme, &best] {
            let owner = app.client().signed_in(app, shop.owner()).await;
            let body = json!({"kind": "requests", "days": 30}).to_string().into_bytes();
            assert_eq!(owner.send(Method::PUT, "/api/retention", "application/json", body).await.status, 200);
        }
        app.advance(Duration::days(32));
        for _ in 0..24 {
            worker::housekeeping::purge_once(&app.context).await.unwrap();
            app.advance(Duration::hours(1));
        }
        for named in ["name = 'Visitor 2'", "name = 'Visitor 3'"] {
            assert_eq!(app.count(&format!("customer WHERE {named}")).await, 0, "{named}");
        }
        assert_eq!(app.count("retention_run WHERE finished_at IS NULL").await, 0, "both nights are over");
        assert!(fails(app).await, "the run of erasures goes on with Ann");
        std::fs::remove_dir(&stuck).unwrap();
        app.advance(erasure::postponement::RETRY_FAILED);
        assert!(!fails(app).await);
        assert_eq!(app.count("customer WHERE name <> 'Erased'").await, 0);
        app.run_tasks().await;
    }
}
