//! One record for each person: found, corrected, merged where there are two, and split again exactly as they were.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::account::Role,
    platform::{
        db::q,
        id::{CustomerId, LeadId},
    },
};
use sqlx::types::Json;
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod comparison;
mod conversation_split;
mod customer_import;
mod merging;
mod properties;
mod waiting_erasure;

const CUSTOMERS: &str = "/api/customers";

async fn begun(app: &TestApp) -> (Shop, Client) {
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

async fn customer_of(app: &TestApp, shop: &Shop, lead: LeadId) -> CustomerId {
    app.lead(shop.id(), lead).await.customer_id
}

async fn page(office: &Client, id: CustomerId) -> Value {
    let answer = office.get(&format!("{CUSTOMERS}/{id}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn patch(office: &Client, path: &str, body: &Value) -> Answer {
    office.send(Method::PATCH, path, "application/json", body.to_string().into_bytes()).await
}

async fn merges(office: &Client, one: CustomerId, other: CustomerId) -> Value {
    let answer = office.post(&format!("{CUSTOMERS}/{one}/merge"), &json!({ "otherId": other })).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn parts(office: &Client, merge: &Value) -> Answer {
    let path = format!("{CUSTOMERS}/merges/{}/undo", merge["mergedFrom"][0]["mergeId"].as_str().unwrap());
    office.send(Method::POST, &path, "", vec![]).await
}

async fn names(office: &Client, query: &str) -> Vec<String> {
    let list = office.get(&format!("{CUSTOMERS}?{query}")).await.json();
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

both_databases! {
    async fn corrected_customer_is_found_by_search_and_updates_open_lead(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let ann = customer_of(app, &shop, lead).await;
        app.advance(Duration::minutes(1));
        Visitor::number(2).named("Bob Stone").submits_lead(app, &shop).await;
        assert_eq!(names(&office, "").await, ["Bob Stone", "Ann Lee"]);
        for q in ["q=LEE", "q=555-0142", "q=ann%40cust", "q=%28512%29"] {
            assert_eq!(names(&office, q).await, ["Ann Lee"], "{q}");
        }
        let first = office.get(&format!("{CUSTOMERS}?limit=1")).await;
        assert_eq!(first.header("x-total-count"), "2");
        let next = first.header("link").trim_start_matches("</api/customers?").split_once('>').unwrap().0.to_owned();
        assert_eq!(names(&office, &next).await, ["Ann Lee"]);
        let at = format!("{CUSTOMERS}/{ann}");
        let change = json!({"name": "Anna Lee", "phone": "737 555 0199", "email": "anna@customer.example", "language": "es"});
        let changed = patch(&office, &at, &change).await.json();
        assert_eq!((&changed["phoneShown"], &changed["otherPhones"]), (&json!("(737) 555-0199"), &json!(["(512) 555-0142"])));
        assert_eq!((&changed["email"], &changed["otherEmails"], &changed["language"]), (&json!("anna@customer.example"), &json!(["ann@customer.example"]), &json!("es")));
        let summary = app.lead(shop.id(), lead).await.summary;
        assert_eq!((summary.name.as_str(), summary.phone.as_str(), summary.email.as_deref()), ("Anna Lee", "(737) 555-0199", Some("anna@customer.example")));
        assert_eq!(names(&office, "q=anna+lee").await, ["Anna Lee"]);
        let found = office.get("/api/leads/acme-plumbing?q=anna").await.json();
        assert_eq!(found.as_array().unwrap().len(), 1, "the list of leads finds her too");
        let by_phone = Visitor::ann().phone("737 555 0199").email(None);
        assert_eq!(by_phone.submits_lead(app, &shop).await, lead, "the number that the office typed is hers");
        let old = Visitor::ann().submits_lead(app, &shop).await;
        assert_ne!(old, lead, "an unproven address matches no customer");
        let table = [
            (json!({"name": " "}), "name"),
            (json!({"phone": "pizza"}), "phone"),
            (json!({"email": "anna@"}), "email"),
        ];
        for (body, field) in table {
            assert_eq!(patch(&office, &at, &body).await.problem().2, [field], "{body}");
        }
        let typed = patch(&office, &at, &json!({"phone": "(737) 500-0002"})).await;
        assert_eq!(typed.status, 200, "only a form named it for Bob: the office knows better");
        let bare = patch(&office, &at, &json!({"email": null, "language": null})).await.json();
        assert_eq!((&bare["email"], &bare["language"]), (&Value::Null, &Value::Null));
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(crew.get(&at).await.status, 403);
        app.run_tasks().await;
    }

    async fn likely_duplicates_are_suggested_and_different_people_are_not(app) {
        let (shop, office) = begun(app).await;
        let lives_at = async |n: u32, name: &str, address: Option<&str>, email: Option<&str>| {
            // First without an email: the phone identifies the customer, even if they later name another customer's.
            let visitor = Visitor::number(n).named(name);
            visitor.submits_lead(app, &shop).await;
            let lead = visitor.email(email).submits_lead(app, &shop).await;
            app.within(async |tx| Ok(q!(tx, execute, "UPDATE lead SET address = $2 WHERE id = $1", lead, address)?)).await.unwrap();
            customer_of(app, &shop, lead).await
        };
        let ann = lives_at(1, "Ann Lee", Some("12 Main St"), Some("ann@customer.example")).await;
        let same_house = lives_at(2, "ann m. lee", Some("12 main st"), None).await;
        let same_email = lives_at(3, "A. Stone", None, Some("ann@customer.example")).await;
        lives_at(4, "Bob Lee", Some("12 Main St"), None).await;
        lives_at(5, "Ann Lee", Some("7 Oak Ave"), None).await;
        let shown = page(&office, ann).await;
        let mut found: Vec<(String, String)> = shown["duplicates"].as_array().unwrap().iter()
            .map(|d| (d["id"].as_str().unwrap().to_owned(), d["why"].as_str().unwrap().to_owned())).collect();
        let mut wanted = vec![
            (same_house.to_string(), "A similar name, and both are at 12 Main St".to_owned()),
            (same_email.to_string(), "Same email: ann@customer.example".to_owned()),
        ];
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted);
        merges(&office, ann, same_house).await;
        merges(&office, ann, same_email).await;
        assert_eq!(page(&office, ann).await["duplicates"], json!([]));
        app.run_tasks().await;
    }

    async fn page_shows_leads_jobs_papers_money_and_consents(app) {
        let (shop, office) = begun(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let ann = customer_of(app, &shop, lead).await;
        assert_eq!(office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 350})).await.status, 200);
        let list = office.get(CUSTOMERS).await.json();
        assert_eq!((&list[0]["openLeads"], &list[0]["owed"]), (&json!(1), &json!(0.0)), "an open estimate is no debt");
        let soon = app.now() + Duration::days(1);
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": soon})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        app.within(async |tx| {
            let sql = "INSERT INTO invoice (org_id, id, lead_id, customer_id, number, status, content, total_cents, paid_cents,
                 issued_on, due_on, created_at, reminders_enabled)
                 VALUES ($1, $2, $3, $4, 1001, 'open', $5, 35000, 0, '2026-09-17', '2026-10-01', $6, FALSE)";
            let content = Json(json!({"isFinal": true}));
            Ok(q!(tx, execute, sql, shop.id(), uuid::Uuid::from_u128(5), lead, ann, content, app.now())?)
        }).await.unwrap();
        let paid = office.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 100, "partial": true})).await;
        assert_eq!(paid.status, 200, "{}", paid.json());
        let shown = page(&office, ann).await;
        assert_eq!(shown["money"], json!({"quoted": 350.0, "invoiced": 350.0, "paid": 100.0, "owed": 250.0, "notInvoiced": 0.0}));
        assert_eq!((&shown["leads"][0]["service"], &shown["leads"][0]["stage"]), (&json!("Plumbing"), &json!("Scheduled")));
        assert_eq!((&shown["jobs"][0]["status"], &shown["estimates"][0]["number"]), (&json!("Scheduled"), &json!("EST-1001")));
        assert_eq!((&shown["invoices"][0]["number"], shown["payments"].as_array().unwrap().len()), (&json!("INV-1001"), 1));
        let classes: Vec<_> = shown["consents"].as_array().unwrap().iter().map(|c| (c["class"].as_str().unwrap(), c["granted"].as_bool().unwrap())).collect();
        assert_eq!(classes, [("informational", true), ("promotional", false)]);
        let row = &office.get(CUSTOMERS).await.json()[0];
        assert_eq!((&row["owed"], row["coming"].as_str().map(|at| &at[..10])), (&json!(250.0), Some(&soon.to_rfc3339()[..10])));
        assert_eq!(office.get(&format!("{CUSTOMERS}/{}", uuid::Uuid::from_u128(7))).await.status, 404);
        app.run_tasks().await;
    }
}
