//! Businesses that share numbers: which number belongs to which, who gets a reply, and whom a STOP affects.

use std::cell::Cell;

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::{
            inbound::{self, InboundSms},
            message::{self, Draft, MessageChannel, MessageKind},
            sending_number::{
                self, NumberAssignedBy,
                claim::{self, CodeCheckResult},
            },
        },
        tenancy::org::{self, Switches},
    },
    platform::{
        config::EnvVars,
        db::{Engine, Tx, q, tenant_scope::across_tenants},
        id::{CustomerId, MessageId, OrgId},
        secret::SecretKey,
    },
    providers::sms::{SmsConfig, SmsProvider, SmsSender},
};
use tests::{
    addresses::{email, phone},
    app::TestApp,
    both_databases,
    fake_twilio::{ACCOUNT_SID, AUTH_TOKEN, FROM, FakeTwilio, Fault, Hooks, InboundText, Product},
    http::{Answer, Client, Multipart, Server},
    people::{Shop, Visitor},
    phone::ANN,
};
use worker::tasks::{catch_up, send_number_code};

const SERVICE: &str = "MG0000000000000000000000000000005e";
const POOL: &str = "+15125550700";
const FREE: &str = "+15125550701";
const NO_NUMBER: &str = "your business has no number to send texts from";

struct Install {
    twilio: FakeTwilio,
    hooks: Hooks,
    _server: Server,
}

/// One Twilio for all businesses, with webhooks that reach the API.
async fn install(app: &mut TestApp) -> Install {
    let twilio = FakeTwilio::start().await;
    twilio.follow(&app.origin.clock);
    app.use_twilio(&twilio);
    reached(app, twilio).await
}

async fn install_with_service(app: &mut TestApp) -> Install {
    let twilio = FakeTwilio::start().await;
    twilio.follow(&app.origin.clock);
    app.use_twilio(&twilio);
    let mut vars = EnvVars::from_pairs([
        ("TWILIO_ACCOUNT_SID", ACCOUNT_SID),
        ("TWILIO_AUTH_TOKEN", AUTH_TOKEN),
        ("TWILIO_MESSAGING_SERVICE_SID", SERVICE),
        ("TWILIO_API_URL", &twilio.url()),
    ]);
    app.settings.sms = SmsConfig::from_vars(&mut vars);
    vars.into_result().unwrap();
    let http = shared::providers::http_client().unwrap();
    app.context.sms = SmsProvider::from_config(&app.settings.sms, &http);
    reached(app, twilio).await
}

async fn reached(app: &TestApp, twilio: FakeTwilio) -> Install {
    let server = app.client().server().await;
    let hooks = twilio.hooks(Product::at(&server.url).known_as("https://toolbox.example"));
    Install { twilio, hooks, _server: server }
}

impl Install {
    async fn writes(&self, from: &str, to: &str, words: &str) -> u16 {
        let arrival = self.hooks.inbound_text(&InboundText::new(from, to, words)).await;
        arrival.answers[0].status
    }

    fn to_ann(&self) -> Vec<(Option<String>, Option<String>)> {
        let received = self.twilio.received().into_iter().filter(|text| text.to == ANN);
        received.map(|text| (text.from, text.messaging_service_sid)).collect()
    }
}

async fn stop_within(app: &TestApp, tx: &mut Tx, shop: &Shop, provider_id: &str) {
    let profile = org::load_profile(&mut *tx, shop.org.clone()).await.unwrap();
    let text = InboundSms {
        provider_id,
        from: ANN,
        to: POOL,
        body: "STOP",
        media: Vec::new(),
        opt_out_type: None,
        came_at: None,
    };
    inbound::process_text(tx, &app.intake(&profile), &text).await.unwrap();
}

/// Runs `other` beside an open transaction until it is done or waits for a lock of PostgreSQL, and then commits.
/// `SQLite` allows one writer at a time.
async fn beside(app: &TestApp, open: Tx, other: impl Future<Output = ()>) {
    let is_done = Cell::new(false);
    let run = async {
        other.await;
        is_done.set(true);
    };
    let end = async {
        let sql = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'";
        while app.db.engine() == Engine::Postgres && !is_done.get() {
            let waiting = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap();
            if waiting > 0 {
                break;
            }
        }
        open.commit().await.unwrap();
    };
    futures::join!(run, end);
}

async fn joins(app: &TestApp, tx: &mut Tx, shop: &Shop) {
    sending_number::share_service(tx, &app.origin, shop.id(), SERVICE, (NumberAssignedBy::Operator, None))
        .await
        .unwrap();
}

async fn without_number(app: &TestApp, name: &str) -> Shop {
    let shop = app.org(name).await;
    let number = shop.org.sms_number.clone().unwrap();
    app.within(async |tx| sending_number::release_number(tx, &app.origin, &number).await).await.unwrap();
    // The first one is known by its time.
    app.advance(Duration::seconds(1));
    again(app, shop).await
}

async fn again(app: &TestApp, mut shop: Shop) -> Shop {
    shop.org = shared::domain::tenancy::org::find(&mut app.db.acquire_reader().await.unwrap(), shop.id())
        .await
        .unwrap()
        .unwrap();
    shop
}

