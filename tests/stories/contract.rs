//! The documents against the behaviour: the limits in the API's description, and the table of rules.

use std::collections::BTreeSet;

use axum::http::Method;
use chrono::Duration;
use serde_json::{Map, Value, json};
use shared::{
    domain::messaging::{automation::RULES, message::MessageChannel},
    platform::id::{LeadId, OrgId},
    q,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{self, FakeStripe, Left},
    http::{Client, Multipart},
    people::{Person, Visitor},
};

use crate::layers::CRATES;

struct Form {
    path: &'static str,
    schema: &'static str,
    is_multipart: bool,
    good: Value,
}

fn forms() -> [Form; 5] {
    let (login, register) = ("/api/auth/login", "/api/auth/register");
    let password = "kettle drum 47";
    [
        Form {
            path: login,
            schema: "LoginRequest",
            is_multipart: false,
            good: json!({"email": "nobody@contract.example", "password": password}),
        },
        Form {
            path: register,
            schema: "RegisterRequest",
            is_multipart: false,
            good: json!({"name": "Rita", "email": "rita@contract.example", "password": password, "orgName": "Rita's Roofs",
                "industry": "Roofing", "invitation": "none"}),
        },
        Form {
            path: "/api/create-subscription",
            schema: "SubscriptionRequest",
            is_multipart: false,
            good: json!({"email": "rita@contract.example", "name": "Rita", "orgName": "Rita's Roofs",
                "phone": "512-555-0142", "industry": "Roofing"}),
        },
        Form {
            path: "/api/quotes/create",
            schema: "QuoteRequest",
            is_multipart: false,
            good: json!({"customerName": "Ann", "email": "ann@contract.example", "serviceType": "Roof Repair",
                "phone": "512-555-0142", "address": "1 Main St", "projectDescription": "a\nb",
                "timelinePreference": "Soon", "budgetRange": "Open"}),
        },
        Form {
            path: "/api/leads/create",
            schema: "LeadForm",
            is_multipart: true,
            good: json!({"name": "Ann", "phone": "512-555-0142", "email": "ann@contract.example", "service": "hvac",
                "zip": "78701", "notes": "a\nb", "source": "Website"}),
        },
    ]
}

impl Form {
    /// The field errors of a request with this one change; none when it was accepted.
    async fn field_errors(&self, client: &Client, field: &str, value: Option<Value>) -> Vec<String> {
        let mut sent = self.good.as_object().unwrap().clone();
        match value {
            Some(value) => sent.insert(field.to_owned(), value),
            None => sent.remove(field),
        };
        let answer = if self.is_multipart {
            let form = sent.iter().fold(Multipart::default(), |form, (name, v)| form.text(name, v.as_str().unwrap()));
            client.post_form(self.path, form).await
        } else {
            client.post(self.path, &Value::Object(sent)).await
        };
        match answer.status.as_u16() {
            // These credentials are wrong; a 401 shows that the body was accepted, which is tested here.
            201 | 401 => Vec::new(),
            _ => {
                let (status, code, fields) = answer.problem();
                assert_eq!((status, code.as_str()), (422, "validation_failed"), "{} {field}", self.path);
                fields
            }
        }
    }
}

fn described(schema: &str) -> Map<String, Value> {
    let doc = serde_json::to_value(api::build_openapi()).unwrap();
    doc["components"]["schemas"][schema].as_object().unwrap_or_else(|| panic!("{schema} is not described")).clone()
}

fn limit(property: &Value, name: &str) -> Option<usize> {
    let stated =
        property[name].as_u64().or_else(|| property["anyOf"].as_array()?.iter().find_map(|p| p[name].as_u64()));
    stated.and_then(|n| usize::try_from(n).ok())
}

/// Text of this many characters that is otherwise valid for the field.
fn of_length(field: &str, length: usize) -> String {
    match field {
        "email" => {
            let domain = format!(".{}.{}.{}.example", "b".repeat(60), "c".repeat(60), "d".repeat(60));
            let local = length.saturating_sub(domain.len() + 2);
            format!("{}@a{domain}", "e".repeat(local))
        }
        "phone" => format!("{:0<length$}", "+1512555"),
        _ => "kettle 47 ".chars().cycle().take(length - 1).chain(['x']).collect(),
    }
}

