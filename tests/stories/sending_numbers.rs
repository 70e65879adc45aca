//! Businesses that share numbers: which number belongs to which, who gets a reply, and whom a STOP affects.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::{
            message::{self, MessageChannel, MessageDraft, MessageKind},
            sending_number::{self, NumberAssignedBy},
        },
        tenancy::org::FeatureSwitches,
    },
    platform::{
        config::EnvVars,
        db::q,
        id::{CustomerId, MessageId, OrgId},
    },
    providers::sms::{SmsConfig, SmsProvider, SmsSender},
};
use tests::{
    addresses::{email, phone},
    app::TestApp,
    both_databases,
    fake_twilio::{ACCOUNT_SID, AUTH_TOKEN, FROM, FakeTwilio, InboundText, Product, TwilioWebhooks},
    http::{Answer, Client, Multipart, Server},
    people::{Shop, Visitor},
    phone::ANN,
};

mod claims;
mod doubtful_answers;
mod install_number;
mod local_registrations;
mod missed_texts;
mod opt_outs;
mod pool;
mod purchases;
mod registrations;
mod replies;
mod sender_notices;
mod shown_consent;

const SERVICE: &str = "MG0000000000000000000000000000005e";
const POOL: &str = "+15125550700";
const FREE: &str = "+15125550701";
const NO_NUMBER: &str = "your business has no number to send texts from";

struct Install {
    twilio: FakeTwilio,
    hooks: TwilioWebhooks,
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
    app.switches(&shop, FeatureSwitches { automated_communications: false, ..FeatureSwitches::ALL_ON }).await;
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
    let draft = MessageDraft::new(MessageKind::Manual, phone(ANN), words.to_owned(), format!("story:{id}"));
    let draft = MessageDraft { customer: Some(ann), ..draft }.with_id(id);
    app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), &[draft]).await).await.unwrap();
}

async fn says(app: &TestApp, shop: &Shop, words: &str) {
    texts_ann(app, shop, words).await;
    app.run_tasks().await;
    app.advance(Duration::minutes(1));
}

async fn inbound_texts(app: &TestApp, shop: &Shop) -> Vec<String> {
    let sql = "SELECT body FROM message WHERE org_id = $1 AND direction = 'in' ORDER BY created_at, id";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql, shop.id()).unwrap()
}

async fn opt_out(app: &TestApp, org: OrgId) -> Option<String> {
    let sql = "SELECT state FROM opt_out WHERE org_id = $1 AND channel = 'sms' AND address = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional scalar String, sql, org, ANN).unwrap()
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
        let shown = olive.get("/api/sending-number").await.json();
        assert_eq!((&shown["why"], &shown["isSetUp"]), (&json!(NO_NUMBER), &json!(true)), "{shown}");
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
        assert_eq!(patch(&arthur, "/api/org/acme-plumbing", &json!({"smsNumber": FROM})).await.status, 200, "an unchanged number is accepted");
        assert_eq!(install.writes(ANN, FROM, "Is it you?").await, 200);
        app.run_tasks().await;
        assert_eq!((inbound_texts(app, &acme).await.len(), inbound_texts(app, &best).await.len()), (1, 0));
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
        assert_eq!(again(app, acme).await.org.sms_number, None, "a number taken away by the operator is not assigned again");
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
        app.run_tasks().await;
        let mailed = |subject: &str| app.mail.accepted_messages().iter().filter(|letter| letter.subject == subject).count();
        assert_eq!(mailed("Your texting number is now (512) 555-0701"), 1, "the owner is told");
        // After removal nothing is sent, a reply goes to the last sender, and any other text to no business.
        assert_eq!(put(&client, &format!("/api/admin/sending-numbers/{FREE}"), &json!({"orgId": null})).await.status, 200);
        app.run_tasks().await;
        assert_eq!(mailed("Your business no longer has a texting number"), 1, "and told that texts are off");
        let alerts = olive.get("/api/alerts").await.json().to_string();
        assert!(alerts.contains("Your business no longer has a texting number"), "{alerts}");
        says(app, &best, "And again").await;
        assert_eq!(install.to_ann().len(), 1);
        assert_eq!(install.writes(ANN, FREE, "Hello?").await, 200);
        assert_eq!(inbound_texts(app, &best).await, ["Hello?"]);
        assert_eq!(install.writes("+15125550188", FREE, "Hello?").await, 404);
        app.run_tasks().await;
        let log = olive.get("/api/security/audit-log").await.json().to_string();
        assert!(log.contains("number_assigned") && log.contains("number_taken_away"), "{log}");
        install.twilio.break_reading(Some(503));
        let all = client.get("/api/admin/sending-numbers").await.json();
        assert!(all["fault"].is_string() && all["numbers"][0]["inAccount"].is_null(), "{all}");
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
