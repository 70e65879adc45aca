//! Every route with every kind of caller, against the roles the API's own description declares.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    account::Role,
    config::Vars,
    db::{Tx, q, qb},
    error::Result,
    id::{AccountId, CustomerId, LeadId, MessageId, TaskId},
    providers::{mail::MailConfig, sms::Sms},
    tasks::{self, Kind, NewTask},
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client, Multipart, pixel},
    people::{Person, Shop, Visitor},
};
use uuid::Uuid;

const PASSWORD: &str = "copper-elbow-joint";

/// One operation of the description.
#[derive(Debug)]
struct Operation {
    name: String,
    method: Method,
    path: String,
    /// The roles that may call; none means that no session is asked for.
    roles: Option<Vec<String>>,
    is_signed: bool,
    /// Whether it can say that there is no such thing.
    can_miss: bool,
}

/// Posts that do nothing that anybody would ask about later.
const NO_DEEDS: [&str; 2] = ["previewTemplate", "readThread"];
/// A browser's own words of itself, with the receiver's keys of RFC 8291, appendix A.
const DEVICE: (&str, &str) = (
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "BTBZMqHH6r4Tts7J_aSIgg",
);

fn operations() -> Vec<Operation> {
    let doc = serde_json::to_value(api::openapi()).unwrap();
    let mut found = Vec::new();
    for (path, methods) in doc["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let wishes = operation["security"].as_array().cloned().unwrap_or_default();
            // An empty wish among others: a session is taken but not needed.
            let is_open = wishes.is_empty() || wishes.iter().any(|wish| wish.get("session").is_none());
            let named = wishes.iter().filter_map(|wish| wish["session"].as_array()).flatten();
            let roles = named.filter_map(|role| role.as_str().map(ToOwned::to_owned)).collect();
            found.push(Operation {
                name: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                roles: (!is_open).then_some(roles),
                is_signed: path.starts_with("/webhooks/"),
                can_miss: operation["responses"].get("404").is_some(),
            });
        }
    }
    assert!(found.len() >= 17, "the description names {} operations", found.len());
    found
}

/// One thing of every kind, all belonging to one business.
struct Things {
    shop: Shop,
    lead: LeadId,
    customer: CustomerId,
    photo: Uuid,
    message: MessageId,
    task: TaskId,
    /// Of whatever is put back by [`Things::reset`] before each call.
    other: Uuid,
}

impl Things {
    async fn of(app: &mut TestApp, shop: Shop) -> Self {
        set_up(app);
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let form = Multipart::ann(&shop.org.slug).text("company", "held").photo("one.png", &pixel());
        let made = app.client().post_form("/api/leads/create", form).await.json();
        let lead = LeadId(made["id"].as_str().unwrap().parse().unwrap());
        let photo = app.lead(shop.id(), lead).await.photos[0].id.0;
        let task = NewTask {
            org: Some(shop.id()),
            kind: Kind::Noop,
            subject: None,
            run_at: app.now(),
            unique_key: "noop".into(),
        };
        app.within(async |tx| tasks::enqueue(tx, &app.origin, vec![task.clone()]).await).await.unwrap();
        app.run_tasks().await;
        let conn = &mut app.db.read().await.unwrap();
        let message = q!(conn, fetch_one scalar MessageId, "SELECT id FROM message WHERE status = 'not_sent'").unwrap();
        let task = q!(conn, fetch_one scalar TaskId, "SELECT id FROM task WHERE kind = 'noop'").unwrap();
        let customer =
            q!(conn, fetch_one scalar CustomerId, "SELECT customer_id FROM lead WHERE id = $1", lead).unwrap();
        Self { shop, lead, customer, photo, message, task, other: Uuid::from_u128(99) }
    }

    /// As they were before anybody touched them, for one who calls this operation.
    async fn reset(&self, app: &TestApp, operation: &Operation, caller: AccountId) {
        let (org, now) = (self.shop.id(), app.now());
        let held = (operation.name != "holdLead").then_some("held");
        let status = if operation.name == "cancelMessage" { "queued" } else { "not_sent" };
        app.within(async |tx| {
            q!(
                &mut *tx,
                execute,
                "UPDATE lead SET held_reason = $3 WHERE org_id = $1 AND id = $2",
                org,
                self.lead,
                held
            )?;
            let message = "UPDATE message SET status = $2, next_attempt_at = $3 WHERE id = $1";
            q!(&mut *tx, execute, message, self.message, status, now + Duration::hours(1))?;
            q!(&mut *tx, execute, "UPDATE task SET status = 'dead' WHERE id = $1", self.task)?;
            q!(&mut *tx, execute, "DELETE FROM opt_out WHERE org_id = $1", org)?;
            self.put_others(tx, now, caller).await
        })
        .await
        .unwrap();
    }

