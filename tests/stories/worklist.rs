//! The worklist: everybody who waits for the business, by one definition.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::{account::Role, org::FeatureSwitches},
    platform::{
        db::q,
        id::{CustomerId, LeadId},
    },
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

mod agreement;
mod auto_replies;
mod kinds;
mod snoozes;

const NUMBER: &str = "+15125550100";

async fn acme(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, owner)
}

async fn with_line(app: &mut TestApp) -> (Shop, Line, Client) {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, line, owner)
}

async fn view(client: &Client, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/worklist?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.json());
    answer.json().as_array().unwrap().clone()
}

/// The items of the list, whose number is the count's.
async fn next(client: &Client) -> Vec<Value> {
    let items = view(client, "view=next").await;
    let count = client.get("/api/worklist/count").await.json();
    assert_eq!(count["waiting"], items.len(), "{items:?}");
    items
}

fn kinds(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["kind"].as_str().unwrap()).collect()
}

fn key(item: &Value) -> String {
    item["key"].as_str().unwrap().to_owned()
}

async fn posts(client: &Client, key: &str, what: &str, body: &Value) -> Answer {
    client.post(&format!("/api/worklist/{key}/{what}"), body).await
}

async fn done(client: &Client, item: &Value) -> Answer {
    posts(client, &key(item), "done", &json!({"since": item["since"]})).await
}

async fn undone(client: &Client, key: &str) -> Answer {
    client.send(Method::POST, &format!("/api/worklist/{key}/undo"), "", Vec::new()).await
}

async fn customer_of(app: &TestApp, shop: &Shop, lead: LeadId) -> CustomerId {
    app.lead(shop.id(), lead).await.customer_id
}

