//! Send Reminder: the next due message to a customer, previewed, sent once, and the reason when it cannot be sent.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::message::MessageKind,
        tenancy::{account::Role, org::FeatureSwitches},
    },
    platform::{db::q, id::LeadId},
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    http::{Answer, Client},
    people::{Shop, Visitor},
    phone::ANN,
};

const NOTHING: &str = "No estimate waits for an answer, no visit is coming, and no invoice is open.";

async fn begun(app: &mut TestApp) -> (Shop, LeadId, Client) {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    let shop = app.org("Acme Plumbing").await;
    let lead = Visitor::ann().submits_lead(app, &shop).await;
    app.run_tasks().await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    (shop, lead, owner)
}

/// Ann without an email address, and a business that lost its number after it answered her.
async fn begun_without_number(app: &mut TestApp) -> (Shop, LeadId, Client) {
    let mut shop = app.org("Acme Plumbing").await;
    app.line(&mut shop, "+15125550100").await;
    let lead = Visitor::ann().email(None).submits_lead(app, &shop).await;
    app.run_tasks().await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    let number = "UPDATE org SET sms_number = NULL WHERE id = $1";
    app.within(async |tx| Ok(q!(tx, execute, number, shop.id())?)).await.unwrap();
    (shop, lead, owner)
}

async fn estimated(app: &TestApp, owner: &Client, lead: LeadId, total: f64) {
    let made = owner.post(&format!("/api/leads/{lead}/estimate"), &json!({ "quotedTotal": total })).await;
    assert_eq!(made.status, 200, "{}", made.json());
    app.run_tasks().await;
}