    /// One more thing of each kind, anew.
    async fn put_others(&self, tx: &mut Tx, now: DateTime<Utc>, caller: AccountId) -> Result<()> {
        let (org, other) = (self.shop.id(), self.other);
        for table in ["decision", "canned_reply", "recipient", "alert", "push_device"] {
            qb!(&mut *tx, execute, |b| {
                b.push("DELETE FROM ").push(table).push(" WHERE id = ").push_bind(other);
            })?;
        }
        q!(
            &mut *tx,
            execute,
            "INSERT INTO decision (org_id, id, lead_id, at, event, rule, sent, reason, saw)
            VALUES ($1, $2, $3, $4, 'lead_released', 'auto_reply', FALSE, 'a story', '{}')",
            org,
            other,
            self.lead,
            now
        )?;
        q!(
            &mut *tx,
            execute,
            "INSERT INTO canned_reply (org_id, id, title, body, created_at)
            VALUES ($1, $2, 'Hours', 'We open at 8.', $3)",
            org,
            other,
            now
        )?;
        q!(
            &mut *tx,
            execute,
            "INSERT INTO recipient (org_id, id, channel, address, created_at)
            VALUES ($1, $2, 'sms', '+15125550188', $3)",
            org,
            other,
            now
        )?;
        q!(
            &mut *tx,
            execute,
            "INSERT INTO alert (org_id, id, kind, dedupe_key, title, body, is_urgent, created_at, due_at,
            told_at, step) VALUES ($1, $2, 'new_lead', 'a story', 'A lead', 'Ann', FALSE, $3, $3, $3, 0)",
            org,
            other,
            now
        )?;
        q!(
            tx,
            execute,
            "INSERT INTO push_device (org_id, id, account_id, label, endpoint, p256dh, auth, created_at)
            VALUES ($1, $2, $3, 'A phone', 'https://fcm.googleapis.com/fcm/send/other', $4, $5, $6)",
            org,
            other,
            caller,
            DEVICE.0,
            DEVICE.1,
            now
        )?;
        Ok(())
    }

    fn path(&self, operation: &Operation) -> String {
        let id = match operation.path.split('/').nth(2) {
            Some("leads") => self.lead.0,
            Some("messages" | "twilio") => self.message.0,
            Some("tasks") => self.task.0,
            Some("customers") => self.customer.0,
            _ => self.other,
        };
        fill(&operation.path, &self.shop.id().to_string(), &id.to_string(), &self.photo.to_string())
    }
}

