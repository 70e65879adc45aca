//! Limits of a new business: proof of an address, trust levels with budgets, and who may register.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::tenancy::{
        account::Role,
        registration::RegistrationMode,
        trust_level::{self, TrustLevel, TrustSubject, usage},
    },
    platform::{db::q, id::OrgId},
};
use tests::{
    addresses::email,
    app::TestApp,
    both_databases,
    fake_stripe::FakeStripe,
    http::{Answer, Client},
    people::{Shop, Visitor},
};

mod address_proof;
mod budgets;
mod business_names;
mod inherited_settings;
mod join_mails;
mod public_pages;
mod registration;

const PASSWORD: &str = "copper-elbow-joint";
const EMAIL: &str = "rita@roofs.example";
const OPERATOR: &str = "operator@toolbox.example";

async fn registers(client: &Client, email: &str, org: &str, invitation: Option<&str>) -> Answer {
    let body =
        json!({"name": "Rita Roof", "email": email, "password": PASSWORD, "orgName": org, "invitation": invitation});
    client.post("/api/auth/register", &body).await
}

async fn login(client: &Client, email: &str, password: &str) -> Answer {
    client.post("/api/auth/login", &json!({"email": email, "password": password})).await
}

async fn registered(app: &TestApp, email: &str, org: &str) -> Client {
    let stranger = app.client();
    let made = registers(&stranger, email, org, None).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let signed = login(&stranger, email, PASSWORD).await;
    stranger.with_session(&signed.session().unwrap())
}

async fn org_of(client: &Client) -> OrgId {
    let me = client.get("/api/auth/me").await.json();
    OrgId(me["orgId"].as_str().unwrap().parse().unwrap())
}

/// The token in the newest mail that proves this address.
async fn mailed(app: &TestApp, to: &str) -> String {
    app.run_tasks().await;
    let is_it = |subject: &str| subject == "Confirm your email address";
    let letter =
        app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == to && is_it(&letter.subject)).unwrap();
    let (_, rest) = letter.text.split_once("https://toolbox.example/confirm-email#").unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

async fn proves(client: &Client, token: &str) -> Answer {
    client.post("/api/auth/proof", &json!({ "token": token })).await
}

async fn trust(client: &Client) -> Value {
    let answer = client.get("/api/trust").await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

fn receivers(app: &TestApp) -> Vec<String> {
    let mut to: Vec<_> = app.mail.accepted_messages().into_iter().map(|letter| letter.to).collect();
    to.sort();
    to.dedup();
    to
}

/// A registered business, whose address is proven where `is_proven`.
async fn fresh(app: &TestApp, name: &str, is_proven: bool) -> Shop {
    let shop = app.fresh_org(name).await;
    if is_proven {
        let sql = "INSERT INTO org_trust (org_id, proven_at) VALUES ($1, $2)";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), app.now())?)).await.unwrap();
    }
    shop
}

async fn ask(app: &TestApp, shop: &Shop, people: std::ops::Range<u32>) {
    for n in people {
        Visitor::number(n).email(Some(&format!("v{n}@customer.example"))).submits_lead(app, shop).await;
    }
    app.run_tasks().await;
}

fn mailed_customers(app: &TestApp) -> usize {
    app.mail.accepted_messages().into_iter().filter(|letter| letter.to.ends_with("@customer.example")).count()
}

/// Distinct reasons why messages of a business were not sent.
async fn reasons(app: &TestApp, org: OrgId) -> Vec<String> {
    let sql = "SELECT DISTINCT reason FROM message WHERE org_id = $1 AND status = 'not_sent' ORDER BY reason";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, org).unwrap()
}
