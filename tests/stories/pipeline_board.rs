//! The board of leads: leads per column, totals, moves by hand, and a minute to undo.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{intake::lead::PipelineStage, tenancy::account::Role},
    platform::{
        db::q,
        id::{LeadId, OrgId},
        money::Cents,
    },
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

async fn begun(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, owner)
}

async fn lead(
    app: &TestApp,
    shop: &Shop,
    n: u32,
    stage: PipelineStage,
    [quoted, collected]: [Option<i64>; 2],
) -> LeadId {
    let id = Visitor::number(n).submits_lead(app, shop).await;
    let sql = "UPDATE lead SET stage = $3, quoted_cents = $4, collected_cents = $5 WHERE org_id = $1 AND id = $2";
    let amounts = [quoted, collected].map(|cents| cents.map(Cents));
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), id, stage, amounts[0], amounts[1])?)).await.unwrap();
    app.run_tasks().await;
    id
}

/// Each as `stage count total: names`.
fn columns(board: &Value) -> Vec<String> {
    let columns = board.as_array().expect("columns").iter();
    let shown = columns.map(|column| {
        let names: Vec<&str> =
            column["leads"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
        let [stage, count, total] = ["stage", "count", "total"].map(|name| column[name].to_string());
        format!("{} {count} {total}: {}", stage.trim_matches('"'), names.join(", "))
    });
    shown.collect()
}

async fn board(client: &Client, query: &str) -> Vec<String> {
    columns(&client.get(&format!("/api/pipeline{query}")).await.json())
}

async fn moves(client: &Client, lead: LeadId, body: &Value) -> Answer {
    client.post(&format!("/api/leads/{lead}/stage"), body).await
}

async fn touched(app: &TestApp, org: OrgId) -> i64 {
    let sql = "SELECT COUNT(*) FROM audit_event WHERE org_id = $1 AND action = 'stage_changed'";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, org).unwrap()
}