async fn seen(owner: &Client, lead: LeadId) -> Value {
    let answer = owner.get(&format!("/api/leads/{lead}/reminder")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()
}

async fn sends(owner: &Client, lead: LeadId) -> Answer {
    owner.post(&format!("/api/leads/{lead}/reminder"), &json!({})).await
}

fn texts(app: &TestApp) -> Vec<String> {
    let texts = app.sms.accepted_messages().into_iter().filter(|text| text.to == ANN).map(|text| text.body);
    texts.filter(|body| body.contains("any question about")).collect()
}

async fn steps(owner: &Client, lead: LeadId) -> Vec<(String, String)> {
    let shown = owner.get(&format!("/api/leads/{lead}/estimates")).await.json();
    let steps = shown[0]["followUps"].as_array().unwrap().iter();
    steps.map(|step| (step["step"].as_str().unwrap().to_owned(), step["state"].as_str().unwrap().to_owned())).collect()
}

both_databases! {
    async fn lead_with_nothing_open_shows_reason_and_refuses_reminder(app) {
        let (shop, lead, owner) = begun(app).await;
        let shown = seen(&owner, lead).await;
        assert_eq!((&shown["what"], &shown["why"], &shown["text"]), (&Value::Null, &json!(NOTHING), &Value::Null));
        let refused = sends(&owner, lead).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(NOTHING)));
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        assert_eq!((spy.get(&format!("/api/leads/{lead}/reminder")).await.status, sends(&spy, lead).await.status.as_u16()).1, 404);
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(sends(&crew, lead).await.status, 403);
    }

    async fn reminder_without_number_is_offered_for_own_phone(app) {
        let (shop, lead, owner) = begun_without_number(app).await;
        estimated(app, &owner, lead, 1250.5).await;
        // The estimate's own text waits in the conversation for one's own phone.
        let detail = app.lead(shop.id(), lead).await;
        let text = detail.messages.iter().find(|message| message.kind == MessageKind::Estimate).unwrap();
        assert_eq!(text.status_text, "not sent: your business has no number to send texts from");
        assert!(text.by_hand && text.sent_at.is_none());
        let paper = owner.get(&format!("/api/leads/{lead}/estimates")).await.json()[0].clone();
        assert_eq!((&paper["sentAt"], &paper["followUps"]), (&Value::Null, &json!([])), "it was not sent");
        let shown = seen(&owner, lead).await;
        assert_eq!((&shown["text"], &shown["ownPhone"]["sentAt"]), (&Value::Null, &Value::Null));
        assert!(shown["cannot"].as_str().unwrap().contains("no number to send texts from"), "{shown}");
        let offer = shown["ownPhone"].clone();
        assert!(offer["smsLink"].as_str().unwrap().starts_with(&format!("sms:{ANN}?body=")), "{offer}");
        assert!(!offer["text"].as_str().unwrap().contains("STOP"), "one's own phone does not obey it: {offer}");
        let customer = offer["customerId"].as_str().unwrap();
        let noted = json!({"channel": "sms", "body": offer["text"], "byHand": true, "leadId": offer["leadId"]});
        let answer = owner.post(&format!("/api/customers/{customer}/messages"), &noted).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        assert_eq!(seen(&owner, lead).await["ownPhone"]["sentAt"], json!(app.now()), "it says when it was sent");
    }

    async fn estimate_texted_from_own_phone_counts_as_sent_once(app) {
        let (shop, lead, owner) = begun_without_number(app).await;
        let blocked = owner.get(&format!("/api/leads/{lead}")).await.json()["textsBlocked"].clone();
        assert_eq!(blocked, "your business has no number to send texts from", "the dialogs say so before");
        estimated(app, &owner, lead, 1250.5).await;
        app.advance(Duration::minutes(5));
        let detail = app.lead(shop.id(), lead).await;
        let text = detail.messages.iter().find(|message| message.kind == MessageKind::Estimate).unwrap();
        let path = format!("/api/customers/{}/messages", detail.customer_id);
        let noted = json!({"channel": "sms", "body": text.body, "byHand": true, "leadId": lead});
        assert_eq!(owner.post(&path, &json!({"channel": "sms", "body": "Hi Ann", "byHand": true})).await.status, 201);
        let estimates = format!("/api/leads/{lead}/estimates");
        assert_eq!(owner.get(&estimates).await.json()[0]["sentAt"], Value::Null, "other words are no estimate");
        assert_eq!(owner.post(&path, &noted).await.status, 201);
        let sent_at = json!(app.now());
        app.advance(Duration::minutes(5));
        assert_eq!(owner.post(&path, &noted).await.status, 201, "a second press only adds a message");
        let paper = owner.get(&estimates).await.json()[0].clone();
        assert_eq!((&paper["sentAt"], &paper["unsent"]), (&sent_at, &Value::Null), "{paper}");
        assert_eq!(paper["followUps"].as_array().unwrap().len(), 3, "the questions begin then: {paper}");
        let shown = owner.get(&format!("/api/leads/{lead}")).await.json();
        assert_eq!(shown["stage"], "Quoted");
        let events: Vec<_> = shown["events"].as_array().unwrap().iter().filter(|one| one["kind"] == "estimate_sent").collect();
        let titles: Vec<_> = events.iter().map(|one| one["title"].as_str().unwrap()).collect();
        assert_eq!(titles, ["Estimate made, not sent", "Estimate sent"]);
        assert_eq!(events[1]["detail"]["ownPhone"], json!(true), "{}", events[1]);
        let mut not_sent = events[0]["detail"]["notSent"].as_array().unwrap().clone();
        not_sent.retain(|one| one["channel"] == "sms");
        assert_eq!(not_sent.len(), 1, "the reason is given once: {not_sent:?}");
        let why = seen(&owner, lead).await["why"].clone();
        assert_eq!(why, "Estimate EST-1001 for $1,250.50 waits for an answer.");
        app.run_tasks().await;
    }

    async fn open_estimate_reminder_sends_previewed_text_once(app) {
        let (_, lead, owner) = begun(app).await;
        estimated(app, &owner, lead, 1250.5).await;
        let shown = seen(&owner, lead).await;
        let words = shown["text"].as_str().unwrap().to_owned();
        assert!(words.starts_with("Hi Ann, any question about your estimate EST-1001 from Acme Plumbing?"), "{words}");
        assert_eq!(shown["why"], "Estimate EST-1001 for $1,250.50 waits for an answer.");
        assert_eq!((&shown["what"], &shown["channel"], &shown["lastAt"]), (&json!("estimate"), &json!("sms"), &Value::Null));
        assert_eq!(shown["cannot"], Value::Null);
        app.advance(Duration::seconds(1));
        let keyed = owner.with("idempotency-key", "press-1");
        let sent = sends(&keyed, lead).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["what"]), (202, &json!("estimate")), "{}", sent.json());
        assert_eq!(sent.json()["to"], shown["to"]);
        assert_eq!(sends(&keyed, lead).await.json(), sent.json());
        app.run_tasks().await;
        assert_eq!(texts(app), [app.as_sent(&words, "+15125550142").await]);
        assert!(seen(&owner, lead).await["lastAt"].is_string());
        let record = owner.get(&format!("/api/leads/{lead}")).await.json();
        let event = record["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&event["title"], &event["by"], &event["detail"]["channels"]), (&json!("Reminder sent"), &json!("Olive Owner"), &json!(["sms"])));
        let decided = record["decisions"].as_array().unwrap().iter().find(|d| d["rule"] == "send_reminder").unwrap().clone();
        assert_eq!((&decided["event"], &decided["sent"]), (&json!("reminder_asked"), &json!(true)));
    }

    async fn automatic_follow_up_is_skipped_within_a_day_of_manual_reminder(app) {
        let (_, lead, owner) = begun(app).await;
        estimated(app, &owner, lead, 350.0).await;
        app.live_through(Duration::hours(36), Duration::hours(6)).await;
        assert_eq!(sends(&owner, lead).await.status, 202);
        let states: Vec<_> = steps(&owner, lead).await;
        let wanted = [("day_2", "skipped"), ("day_5", "waiting"), ("day_10", "waiting")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(states, wanted);
        app.live_through(Duration::hours(24), Duration::hours(2)).await;
        assert_eq!(texts(app).len(), 1);
        app.live_through(Duration::days(3), Duration::hours(4)).await;
        assert_eq!((texts(app).len(), &steps(&owner, lead).await[1].1), (2, &"done".to_owned()));
    }

    async fn unsendable_reminder_shows_reason_and_is_refused(app) {
        let (shop, lead, owner) = begun(app).await;
        estimated(app, &owner, lead, 350.0).await;
        let email = "UPDATE lead SET email = NULL WHERE org_id = $1 AND id = $2";
        let of_customer = "UPDATE customer SET email = NULL WHERE org_id = $1";
        app.within(async |tx| {
            q!(&mut *tx, execute, of_customer, shop.id())?;
            Ok(q!(tx, execute, email, shop.id(), lead)?)
        })
        .await
        .unwrap();
        let stopped = "INSERT INTO opt_out (org_id, channel, address, state, at, source) VALUES ($1, 'sms', $2, 'stopped', $3, 'story')";
        app.within(async |tx| Ok(q!(tx, execute, stopped, shop.id(), ANN, app.now())?)).await.unwrap();
        let shown = seen(&owner, lead).await;
        assert_eq!((&shown["what"], &shown["text"]), (&json!("estimate"), &Value::Null));
        assert_eq!(shown["cannot"], "they said STOP, and no email address is known");
        let before = app.count("message").await;
        let refused = sends(&owner, lead).await;
        assert_eq!(refused.status, 409);
        assert_eq!(refused.json()["detail"], "The reminder cannot be sent: they said STOP, and no email address is known.");
        assert_eq!(app.count("message").await, before);
    }

    async fn visit_reminder_text_fits_the_day_and_is_dropped_on_cancellation(app) {
        let (shop, lead, owner) = begun(app).await;
        let job = json!({"leadId": lead, "startsAt": app.now() + Duration::hours(49), "durationMinutes": 120});
        let job = owner.post("/api/jobs", &job).await.json();
        let preview = async || seen(&owner, lead).await;
        let far = preview().await;
        assert_eq!((&far["what"], &far["channel"]), (&json!("visit"), &json!("sms")), "{far}");
        assert!(far["why"].as_str().unwrap().starts_with(&format!("The visit of job #{} is on ", job["number"])), "{far}");
        assert!(far["text"].as_str().unwrap().contains("your visit is set for"), "{far}");
        app.advance(Duration::hours(24));
        assert!(preview().await["text"].as_str().unwrap().contains("reminds you of your visit tomorrow"));
        app.switches(&shop, FeatureSwitches { job_tracking: false, ..FeatureSwitches::ALL_ON }).await;
        assert_eq!(preview().await["cannot"], "job tracking is switched off");
        app.switches(&shop, FeatureSwitches::ALL_ON).await;
        let sent = sends(&owner, lead).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["what"]), (202, &json!("visit")), "{}", sent.json());
        let off = json!({"to": "cancelled", "reason": "The wrong house"});
        assert_eq!(owner.post(&format!("/api/jobs/{}/status", job["id"].as_str().unwrap()), &off).await.status, 200);
        let message = sent.json()["messageId"].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
        let status = "SELECT status FROM message WHERE org_id = $1 AND id = $2";
        let status = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, status, shop.id(), message).unwrap();
        assert_eq!(status, "not_sent", "a cancelled visit has no reminder");
        assert_eq!(preview().await["what"], Value::Null);
        app.run_tasks().await;
    }

    async fn invoice_reminder_is_blocked_by_payment_promise_or_dispute(app) {
        let (_, lead, owner) = begun(app).await;
        let due = (app.now() + Duration::days(4)).date_naive();
        let draft = json!({"leadId": lead, "lines": [{"name": "Drain cleaned", "unitPrice": 120}], "dueOn": due});
        let made = owner.post("/api/invoices", &draft).await.json();
        assert_eq!(seen(&owner, lead).await["what"], Value::Null, "a draft is nobody's debt");
        let path = |what: &str| format!("/api/invoices/{}/{what}", made["id"].as_str().unwrap());
        assert_eq!(owner.post(&path("send"), &json!({})).await.status, 202);
        let shown = seen(&owner, lead).await;
        assert_eq!((&shown["what"], &shown["cannot"]), (&json!("payment"), &Value::Null), "{shown}");
        assert!(shown["why"].as_str().unwrap().starts_with("$120.00 of invoice INV-1001 are open, due "), "{shown}");
        assert!(shown["text"].as_str().unwrap().contains("INV-1001 for $120.00 is due"), "{shown}");
        let promised = json!({"on": due});
        assert_eq!(owner.post(&path("promise"), &promised).await.status, 200);
        let resting = seen(&owner, lead).await;
        assert!(resting["cannot"].as_str().unwrap().starts_with("they promised to pay by "), "{resting}");
        assert_eq!(sends(&owner, lead).await.status, 409);
        assert_eq!(owner.post(&path("promise"), &json!({"on": null})).await.status, 200);
        assert_eq!(owner.post(&path("dispute"), &json!({"isDisputed": true, "reason": "Not my drain"})).await.status, 200);
        assert_eq!(seen(&owner, lead).await["cannot"], "they dispute this invoice");
        assert_eq!(owner.post(&path("dispute"), &json!({"isDisputed": false})).await.status, 200);
        let sent = sends(&owner, lead).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["what"]), (202, &json!("payment")), "{}", sent.json());
        let paid = owner.post(&format!("/api/leads/{lead}/paid"), &json!({"amount": 120})).await;
        assert_eq!(paid.status, 200, "{}", paid.json());
        assert_eq!(seen(&owner, lead).await["what"], Value::Null);
        app.run_tasks().await;
    }
}