async fn sharing(app: &TestApp, name: &str) -> Shop {
    let shop = without_number(app, name).await;
    // Only people write here.
    app.switches(&shop, Switches { automated_communications: false, ..Switches::ALL_ON }).await;
    let by = (NumberAssignedBy::Operator, None);
    app.within(async |tx| sending_number::share_service(tx, &app.origin, shop.id(), SERVICE, by).await).await.unwrap();
    // The longest share is known by its time.
    app.advance(Duration::seconds(1));
    again(app, shop).await
}

/// Ann, whose number the shop's office has entered, or who has written to the shop before.
async fn ann_at(app: &TestApp, shop: &Shop) -> CustomerId {
    let known = "SELECT customer_id FROM customer_key WHERE org_id = $1 AND kind = 'phone' AND value = $2";
    let known =
        q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional scalar CustomerId, known, shop.id(), ANN)
            .unwrap();
    if let Some(known) = known {
        return known;
    }
    let id = CustomerId(app.origin.uuid_v7());
    app.within(async |tx| {
        let person = "INSERT INTO customer (org_id, id, name, phone_e164, search, created_at)
             VALUES ($1, $2, 'Ann Lee', $3, 'ann lee', $4)";
        q!(&mut *tx, execute, person, shop.id(), id, ANN, app.now())?;
        let key = "INSERT INTO customer_key (org_id, kind, value, customer_id, proof, proved_at)
             VALUES ($1, 'phone', $2, $3, 'office', $4)";
        Ok(q!(tx, execute, key, shop.id(), ANN, id, app.now())?)
    })
    .await
    .unwrap();
    id
}

async fn texts_ann(app: &TestApp, shop: &Shop, words: &str) {
    let (id, ann) = (MessageId(app.origin.uuid_v7()), ann_at(app, shop).await);
    let draft = Draft::new(MessageKind::Manual, phone(ANN), words.to_owned(), format!("story:{id}"));
    let draft = Draft { customer: Some(ann), ..draft }.with_id(id);
    app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &[draft]).await).await.unwrap();
}

async fn says(app: &TestApp, shop: &Shop, words: &str) {
    texts_ann(app, shop, words).await;
    app.run_tasks().await;
    app.advance(Duration::minutes(1));
}

async fn heard(app: &TestApp, shop: &Shop) -> Vec<String> {
    let sql = "SELECT body FROM message WHERE org_id = $1 AND direction = 'in' ORDER BY created_at, id";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id()).unwrap()
}

async fn opt_out(app: &TestApp, org: OrgId) -> Option<String> {
    let sql = "SELECT state FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional scalar String, sql, org, ANN).unwrap()
}

/// A person of the shop confirms or lifts Ann's opt-out.
async fn decides(app: &TestApp, shop: &Shop, state: &str) {
    let (office, ann) = (app.client().signed_in(app, shop.owner()).await, ann_at(app, shop).await);
    let decided = office.post(&format!("/api/customers/{ann}/opt-out"), &json!({ "state": state })).await;
    assert_eq!((decided.status.as_u16(), &decided.json()["state"]), (200, &json!(state)), "{}", decided.json());
}

async fn put(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(Method::PUT, path, "application/json", body.to_string().into_bytes()).await
}

async fn patch(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(Method::PATCH, path, "application/json", body.to_string().into_bytes()).await
}

async fn operator(app: &mut TestApp, shop: &Shop) -> Client {
    app.settings.platform_admins = vec![email(&shop.owner().email)];
    let sql = "UPDATE account SET email_proved_at = $2 WHERE id = $1";
    app.within(async |tx| Ok(q!(tx, execute, sql, shop.owner().id, app.origin.now())?)).await.unwrap();
    app.client().signed_in(app, shop.owner()).await
}

