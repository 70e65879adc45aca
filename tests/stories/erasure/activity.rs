//! What a person does after their erasure was asked for postpones it, and what is left of them after it waits for nobody.

use tests::phone::ANN;

use super::*;

const TOLD: &str = "alert WHERE title LIKE 'Ann Lee % after you planned the erasure'";

async fn personal_data(app: &TestApp, shop: &Shop, id: CustomerId) -> serde_json::Value {
    let owner = app.client().signed_in(app, shop.owner()).await;
    owner.get(&format!("/api/customers/{id}/personal-data")).await.json()
}

async fn lead_of(app: &TestApp, shop: &Shop) -> shared::platform::id::LeadId {
    let sql = "SELECT id FROM lead WHERE org_id = $1 ORDER BY created_at LIMIT 1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::LeadId, sql, shop.id())
        .unwrap()
}

async fn runs_due_erasures(app: &TestApp) {
    worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
}

both_databases! {
    async fn erasure_waits_after_a_new_form_until_the_owner_asks_again(app) {
        let (shop, id, _) = shop_with_ann(app).await;
        asks_to_erase(app, &shop, id).await;
        app.advance(Duration::hours(1));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        for _ in 0..2 {
            runs_due_erasures(app).await;
        }
        assert_eq!((app.count(TOLD).await, app.count(&format!("{TOLD} AND title LIKE '% sent a form %'")).await), (1, 1));
        erase(app).await;
        let seen = personal_data(app, &shop, id).await;
        assert_eq!((&seen["blockedReason"], &seen["erasedAt"]), (&json!("erasure_blocked_by_activity"), &json!(null)));
        assert_eq!(app.count("alert WHERE title = 'An erasure has to wait'").await, 0, "one alert is enough");
        let owner = app.client().signed_in(app, shop.owner()).await;
        let asked = owner.post(&format!("/api/customers/{id}/erasure"), &json!({"name": NAME})).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        let due: chrono::DateTime<chrono::Utc> = asked.json()["dueAt"].as_str().unwrap().parse().unwrap();
        assert_eq!(due, app.now() + erasure::GRACE);
        assert_eq!(app.count(&format!("{TOLD} AND seen_at IS NULL")).await, 0, "the owner has decided");
        let twice = owner.post(&format!("/api/customers/{id}/erasure"), &json!({"name": NAME})).await;
        assert_eq!((twice.status.as_u16(), &twice.json()["detail"]), (409, &json!("This customer is already about to be erased.")));
        erase(app).await;
        assert!(personal_data(app, &shop, id).await["erasedAt"].is_string());
        let left = traces(&all_text(&app.db, shop.id()).await);
        assert!(left.is_empty(), "{left:#?}");
        app.run_tasks().await;
    }

    async fn planned_erasure_is_on_the_customer_the_lead_and_the_conversation(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let lead = lead_of(app, &shop).await;
        let pages = [format!("/api/customers/{id}"), format!("/api/leads/{lead}"), format!("/api/customers/{id}/conversation")];
        for page in &pages {
            assert_eq!(owner.get(page).await.json()["erasure"], json!(null), "{page}");
        }
        asks_to_erase(app, &shop, id).await;
        let due = app.now() + erasure::GRACE;
        for page in &pages {
            let erasure = owner.get(page).await.json()["erasure"].clone();
            let seen: chrono::DateTime<chrono::Utc> = erasure["dueAt"].as_str().unwrap().parse().unwrap();
            assert_eq!((seen, &erasure["isBlocked"], &erasure["hasBegun"]), (due, &json!(false), &json!(false)), "{page}");
        }
        erase(app).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        for page in &pages {
            let erasure = owner.get(page).await.json()["erasure"].clone();
            assert!(erasure["erasedAt"].is_string() && erasure["dueAt"].is_null(), "{page}: {erasure}");
        }
        app.run_tasks().await;
    }

    async fn text_after_the_request_postpones_the_erasure_and_stop_does_not(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let id = app.lead(shop.id(), lead_of(app, &shop).await).await.customer_id;
        asks_to_erase(app, &shop, id).await;
        app.advance(Duration::hours(1));
        line.writes(ANN, "When can you come?").await;
        app.run_tasks().await;
        runs_due_erasures(app).await;
        assert_eq!(app.count(&format!("{TOLD} AND title LIKE '% wrote %'")).await, 1);
        assert_eq!(personal_data(app, &shop, id).await["blockedReason"], "erasure_blocked_by_activity");
        app.advance(Duration::hours(1));
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert_eq!(personal_data(app, &shop, id).await["blockedReason"], json!(null), "who ends with STOP waits for nothing");
        erase(app).await;
        assert!(personal_data(app, &shop, id).await["erasedAt"].is_string());
        app.run_tasks().await;
    }

    async fn erased_person_waits_nowhere(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let lead = lead_of(app, &shop).await;
        let sent = owner.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 450.0})).await;
        assert!(sent.status.is_success(), "{}", sent.json());
        app.run_tasks().await;
        assert_eq!(app.count("estimate WHERE status = 'open'").await, 1);
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(owner.get("/api/worklist?view=next").await.json(), json!([]));
        assert_eq!(app.count("lead WHERE stage = 'done'").await, 1);
        assert_eq!(app.count("estimate WHERE status = 'withdrawn' AND settled_at IS NOT NULL").await, 1);
        assert_eq!(app.count("conversation WHERE is_closed AND unread = 0").await, 1);
        assert_eq!((app.count("sla WHERE state = 'open'").await, app.count("alert WHERE lead_id IS NOT NULL AND seen_at IS NULL").await), (0, 0));
        assert_eq!(owner.get(&format!("/api/leads/{lead}")).await.json()["waitingSince"], json!(null));
        app.run_tasks().await;
    }

    async fn erasure_clears_the_typed_words_of_jobs_and_the_copy_has_the_checklist(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let body = json!({"leadId": lead_of(app, &shop).await, "startsAt": app.now() + Duration::days(1), "address": "12 Oak St",
            "materials": ["Tap for zqmark"], "weatherConcerns": "Ice at zqmark", "checklist": ["Ring zqmark"]});
        let job = owner.post("/api/jobs", &body).await;
        assert_eq!(job.status, 201, "{}", job.json());
        let path = format!("/api/jobs/{}/status", job.json()["id"].as_str().unwrap());
        assert_eq!(owner.post(&path, &json!({"to": "cancelled", "reason": "Rain"})).await.status, 200);
        app.run_tasks().await;
        let answer = owner.get(&format!("/api/customers/{id}/personal-data/export")).await;
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.body.clone())).unwrap();
        let mut copy = String::new();
        std::io::Read::read_to_string(&mut zip.by_name("data.json").unwrap(), &mut copy).unwrap();
        assert!(copy.contains("Ring zqmark") && copy.contains("Tap for zqmark"), "{copy}");
        asks_to_erase(app, &shop, id).await;
        erase(app).await;
        let text = all_text(&app.db, shop.id()).await;
        let left: Vec<&str> = text.lines().filter(|line| line.contains("zqmark") && !line.starts_with("idempotency")).collect();
        assert!(left.is_empty(), "{left:#?}");
        app.run_tasks().await;
    }
}
