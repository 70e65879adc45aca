//! Every route with every kind of caller, against the roles that the API's description declares.

use axum::http::Method;
use serde_json::{Map, Value, json};
use shared::domain::tenancy::{account::Role, api_key::ApiScope};
use tests::{
    both_databases,
    http::{Answer, Client},
    people::Person,
};
use uuid::Uuid;

mod bodies;
mod canary;
mod fixtures;
mod foreign_ids;
mod row_level_security;
mod stale_sign_in;
mod unscoped_tables;

use bodies::Wants;
use fixtures::Fixtures;

const PASSWORD: &str = "copper-elbow-joint";

#[derive(Debug)]
struct Operation {
    name: String,
    method: Method,
    path: String,
    /// The roles that may call; none means that no session is needed.
    roles: Option<Vec<String>>,
    /// The scope of a key that may call; none when no key may.
    scope: Option<String>,
    is_signed: bool,
    /// Whether it can answer 404.
    can_miss: bool,
}

impl Operation {
    /// For operators of the install: refused to all others, whatever they name.
    fn is_operators(&self) -> bool {
        self.roles.as_ref().is_some_and(|roles| roles.iter().all(|role| role == "operator"))
    }
}

/// Changing requests without an audit event: they change nothing that others rely on.
const UNAUDITED: [&str; 9] = [
    "lookAtProof",
    "previewTemplate",
    "readThread",
    "previewEstimate",
    "previewChangeOrder",
    "beginPasskeySignIn",
    "beginPasskeyProof",
    "giveOfflineKeys",
    "setLanguage",
];
/// Operations that need a real authenticator (`accounts::passkeys` covers their success), and the removal of an
/// unproven business (`trust_levels::inherited`).
const CEREMONIES: [&str; 5] =
    ["addPasskey", "beginPasskeyProof", "disownAddress", "proveByPasskey", "signInWithPasskey"];
/// Reads that write an audit event, since they export data.
const AUDITED_READS: [&str; 12] = [
    "exportBusiness",
    "exportPersonalData",
    "exportLeads",
    "exportJobs",
    "exportInvoices",
    "exportPayments",
    "exportRecovered",
    "exportReviews",
    "downloadJobFiles",
    "exportAuditLog",
    "getComplianceReport",
    "downloadSubscriptionInvoices",
];
/// A browser's subscription, with the receiver's keys of RFC 8291, appendix A.
const DEVICE: (&str, &str) = (
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "BTBZMqHH6r4Tts7J_aSIgg",
);

fn operations() -> Vec<Operation> {
    let doc = serde_json::to_value(api::build_openapi()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in doc["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let wishes = operation["security"].as_array().cloned().unwrap_or_default();
            // An empty alternative among others: a session is accepted but not needed.
            let is_open = wishes.is_empty() || wishes.iter().any(|wish| wish.as_object().is_some_and(Map::is_empty));
            let named = wishes.iter().filter_map(|wish| wish["session"].as_array()).flatten();
            let roles = named.filter_map(|role| role.as_str().map(ToOwned::to_owned)).collect();
            found.push(Operation {
                name: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                roles: (!is_open).then_some(roles),
                scope: wishes.iter().find_map(|wish| wish["key"][0].as_str().map(ToOwned::to_owned)),
                is_signed: path.starts_with("/webhooks/"),
                can_miss: operation["responses"].get("404").is_some(),
            });
        }
    }
    assert!(found.len() >= 17, "the description names {} operations", found.len());
    found
}

async fn call(client: &Client, operation: &Operation, fixtures: &Fixtures, path: &str, serial: usize) -> Answer {
    match bodies::of(&operation.name, fixtures, serial) {
        Wants::Form(form) => client.post_form(path, form).await,
        Wants::Csv(file) => client.send(operation.method.clone(), path, "text/csv", file.as_bytes().to_vec()).await,
        Wants::Query(query) => client.get(&format!("{path}?{query}")).await,
        Wants::Json(body) => {
            client.send(operation.method.clone(), path, "application/json", body.to_string().into_bytes()).await
        }
        Wants::Nothing => client.send(operation.method.clone(), path, "", Vec::new()).await,
    }
}