both_databases! {
    async fn form_field_follows_its_schema_limits_and_is_named_in_errors(app) {
        app.org("Acme Plumbing").await;
        let client = app.client().here();
        for form in forms() {
            let schema = described(form.schema);
            for required in schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
                assert_eq!(form.field_errors(&client, required, None).await, [required], "{} without it", form.path);
                assert_eq!(form.field_errors(&client, required, Some("".into())).await, [required], "{} with nothing in it", form.path);
            }
            let mut tried = 0;
            for (field, property) in schema["properties"].as_object().unwrap() {
                let Some(longest) = limit(property, "maxLength") else { continue };
                tried += 1;
                let too_long = of_length(field, longest + 1);
                assert_eq!(too_long.chars().count(), longest + 1, "{field}");
                assert_eq!(form.field_errors(&client, field, Some(too_long.into())).await, [field.as_str()], "{} {field}", form.path);
                // No phone number is as long as the limit, which allows for blanks.
                if field != "phone" {
                    let fits = of_length(field, longest);
                    assert!(form.field_errors(&client, field, Some(fits.into())).await.is_empty(), "{} {field} {longest}", form.path);
                }
                if let Some(shortest) = limit(property, "minLength").filter(|n| *n > 1) {
                    let too_short: String = form.good[field].as_str().unwrap().chars().take(shortest - 1).collect();
                    assert_eq!(form.field_errors(&client, field, Some(too_short.into())).await, [field.as_str()], "{} {field}", form.path);
                }
                if field != "password" {
                    let field_errors = form.field_errors(&client, field, Some("a\u{1}b".into())).await;
                    assert_eq!(field_errors, [field.as_str()], "{} {field} with a control character", form.path);
                }
            }
            assert_eq!(tried, form.good.as_object().unwrap().len() - usize::from(form.schema == "LoginRequest"));
            app.run_tasks().await;
        }
    }

    async fn undescribed_parameters_and_fields_are_ignored(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = app.client().signed_in(app, shop.owner()).await;
        for path in ["/api/auth/me?utm_source=x", "/api/leads/acme-plumbing?fbclid=x", "/api/leads/export?gclid=x"] {
            assert_eq!(owner.get(path).await.status, 200, "{path}");
        }
        let form = Multipart::ann("acme-plumbing").text("colour", "blue").text("referrer", &"r".repeat(30_000));
        assert_eq!(app.client().post_form("/api/leads/create", form).await.status, 201);
        for (name, value) in [("limit", ""), ("stage", "")] {
            let problem = owner.get(&format!("/api/leads/acme-plumbing?{name}={value}")).await.problem();
            assert_eq!((problem.0, problem.2), (422, vec![name.to_owned()]));
        }
        app.run_tasks().await;
    }

    async fn overlong_honeypot_value_still_catches_bot(app) {
        app.org("Acme Plumbing").await;
        let form = Multipart::ann("acme-plumbing").text("company", &"Best SEO ".repeat(5_000));
        assert_eq!(app.client().post_form("/api/leads/create", form).await.status, 201);
        assert_eq!(app.run_tasks().await, 0, "no reply and no alert is sent");
    }

    async fn documented_rules_match_the_code_and_the_deciding_rules(app) {
        let listed: BTreeSet<(String, String)> = RULES.iter().map(|(event, rule)| ((*event).into(), (*rule).into())).collect();
        let shown = shown_rules();
        assert_eq!(shown.len(), RULES.len(), "a row for every rule, and one only: {shown:?}");
        assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), listed);
        assert_eq!(deciding_rules(app).await, listed);
        app.run_tasks().await;
    }
}

/// Event and rule of each row of the document's table.
fn shown_rules() -> Vec<(String, String)> {
    let document = include_str!("../../docs/rules.md");
    let table = document.split_once("| event | condition | what happens | rule |").expect("the table of rules").1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert!(cells.len() == 4 && cells.iter().all(|cell| !cell.is_empty()), "{row}");
        (cells[0].trim_matches('`').to_owned(), cells[3].trim_matches('`').to_owned())
    })
    .collect()
}

