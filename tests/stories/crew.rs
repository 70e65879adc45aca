//! The people who go out: how they join, which notices they get, what they send to the customer on the way, and
//! how their access ends.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::id::LeadId, providers::sms::SmsProvider};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Person, Shop, Visitor},
};

mod access_end;
mod calendar_feed;
mod day_notices;
mod en_route;
mod invitations;
mod live_events;
mod visit_day_calls;

fn texts_leave(app: &mut TestApp) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
}

async fn office(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn patch(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(Method::PATCH, path, "application/json", body.to_string().into_bytes()).await
}

async fn delete(client: &Client, path: &str) -> Answer {
    client.send(Method::DELETE, path, "", Vec::new()).await
}

async fn crew(office: &Client, name: &str, people: &[&Person]) -> String {
    let ids: Vec<_> = people.iter().map(|person| person.id).collect();
    let answer = office.post("/api/crews", &json!({"name": name, "memberIds": ids})).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["id"].as_str().unwrap().to_owned()
}

async fn ann(app: &TestApp, shop: &Shop) -> LeadId {
    let lead = Visitor::ann().submits_lead(app, shop).await;
    app.run_tasks().await;
    lead
}

/// Books a job of this crew, two hours from now.
async fn books(app: &TestApp, office: &Client, lead: LeadId, crew: &str) -> Value {
    let starts = app.now() + Duration::hours(2);
    let body = json!({"leadId": lead, "crewId": crew, "startsAt": starts, "value": 1250.5, "address": "12 Oak St"});
    let answer = office.post("/api/jobs", &body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()
}

fn path(job: &Value, rest: &str) -> String {
    format!("/api/jobs/{}{rest}", job["id"].as_str().unwrap())
}

async fn shown(client: &Client, job: &Value) -> Value {
    let answer = client.get(&path(job, "")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn plans(office: &Client, job: &Value, change: Value) -> Value {
    let mut body = change;
    body["version"] = shown(office, job).await["version"].clone();
    let answer = office.post(&path(job, "/schedule"), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn moves_on(client: &Client, job: &Value, to: &str) -> Value {
    let answer = client.post(&path(job, "/status"), &json!({ "to": to, "reason": "Rain" })).await;
    assert_eq!(answer.status, 200, "{to}: {}", answer.json());
    answer.json()
}

async fn undoes(client: &Client, of: &Value) {
    let event = of["undo"]["eventId"].as_str().unwrap();
    let answer = client.post(&format!("/api/work/{event}/undo"), &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
}

fn texts(app: &TestApp) -> Vec<String> {
    let ours = |body: &String| ["way", "late", "done", "camino", "terminado"].iter().any(|word| body.contains(word));
    app.sms.accepted_messages().into_iter().map(|text| text.body).filter(ours).collect()
}