both_databases! {
    async fn form_request_waits_although_its_conversation_holds_no_word(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let items = next(&owner).await;
        let [item] = &items[..] else { panic!("{items:?}") };
        let customer = customer_of(app, &shop, lead).await;
        assert_eq!(key(item), format!("answer:{customer}"));
        assert_eq!((&item["source"], &item["action"]), (&json!("form"), &json!("answer")));
        assert_eq!((&item["leadId"], &item["customerName"]), (&json!(lead), &json!("Ann Lee")));
        assert_eq!((&item["excerpt"], &item["phone"]), (&json!("Water on the floor"), &json!("+15125550142")));
        assert_eq!(done(&owner, item).await.status, 204);
        assert!(next(&owner).await.is_empty());
        let finished = view(&owner, "view=done").await;
        assert_eq!((finished.len(), &finished[0]["doneBy"]), (1, &json!("Olive Owner")));
        assert_eq!(done(&owner, item).await.status, 404, "nobody waits any more");
        assert_eq!(undone(&owner, &key(item)).await.status, 204);
        let back = next(&owner).await;
        assert_eq!((back.len(), &back[0]["since"]), (1, &item["since"]));
        assert!(view(&owner, "view=done").await.is_empty());
        assert_eq!(undone(&owner, &key(item)).await.status, 404, "it has no mark");
        app.run_tasks().await;
    }

    async fn persons_answer_ends_the_wait(app) {
        let (shop, line, owner) = with_line(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        app.advance(Duration::minutes(1));
        line.writes(ANN, "Are you there?").await;
        app.run_tasks().await;
        assert_eq!(next(&owner).await.len(), 1, "one person, one item");
        app.advance(Duration::minutes(1));
        let sent = owner
            .post(&format!("/api/customers/{customer}/messages"), &json!({"channel": "sms", "body": "On our way"}))
            .await;
        assert_eq!(sent.status, 201, "{}", sent.json());
        app.run_tasks().await;
        assert!(next(&owner).await.is_empty());
    }

    async fn noted_answer_ends_the_wait_in_the_conversation_too(app) {
        let (shop, line, owner) = with_line(app).await;
        line.writes(ANN, "Do you fix boilers?").await;
        app.run_tasks().await;
        assert_eq!(kinds(&next(&owner).await), ["answer"]);
        let lead = app.only_lead(&shop).await.summary.id;
        let noted = owner.post(&format!("/api/leads/{lead}/answered"), &json!({"how": "answered"})).await;
        assert_eq!(noted.status, 200, "{}", noted.json());
        assert!(next(&owner).await.is_empty());
        assert_eq!(owner.get("/api/inbox").await.json()[0]["waitingSince"], Value::Null);
        app.run_tasks().await;
    }

    async fn done_text_comes_back_with_the_next_one_and_stale_mark_is_refused(app) {
        let (_shop, line, owner) = with_line(app).await;
        line.writes(ANN, "Do you fix boilers?").await;
        app.run_tasks().await;
        let first = next(&owner).await.remove(0);
        assert_eq!((&first["source"], &first["excerpt"]), (&json!("text"), &json!("Do you fix boilers?")));
        assert_eq!(done(&owner, &first).await.status, 204);
        let thread = owner.get("/api/inbox").await.json()[0].clone();
        assert_eq!((&thread["waitingSince"], &thread["unread"]), (&Value::Null, &json!(0)));
        app.advance(Duration::minutes(2));
        line.writes(ANN, "And roofs?").await;
        app.run_tasks().await;
        let second = next(&owner).await.remove(0);
        assert_eq!((key(&second), &second["excerpt"]), (key(&first), &json!("And roofs?")));
        let refused = done(&owner, &first).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["reason"]), (409, &json!("work_item_changed")));
        let until = app.now() + Duration::hours(1);
        let body = json!({"since": first["since"], "until": until});
        assert_eq!(posts(&owner, &key(&first), "snooze", &body).await.status, 409);
        assert_eq!(next(&owner).await.len(), 1, "nothing was changed");
    }

    async fn missed_call_is_to_call_back(app) {
        let (_shop, line, owner) = with_line(app).await;
        line.rings(ANN, []).await;
        app.run_tasks().await;
        let items = next(&owner).await;
        let [item] = &items[..] else { panic!("{items:?}") };
        assert_eq!((&item["kind"], &item["source"], &item["action"]), (&json!("call_back"), &json!("call"), &json!("call")));
        assert_eq!(done(&owner, item).await.status, 204);
        assert!(next(&owner).await.is_empty());
        assert_eq!(undone(&owner, &key(item)).await.status, 204);
        assert_eq!(kinds(&next(&owner).await), ["call_back"]);
        app.run_tasks().await;
    }

    async fn stop_alone_makes_nobody_wait(app) {
        let (_shop, line, owner) = with_line(app).await;
        line.writes(ANN, "Do you fix boilers?").await;
        app.run_tasks().await;
        let item = next(&owner).await.remove(0);
        assert_eq!(done(&owner, &item).await.status, 204);
        app.advance(Duration::minutes(1));
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert!(next(&owner).await.is_empty());
    }

    async fn snoozed_item_returns_at_its_time(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let item = next(&owner).await.remove(0);
        for until in [app.now(), app.now() + Duration::days(61)] {
            let refused = posts(&owner, &key(&item), "snooze", &json!({"since": item["since"], "until": until})).await;
            assert_eq!(refused.problem(), (422, "validation_failed".to_owned(), vec!["until".to_owned()]));
        }
        let until = app.now() + Duration::hours(1);
        let body = json!({"since": item["since"], "until": until});
        assert_eq!(posts(&owner, &key(&item), "snooze", &body).await.status, 204);
        assert!(next(&owner).await.is_empty());
        let snoozed = view(&owner, "view=snoozed").await;
        assert_eq!((snoozed.len(), &snoozed[0]["key"]), (1, &item["key"]));
        assert!(!snoozed[0]["snoozedUntil"].is_null());
        assert_eq!(undone(&owner, &key(&item)).await.status, 204);
        assert_eq!(next(&owner).await.len(), 1);
        assert_eq!(posts(&owner, &key(&item), "snooze", &body).await.status, 204);
        app.advance(Duration::minutes(61));
        assert_eq!(next(&owner).await.len(), 1, "it is awake");
        assert!(view(&owner, "view=snoozed").await.is_empty());
        assert_eq!(app.lead(shop.id(), lead).await.summary.id, lead);
        app.run_tasks().await;
    }

    async fn assigned_item_gives_its_lead_the_owner(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        Visitor::number(7).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let sam = app.staff(&shop, Role::Office).await;
        let items = next(&owner).await;
        let item = items.iter().find(|item| item["leadId"] == json!(lead)).unwrap();
        assert_eq!(posts(&owner, &key(item), "assign", &json!({"accountId": sam.id})).await.status, 204);
        assert_eq!(app.lead(shop.id(), lead).await.summary.owner_user_id, Some(sam.id));
        let office = app.client().signed_in(app, &sam).await;
        let mine = view(&office, "assignee=me").await;
        assert_eq!((mine.len(), &mine[0]["assignee"]["name"]), (1, &json!("Sam Staff")));
        let unknown = posts(&owner, &key(item), "assign", &json!({"accountId": lead})).await;
        assert_eq!(unknown.problem().2, ["accountId"]);
        assert_eq!(posts(&owner, &key(item), "assign", &json!({"accountId": null})).await.status, 204);
        assert_eq!(app.lead(shop.id(), lead).await.summary.owner_user_id, None);
    }

    async fn neighbor_sees_nothing_and_crew_is_refused(app) {
        let (shop, owner) = acme(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let item = next(&owner).await.remove(0);
        let other = app.org("Best Roofing").await;
        let neighbor = app.client().signed_in(app, other.owner()).await;
        assert!(next(&neighbor).await.is_empty());
        assert_eq!(done(&neighbor, &item).await.status, 404);
        assert_eq!(undone(&neighbor, &key(&item)).await.status, 404);
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        for path in ["/api/worklist", "/api/worklist/count"] {
            assert_eq!(crew.get(path).await.status, 403, "{path}");
        }
        assert_eq!(done(&crew, &item).await.status, 403);
        assert_eq!(done(&owner, &json!({"key": "answer:nobody", "since": item["since"]})).await.status, 404);
        assert_eq!(next(&owner).await.len(), 1, "nothing was changed");
    }

    async fn pages_show_each_item_once(app) {
        let (shop, owner) = acme(app).await;
        for n in 1..8 {
            Visitor::number(n).submits_lead(app, &shop).await;
            app.advance(Duration::seconds(10));
        }
        app.run_tasks().await;
        let (mut seen, mut path) = (Vec::new(), "/api/worklist?limit=3".to_owned());
        loop {
            let page = owner.get(&path).await;
            assert_eq!((page.status.as_u16(), page.header("x-total-count")), (200, "7"));
            seen.extend(page.json().as_array().unwrap().iter().map(key));
            let link = page.header("link").to_owned();
            let Some(next) = link.strip_prefix('<').and_then(|rest| rest.split_once('>')) else { break };
            path = next.0.to_owned();
        }
        let mut different = seen.clone();
        different.sort();
        different.dedup();
        assert_eq!((seen.len(), different.len()), (7, 7), "{seen:?}");
        let faulty = owner.get("/api/worklist?cursor=7").await;
        assert_eq!(faulty.problem().2, ["cursor"]);
    }

    async fn merged_customer_keeps_one_item(app) {
        let (shop, owner) = acme(app).await;
        let one = Visitor::number(1).submits_lead(app, &shop).await;
        let other = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(next(&owner).await.len(), 2);
        let [kept, gone] = [customer_of(app, &shop, one).await, customer_of(app, &shop, other).await];
        let merged = owner.post(&format!("/api/customers/{kept}/merge"), &json!({"otherId": gone})).await;
        assert!(merged.status.is_success(), "{}", merged.json());
        let item = next(&owner).await.remove(0);
        assert_eq!(done(&owner, &item).await.status, 204, "both requests are answered");
        assert!(next(&owner).await.is_empty());
        app.run_tasks().await;
    }

    async fn mark_names_its_customer_for_the_erasure(app) {
        let (shop, owner) = acme(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let item = next(&owner).await.remove(0);
        assert_eq!(done(&owner, &item).await.status, 204);
        let customer = customer_of(app, &shop, lead).await;
        let sql = "SELECT COUNT(*) FROM work_item_mark WHERE org_id = $1 AND customer_id = $2";
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(&mut conn, fetch_one scalar i64, sql, shop.id(), customer).unwrap(), 1, "the catalogue deletes it by this");
        drop(conn);
        app.run_tasks().await;
    }
}
