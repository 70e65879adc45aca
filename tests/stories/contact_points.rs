//! Trust in contact data: what a stranger types into a public form changes nobody's documents, and cannot send a link
//! or a number to a third person.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::messaging::{
        conversation,
        message::{self, MessageDraft, MessageKind, NewMessage},
    },
    platform::{
        db::q,
        id::{CustomerId, LeadId, MessageId},
    },
    providers::sms::SmsProvider,
};
use tests::{
    addresses::phone,
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
    phone::ANN,
};

mod confirmed_requests;
mod first_press;
mod form_answers;
mod form_orders;
mod identity;
mod link_proof;
mod merged_presses;
mod names;
mod office_edits;
mod proposal_forms;
mod proposals;
mod shared_records;
mod unconfirmed_addresses;

const STRANGER: &str = "+15125550199";
const OTHER_MAIL: &str = "stranger@evil.example";

async fn shop(app: &mut TestApp) -> (Shop, Client) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, office)
}

async fn customer_of(app: &TestApp, shop: &Shop, lead: LeadId) -> CustomerId {
    app.lead(shop.id(), lead).await.customer_id
}

async fn record(office: &Client, id: CustomerId) -> Value {
    let answer = office.get(&format!("/api/customers/{id}")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

/// The office sends an estimate. Returns the addresses it went to.
async fn estimate_goes_to(app: &TestApp, office: &Client, lead: LeadId) -> Vec<String> {
    let (texts, letters) = (app.sms.accepted_messages().len(), app.mail.accepted_messages().len());
    let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 500.0})).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
    let texts = app
        .sms
        .accepted_messages()
        .split_off(texts)
        .into_iter()
        .filter(|text| text.body.contains("/p/"))
        .map(|text| text.to);
    let letters = app
        .mail
        .accepted_messages()
        .split_off(letters)
        .into_iter()
        .filter(|mail| mail.text.contains("/p/"))
        .map(|mail| mail.to);
    let mut went: Vec<String> = texts.chain(letters).collect();
    went.sort_unstable();
    went
}

async fn press(office: &Client, proposal: &Value, what: &str) -> u16 {
    let id = proposal["id"].as_str().unwrap();
    office.post(&format!("/api/contact-proposals/{id}/{what}"), &json!({})).await.status.as_u16()
}

async fn uses_all(app: &TestApp, shop: &Shop, lead: LeadId) {
    let office = app.client().signed_in(app, shop.owner()).await;
    let seen = record(&office, customer_of(app, shop, lead).await).await;
    for proposal in seen["alsoGave"].as_array().unwrap() {
        assert_eq!(press(&office, proposal, "use").await, 200);
    }
}

