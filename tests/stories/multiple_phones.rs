//! One person with several numbers: missing data is filled in, replies go to the number used last, and a STOP holds
//! for the number it was sent from.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{Report, Status as Word},
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

const NUMBER: &str = "+15125550100";
const WORK: &str = "+15125550177";
const WORK_TYPED: &str = "(512) 555-0177";

async fn shop(app: &mut TestApp) -> (Shop, Line, Client) {
    let mut shop = app.org("Acme Plumbing").await;
    let line = app.line(&mut shop, NUMBER).await;
    let office = app.client().signed_in(app, shop.owner()).await;
    (shop, line, office)
}

async fn asks_by_email(app: &TestApp) {
    let quote = json!({"customerName": "Ann Lee", "email": "ann@customer.example", "serviceType": "plumbing"});
    let asked = app.client().post("/api/quotes/create", &quote).await;
    assert!(asked.status.is_success(), "{}", asked.json());
    app.advance(Duration::minutes(20));
}

async fn only_customer(app: &TestApp, shop: &Shop) -> String {
    let sql = "SELECT id FROM customer WHERE org_id = $1";
    let ids = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar shared::platform::id::CustomerId, sql, shop.id())
        .unwrap();
    let [id] = ids[..] else { panic!("there is not exactly one person: {ids:?}") };
    id.to_string()
}

/// The office accepts what forms also named for this person, in the order in which it was named: the last number gets
/// the replies.
async fn confirms(office: &Client, customer: &str) {
    let record = office.get(&format!("/api/customers/{customer}")).await.json();
    let mut proposals = record["alsoGave"].as_array().unwrap().clone();
    proposals.sort_by_key(|proposal| proposal["createdAt"].as_str().unwrap().to_owned());
    for proposal in &proposals {
        let path = format!("/api/contact-proposals/{}/use", proposal["id"].as_str().unwrap());
        assert_eq!(office.post(&path, &json!({})).await.status, 200);
    }
}

async fn conversation(office: &Client, customer: &str) -> Value {
    let answer = office.get(&format!("/api/customers/{customer}/conversation")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn replies(office: &Client, customer: &str, words: &str) -> Answer {
    let written = json!({"channel": "sms", "body": words}).to_string().into_bytes();
    let path = format!("/api/customers/{customer}/messages");
    office.send(Method::POST, &path, "application/json", written).await
}

async fn decides(office: &Client, customer: &str, state: &str) -> Answer {
    office.post(&format!("/api/customers/{customer}/opt-out"), &json!({"state": state})).await
}

/// The opt-out state of each number, from the database.
async fn opt_outs(app: &TestApp, shop: &Shop) -> Vec<(String, String)> {
    let sql = "SELECT address, state FROM opt_out WHERE org_id = $1 ORDER BY address";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, String), sql, shop.id()).unwrap()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(address, state)| ((*address).to_owned(), (*state).to_owned())).collect()
}