fn without_request_id(answer: &Answer) -> Value {
    let mut json = answer.json();
    if let Some(fields) = json.as_object_mut() {
        fields.remove("requestId");
    }
    json
}

/// The status that the description promises to this caller.
fn expected(operation: &Operation, who: Option<&Person>) -> u16 {
    match (&operation.roles, who) {
        (None, _) => 200,
        (Some(_), None) => 401,
        (Some(roles), Some(person)) => {
            let role = json!(person.role);
            if roles.iter().any(|r| role == r.as_str()) { 200 } else { 403 }
        }
    }
}

both_databases! {
    async fn routes_admit_declared_roles_and_audit_each_change_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let (office, crew) = (app.staff(&shop, Role::Office).await, app.staff(&shop, Role::Crew).await);
        let visitor = app.client().here();
        let known = json!({"name": "Known", "email": "known@acme.example", "password": PASSWORD, "orgName": "Known"});
        assert_eq!(visitor.post("/api/auth/register", &known).await.status, 201);
        let mut serial = 0;
        for operation in operations().iter().filter(|o| !o.is_signed) {
            for who in [None, Some(&crew), Some(&office), Some(shop.owner())] {
                serial += 1;
                let wanted = expected(operation, who);
                if wanted == 200 && CEREMONIES.contains(&operation.name.as_str()) {
                    continue;
                }
                // A refused call changes nothing, so only a successful one needs a reset.
                if wanted == 200 {
                    fixtures.reset(app, operation, who.unwrap_or(shop.owner()).id).await;
                }
                let client = match who {
                    None => visitor.clone(),
                    Some(person) => visitor.signed_in(app, person).await,
                };
                let before = app.count("audit_event").await;
                let answer = call(&client, operation, &fixtures, &fixtures.path(operation), serial).await;
                let context = format!("{} as {:?}: {} {}", operation.name, who.map(|p| p.role), answer.status, answer.json());
                if wanted == 200 { assert!(answer.status.is_success(), "{context}") } else { assert_eq!(answer.status, wanted, "{context}") }
                let written = app.count("audit_event").await - before;
                // Sign-out without a session does nothing.
                let is_audited = operation.method != Method::GET
                    && !(operation.name == "logout" && who.is_none())
                    && !UNAUDITED.contains(&operation.name.as_str());
                let is_written = wanted == 200 && (is_audited || AUDITED_READS.contains(&operation.name.as_str()));
                assert_eq!(written, i64::from(is_written), "lines in the audit log after {context}");
                if wanted == 200 {
                    app.run_tasks().await;
                }
            }
        }
    }

    async fn record_of_another_business_is_indistinguishable_from_missing(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        let mut walked = 0;
        // These parameters take names common to all businesses: an unknown one is missing for every caller.
        let names_something = |o: &&Operation| {
            let path = o.path.replace("{alertId}", "").replace("{organisation}", "");
            path.contains('{') && o.can_miss && !o.is_operators()
        };
        for operation in operations().iter().filter(|o| o.roles.is_some()).filter(names_something) {
            fixtures.reset(app, operation, shop.owner().id).await;
            let before = app.count("audit_event").await;
            let theirs = call(&spy, operation, &fixtures, &fixtures.path(operation), 1).await;
            let [seven, eight] = [7, 8].map(|n| Uuid::from_u128(n).to_string());
            let nothing = fixtures::fill(&operation.path, &eight, &seven, &eight);
            let missing = call(&spy, operation, &fixtures, &nothing, 1).await;
            assert_eq!((theirs.status.as_u16(), missing.status.as_u16()), (404, 404), "{}", operation.name);
            assert_eq!(without_request_id(&theirs), without_request_id(&missing), "{}", operation.name);
            assert_eq!(app.count("audit_event").await, before, "{}", operation.name);
            walked += 1;
        }
        assert!(walked >= 25, "{walked}");
        for name in [shop.org.slug.clone(), shop.id().to_string()] {
            assert_eq!(spy.get(&format!("/api/leads/{name}")).await.status, 404, "{name}");
        }
        assert_eq!(spy.get("/api/leads/best-roofing").await.json(), json!([]));
        assert_eq!(spy.get("/api/tasks").await.json(), json!([]));
        let file = String::from_utf8(spy.get("/api/leads/export").await.body).unwrap();
        assert_eq!(file.lines().count(), 1, "only the head: {file}");
        let held = app.lead(shop.id(), fixtures.lead).await.summary.held_reason;
        assert_eq!(held.as_deref(), Some("held"), "and nothing was done");
    }

    async fn record_of_another_crew_is_indistinguishable_from_missing(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let spy = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        let is_crews = |o: &&Operation| o.roles.as_ref().is_some_and(|roles| roles.iter().any(|role| role == "crew"));
        let mut walked = Vec::new();
        for operation in operations().iter().filter(is_crews).filter(|o| o.path.contains('{') && o.can_miss) {
            fixtures.reset(app, operation, shop.owner().id).await;
            let before = app.count("audit_event").await;
            let theirs = call(&spy, operation, &fixtures, &fixtures.path(operation), 1).await;
            let [seven, eight] = [7, 8].map(|n| Uuid::from_u128(n).to_string());
            let missing = call(&spy, operation, &fixtures, &fixtures::fill(&operation.path, &eight, &seven, &eight), 1).await;
            assert_eq!((theirs.status.as_u16(), missing.status.as_u16()), (404, 404), "{}", operation.name);
            assert_eq!(without_request_id(&theirs), without_request_id(&missing), "{}", operation.name);
            assert_eq!(app.count("audit_event").await, before, "{}", operation.name);
            walked.push(operation.name.clone());
        }
        assert!(walked.len() >= 12, "{walked:?}");
        for path in ["/api/jobs", "/api/crews", "/api/push/devices"] {
            assert_eq!(spy.get(path).await.json(), json!([]), "{path}");
        }
    }

    async fn api_key_opens_only_operations_of_its_scopes(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop.clone()).await;
        let all: Vec<&str> = ApiScope::ALL.iter().map(|scope| scope.name()).collect();
        let mut opened = 0;
        for (serial, operation) in operations().iter().filter(|o| o.roles.is_some()).enumerate() {
            fixtures.reset(app, operation, shop.owner().id).await;
            let with = async |scopes: &[&str]| {
                let carrier = app.client().with("authorization", &fixtures.key(app, scopes).await);
                call(&carrier, operation, &fixtures, &fixtures.path(operation), serial).await
            };
            let Some(scope) = &operation.scope else {
                assert_eq!(with(&all).await.status, 403, "{} is closed to keys", operation.name);
                continue;
            };
            // All scopes of this noun but this one, and the one that allows the call.
            let room = scope.split_once(':').unwrap().0;
            let lacking: Vec<&str> =
                all.iter().copied().filter(|name| *name != scope && *name != format!("{room}:write")).collect();
            assert_eq!(with(&lacking).await.status, 403, "{} without {scope}", operation.name);
            let answer = with(&all).await;
            assert!(answer.status.is_success(), "{} with {scope}: {} {}", operation.name, answer.status, answer.json());
            opened += 1;
            app.run_tasks().await;
        }
        assert!(opened >= 60, "{opened}");
    }

    async fn unsigned_provider_webhook_is_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let fixtures = Fixtures::of(app, shop).await;
        for operation in operations().iter().filter(|o| o.is_signed) {
            let body = b"MessageSid=SM1&MessageStatus=delivered".to_vec();
            let kind = "application/x-www-form-urlencoded";
            let answer = app.client().send(operation.method.clone(), &fixtures.path(operation), kind, body).await;
            assert_eq!(answer.problem().1, "forbidden", "{}", operation.name);
        }
        let unchanged = app.lead(fixtures.shop.id(), fixtures.lead).await;
        assert!(unchanged.messages.is_empty());
    }
}
