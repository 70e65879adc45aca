//! A canary word in every input of every operation appears in no log line, and in no answer that is not a success
//! (trust requirement 81).

use axum::http::Method;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::config::EnvVars, providers::sms::SmsConfig};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart},
    log,
    people::Visitor,
};

use super::{
    Operation,
    bodies::{self, Wants},
    call,
    fixtures::Fixtures,
    operations,
};

/// Valid in names, addresses, keys and tokens.
const CANARY: &str = "kanarien7391vogel";

/// Adds the canary to every string of a body.
fn sung(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains('@') => json!(format!("{CANARY}@customer.example")),
        Value::String(text) => json!(format!("{text} {CANARY}")),
        Value::Array(all) => all.iter().map(sung).collect(),
        Value::Object(all) => all.iter().map(|(name, value)| (name.clone(), sung(value))).collect(),
        other => other.clone(),
    }
}

async fn sings(client: &Client, operation: &Operation, fixtures: &Fixtures, path: &str, serial: usize) -> Answer {
    let path = format!("{path}?q={CANARY}&cursor={CANARY}&token={CANARY}");
    let send = async |kind: &str, body: Vec<u8>| client.send(operation.method.clone(), &path, kind, body).await;
    match bodies::of(&operation.name, fixtures, serial) {
        Wants::Json(body) => send("application/json", sung(&body).to_string().into_bytes()).await,
        Wants::Form(form) => client.post_form(&path, form.text("notes", CANARY)).await,
        Wants::Csv(file) => send("text/csv", format!("{file}{CANARY},{CANARY}\n").into_bytes()).await,
        Wants::Query(query) => client.get(&format!("{path}&{query}")).await,
        Wants::Nothing => send("application/json", format!("{{\"x\": \"{CANARY}\"}}").into_bytes()).await,
    }
}

/// Exception: with several pictures the answer names the refused one.
fn assert_silent(answer: &Answer, what: &str) {
    if answer.status.is_client_error() || answer.status.is_server_error() {
        let body = String::from_utf8_lossy(&answer.body).replace(&format!("“{CANARY}.png” is not a PNG"), "");
        assert!(!body.contains(CANARY), "{what} answers {} with it: {body}", answer.status);
    }
}

/// The provider's secrets are canaries too.
fn with_secrets(app: &mut TestApp) {
    let pairs = [
        ("TWILIO_ACCOUNT_SID", "AC00000000000000000000000000000000"),
        ("TWILIO_AUTH_TOKEN", CANARY),
        ("TWILIO_FROM", "+15125550100"),
        ("TWILIO_API_URL", "http://127.0.0.1:9"),
    ];
    let mut vars = EnvVars::from_pairs(pairs);
    app.settings.sms = SmsConfig::from_vars(&mut vars);
    vars.into_result().unwrap();
}

both_databases! {
    async fn operation_input_never_appears_in_the_log_or_an_error(app) {
        let log = log::kept();
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        with_secrets(app);
        let office = app.staff(&shop, Role::Office).await;
        for (serial, operation) in operations().iter().enumerate() {
            let serial = serial + 2_000;
            // The permitted role comes last: the others change nothing that must be reset.
            fixtures.reset(app, operation, shop.owner().id).await;
            for person in [None, Some(&office), Some(shop.owner())] {
                let client = app.client().here().with("user-agent", CANARY).with("x-request-id", CANARY);
                let client = match person {
                    // An unknown session and an unknown key.
                    None => client.with_session(CANARY).with("authorization", &format!("Bearer tbk_{CANARY}")),
                    Some(person) => client.signed_in(app, person).await,
                };
                let answer = sings(&client, operation, &fixtures, &fixtures.path(operation), serial).await;
                assert_silent(&answer, &operation.name);
                assert_ne!(answer.header("x-request-id"), CANARY, "its name is ours");
            }
            // A valid call too, so that its consequences are logged.
            fixtures.reset(app, operation, shop.owner().id).await;
            let owner = app.client().here().signed_in(app, shop.owner()).await;
            call(&owner, operation, &fixtures, &fixtures.path(operation), serial + 2_000).await;
            app.run_tasks().await;
        }
        let log_text = log.text();
        assert!(log_text.contains("/api/auth/login") && log_text.contains("request"), "the log was listened to");
        let lines: Vec<&str> = log_text.lines().filter(|line| line.contains(CANARY)).collect();
        assert!(lines.is_empty(), "{lines:#?}");
        for private in ["Ann Lee", "ann@customer.example", "5125550142", "copper-elbow-joint", "owner@acme-plumbing.example"] {
            let lines: Vec<&str> = log_text.lines().filter(|line| line.contains(private)).collect();
            assert!(lines.is_empty(), "{private}: {lines:#?}");
        }
    }

    async fn page_and_message_personal_data_never_appears_in_the_log(app) {
        let log = log::kept();
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().named(CANARY).email(Some(&format!("{CANARY}@customer.example"))).submits_lead(app, &shop).await;
        app.live_through(chrono::Duration::hours(2), chrono::Duration::minutes(10)).await;
        let visitor = app.client();
        for path in ["/p/", "/r/", "/book/", "/f/", "/feeds/crew/", "/p-assets/", "/api/", "/assets/", "/"] {
            let asked = format!("{path}{CANARY}?name={CANARY}");
            assert_silent(&visitor.get(&asked).await, &asked);
            for method in [Method::POST, Method::PUT, Method::DELETE] {
                let body = format!("name={CANARY}").into_bytes();
                let answer = visitor.send(method, &asked, "application/x-www-form-urlencoded", body).await;
                assert_silent(&answer, &asked);
            }
        }
        let form = Multipart::ann(&shop.org.slug).text("notes", CANARY).photo(&format!("{CANARY}.png"), b"no picture");
        assert_silent(&app.client().post_form("/api/leads/create", form).await, "a form with a broken picture");
        let log_text = log.text();
        assert!(log_text.contains("request"), "the log was listened to");
        let lines: Vec<&str> = log_text.lines().filter(|line| line.contains(CANARY)).collect();
        assert!(lines.is_empty(), "{lines:#?}");
    }
}