both_databases! {
    async fn business_without_number_sends_email_instead_of_text_and_says_why(app) {
        let install = install(app).await;
        let acme = app.org("Acme Plumbing").await;
        let best = without_number(app, "Best Roofing").await;
        app.tells(&best, MessageChannel::Sms, "+15125550199").await;
        let lead = Visitor::ann().submits_lead(app, &best).await;
        app.run_tasks().await;
        let outbox = app.outbox(best.id(), lead).await;
        assert!(outbox.contains(&format!("auto_reply sms: not sent: {NO_NUMBER}")), "{outbox:?}");
        assert!(outbox.contains(&"auto_reply email: sent".to_owned()), "{outbox:?}");
        assert!(install.twilio.requests().is_empty(), "nothing was asked of Twilio");
        let olive = app.client().signed_in(app, best.owner()).await;
        let customer = app.lead(best.id(), lead).await.customer_id;
        let talk = olive.get(&format!("/api/customers/{customer}/conversation")).await.json();
        assert_eq!(talk["canText"]["why"], NO_NUMBER);
        assert_eq!(talk["canText"]["smsLink"], format!("sms:{ANN}"), "from one's own phone they may");
        let status = olive.get("/api/webhooks/status").await.json();
        assert!(status["twilio"]["why"].as_str().unwrap().contains("has no number"), "{status}");
        let tools = olive.get("/api/system/status").await.json().to_string();
        assert!(tools.contains(NO_NUMBER), "{tools}");
        assert_eq!(olive.get("/api/sending-number").await.json()["why"], NO_NUMBER);
        let test = olive.post("/api/test/sms", &json!({})).await;
        assert_eq!(test.problem().0, 409);
        let other = Visitor::ann().submits_lead(app, &acme).await;
        app.run_tasks().await;
        assert!(app.outbox(acme.id(), other).await.contains(&"auto_reply sms: sent".to_owned()));
        assert_eq!(install.to_ann(), [(Some(FROM.to_owned()), None)]);
    }

    async fn number_typed_into_settings_is_refused_and_routes_no_texts(app) {
        let install = install(app).await;
        let acme = app.org("Acme Plumbing").await;
        let best = without_number(app, "Best Roofing").await;
        let olive = app.client().signed_in(app, best.owner()).await;
        for number in [json!(FROM), json!(FREE), json!("pizza")] {
            let typed = patch(&olive, "/api/org/best-roofing", &json!({"smsNumber": number})).await;
            assert_eq!(typed.problem().2, ["smsNumber"], "{number}");
        }
        assert_eq!(patch(&olive, "/api/org/best-roofing", &json!({"smsNumber": null, "name": "Best"})).await.status, 200);
        let arthur = app.client().signed_in(app, acme.owner()).await;
        assert_eq!(patch(&arthur, "/api/org/acme-plumbing", &json!({"smsNumber": null})).await.problem().2, ["smsNumber"]);
        assert_eq!(patch(&arthur, "/api/org/acme-plumbing", &json!({"smsNumber": FROM})).await.status, 200, "as it stands");
        assert_eq!(install.writes(ANN, FROM, "Is it you?").await, 200);
        app.run_tasks().await;
        assert_eq!((heard(app, &acme).await.len(), heard(app, &best).await.len()), (1, 0));
        assert_eq!(install.writes(ANN, FREE, "Hello?").await, 404, "a number that is nobody's");
    }

    async fn install_number_belongs_to_first_business_until_operator_releases_it(app) {
        let (acme, best) = (without_number(app, "Acme Plumbing").await, without_number(app, "Best Roofing").await);
        // It was in another business's settings.
        app.gets_number(best.id(), Some(FROM)).await;
        let sender = SmsSender::Number(FROM.to_owned());
        let settle = async || app.within(async |tx| sending_number::sync_default_sender(tx, &app.origin, Some(&sender), None).await).await.unwrap();
        settle().await;
        settle().await;
        let (acme, best) = (again(app, acme).await, again(app, best).await);
        assert_eq!((acme.org.sms_number.as_deref(), best.org.sms_number.as_deref()), (Some(FROM), None));
        app.within(async |tx| sending_number::release_number(tx, &app.origin, FROM).await).await.unwrap();
        settle().await;
        assert_eq!(again(app, acme).await.org.sms_number, None, "what the operator took away is not given again");
    }

    async fn inbound_text_to_shared_service_goes_to_last_sender(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        assert_eq!(install.writes(ANN, POOL, "first").await, 200);
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "second").await, 200);
        says(app, &acme, "From Acme").await;
        assert_eq!(install.writes(ANN, POOL, "third").await, 200);
        says(app, &best, "From Best again").await;
        says(app, &acme, "From Acme again").await;
        says(app, &best, "Best is last").await;
        // Refused: it never reached her, so it is not the last message.
        install.twilio.script(Fault::Code { status: 400, code: 21610 });
        says(app, &acme, "Not taken").await;
        assert_eq!(install.writes(ANN, POOL, "fourth").await, 200);
        app.run_tasks().await;
        assert_eq!(heard(app, &acme).await, ["first", "third"], "nobody had written to her: who shares it longest");
        assert_eq!(heard(app, &best).await, ["second", "fourth"]);
        assert!(install.to_ann().iter().all(|(from, by)| from.is_none() && by.as_deref() == Some(SERVICE)));
    }

    async fn inbound_text_found_by_catch_up_goes_to_last_sender_of_shared_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        install.twilio.owns(POOL, true);
        assert_eq!(catch_up::run(&app.context).await.unwrap(), 0, "from now on the number is looked through");
        says(app, &best, "From Best").await;
        app.advance(Duration::minutes(10));
        let _ = install.hooks.untold_text(&InboundText::new(ANN, POOL, "while you were away"));
        app.advance(Duration::minutes(3));
        assert_eq!(catch_up::run(&app.context).await.unwrap(), 1);
        app.run_tasks().await;
        assert_eq!((heard(app, &best).await, heard(app, &acme).await), (vec!["while you were away".to_owned()], vec![]));
        let _ = install.hooks.untold_text(&InboundText::new(ANN, POOL, "STOP"));
        app.advance(Duration::minutes(3));
        assert_eq!(catch_up::run(&app.context).await.unwrap(), 1);
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "STOP reaches every business on it");
        }
        app.run_tasks().await;
    }

    async fn stop_to_shared_service_opts_out_every_business_and_start_lifts_it(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let alone = app.org("Alone Electric").await;
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        texts_ann(app, &acme, "waits").await;
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        assert_eq!((opt_out(app, acme.id()).await.as_deref(), opt_out(app, best.id()).await.as_deref()), (Some("stopped"), Some("stopped")));
        assert_eq!(opt_out(app, alone.id()).await, None, "another number is another matter");
        let before = install.to_ann().len();
        says(app, &acme, "after").await;
        says(app, &best, "after").await;
        assert_eq!(install.to_ann().len(), before, "what waited and what was written later stays here");
        // A business that joins later has her STOP too.
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"));
        assert_eq!(install.writes(ANN, POOL, "START").await, 200);
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("lifted"), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn doubtful_stop_pauses_all_on_shared_service_and_shows_words_to_one(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let alone = app.org("Alone Electric").await;
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        texts_ann(app, &acme, "waits").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("paused"), "{}", shop.org.name);
        }
        assert_eq!(opt_out(app, alone.id()).await, None, "another number is another matter");
        let before = install.to_ann().len();
        says(app, &acme, "after").await;
        assert_eq!(install.to_ann().len(), before, "what waited and what was written later stays here");
        let office = app.client().signed_in(app, acme.owner()).await;
        let ann = ann_at(app, &acme).await;
        let talk = office.get(&format!("/api/customers/{ann}/conversation")).await.json();
        let said = &talk["customer"]["smsOptOut"];
        assert_eq!((&said["saidElsewhere"], &said["matched"]), (&json!(true), &Value::Null), "{said}");
        assert!(talk["canText"]["why"].as_str().unwrap().contains("asked at this number not to be texted"), "{talk}");
        assert!(!talk.to_string().to_lowercase().contains("stop texting"), "her words are not Acme's to read: {talk}");
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("paused"), "who joins later meets her word");
        // Each decides for its own texts, and a later decision of one is not undone by another.
        decides(app, &acme, "lifted").await;
        for shop in [&best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("paused"), "{}", shop.org.name);
        }
        says(app, &acme, "You said that we may").await;
        assert!(install.to_ann().len() > before);
        decides(app, &best, "stopped").await;
        for (shop, state) in [(&acme, "lifted"), (&best, "stopped"), (&late, "stopped")] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some(state), "{}", shop.org.name);
        }
        assert_eq!(install.writes(ANN, POOL, "START").await, 200);
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("lifted"), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn pause_confirmed_by_receiving_business_stops_all_on_shared_service(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        app.advance(Duration::minutes(1));
        decides(app, &best, "stopped").await;
        let before = install.to_ann().len();
        says(app, &acme, "after").await;
        assert_eq!(install.to_ann().len(), before, "the same sender texts her no more");
        let late = sharing(app, "Late Drains").await;
        for shop in [&acme, &best, &late] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        decides(app, &acme, "lifted").await;
        for (shop, state) in [(&acme, "lifted"), (&best, "stopped"), (&late, "stopped")] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some(state), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn pause_confirmed_by_another_business_stops_that_business_alone(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "Stop texting me").await, 200);
        decides(app, &acme, "stopped").await;
        let stands = (opt_out(app, acme.id()).await, opt_out(app, best.id()).await);
        assert_eq!((stands.0.as_deref(), stands.1.as_deref()), (Some("stopped"), Some("paused")), "Best has the words");
        app.run_tasks().await;
    }

    async fn stop_concurrent_with_business_joining_service_applies_to_it(app) {
        install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        let (first, second) = (without_number(app, "First Drains").await, without_number(app, "Second Gas").await);
        // The STOP is stored but not committed when the first one joins.
        let mut tx = across_tenants(app.db.begin()).await.unwrap();
        stop_within(app, &mut tx, &acme, "SM0000000000000000000000000000057a").await;
        beside(app, tx, Box::pin(async {
            let mut tx = across_tenants(app.db.begin()).await.unwrap();
            joins(app, &mut tx, &first).await;
            tx.commit().await.unwrap();
        }))
        .await;
        assert_eq!(opt_out(app, first.id()).await.as_deref(), Some("stopped"));
        let lift = "UPDATE opt_out SET state = 'lifted' WHERE address = $1";
        app.within(async |tx| Ok(q!(tx, execute, lift, ANN)?)).await.unwrap();
        // The second one has joined but not committed when she sends STOP once more.
        let mut tx = across_tenants(app.db.begin()).await.unwrap();
        joins(app, &mut tx, &second).await;
        beside(app, tx, Box::pin(async {
            let mut tx = across_tenants(app.db.begin()).await.unwrap();
            stop_within(app, &mut tx, &acme, "SM0000000000000000000000000000057b").await;
            tx.commit().await.unwrap();
        }))
        .await;
        for shop in [&acme, &first, &second] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        app.run_tasks().await;
    }

    async fn opt_out_refusal_by_provider_stops_every_business_on_sender(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        let alone = app.org("Alone Electric").await;
        texts_ann(app, &best, "waits").await;
        let later = "UPDATE message SET status = 'held', next_attempt_at = $2 WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, later, best.id(), app.now() + Duration::hours(3))?)).await.unwrap();
        install.twilio.script(Fault::Code { status: 400, code: 21610 });
        says(app, &acme, "Not taken").await;
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        assert_eq!(opt_out(app, alone.id()).await, None, "another number is another matter");
        app.advance(Duration::hours(4));
        app.run_tasks().await;
        let sql = "SELECT status FROM message WHERE org_id = $1 AND body = 'waits'";
        let waited = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, best.id()).unwrap();
        assert_eq!(waited, "not_sent", "what waited at the neighbor does not leave");
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"), "who joins later meets her word");
    }

    async fn number_given_up_by_owner_is_unassigned_and_sends_nothing(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        let shop = app.org("Acme Plumbing").await;
        let number = shop.org.sms_number.clone().unwrap();
        let neighbor = app.org("Best Roofing").await;
        let (owner, other) = (app.client().signed_in(app, shop.owner()).await, app.client().signed_in(app, neighbor.owner()).await);
        let body = json!({ "number": number });
        assert_eq!(other.post("/api/sending-number/give-up", &body).await.status, 422, "it is not theirs");
        app.advance(Duration::minutes(16));
        assert_eq!(owner.post("/api/sending-number/give-up", &body).await.status, 403, "a fresh sign-in is asked for");
        assert_eq!(again(app, shop.clone()).await.org.sms_number.as_deref(), Some(number.as_str()));
        let owner = app.client().signed_in(app, shop.owner()).await;
        let given = owner.post("/api/sending-number/give-up", &body).await;
        assert_eq!((given.status.as_u16(), &given.json()["number"]), (200, &Value::Null), "{}", given.json());
        assert_eq!(given.json()["why"], NO_NUMBER);
        let holder = sending_number::find_holder(&mut app.db.acquire_reader().await.unwrap(), &number).await.unwrap();
        assert!(holder.is_none());
        assert_eq!(owner.post("/api/sending-number/give-up", &body).await.status, 422, "once");
        texts_ann(app, &shop, "stays here").await;
        app.run_tasks().await;
        assert!(app.sms.accepted_messages().is_empty());
        let log = owner.get("/api/security/audit-log").await;
        assert!(String::from_utf8_lossy(&log.body).contains("number_given_up"));
    }

    async fn claim_code_survives_key_rotation(app) {
        let shop = without_number(app, "Acme Plumbing").await;
        let by = (shop.id(), shop.owner().id);
        let number = shared::platform::phone::Phone::parse(FREE).unwrap();
        let claimed = app.within(async |tx| claim::create_claim(tx, &app.origin, by, &number, claim::NumberClaimWay::Text).await).await;
        claimed.unwrap();
        let sql = "SELECT id FROM number_claim WHERE org_id = $1";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::NumberClaimId, sql, shop.id()).unwrap();
        let old = SecretKey::new([7; 32]);
        let ring = SecretKey::new([8; 32]).with_old_keys([[7; 32]]);
        let sent = claim::verification_code(&old, id);
        assert_ne!(sent, claim::verification_code(&ring, id));
        let tries = async |secret: &SecretKey| {
            app.within(async |tx| claim::confirm_code(tx, &app.origin, secret, by, &sent).await).await.unwrap()
        };
        assert_eq!(tries(&SecretKey::new([9; 32])).await, CodeCheckResult::Wrong(4), "of another install it is no code");
        assert_eq!(tries(&ring).await, CodeCheckResult::Right);
        app.run_tasks().await;
    }

    async fn text_via_foreign_service_reaches_no_business(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        let by = async |service: Option<&str>, words: &str| {
            let service = service.map(ToOwned::to_owned);
            let text = InboundText { service, ..InboundText::new(ANN, POOL, words) };
            install.hooks.inbound_text(&text).await.answers[0].status
        };
        assert_eq!(by(Some("MG00000000000000000000000000000bad"), "STOP").await, 404);
        let best = app.org("Best Roofing").await;
        let number = best.org.sms_number.clone().unwrap();
        let service = Some("MG00000000000000000000000000000bad".to_owned());
        let text = InboundText { service, ..InboundText::new(ANN, &number, "STOP") };
        assert_eq!(install.hooks.inbound_text(&text).await.answers[0].status, 404);
        assert_eq!((opt_out(app, best.id()).await, heard(app, &best).await.len()), (None, 0));
        assert_eq!((opt_out(app, acme.id()).await, heard(app, &acme).await.len()), (None, 0));
        assert_eq!(by(Some(SERVICE), "Hello").await, 200);
        app.advance(Duration::seconds(1));
        assert_eq!(by(None, "Hello again").await, 200);
        app.run_tasks().await;
        assert_eq!(heard(app, &acme).await, ["Hello", "Hello again"]);
    }

    async fn stop_before_any_message_applies_to_later_holder_of_sender(app) {
        let install = install_with_service(app).await;
        let acme = sharing(app, "Acme Plumbing").await;
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        assert_eq!(opt_out(app, acme.id()).await.as_deref(), Some("stopped"));
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"), "it joins the service");
        // The same with a number that moves to another business.
        let (alone, next) = (app.org("Alone Electric").await, app.org("Next Gas").await);
        let number = alone.org.sms_number.clone().unwrap();
        assert_eq!(install.writes(ANN, &number, "STOP").await, 200);
        assert_eq!((opt_out(app, alone.id()).await.as_deref(), opt_out(app, next.id()).await), (Some("stopped"), None));
        app.gets_number(next.id(), Some(&number)).await;
        assert_eq!(opt_out(app, next.id()).await.as_deref(), Some("stopped"), "it gets the number");
        says(app, &late, "after").await;
        says(app, &next, "after").await;
        assert!(install.to_ann().is_empty(), "nothing leaves for her");
        app.run_tasks().await;
    }

    async fn stop_reaches_business_that_texted_from_number_before_reassignment(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let number = best.org.sms_number.clone().unwrap();
        says(app, &acme, "From Acme").await;
        app.gets_number(best.id(), Some(FROM)).await;
        app.gets_number(acme.id(), Some(&number)).await;
        assert_eq!(install.writes(ANN, FROM, "STOP").await, 200);
        assert_eq!((heard(app, &acme).await.len(), heard(app, &best).await.len()), (0, 1), "the number is Best's now");
        assert_eq!((opt_out(app, acme.id()).await.as_deref(), opt_out(app, best.id()).await.as_deref()), (Some("stopped"), Some("stopped")));
        app.run_tasks().await;
    }

    async fn stop_to_released_number_applies_to_business_that_sent_from_it(app) {
        let install = install(app).await;
        let acme = app.org("Acme Plumbing").await;
        says(app, &acme, "From Acme").await;
        app.gets_number(acme.id(), None).await;
        assert_eq!(install.writes(ANN, FROM, "Can you come on Monday?").await, 200, "a reply is theirs");
        assert_eq!(install.writes(ANN, FROM, "STOP").await, 200);
        assert_eq!(opt_out(app, acme.id()).await.as_deref(), Some("stopped"));
        assert_eq!(heard(app, &acme).await, ["STOP", "Can you come on Monday?"], "the newest first");
        app.run_tasks().await;
    }

    async fn stop_to_released_number_applies_to_business_that_only_received_there(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        app.switches(&acme, Switches { automated_communications: false, ..Switches::ALL_ON }).await;
        assert_eq!(install.writes(ANN, FROM, "Can you come on Monday?").await, 200);
        app.run_tasks().await;
        app.gets_number(acme.id(), Some(FREE)).await;
        app.within(async |tx| sending_number::release_number(tx, &app.origin, FROM).await).await.unwrap();
        assert!(install.to_ann().is_empty(), "nobody wrote to her");
        assert_eq!(install.writes(ANN, FROM, "STOP").await, 200);
        assert_eq!((opt_out(app, acme.id()).await.as_deref(), opt_out(app, best.id()).await), (Some("stopped"), None));
        assert_eq!(install.writes("+15125550188", FROM, "STOP").await, 404, "nobody knows them there");
        says(app, &acme, "From the new number").await;
        assert!(install.to_ann().is_empty());
        app.run_tasks().await;
    }

    async fn business_that_left_shared_service_still_gets_replies_to_its_texts(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, sharing(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        says(app, &best, "From Best").await;
        app.within(async |tx| sending_number::unshare_service(tx, &app.origin, best.id(), SERVICE).await).await.unwrap();
        assert_eq!(install.writes(ANN, POOL, "Monday is fine").await, 200);
        assert_eq!((heard(app, &best).await.len(), heard(app, &acme).await.len()), (1, 0), "no neighbor reads it");
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        for shop in [&acme, &best] {
            assert_eq!(opt_out(app, shop.id()).await.as_deref(), Some("stopped"), "{}", shop.org.name);
        }
        let late = sharing(app, "Late Drains").await;
        assert_eq!(opt_out(app, late.id()).await.as_deref(), Some("stopped"), "who joins later meets her word");
        app.run_tasks().await;
    }

    async fn reply_to_released_number_of_service_goes_to_last_sender(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, sharing(app, "Best Roofing").await);
        app.gets_number(acme.id(), Some(POOL)).await;
        says(app, &again(app, acme.clone()).await, "From Acme").await;
        app.within(async |tx| sending_number::release_number(tx, &app.origin, POOL).await).await.unwrap();
        assert_eq!(install.writes(ANN, POOL, "For Acme").await, 200);
        says(app, &best, "From Best").await;
        assert_eq!(install.writes(ANN, POOL, "For Best").await, 200);
        assert_eq!((heard(app, &acme).await, heard(app, &best).await), (vec!["For Acme".to_owned()], vec!["For Best".to_owned()]));
        assert_eq!(install.writes(ANN, POOL, "STOP").await, 200);
        assert_eq!(opt_out(app, best.id()).await.as_deref(), Some("stopped"));
        app.run_tasks().await;
    }

    async fn operator_assigns_numbers_from_provider_account_list(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, without_number(app, "Best Roofing").await);
        for (number, can_text) in [(FROM, true), (FREE, true), ("+15125550702", true), ("+15125550703", false)] {
            install.twilio.owns(number, can_text);
        }
        let client = operator(app, &acme).await;
        let all = client.get("/api/admin/sending-numbers").await.json();
        let numbers: Vec<&str> = all["numbers"].as_array().unwrap().iter().map(|one| one["number"].as_str().unwrap()).collect();
        assert_eq!(numbers, [FROM, FREE, "+15125550702", "+15125550703"], "all pages");
        assert_eq!((&all["numbers"][0]["business"]["slug"], &all["numbers"][0]["isServers"]), (&json!("acme-plumbing"), &json!(true)));
        assert_eq!(all["businesses"].as_array().unwrap().len(), 2);
        let to_best = json!({"orgId": best.id()});
        for bad in ["+15125550703", "+15125550799"] {
            assert_eq!(put(&client, &format!("/api/admin/sending-numbers/{bad}"), &to_best).await.status, 422, "{bad}");
        }
        let given = put(&client, &format!("/api/admin/sending-numbers/{FREE}"), &to_best).await;
        assert_eq!(given.status, 200, "{}", given.json());
        let olive = app.client().signed_in(app, best.owner()).await;
        assert_eq!(olive.get("/api/admin/sending-numbers").await.status, 403);
        assert_eq!(put(&olive, &format!("/api/admin/sending-numbers/{FROM}"), &to_best).await.status, 403);
        assert_eq!(put(&olive, "/api/admin/sending-service", &json!({"orgId": best.id(), "shares": true})).await.status, 403);
        let shown = olive.get("/api/sending-number").await.json();
        assert_eq!((&shown["number"], &shown["assignedBy"], &shown["why"]), (&json!(FREE), &json!("operator"), &Value::Null));
        says(app, &best, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FREE.to_owned()), None)]);
        // After removal nothing is sent, a reply goes to the last sender, and any other text to no business.
        assert_eq!(put(&client, &format!("/api/admin/sending-numbers/{FREE}"), &json!({"orgId": null})).await.status, 200);
        says(app, &best, "And again").await;
        assert_eq!(install.to_ann().len(), 1);
        assert_eq!(install.writes(ANN, FREE, "Hello?").await, 200);
        assert_eq!(heard(app, &best).await, ["Hello?"]);
        assert_eq!(install.writes("+15125550188", FREE, "Hello?").await, 404);
        app.run_tasks().await;
        let log = olive.get("/api/security/audit-log").await.json().to_string();
        assert!(log.contains("number_assigned") && log.contains("number_taken_away"), "{log}");
        install.twilio.break_reading(Some(503));
        let all = client.get("/api/admin/sending-numbers").await.json();
        assert!(all["fault"].is_string() && all["numbers"][0]["inAccount"].is_null(), "{all}");
    }

    async fn owner_proves_number_by_code_sent_to_it(app) {
        let install = install(app).await;
        let (acme, best) = (app.org("Acme Plumbing").await, without_number(app, "Best Roofing").await);
        let olive = app.client().signed_in(app, best.owner()).await;
        let claims = async |number: &str, way: &str| olive.post("/api/sending-number/claim", &json!({"number": number, "way": way})).await;
        assert_eq!(claims(FREE, "text").await.problem().2, ["number"], "not in the account: it could not send");
        let theirs = claims(FROM, "text").await;
        assert!(!theirs.json().to_string().contains("Acme"), "whose it is is not said");
        assert_eq!(theirs.problem().2, ["number"]);
        assert!(install.twilio.requests().is_empty(), "and no stranger is texted a code");
        install.twilio.owns(FREE, true);
        assert_eq!(claims(FREE, "text").await.status, 202);
        app.run_tasks().await;
        let code_of = |install: &Install| install.twilio.last_to(FREE).unwrap().text.body.split(' ').next().unwrap().to_owned();
        let code = code_of(&install);
        assert_eq!(code.len(), 6);
        // Twilio posts it to our own webhook too, where it belongs to no business.
        assert_eq!(install.writes(FROM, FREE, &code).await, 404);
        let confirms = async |code: &str| olive.post("/api/sending-number/confirm", &json!({"code": code})).await;
        let wrong = if code == "000000" { "000001" } else { "000000" };
        for _ in 0..5 {
            assert_eq!(confirms(wrong).await.problem().2, ["code"]);
        }
        assert_eq!(confirms(&code).await.status, 409, "five guesses are all");
        assert_eq!(claims(FREE, "call").await.status, 202);
        app.run_tasks().await;
        let [call] = &install.twilio.placed_calls()[..] else { panic!("one call") };
        assert_eq!((call.to.as_str(), call.from.as_str()), (FREE, FROM));
        let digits: String = call.twiml.split("</Say>").next().unwrap().chars().filter(char::is_ascii_digit).collect();
        app.advance(Duration::minutes(11));
        assert_eq!(confirms(&digits[digits.len() - 6..]).await.status, 409, "over after ten minutes");
        assert_eq!(claims(FREE, "text").await.status, 202);
        app.run_tasks().await;
        let arthur = app.client().signed_in(app, acme.owner()).await;
        let code = code_of(&install);
        assert_eq!(arthur.post("/api/sending-number/confirm", &json!({"code": code})).await.status, 409, "nobody else's claim");
        let proved = confirms(&code).await;
        assert_eq!((proved.status.as_u16(), &proved.json()["number"]), (200, &json!(FREE)), "{}", proved.json());
        assert_eq!(confirms(&code).await.status, 409, "once");
        says(app, &best, "From Best").await;
        assert_eq!(install.to_ann(), [(Some(FREE.to_owned()), None)]);
        assert_eq!(app.count("task WHERE kind = 'send_number_code' AND status = 'dead'").await, 0);
    }

    async fn claim_of_service_number_hides_no_customer_text(app) {
        let install = install_with_service(app).await;
        let (acme, best) = (sharing(app, "Acme Plumbing").await, without_number(app, "Best Roofing").await);
        says(app, &acme, "From Acme").await;
        install.twilio.owns(POOL, true);
        let olive = app.client().signed_in(app, best.owner()).await;
        let claimed = olive.post("/api/sending-number/claim", &json!({"number": POOL, "way": "text"})).await;
        assert_eq!(claimed.status, 202, "{}", claimed.json());
        app.run_tasks().await;
        let code = install.twilio.last_to(POOL).unwrap().text.body;
        assert_eq!(install.writes(FREE, POOL, &code).await, 404, "a code is nobody's to read");
        assert_eq!(install.writes(ANN, POOL, "Can you come on Monday?").await, 200);
        assert_eq!(heard(app, &acme).await, ["Can you come on Monday?"]);
        app.run_tasks().await;
    }

    async fn claim_code_is_not_resent_after_worker_dies_in_provider_call(app) {
        let install = install(app).await;
        let best = without_number(app, "Best Roofing").await;
        install.twilio.owns(FREE, true);
        let olive = app.client().signed_in(app, best.owner()).await;
        assert_eq!(olive.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await.status, 202);
        let sql = "SELECT id FROM number_claim WHERE org_id = $1";
        let id = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar shared::platform::id::NumberClaimId, sql, best.id()).unwrap();
        install.twilio.script(Fault::AcceptThenHang { millis: 60_000 });
        let arrived = async {
            while install.twilio.received().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            ended = send_number_code::run(&app.context, id) => panic!("the call hangs: {ended:?}"),
            () = arrived => {}
        }
        app.run_tasks().await;
        assert_eq!(install.twilio.received().len(), 1);
    }

    async fn claim_codes_are_rate_limited_and_only_newest_is_sent(app) {
        let install = install(app).await;
        let best = without_number(app, "Best Roofing").await;
        install.twilio.owns(FREE, true);
        let olive = app.client().signed_in(app, best.owner()).await;
        let mut seen = Vec::new();
        for _ in 0..6 {
            seen.push(olive.post("/api/sending-number/claim", &json!({"number": FREE, "way": "text"})).await.status.as_u16());
        }
        assert_eq!(seen, [202, 202, 202, 202, 202, 429]);
        app.run_tasks().await;
        assert_eq!(install.twilio.received().len(), 1, "only the newest code leaves");
    }

    async fn unknown_business_in_request_is_not_found(app) {
        let acme = app.org("Acme Plumbing").await;
        let visitor = app.client();
        let mails = app.count("message").await;
        let nobody = uuid::Uuid::from_u128(7).to_string();
        for org in ["nobody", nobody.as_str(), "acme plumbing", "x/../acme", "%00"] {
            let form = Multipart::ann(org);
            let sent = visitor.post_form("/api/leads/create", form).await;
            assert_eq!(sent.problem().0, 404, "{org}");
            let quote = json!({"orgId": org, "customerName": "Ann Lee", "email": "ann@customer.example", "phone": "(512) 555-0142",
                "serviceType": "plumbing", "projectDescription": "A new boiler, please"});
            let sent = visitor.post("/api/quotes/create", &quote).await;
            assert_eq!(sent.problem().0, 404, "{org}");
            let asked = org.replace(' ', "%20");
            for path in ["/api/public/form", "/lead", "/quote"] {
                for word in ["org", "orgId"] {
                    assert_eq!(visitor.get(&format!("{path}?{word}={asked}")).await.status, 404, "{path} {word} {org}");
                }
            }
            assert_eq!(visitor.get(&format!("/book/{}", asked.replace('/', "%2F"))).await.status, 404, "{org}");
        }
        assert_eq!((app.count("lead").await, app.count("message").await, app.count("customer").await), (0, mails, 0));
        for asked in ["", "?org=", "?org=acme-plumbing", "?org=ACME-Plumbing", "?org=demo", "?orgId=acme-plumbing", "?org=&orgId=demo"] {
            assert_eq!(visitor.get(&format!("/api/public/form{asked}")).await.json()["orgId"], json!(acme.id()), "{asked}");
            assert_eq!(visitor.get(&format!("/lead{asked}")).await.status, 200, "{asked}");
        }
        assert_eq!(visitor.post_form("/api/leads/create", Multipart::ann("demo")).await.status, 201);
        app.run_tasks().await;
    }
}