both_databases! {
    async fn form_with_known_contact_points_grants_no_marketing_consent(app) {
        let (shop, _) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        let mut mallory = Visitor::ann();
        mallory.form.marketing_consent = true;
        assert_eq!(mallory.submits_lead(app, &shop).await, lead);
        app.run_tasks().await;
        let agreed = "SELECT COUNT(*) FROM consent WHERE org_id = $1 AND class = 'promotional' AND granted = TRUE";
        let conn = &mut app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(conn, fetch_one scalar i64, agreed, shop.id()).unwrap(), 0);
    }

    async fn new_phone_beside_known_email_gets_no_papers(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        let mut mallory = Visitor::ann().phone(STRANGER).named("Mallory");
        mallory.form.marketing_consent = true;
        let again = mallory.submits_lead(app, &shop).await;
        assert_eq!(again, lead, "the email decides the customer");
        app.run_tasks().await;
        let answered: Vec<String> = app.sms.accepted_messages().into_iter().map(|text| text.to).collect();
        assert_eq!(answered, [ANN, STRANGER], "the answer goes to what was typed");
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, "ann@customer.example"]);
        let customer = customer_of(app, &shop, lead).await;
        let seen = record(&office, customer).await;
        assert_eq!((&seen["phone"], &seen["name"], &seen["phoneProof"]), (&json!(ANN), &json!("Ann Lee"), &json!("office")));
        let proposal = &seen["alsoGave"][0];
        assert_eq!((&proposal["shown"], &proposal["kind"]), (&json!("(512) 555-0199"), &json!("phone")));
        let agreed = "SELECT COUNT(*) FROM consent WHERE org_id = $1 AND class = 'promotional' AND granted = TRUE";
        let conn = &mut app.db.acquire_reader().await.unwrap();
        assert_eq!(q!(conn, fetch_one scalar i64, agreed, shop.id()).unwrap(), 0, "no consent is stored for another person");
        let of_lead = office.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!((&of_lead["phoneE164"], &of_lead["alsoGave"][0]["id"]), (&json!(ANN), &proposal["id"]));
    }

    async fn new_email_beside_known_phone_gets_no_papers(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        assert_eq!(Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await, lead);
        app.run_tasks().await;
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN]);
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["email"], &seen["otherEmails"], &seen["alsoGave"][0]["value"]), (&Value::Null, &json!([]), &json!(OTHER_MAIL)));
    }

    async fn form_email_gets_no_papers_once_the_number_owner_writes(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(ANN, "My kitchen sink is leaking, can you come today?").await;
        app.run_tasks().await;
        let to_stranger = || app.mail.accepted_messages().into_iter().filter(|mail| mail.to == OTHER_MAIL && mail.text.contains("/p/")).count();
        estimate_goes_to(app, &office, lead).await;
        assert_eq!((to_stranger(), line.texts_to(ANN).iter().filter(|text| text.contains("/p/")).count()), (0, 1));
        let customer = customer_of(app, &shop, lead).await;
        let seen = record(&office, customer).await;
        let proposal = seen["alsoGave"][0].clone();
        assert_eq!((&seen["email"], &seen["emailProof"], &proposal["value"]), (&json!(OTHER_MAIL), &json!("form"), &json!(OTHER_MAIL)));
        assert_eq!(press(&office, &proposal, "use").await, 200);
        let used = record(&office, customer).await;
        assert_eq!((&used["emailProof"], &used["alsoGave"]), (&json!("office"), &json!([])));
        assert_eq!(press(&office, &proposal, "undo").await, 200);
        let back = record(&office, customer).await;
        assert_eq!((&back["email"], &back["emailProof"], &back["alsoGave"][0]["id"]), (&json!(OTHER_MAIL), &json!("form"), &proposal["id"]));
        estimate_goes_to(app, &office, lead).await;
        assert_eq!(to_stranger(), 0);
        assert_eq!(press(&office, &proposal, "use").await, 200);
        estimate_goes_to(app, &office, lead).await;
        assert_eq!(to_stranger(), 1, "the office says that it is hers");
    }

    async fn later_request_of_known_customer_sends_no_papers_to_typed_email(app) {
        let (shop, _) = shop(app).await;
        let first = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        let done = "UPDATE lead SET stage = 'done' WHERE org_id = $1 AND id = $2";
        app.within(async |tx| Ok(q!(tx, execute, done, shop.id(), first)?)).await.unwrap();
        app.advance(Duration::days(30));
        let second = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        assert_ne!(first, second);
        app.run_tasks().await;
        assert!(app.mail.accepted_messages().iter().any(|mail| mail.to == OTHER_MAIL), "the answer goes to what was typed");
        // The session of a month ago has expired.
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(estimate_goes_to(app, &office, second).await, [ANN, "ann@customer.example"]);
    }

    async fn form_only_number_matches_no_customer(app) {
        let (shop, _) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        Visitor::ann().phone(STRANGER).submits_lead(app, &shop).await;
        let alone = Visitor::ann().phone(STRANGER).email(None).submits_lead(app, &shop).await;
        assert_ne!(alone, lead, "a typed number does not give access to Ann's record");
        app.run_tasks().await;
    }

    async fn answering_number_joins_conversation_but_gets_no_papers(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        uses_all(app, &shop, lead).await;
        Visitor::ann().phone(STRANGER).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(STRANGER, "Yes please").await;
        app.run_tasks().await;
        assert_eq!((app.count("customer").await, app.count("lead").await), (1, 1), "one conversation");
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["phone"], &seen["phoneProof"]), (&json!(ANN), &json!("texted")));
        assert!(seen["alsoGave"][0]["answeredAt"].is_string(), "{}", seen["alsoGave"]);
        let before = line.texts_to(STRANGER).len();
        let made = office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 500.0})).await;
        assert_eq!(made.status, 200, "{}", made.json());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        assert_eq!(line.texts_to(STRANGER).len(), before);
        assert!(line.texts_to(ANN).iter().any(|text| text.contains("/p/")));
    }

    async fn text_from_form_only_number_does_not_end_customer_reminder(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::days(2), Duration::hours(6)).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        let waits = "message WHERE kind = 'nudge' AND status = 'queued'";
        assert_eq!(app.count(waits).await, 1);
        uses_all(app, &shop, lead).await;
        Visitor::ann().phone(STRANGER).submits_lead(app, &shop).await;
        app.run_tasks().await;
        for words in ["Never mind, it is all fixed", "Thank you!", "STOP"] {
            app.advance(Duration::seconds(30));
            line.writes(STRANGER, words).await;
            app.run_tasks().await;
            assert_eq!(app.count(waits).await, 1, "{words}");
        }
        let customer = customer_of(app, &shop, lead).await;
        assert_eq!(app.count("customer").await, 1, "it is in her conversation");
        let context = conversation::load_context(&mut app.db.acquire_reader().await.unwrap(), shop.id(), customer, None, app.now()).await.unwrap();
        assert!(app.now() - context.last_in_at.unwrap() > Duration::minutes(2), "she called, and has not written");
        app.live_through(Duration::days(2), Duration::minutes(30)).await;
        assert_eq!(app.count("message WHERE kind = 'nudge' AND status IN ('sent', 'delivered')").await, 1, "she is reminded");
    }

    async fn set_aside_email_gets_no_papers_and_its_link_opens_nothing(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let lead = Visitor::ann().email(Some(OTHER_MAIL)).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let to_stranger = || app.mail.accepted_messages().into_iter().filter(|mail| mail.to == OTHER_MAIL && mail.text.contains("/p/")).count();
        estimate_goes_to(app, &office, lead).await;
        assert_eq!(to_stranger(), 1, "as long as only forms know her");
        let listed = office.get(&format!("/api/leads/{lead}/estimates")).await.json();
        let mailed = app.sent_link(listed[0]["link"].as_str().unwrap(), OTHER_MAIL).await;
        line.writes(ANN, "My kitchen sink is leaking, can you come today?").await;
        app.run_tasks().await;
        let path = format!("{}/ask", mailed.trim_start_matches("https://toolbox.example"));
        let kind = "application/x-www-form-urlencoded";
        let asked = app.client().send(axum::http::Method::POST, &path, kind, "question=When%3F".into()).await;
        assert_eq!(asked.status, 404);
        let seen = record(&office, customer_of(app, &shop, lead).await).await;
        assert_eq!((&seen["email"], &seen["emailProof"]), (&json!(OTHER_MAIL), &json!("form")));
        assert!(seen["alsoGave"][0]["value"] == OTHER_MAIL && seen["alsoGave"][0]["answeredAt"].is_null(), "{}", seen["alsoGave"]);
        let before = line.texts_to(ANN).len();
        estimate_goes_to(app, &office, lead).await;
        assert_eq!((to_stranger(), line.texts_to(ANN).len()), (1, before + 1), "the next one goes to her alone");
    }

    async fn texting_number_becomes_separate_customer_from_form_only_email(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let quote = json!({"customerName": "Ann Lee", "email": "ann@customer.example", "serviceType": "plumbing"});
        assert!(app.client().post("/api/quotes/create", &quote).await.status.is_success());
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        assert_eq!(record(&office, customer).await["phone"], Value::Null);
        line.writes(ANN, "Today is fine").await;
        app.run_tasks().await;
        let seen = record(&office, customer).await;
        assert_eq!((&seen["phone"], &seen["alsoGave"][0]["value"]), (&Value::Null, &json!(ANN)), "a stranger may have typed it");
        assert_eq!((app.count("customer").await, &seen["alsoGave"][0]["belongsToId"]), (2, &seen["duplicates"][0]["id"]));
        assert_eq!(estimate_goes_to(app, &office, lead).await, ["ann@customer.example"]);
    }

    async fn manual_and_paper_texts_to_unconfirmed_number_are_not_sent(app) {
        let (shop, _) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let customer = customer_of(app, &shop, lead).await;
        let before = app.sms.accepted_messages().len();
        for (n, kind) in [MessageKind::Manual, MessageKind::Estimate, MessageKind::Visit, MessageKind::Invoice].into_iter().enumerate() {
            let draft = MessageDraft { customer: Some(customer), ..MessageDraft::new(kind, phone(STRANGER), "Your estimate".to_owned(), format!("story:{n}")) };
            let new = NewMessage { lead: Some(lead), ..draft.with_id(MessageId(app.origin.uuid_v7())) };
            app.within(async |tx| message::queue_messages(tx, &app.origin, shop.id(), std::slice::from_ref(&new)).await).await.unwrap();
        }
        app.run_tasks().await;
        assert_eq!(app.sms.accepted_messages().len(), before);
        let conn = &mut app.db.acquire_reader().await.unwrap();
        let sql = "SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'not_sent' AND reason = 'this address is not confirmed as the customer''s'";
        assert_eq!(q!(conn, fetch_one scalar i64, sql, shop.id()).unwrap(), 4);
    }

    async fn contact_points_on_file_before_migration_stay_trusted(app) {
        let (shop, office) = shop(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        // The state that the migration leaves.
        let old = "UPDATE customer_key SET proof = 'on_file', proved_at = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, old, shop.id())?)).await.unwrap();
        assert_eq!(estimate_goes_to(app, &office, lead).await, [ANN, "ann@customer.example"]);
    }
}
