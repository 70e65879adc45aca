//! Erasures that something forbids at their due time: they wait, the owner is told, and they are done once nothing does.

use super::*;

const TOLD: &str = "alert WHERE title = 'An erasure has to wait'";

async fn overview(app: &TestApp, shop: &Shop, id: CustomerId) -> serde_json::Value {
    let owner = app.client().signed_in(app, shop.owner()).await;
    owner.get(&format!("/api/customers/{id}/personal-data")).await.json()
}

async fn lead_of(app: &TestApp, shop: &Shop) -> shared::platform::id::LeadId {
    let sql = "SELECT id FROM lead WHERE org_id = $1";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::LeadId, sql, shop.id())
        .unwrap()
}

both_databases! {
    async fn erasure_waits_while_a_job_is_scheduled_and_the_owner_is_told_once(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        asks_to_erase(app, &shop, id).await;
        let body = json!({"leadId": lead_of(app, &shop).await, "startsAt": app.now() + Duration::days(9), "address": "12 Oak St"});
        let job = owner.post("/api/jobs", &body).await;
        assert_eq!(job.status, 201, "{}", job.json());
        app.run_tasks().await;
        erase(app).await;
        app.run_tasks().await;
        assert!(!traces(&all_text(&app.db, shop.id()).await).is_empty(), "nothing was erased");
        let seen = overview(app, &shop, id).await;
        assert_eq!(seen["blockedReason"], "erasure_blocked_by_job");
        let due: chrono::DateTime<chrono::Utc> = seen["waiting"]["dueAt"].as_str().unwrap().parse().unwrap();
        assert_eq!(due, app.now() + erasure::postponement::RETRY_BLOCKED);
        app.advance(erasure::postponement::RETRY_BLOCKED);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        app.run_tasks().await;
        assert_eq!((app.count(TOLD).await, app.count(&format!("{TOLD} AND seen_at IS NULL")).await), (1, 1));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/jobs/{}/status", job.json()["id"].as_str().unwrap());
        assert_eq!(owner.post(&path, &json!({"to": "cancelled", "reason": "Rain"})).await.status, 200);
        app.run_tasks().await;
        app.advance(erasure::postponement::RETRY_BLOCKED);
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        assert!(overview(app, &shop, id).await["erasedAt"].is_string());
        assert_eq!(app.count(&format!("{TOLD} AND seen_at IS NULL")).await, 0, "nothing waits any more");
        app.run_tasks().await;
    }

    async fn erasure_is_refused_while_a_refund_is_in_doubt(app) {
        let (shop, id, owner) = shop_with_ann(app).await;
        let sql = "INSERT INTO payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, status, created_at)
            VALUES ($1, $2, $3, $4, 'refund', 'card', 5000, $5, 'unknown', $6)";
        let (lead, refund, now) = (lead_of(app, &shop).await, app.origin.uuid_v7(), app.now());
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), refund, lead, id, now.date_naive(), now)?)).await.unwrap();
        let asked = owner.post(&format!("/api/customers/{id}/erasure"), &json!({"name": NAME})).await;
        let detail = "A refund is not settled yet. Wait until it is, or settle it first.";
        assert_eq!((asked.status.as_u16(), &asked.json()["detail"]), (409, &json!(detail)));
        let sql = "UPDATE payment SET status = 'settled' WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), refund)?)).await.unwrap();
        let asked = owner.post(&format!("/api/customers/{id}/erasure"), &json!({"name": NAME})).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        app.run_tasks().await;
    }
}
