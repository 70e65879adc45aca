//! The demonstration is read-only: every operation of the API's description is tried, with the demonstration's header
//! and with a session of its owner.

use axum::http::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::platform::{
    db::q,
    error::{DEMO_READ_ONLY, Error},
    id::{AccountId, DEMO_ORG, LeadId},
    live::{self, Topic},
};
use tests::{app::TestApp, demo::Rows, http::Client};
use uuid::Uuid;

fn operations() -> Vec<(String, Method, String)> {
    let doc = serde_json::to_value(api::build_openapi()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in doc["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            found.push((name, method.to_uppercase().parse().unwrap(), path.clone()));
        }
    }
    assert!(found.len() > 150);
    found
}

/// One record of the demonstration for each kind that a path names.
struct Things(Vec<(&'static str, Uuid)>);

/// POST requests that only preview and store nothing.
const PREVIEWS: [&str; 3] = ["previewTemplate", "previewEstimate", "previewChangeOrder"];

const KINDS: [(&str, &str); 16] = [
    ("leads", "lead"),
    ("customers", "customer"),
    ("jobs", "job"),
    ("estimates", "estimate"),
    ("invoices", "invoice"),
    ("payments", "payment"),
    ("reviews", "review"),
    ("files", "file"),
    ("alerts", "alert"),
    ("messages", "message"),
    ("price-items", "price_item"),
    ("crews", "crew"),
    ("canned-replies", "canned_reply"),
    ("team", "account"),
    ("work", "work_event"),
    ("asks", "review_request"),
];

impl Things {
    async fn of(app: &TestApp) -> Self {
        let mut conn = app.db.acquire_reader().await.unwrap();
        let mut found = Vec::new();
        for (word, table) in KINDS {
            let (key, newest) = if table == "account" { ("created_at", "ASC") } else { ("id", "DESC") };
            let id = shared::platform::db::qb!(&mut conn, fetch_optional scalar Uuid, |b| {
                b.push("SELECT id FROM ").push(table).push(" WHERE org_id = ").push_bind(DEMO_ORG);
                b.push(" ORDER BY ").push(key).push(" ").push(newest).push(" LIMIT 1");
            });
            found.push((word, id.unwrap().unwrap_or_else(|| panic!("no {table}"))));
        }
        Self(found)
    }

    fn path(&self, path: &str) -> String {
        let nil = Uuid::from_u128(7).to_string();
        let named = |word: &str| self.0.iter().find(|(kind, _)| *kind == word).map(|(_, id)| id.to_string());
        let mut before = String::new();
        let parts = path.split('/').map(|part| {
            let filled = match part {
                "{orgId}" | "{businessId}" | "{x}" => "demo".to_owned(),
                "{kind}" => "sms".to_owned(),
                part if part.starts_with('{') => named(&before).unwrap_or_else(|| nil.clone()),
                part => part.to_owned(),
            };
            part.clone_into(&mut before);
            filled
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

fn differences(before: &Rows, after: &Rows) -> Vec<String> {
    before.keys().filter(|table| before[*table] != after[*table]).cloned().collect()
}

async fn intruder(app: &TestApp) -> Client {
    let token = "a token that was never given";
    let mut tx = app.db.begin().await.unwrap();
    let owner = "SELECT id FROM account WHERE org_id = $1 AND role = 'owner'";
    let account = q!(&mut tx, fetch_one scalar AccountId, owner, DEMO_ORG).unwrap();
    let sql = "INSERT INTO session (token_hash, org_id, account_id, created_at, last_seen_at, expires_at)
         VALUES ($1, $2, $3, $4, $4, $5)";
    let (hash, now) = (Sha256::digest(token.as_bytes()).to_vec(), app.now());
    q!(&mut tx, execute, sql, hash, DEMO_ORG, account, now, now + chrono::Duration::days(1)).unwrap();
    tx.commit().await.unwrap();
    app.client().here().with_session(token)
}

async fn send_request(client: &Client, method: &Method, path: &str) -> (u16, Value) {
    let answer = client.send(method.clone(), path, "application/json", b"{}".to_vec()).await;
    (answer.status.as_u16(), answer.json())
}

async fn every_operation_that_changes_something_is_refused(app: &TestApp) {
    let (things, rows) = (Things::of(app).await, app.demo_rows().await);
    let (by_header, anybody) = (app.client().at_demo(), app.client());
    let mut walked = 0;
    for (name, method, path) in operations().into_iter().filter(|(_, method, _)| *method != Method::GET) {
        let path = things.path(&path);
        if PREVIEWS.contains(&name.as_str()) {
            let (status, response) = send_request(&by_header, &method, &path).await;
            assert!([200, 400, 422].contains(&status), "{name}: {status} {response}");
        }
        let header = (!PREVIEWS.contains(&name.as_str())).then(|| (&by_header, path.clone()));
        for (client, path) in header.into_iter().chain([(&anybody, format!("{path}?demo=1"))]) {
            let (status, response) = send_request(client, &method, &path).await;
            assert_eq!((status, response["code"].as_str()), (403, Some("demo_read_only")), "{name} {path}");
            assert_eq!(response["detail"], DEMO_READ_ONLY, "{name}");
        }
        walked += 1;
    }
    assert!(walked > 90, "{walked}");
    assert_eq!(differences(&rows, &app.demo_rows().await), [""; 0]);
    assert!(app.due().await.is_empty());
}

/// Owner operations with valid bodies: only the demonstration's protection refuses them.
fn write_requests() -> Vec<(Method, &'static str, Value)> {
    vec![
        (Method::POST, "/api/canned-replies", json!({"title": "x", "body": "y"})),
        (Method::POST, "/api/crews", json!({"name": "Crew of thieves"})),
        (Method::POST, "/api/price-items", json!({"name": "x", "price": 1})),
        (Method::POST, "/api/reviews", json!({"rating": 1, "review_text": "x"})),
        (Method::POST, "/api/jobs", json!({"customer": {"name": "Ann Lee"}, "service": "Roof Repair"})),
        (Method::POST, "/api/jobs/{id}/notes", json!({"body": "The gate code is 4711"})),
        (Method::POST, "/api/jobs/{id}/costs", json!({"kind": "labor", "quantity": 2, "rate": 45})),
        (Method::PATCH, "/api/customers/{id}", json!({"name": "Somebody Else"})),
        (Method::POST, "/api/customers/{id}/properties", json!({"address": "7 Main St"})),
        (Method::PATCH, "/api/org/{orgId}", json!({"industry": "Roofing"})),
        (Method::PATCH, "/api/org/{orgId}/settings", json!({"estimates": {"validDays": 21}})),
        (Method::POST, "/api/team/invites", json!({"name": "Dave", "email": "dave@customer.example", "role": "crew"})),
    ]
}

async fn what_only_previews_is_read(app: &TestApp) {
    let (things, rows) = (Things::of(app).await, app.demo_rows().await);
    let demo = app.client().at_demo();
    let lead = things.0.iter().find(|(word, _)| *word == "leads").map(|(_, id)| *id);
    let estimate = json!({"quotedTotal": 350, "leadId": lead});
    for (path, body) in [
        ("/api/org/{orgId}/templates/{kind}/preview", json!({"body": "Hi"})),
        ("/api/estimates/preview", estimate.clone()),
        ("/api/estimates/preview?format=pdf", estimate),
    ] {
        let answer = demo.post(&things.path(path), &body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
    }
    assert_eq!(differences(&rows, &app.demo_rows().await), [""; 0]);
}

/// No probes of this install are shown: it has neither a worker nor a provider here.
async fn its_five_tools_are_operational(app: &TestApp) {
    let tools = app.client().at_demo().get("/api/system/status").await.json();
    let stand: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["status"].as_str()).collect();
    assert_eq!(stand, [Some("operational"); 5], "{tools}");
}

async fn whoever_gets_in_as_its_owner_changes_nothing_either(app: &TestApp) {
    let things = Things::of(app).await;
    let intruder = intruder(app).await;
    assert_eq!(intruder.get("/api/auth/me").await.status, 200, "reading is not refused");
    let rows = app.demo_rows().await;
    for (name, method, path) in operations().into_iter().filter(|(_, method, _)| *method != Method::GET) {
        if ["logout", "login", "register"].contains(&name.as_str()) {
            continue;
        }
        let (status, response) = send_request(&intruder, &method, &things.path(&path)).await;
        assert!(status < 500, "{name}: {status} {response}");
        let changed = differences(&rows, &app.demo_rows().await);
        assert!(changed.is_empty(), "{name} changed {changed:?}: {status} {response}");
    }
    for (method, path, body) in write_requests() {
        let path = things.path(path);
        let answer = intruder.send(method, &path, "application/json", body.to_string().into_bytes()).await;
        assert_eq!(answer.problem().1, "demo_read_only", "{path}: {}", answer.json());
    }
    assert_eq!(differences(&rows, &app.demo_rows().await), [""; 0]);
}

async fn every_list_and_page_of_it_can_be_read(app: &TestApp) {
    let (things, rows) = (Things::of(app).await, app.demo_rows().await);
    let demo = app.client().at_demo();
    // About the install and not the business, or absent from the business.
    let hidden = [
        "webhookStatus",
        "listTasks",
        "getPushKey",
        "listDemoRequests",
        "listSendingNumbers",
        "searchNumbers",
        "listAccountNumbers",
        "exportBusiness",
        "getSecurityStatus",
        "getSecurityReport",
    ];
    let none = [
        "leadPhoto",
        "getLogo",
        "getInvite",
        "previewMerge",
        "downloadJobFiles",
        "previewJobReview",
        "previewLeadReview",
        "publicSlots",
        "publicTimes",
        "publicForm",
        "getBooking",
        "previewSwitch",
        "previewRetention",
        "downloadSubscriptionInvoices",
        "getComplianceReport",
        "listWebhookCalls",
        // No message can be sent again.
        "lookAtRetry",
    ];
    for (name, _, path) in operations().into_iter().filter(|(_, method, _)| *method == Method::GET) {
        let answer = demo.get(&things.path(&path)).await;
        let status = answer.status.as_u16();
        let context = format!("{name} {path}: {status} {}", answer.json());
        if hidden.contains(&name.as_str()) {
            assert_eq!(status, 404, "{context}");
        } else if none.contains(&name.as_str()) {
            assert!(status < 500, "{context}");
        } else {
            assert_eq!(status, 200, "{context}");
        }
    }
    assert_eq!(differences(&rows, &app.demo_rows().await), [""; 0], "reading leaves no trace");
}

async fn no_transaction_but_the_seeders_touches_it(app: &TestApp) {
    let rows = app.demo_rows().await;
    let announced = app
        .within(async |tx| live::publish_event(tx, &app.origin, DEMO_ORG, Topic::Lead, Uuid::from_u128(1), None).await)
        .await;
    assert!(matches!(announced, Err(Error::DemoReadOnly)), "{announced:?}");
    let touched = app
        .within(async |tx| {
            tx.mark_dirty(DEMO_ORG, LeadId(Uuid::from_u128(1)));
            Ok(())
        })
        .await;
    assert!(matches!(touched, Err(Error::DemoReadOnly)), "{touched:?}");
    assert_eq!(differences(&rows, &app.demo_rows().await), [""; 0]);
    let shop = app.org("Best Roofing").await;
    let fine = app
        .within(async |tx| live::publish_event(tx, &app.origin, shop.id(), Topic::Lead, Uuid::from_u128(1), None).await)
        .await;
    assert!(fine.is_ok(), "{fine:?}");
}

/// Reads everything and changes nothing. Leaves a session of its owner behind.
pub async fn nobody_changes_anything(app: &TestApp) {
    every_operation_that_changes_something_is_refused(app).await;
    every_list_and_page_of_it_can_be_read(app).await;
    what_only_previews_is_read(app).await;
    its_five_tools_are_operational(app).await;
    no_transaction_but_the_seeders_touches_it(app).await;
    whoever_gets_in_as_its_owner_changes_nothing_either(app).await;
}