/// The customer signs a document. Returns its path.
async fn signed(app: &TestApp, paper: &Value) -> String {
    let at = paper["link"].as_str().unwrap().trim_start_matches("https://toolbox.example").to_owned();
    let page = String::from_utf8(app.client().get(&at).await.body).unwrap();
    let sha256 = &page.split("name=\"sha256\" value=\"").nth(1).unwrap()[..64];
    let signed = format!("name=Ann+Lee&agree=yes&sha256={sha256}").into_bytes();
    let kind = "application/x-www-form-urlencoded";
    let signed = app.client().send(Method::POST, &format!("{at}/approve"), kind, signed).await;
    assert!(signed.status.is_redirection(), "{}", signed.status);
    at
}

/// A change order on a job that stays unanswered until its reminder.
async fn changed(app: &TestApp, office: &Client, lead: LeadId) {
    let job = office.post("/api/jobs", &json!({"leadId": lead})).await.json();
    let path = format!("/api/jobs/{}/change-orders", job["id"].as_str().unwrap());
    let made = office.post(&path, &json!({"quotedTotal": 120})).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.live_through(Duration::days(3), Duration::hours(1)).await;
    signed(app, &made.json()["changeOrder"]).await;
    app.run_tasks().await;
}

async fn on_the_road(app: &TestApp, office: &Client, lead: LeadId) {
    let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now()})).await.json();
    let presses = [
        ("on-my-way", json!({"etaMinutes": 20})),
        ("late", json!({"minutes": 10})),
        ("status", json!({"to": "completed"})),
    ];
    for (press, body) in presses {
        let answer = office.post(&format!("/api/jobs/{}/{press}", job["id"].as_str().unwrap()), &body).await;
        assert_eq!(answer.status, 200, "{press}: {}", answer.json());
    }
}

/// A visit is booked, moved, reminded of, and cancelled, each with its minute for undo.
async fn visited(app: &TestApp, office: &Client, lead: LeadId) {
    let minute = async || app.live_through(Duration::minutes(1), Duration::seconds(30)).await;
    let starts = app.now() + Duration::days(2);
    let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": starts})).await.json();
    let path = |rest: &str| format!("/api/jobs/{}/{rest}", job["id"].as_str().unwrap());
    minute().await;
    let later = json!({"startsAt": starts + Duration::hours(1), "version": job["version"]});
    assert_eq!(office.post(&path("schedule"), &later).await.status, 200);
    minute().await;
    app.live_through(Duration::days(1), Duration::hours(1)).await;
    let off = json!({"to": "cancelled", "reason": "Rain"});
    assert_eq!(office.post(&path("status"), &off).await.status, 200);
    minute().await;
}

async fn billed(app: &TestApp, office: &Client, lead: LeadId) {
    let due = (app.now() + Duration::days(4)).date_naive();
    let draft = json!({"leadId": lead, "lines": [{"name": "Drain cleaned", "unitPrice": 120}], "dueOn": due});
    let made = office.post("/api/invoices", &draft).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let send = format!("/api/invoices/{}/send", made.json()["id"].as_str().unwrap());
    assert_eq!(office.post(&send, &json!({})).await.status, 202);
    app.live_through(Duration::days(2), Duration::hours(1)).await;
    let asked = office.post(&format!("/api/leads/{lead}/reminder"), &json!({})).await;
    assert_eq!(asked.status, 202, "{}", asked.json());
}

/// The deposit is paid by card, and the bank refuses after the page is closed.
async fn refused_card(app: &TestApp, stripe: &FakeStripe, (org, owner): (OrgId, &Person), at: &str) {
    let keys = json!({"secretKey": fake_stripe::LIVE}).to_string().into_bytes();
    // A fresh session: the old one is too old to change a key of the business.
    let set = app
        .client()
        .signed_in(app, owner)
        .await
        .send(Method::PUT, &format!("/api/org/{org}/stripe"), "application/json", keys)
        .await;
    assert_eq!(set.status, 200, "{}", set.json());
    let gone =
        app.client().send(Method::POST, &format!("{at}/pay"), "application/x-www-form-urlencoded", Vec::new()).await;
    assert_eq!(gone.status, 303);
    stripe.leave(&stripe.sessions()[0].id, Left::Refused);
    app.live_through(Duration::minutes(4), Duration::minutes(1)).await;
}

