//! A word that nobody would write, in every input of every operation: it is found in no line of the log, and in no
//! answer that is not a success (trust requirement 81).

use axum::http::Method;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, platform::config::Vars, providers::sms::SmsConfig};
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
    call, operations,
    things::Things,
};

/// Fits in names, words of an address, keys and tokens alike.
const CANARY: &str = "kanarien7391vogel";

/// Every text of a body with the canary in it; what is no text stays.
fn sung(value: &Value) -> Value {
    match value {
        Value::String(text) if text.contains('@') => json!(format!("{CANARY}@customer.example")),
        Value::String(text) => json!(format!("{text} {CANARY}")),
        Value::Array(all) => all.iter().map(sung).collect(),
        Value::Object(all) => all.iter().map(|(name, value)| (name.clone(), sung(value))).collect(),
        other => other.clone(),
    }
}

/// Calls an operation with the canary in its body, its query and its headers.
async fn sings(client: &Client, operation: &Operation, things: &Things, path: &str, serial: usize) -> Answer {
    let path = format!("{path}?q={CANARY}&cursor={CANARY}&token={CANARY}");
    let send = async |kind: &str, body: Vec<u8>| client.send(operation.method.clone(), &path, kind, body).await;
    match bodies::of(&operation.name, things, serial) {
        Wants::Json(body) => send("application/json", sung(&body).to_string().into_bytes()).await,
        Wants::Form(form) => client.post_form(&path, form.text("notes", CANARY)).await,
        Wants::Csv(file) => send("text/csv", format!("{file}{CANARY},{CANARY}\n").into_bytes()).await,
        Wants::Query(query) => client.get(&format!("{path}&{query}")).await,
        Wants::Nothing => send("application/json", format!("{{\"x\": \"{CANARY}\"}}").into_bytes()).await,
    }
}

/// Whoever sends several pictures is told by its name which of them was refused: the one thing that is said back.
fn assert_silent(answer: &Answer, what: &str) {
    if answer.status.is_client_error() || answer.status.is_server_error() {
        let body = String::from_utf8_lossy(&answer.body).replace(&format!("“{CANARY}.png” is not a PNG"), "");
        assert!(!body.contains(CANARY), "{what} answers {} with it: {body}", answer.status);
    }
}

/// The provider's own secrets are canaries too.
fn with_secrets(app: &mut TestApp) {
    let pairs = [
        ("TWILIO_ACCOUNT_SID", "AC00000000000000000000000000000000"),
        ("TWILIO_AUTH_TOKEN", CANARY),
        ("TWILIO_FROM", "+15125550100"),
        ("TWILIO_API_URL", "http://127.0.0.1:9"),
    ];
    let mut vars = Vars::from_pairs(pairs);
    app.settings.sms = SmsConfig::from_vars(&mut vars);
    vars.finish().unwrap();
}

both_databases! {
    async fn no_operation_writes_what_it_was_sent_into_the_log_or_into_an_error(app) {
        let log = log::kept();
        let shop = app.org("Acme Plumbing").await;
        let things = Things::of(app, shop.clone()).await;
        with_secrets(app);
        let office = app.staff(&shop, Role::Office).await;
        for (serial, operation) in operations().iter().enumerate() {
            let serial = serial + 2_000;
            // Who is let in by the role alone comes last: what the others find need not be put back.
            things.reset(app, operation, shop.owner().id).await;
            for person in [None, Some(&office), Some(shop.owner())] {
                let client = app.client().here().with("user-agent", CANARY).with("x-request-id", CANARY);
                let client = match person {
                    // A session and a key that are nobody's.
                    None => client.with_session(CANARY).with("authorization", &format!("Bearer tbk_{CANARY}")),
                    Some(person) => client.signed_in(app, person).await,
                };
                let answer = sings(&client, operation, &things, &things.path(operation), serial).await;
                assert_silent(&answer, &operation.name);
                assert_ne!(answer.header("x-request-id"), CANARY, "its name is ours");
            }
            // And once in good order, so that what follows from it is logged.
            things.reset(app, operation, shop.owner().id).await;
            let owner = app.client().here().signed_in(app, shop.owner()).await;
            call(&owner, operation, &things, &things.path(operation), serial + 2_000).await;
            app.run_tasks().await;
        }
        let said = log.text();
        assert!(said.contains("/api/auth/login") && said.contains("request"), "the log was listened to");
        let lines: Vec<&str> = said.lines().filter(|line| line.contains(CANARY)).collect();
        assert!(lines.is_empty(), "{lines:#?}");
        for private in ["Ann Lee", "ann@customer.example", "5125550142", "copper-elbow-joint", "owner@acme-plumbing.example"] {
            let lines: Vec<&str> = said.lines().filter(|line| line.contains(private)).collect();
            assert!(lines.is_empty(), "{private}: {lines:#?}");
        }
    }

    async fn no_page_and_no_message_writes_a_person_into_the_log(app) {
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
        let said = log.text();
        assert!(said.contains("request"), "the log was listened to");
        let lines: Vec<&str> = said.lines().filter(|line| line.contains(CANARY)).collect();
        assert!(lines.is_empty(), "{lines:#?}");
    }
}