both_databases! {
    async fn column_counts_and_sums_its_leads_and_search_narrows_them(app) {
        let (shop, owner) = begun(app).await;
        assert_eq!(board(&owner, "").await, ["New 0 0.0: ", "Quoted 0 0.0: ", "Scheduled 0 0.0: ", "Done 0 0.0: ", "Paid 0 0.0: "]);
        lead(app, &shop, 1, PipelineStage::New, [None, None]).await;
        lead(app, &shop, 2, PipelineStage::Quoted, [Some(125_050), None]).await;
        app.advance(Duration::minutes(1));
        lead(app, &shop, 3, PipelineStage::Quoted, [Some(10), Some(5)]).await;
        lead(app, &shop, 4, PipelineStage::Paid, [Some(90_000), Some(80_001)]).await;
        let names: Vec<String> = (1..=4).map(|n| Visitor::number(n).form.name.clone().unwrap()).collect();
        let [one, two, three, four] = &names[..] else { panic!("four: {names:?}") };
        let wanted = [format!("New 1 0.0: {one}"), format!("Quoted 2 1250.6: {three}, {two}"), "Scheduled 0 0.0: ".into(),
            "Done 0 0.0: ".into(), format!("Paid 1 800.01: {four}")];
        assert_eq!(board(&owner, "").await, wanted);
        let found = board(&owner, &format!("?q={}", two.to_uppercase().replace(' ', "%20"))).await;
        assert_eq!(found[1], format!("Quoted 1 1250.5: {two}"));
        assert!(found[0].starts_with("New 0") && found[4].starts_with("Paid 0"), "{found:?}");
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        assert!(board(&spy, "").await.iter().all(|column| column.contains(" 0 0.0: ")));
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(crew.get("/api/pipeline").await.status, 403);
    }

    async fn full_column_continues_on_the_next_page(app) {
        let (shop, owner) = begun(app).await;
        let first = lead(app, &shop, 1, PipelineStage::New, [Some(100), None]).await;
        // Copies of one lead: sending sixty requests takes long.
        app.within(async |tx| {
            for n in 0..59_u32 {
                let id = LeadId(uuid::Uuid::from_u128(u128::from(n) + 1));
                let sql = "INSERT INTO lead (org_id, id, customer_id, form, name, phone, service, zip, source, attribution, stage,
                        quoted_cents, needs_attention, touch_count, missed_calls, photo_count, search, created_at, last_touch_at)
                    SELECT org_id, $3, customer_id, form, name, phone, service, zip, source, attribution, stage, quoted_cents,
                        needs_attention, touch_count, missed_calls, photo_count, search, created_at, last_touch_at
                    FROM lead WHERE org_id = $1 AND id = $2";
                q!(&mut *tx, execute, sql, shop.id(), first, id)?;
            }
            Ok(())
        })
        .await
        .unwrap();
        let shown = owner.get("/api/pipeline").await.json();
        let column = &shown[0];
        assert_eq!((&column["count"], &column["total"]), (&json!(60), &json!(60.0)));
        let mut ids: Vec<String> =
            column["leads"].as_array().unwrap().iter().map(|lead| lead["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids.len(), 50);
        let next = column["next"].as_str().expect("a next page");
        let rest = owner.get(&format!("/api/leads/acme-plumbing?stage=New&limit=50&cursor={next}")).await.json();
        ids.extend(rest.as_array().unwrap().iter().map(|lead| lead["id"].as_str().unwrap().to_owned()));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 60, "every lead once");
        assert_eq!(shown[1]["next"], Value::Null);
    }

    async fn lead_moves_only_where_the_board_allows_and_move_can_be_undone(app) {
        let (shop, owner) = begun(app).await;
        let id = lead(app, &shop, 1, PipelineStage::New, [None, None]).await;
        let ways = owner.get("/api/pipeline").await.json()[0]["moves"].clone();
        let shown: Vec<_> = ways.as_array().unwrap().iter().map(|way| (way["to"].as_str().unwrap(), way["refused"].is_null())).collect();
        assert_eq!(shown, [("Quoted", true), ("Scheduled", true), ("Done", false), ("Paid", false)]);
        let refused = moves(&owner, id, &json!({"stage": "Done"})).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &ways[2]["refused"]));
        let moved = moves(&owner, id, &json!({"stage": "Quoted"})).await;
        assert_eq!((moved.status.as_u16(), &moved.json()["stage"]), (200, &json!("Quoted")), "{}", moved.json());
        let last = moved.json()["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&last["title"], &last["by"]), (&json!("Moved from New to Quoted"), &json!("Olive Owner")));
        let without = moves(&owner, id, &json!({"stage": "New", "reason": " "})).await;
        assert_eq!(without.problem(), (422, "validation_failed".to_owned(), vec!["reason".to_owned()]));
        // At the same instant: a story's clock does not advance by itself.
        let back = moves(&owner, id, &json!({"stage": "New", "reason": "the wrong house"})).await;
        assert_eq!((&back.json()["stage"], back.status.as_u16()), (&json!("New"), 200));
        let undo = back.json()["undo"].clone();
        assert_eq!(owner.post(&format!("/api/work/{}/undo", undo["eventId"].as_str().unwrap()), &json!({})).await.status, 200);
        assert_eq!(owner.get(&format!("/api/leads/{id}")).await.json()["stage"], "Quoted");
        app.advance(Duration::seconds(61));
        assert_eq!(owner.get(&format!("/api/leads/{id}")).await.json()["undo"], Value::Null);
        assert_eq!(touched(app, shop.id()).await, 2);
        let nothing = owner.send(Method::POST, &format!("/api/leads/{id}/stage"), "application/json", b"{\"stage\":\"Sold\"}".to_vec()).await;
        assert_eq!(nothing.status, 422);
    }

    async fn move_repeated_with_its_idempotency_key_is_one_move(app) {
        let (shop, owner) = begun(app).await;
        let id = lead(app, &shop, 1, PipelineStage::New, [None, None]).await;
        let phone = owner.with("idempotency-key", "kept-on-the-phone-1");
        for _ in 0..2 {
            let moved = moves(&phone, id, &json!({"stage": "Quoted"})).await;
            assert_eq!((moved.status.as_u16(), &moved.json()["stage"]), (200, &json!("Quoted")), "{}", moved.json());
        }
        assert_eq!(touched(app, shop.id()).await, 1);
        let other = moves(&phone, id, &json!({"stage": "Scheduled"})).await;
        assert_eq!((other.status.as_u16(), other.problem().1.as_str()), (422, "idempotency_mismatch"));
    }
}