both_databases! {
    async fn customer_known_by_email_is_texted_at_newly_confirmed_number(app) {
        let (shop, line, office) = shop(app).await;
        asks_by_email(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        confirms(&office, &ann).await;
        let lead = app.only_lead(&shop).await.summary;
        assert_eq!((lead.phone_e164.as_deref(), lead.phone.is_empty()), (Some(ANN), false));
        app.advance(Duration::hours(1));
        line.writes(ANN, "Can you come today?").await;
        app.run_tasks().await;
        let thread = conversation(&office, &ann).await;
        assert_eq!((&thread["customer"]["phone"], &thread["canText"]["ok"]), (&json!(ANN), &json!(true)), "{thread}");
        assert_eq!(replies(&office, &ann, "At four.").await.status, 201);
        app.run_tasks().await;
        assert!(line.texts_to(ANN).contains(&"At four.".to_owned()), "{:?}", line.texts_to(ANN));
        let found = office.get(&format!("/api/leads/{}?q=5550142", shop.id())).await.json();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "found by the number: {found}");
    }

    async fn customer_known_by_phone_is_reachable_at_newly_confirmed_email(app) {
        let (shop, _line, office) = shop(app).await;
        Visitor::ann().email(None).submits_lead(app, &shop).await;
        app.advance(Duration::minutes(20));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        confirms(&office, &ann).await;
        let thread = conversation(&office, &ann).await;
        assert_eq!((&thread["customer"]["email"], &thread["canEmail"]["ok"]), (&json!("ann@customer.example"), &json!(true)));
        assert_eq!(app.only_lead(&shop).await.summary.email.as_deref(), Some("ann@customer.example"));
    }

    async fn replies_go_to_last_used_number_and_the_other_is_listed(app) {
        let (shop, line, office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.advance(Duration::minutes(20));
        Visitor::ann().phone(WORK_TYPED).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        confirms(&office, &ann).await;
        let thread = conversation(&office, &ann).await;
        assert_eq!(thread["customer"]["phone"], WORK, "{thread}");
        assert_eq!(thread["customer"]["otherNumbers"][0]["phone"], ANN, "{thread}");
        let lead = app.only_lead(&shop).await;
        assert_eq!((lead.summary.phone_e164.as_deref(), lead.other_phones.len()), (Some(WORK), 1));
        assert_eq!(replies(&office, &ann, "To the new one.").await.status, 201);
        app.run_tasks().await;
        assert_eq!(line.texts_to(WORK).last().map(String::as_str), Some("To the new one."));
        app.advance(Duration::minutes(20));
        line.writes(ANN, "I am at home again").await;
        app.run_tasks().await;
        assert_eq!(replies(&office, &ann, "And back.").await.status, 201);
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).last().map(String::as_str), Some("And back."));
        app.advance(Duration::minutes(20));
        line.rings(WORK, []).await;
        app.run_tasks().await;
        assert_eq!(conversation(&office, &ann).await["customer"]["phone"], WORK, "a call counts");
        only_customer(app, &shop).await;
    }

    async fn stop_of_a_proposed_number_is_not_shown_as_the_customers(app) {
        let (shop, line, office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        // A stranger's form names her email and their own number.
        Visitor::ann().phone(WORK_TYPED).submits_lead(app, &shop).await;
        app.run_tasks().await;
        line.writes(WORK, "STOP").await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        let seen = office.get(&format!("/api/customers/{ann}")).await.json();
        assert_eq!((&seen["phone"], &seen["alsoGave"][0]["value"]), (&json!(ANN), &json!(WORK)), "{seen}");
        assert_eq!((&seen["smsOptOut"], &seen["smsOptOutNumber"]), (&Value::Null, &Value::Null), "{seen}");
        assert_eq!(app.count(&format!("opt_out WHERE address = '{WORK}' AND state = 'stopped'")).await, 1);
        assert_eq!(replies(&office, &ann, "Hello").await.status, 201, "texts to her leave");
        app.run_tasks().await;
    }

    async fn stop_is_shown_and_applies_to_the_number_it_came_from(app) {
        let (shop, line, office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.advance(Duration::minutes(20));
        Visitor::ann().phone(WORK_TYPED).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        confirms(&office, &ann).await;
        app.advance(Duration::minutes(20));
        line.writes(ANN, "Please come at four").await;
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        line.writes(WORK, "STOP").await;
        app.run_tasks().await;
        let thread = conversation(&office, &ann).await;
        assert_eq!((&thread["customer"]["phone"], &thread["customer"]["smsOptOut"]["state"]), (&json!(WORK), &json!("stopped")));
        assert_eq!(thread["canText"]["ok"], false);
        assert_eq!(office.get("/api/inbox").await.json()[0]["optedOut"], "stopped");
        assert_eq!(replies(&office, &ann, "no").await.status, 409);
        assert_eq!(decides(&office, &ann, "lifted").await.status, 409, "only they can take it back");
        app.advance(Duration::minutes(20));
        line.writes(ANN, "Write to this phone").await;
        app.run_tasks().await;
        let thread = conversation(&office, &ann).await;
        let other = &thread["customer"]["otherNumbers"][0];
        assert_eq!((&other["phone"], &other["smsOptOut"]["state"]), (&json!(WORK), &json!("stopped")), "{thread}");
        assert_eq!((&thread["customer"]["smsOptOut"], &thread["canText"]["ok"]), (&Value::Null, &json!(true)));
        assert_eq!(office.get("/api/inbox").await.json()[0]["optedOut"], "stopped", "it is seen in the list");
        let seen = office.get(&format!("/api/customers/{ann}")).await.json();
        assert_eq!((&seen["smsOptOut"]["state"], &seen["smsOptOutNumber"]), (&json!("stopped"), &json!(WORK_TYPED)), "{seen}");
        assert_eq!(replies(&office, &ann, "Gladly.").await.status, 201);
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).last().map(String::as_str), Some("Gladly."));
        assert!(!line.texts_to(WORK).contains(&"Gladly.".to_owned()));
    }

    async fn opt_out_doubt_is_decided_for_the_number_it_came_from(app) {
        let (shop, line, office) = shop(app).await;
        asks_by_email(app).await;
        app.office_confirms(&shop).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(20));
        let ann = only_customer(app, &shop).await;
        // A lead without a number, as older ones have.
        let bare = "UPDATE lead SET phone = '', phone_e164 = NULL, stage = 'paid' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, bare, shop.id())?)).await.unwrap();
        line.writes(ANN, "please don't text me anymore").await;
        app.run_tasks().await;
        let asked = "SELECT COUNT(*) FROM alert WHERE org_id = $1 AND kind = 'opt_out_doubt'";
        let asked = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, asked, shop.id()).unwrap();
        assert_eq!(asked, 1, "the business is asked");
        app.advance(Duration::minutes(20));
        Visitor::ann().phone(WORK_TYPED).submits_lead(app, &shop).await;
        app.run_tasks().await;
        confirms(&office, &ann).await;
        assert_eq!(conversation(&office, &ann).await["customer"]["phone"], WORK);
        assert_eq!(decides(&office, &ann, "stopped").await.status, 200);
        assert_eq!(opt_outs(app, &shop).await, pairs(&[(ANN, "stopped")]), "the other number has no opt-out");
        assert_eq!(decides(&office, &ann, "lifted").await.status, 200);
        assert_eq!(opt_outs(app, &shop).await, pairs(&[(ANN, "lifted")]));
        assert_eq!(decides(&office, &ann, "stopped").await.status, 200);
        assert_eq!(opt_outs(app, &shop).await, pairs(&[(ANN, "stopped"), (WORK, "stopped")]), "they want no texts at all");
    }

    async fn contact_points_of_another_customer_are_not_taken_over(app) {
        let (shop, _line, office) = shop(app).await;
        let ben = Visitor::ann().named("Ben").phone(WORK_TYPED).email(Some("ben@customer.example"));
        ben.submits_lead(app, &shop).await;
        Visitor::ann().email(None).submits_lead(app, &shop).await;
        app.advance(Duration::minutes(20));
        // Ann names Ben's email: the phone identifies her, and the email stays his.
        Visitor::ann().email(Some("ben@customer.example")).submits_lead(app, &shop).await;
        let other = app.org("Best Roofing").await;
        Visitor::ann().phone("(512) 555-0111").submits_lead(app, &other).await;
        app.run_tasks().await;
        let sql = "SELECT phone_e164, email FROM customer ORDER BY phone_e164";
        let known = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (Option<String>, Option<String>), sql).unwrap();
        let known: Vec<_> = known.iter().map(|(phone, email)| (phone.as_deref().unwrap(), email.as_deref())).collect();
        let expected = [
            ("+15125550111", Some("ann@customer.example")),
            (ANN, None),
            (WORK, Some("ben@customer.example")),
        ];
        assert_eq!(known, expected);
        drop(office);
    }

    async fn text_from_one_number_proves_no_other_number(app) {
        let (shop, line, _office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        line.writes(ANN, "It drips").await;
        app.run_tasks().await;
        app.advance(Duration::days(1) + Duration::hours(1));
        Visitor::ann().phone(WORK_TYPED).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(WORK).len(), 1);
        let sql = "SELECT COUNT(*) FROM sms_recipient_window WHERE org_id = $1 AND number = $2";
        let counted = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id(), WORK).unwrap();
        assert_eq!(counted, 1, "the caps hold for it");
        assert_eq!(app.count("customer").await, 2, "her email was only typed, and she is known by her number");
    }

    async fn held_request_does_not_change_the_customer_number(app) {
        let (shop, _line, office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.advance(Duration::minutes(20));
        let mut robot = Visitor::ann().phone(WORK_TYPED);
        robot.form.company = Some("Robots Inc".into());
        robot.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        assert_eq!(conversation(&office, &ann).await["customer"]["phone"], ANN);
        assert_eq!(app.only_lead(&shop).await.summary.phone_e164.as_deref(), Some(ANN));
    }

    async fn untextable_number_is_retried_after_own_text_or_ninety_days(app) {
        let (shop, line, office) = shop(app).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.office_confirms(&shop).await;
        app.run_tasks().await;
        let sid = line.twilio.received().last().unwrap().sid.clone();
        line.hooks().report(&Report::new(&sid, Word::Undelivered).because(30006)).await;
        app.run_tasks().await;
        let ann = only_customer(app, &shop).await;
        let landline = conversation(&office, &ann).await;
        assert!(!landline["customer"]["noSmsSince"].is_null() && landline["canText"]["ok"] == false, "{landline}");
        let answered = line.texts_to(ANN).len();
        // Another number of the same person is no landline.
        app.advance(Duration::days(2));
        Visitor::ann().phone(WORK_TYPED).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!((line.texts_to(WORK).len(), line.texts_to(ANN).len()), (1, answered));
        assert_eq!(conversation(&office, &ann).await["customer"]["phone"], ANN, "a form moves no number");
        app.advance(Duration::days(2));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), answered, "not yet");
        app.advance(Duration::days(87));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), answered + 1, "after ninety days");
        let office = app.client().signed_in(app, shop.owner()).await;
        let sid = line.twilio.received().last().unwrap().sid.clone();
        line.hooks().report(&Report::new(&sid, Word::Undelivered).because(30006)).await;
        app.run_tasks().await;
        assert_eq!(conversation(&office, &ann).await["canText"]["ok"], false);
        app.advance(Duration::hours(2));
        line.writes(ANN, "I can be texted").await;
        app.run_tasks().await;
        let thread = conversation(&office, &ann).await;
        assert!(thread["customer"]["noSmsSince"].is_null() && thread["canText"]["ok"] == true, "{thread}");
    }
}