/// Rules that decide when a lead comes in, is touched or released, when a call is missed, and when a customer writes.
async fn deciding_rules(app: &mut TestApp) -> BTreeSet<(String, String)> {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, "+15125550100").await;
    line.rings("+15125550143", []).await;
    line.writes("+15125550144", "Do you fix boilers?").await;
    app.run_tasks().await;
    let created = Visitor::ann().submits_lead(app, &shop).await;
    let touched = Visitor::ann().submits_lead(app, &shop).await;
    assert_eq!(created, touched, "the same person, the same open lead");
    let mut robot = Visitor::number(7);
    robot.form.company = Some("Best SEO Ltd".into());
    let held = robot.submits_lead(app, &shop).await;
    app.releases(&shop, held).await.unwrap();
    // A request by night waits for the morning; an emergency does not, and escalates.
    app.tells(&shop, MessageChannel::Sms, "+15125550111").await;
    app.advance(Duration::hours(12));
    let late = Visitor::number(8).submits_lead(app, &shop).await;
    let mut flood = Visitor::number(9);
    flood.form.notes = Some("The basement is flooding".into());
    let urgent = flood.submits_lead(app, &shop).await;
    app.live_through(Duration::hours(11), Duration::minutes(30)).await;
    // The estimate stays unanswered.
    let stripe = FakeStripe::start().await;
    app.use_stripe(&stripe);
    let office = app.client().signed_in(app, shop.owner()).await;
    let path = format!("/api/leads/{created}/estimate");
    assert_eq!(office.post(&path, &json!({"quotedTotal": 350, "deposit": {"percent": 30}})).await.status, 200);
    app.live_through(Duration::days(3), Duration::hours(1)).await;
    let shown = office.get(&format!("/api/leads/{created}/estimates")).await.json();
    let at = signed(app, &shown[0]).await;
    refused_card(app, &stripe, (shop.id(), shop.owner()), &at).await;
    changed(app, &office, created).await;
    on_the_road(app, &office, created).await;
    visited(app, &office, created).await;
    billed(app, &office, late).await;
    let paid = office.post(&format!("/api/leads/{created}/paid"), &json!({"amount": 470})).await;
    assert_eq!(paid.status, 200, "{}", paid.json());
    app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
    let mut decided = BTreeSet::new();
    let by_phone = "SELECT id FROM lead WHERE form IN ('call', 'text')";
    let mut leads = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar LeadId, by_phone).unwrap();
    leads.extend([created, held, late, urgent]);
    for id in leads {
        decided.extend(app.lead(shop.id(), id).await.decisions.into_iter().map(|d| (d.event, d.rule)));
    }
    // A report belongs to no lead: its own row has its result.
    app.reports().await;
    if app.count("message m JOIN pulse p ON p.org_id = m.org_id WHERE m.kind = 'pulse' AND p.outcome = 'late'").await
        > 0
    {
        decided.insert(("pulse_due".to_owned(), "kpi_pulse".to_owned()));
    }
    decided
}

/// The attributes of each item that derives `ToSchema`, with its first line.
fn described_items(source: &str) -> Vec<String> {
    let starts = source.match_indices("#[derive(").map(|(at, _)| &source[at..]);
    let items = starts.filter_map(|rest| {
        let end = rest.find("struct ").into_iter().chain(rest.find("enum ")).min()?;
        rest[..end].split(")]").next()?.contains("ToSchema").then(|| rest[..end].to_owned())
    });
    items.collect()
}

#[test]
fn described_types_are_the_types_that_are_read() {
    let (mut folders, mut described) = (CRATES.map(source_folder).to_vec(), 0);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                for item in described_items(&std::fs::read_to_string(&path).unwrap()) {
                    described += 1;
                    assert!(!item.contains("dead_code"), "{}: {item} only describes", path.display());
                }
            }
        }
    }
    assert!(described > 300, "{described}");
}

fn source_folder(crate_name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src")
}