/// The server knows a mail server and Twilio; only the worker sends no texts.
fn set_up(app: &mut TestApp) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = Sms::Off;
    let pairs = [("SMTP_URL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "Toolbox <office@toolbox.example>")];
    let mut vars = Vars::from_pairs(pairs);
    app.settings.mail = MailConfig::from_vars(&mut vars, &app.settings.data_dir);
    vars.finish().unwrap();
}

fn fill(path: &str, org: &str, id: &str, photo: &str) -> String {
    let filled = path.replace("{x}", id).replace("{id}", id).replace("{photoId}", photo);
    let filled = filled.replace("{orgId}", org).replace("{kind}", "sms");
    assert!(!filled.contains('{'), "{path} has a parameter this walk does not know");
    filled
}

/// What an operation wants to be sent as JSON.
fn body_of(operation: &str, serial: usize) -> Option<Value> {
    let email = format!("new-{serial}@customer.example");
    Some(match operation {
        "createQuote" => {
            json!({"customerName": "Ann", "email": email, "serviceType": "Repairs", "orgId": "acme-plumbing"})
        }
        "register" => json!({"name": "New", "email": email, "password": PASSWORD, "orgName": "New Business"}),
        "login" => json!({"email": "known@acme.example", "password": PASSWORD}),
        "addCannedReply" => json!({"title": format!("Reply {serial}"), "body": "We open at 8."}),
        "writeMessage" => json!({"channel": "sms", "body": "On our way"}),
        "decideOptOut" => json!({"state": "stopped"}),
        "changeThread" => json!({"isClosed": false}),
        "addPushDevice" => {
            let endpoint = format!("https://fcm.googleapis.com/fcm/send/{serial}");
            json!({"endpoint": endpoint, "keys": {"p256dh": DEVICE.0, "auth": DEVICE.1}, "label": "A phone"})
        }
        "changeOrganization" => json!({"industry": "Roofing"}),
        "changeSettings" => json!({"calls": {"nudge": true}}),
        "addRecipient" => json!({ "email": email }),
        "changeTemplate" => json!({"enabled": true}),
        "previewTemplate" => json!({"body": "Hi"}),
        _ => return None,
    })
}

/// Calls an operation with what it wants to be sent.
async fn call(client: &Client, operation: &Operation, path: &str, serial: usize) -> Answer {
    match (operation.name.as_str(), body_of(&operation.name, serial)) {
        ("createLead", _) => client.post_form(path, Multipart::ann("acme-plumbing")).await,
        ("previewSwitch", _) => client.get(&format!("{path}?switch=leadIntake")).await,
        (_, Some(body)) => {
            client.send(operation.method.clone(), path, "application/json", body.to_string().into_bytes()).await
        }
        (_, None) => client.send(operation.method.clone(), path, "", Vec::new()).await,
    }
}

fn without_request_id(answer: &Answer) -> Value {
    let mut json = answer.json();
    if let Some(fields) = json.as_object_mut() {
        fields.remove("requestId");
    }
    json
}

/// What the description promises to this caller.
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
    async fn every_route_lets_in_whom_it_declares_and_every_deed_is_written_down_once(app) {
        let shop = app.org("Acme Plumbing").await;
        let things = Things::of(app, shop.clone()).await;
        let (office, crew) = (app.staff(&shop, Role::Office).await, app.staff(&shop, Role::Crew).await);
        let visitor = app.client().here();
        let known = json!({"name": "Known", "email": "known@acme.example", "password": PASSWORD, "orgName": "Known"});
        assert_eq!(visitor.post("/api/auth/register", &known).await.status, 201);
        let mut serial = 0;
        for operation in operations().iter().filter(|o| !o.is_signed) {
            for who in [None, Some(&crew), Some(&office), Some(shop.owner())] {
                serial += 1;
                things.reset(app, operation, who.unwrap_or(shop.owner()).id).await;
                let client = match who {
                    None => visitor.clone(),
                    Some(person) => visitor.signed_in(app, person).await,
                };
                let before = app.count("audit_event").await;
                let answer = call(&client, operation, &things.path(operation), serial).await;
                let said = format!("{} as {:?}: {} {}", operation.name, who.map(|p| p.role), answer.status, answer.json());
                let wanted = expected(operation, who);
                if wanted == 200 { assert!(answer.status.is_success(), "{said}") } else { assert_eq!(answer.status, wanted, "{said}") }
                let written = app.count("audit_event").await - before;
                // Nobody signs out who is not signed in.
                let is_deed = operation.method != Method::GET
                    && !(operation.name == "logout" && who.is_none())
                    && !NO_DEEDS.contains(&operation.name.as_str());
                let is_written = wanted == 200 && (is_deed || operation.name == "exportLeads");
                assert_eq!(written, i64::from(is_written), "lines in the audit log after {said}");
                app.run_tasks().await;
            }
        }
    }

    async fn what_belongs_to_another_business_is_answered_as_if_it_did_not_exist(app) {
        let shop = app.org("Acme Plumbing").await;
        let things = Things::of(app, shop.clone()).await;
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        let mut walked = 0;
        for operation in operations().iter().filter(|o| o.roles.is_some() && o.path.contains('{') && o.can_miss) {
            things.reset(app, operation, shop.owner().id).await;
            let before = app.count("audit_event").await;
            let theirs = call(&spy, operation, &things.path(operation), 1).await;
            let [seven, eight] = [7, 8].map(|n| Uuid::from_u128(n).to_string());
            let nothing = fill(&operation.path, &eight, &seven, &eight);
            let missing = call(&spy, operation, &nothing, 1).await;
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
        let held = app.lead(shop.id(), things.lead).await.summary.held_reason;
        assert_eq!(held.as_deref(), Some("held"), "and nothing was done");
    }

    async fn a_report_that_is_not_signed_by_twilio_is_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let things = Things::of(app, shop).await;
        for operation in operations().iter().filter(|o| o.is_signed) {
            let body = b"MessageSid=SM1&MessageStatus=delivered".to_vec();
            let kind = "application/x-www-form-urlencoded";
            let answer = app.client().send(operation.method.clone(), &things.path(operation), kind, body).await;
            assert_eq!(answer.problem().1, "forbidden", "{}", operation.name);
        }
        let unchanged = app.lead(things.shop.id(), things.lead).await;
        assert!(unchanged.messages.is_empty());
    }
}
