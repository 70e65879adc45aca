//! The spend brake: strangers who fill in forms cause no more texts than the business's budget, and not to a whole
//! exchange.

use std::net::IpAddr;

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::{
        messaging::message::{
            MessageChannel, MessageStatus,
            send::{self, ClaimOutcome},
            send_rate::{SendRateLimit, ServiceMemberCounts},
        },
        tenancy::org::SendChannels,
    },
    platform::id::MessageId,
    q,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{Fault, Report, Status as Word},
    people::{Shop, Visitor},
    phone::{ANN, Line, OWNER},
};

const SET_UP: (SendChannels, SendRateLimit) = (
    SendChannels { sms: true, email: true, takes_money: false },
    SendRateLimit { segments_a_second: 1_000, texts_a_day: 1_000_000, members: 1 },
);

/// Reasons why texts were not sent, with counts.
async fn not_sent(app: &TestApp) -> Vec<(String, i64)> {
    let sql = "SELECT reason, COUNT(*) FROM message WHERE channel = 'sms' AND status = 'not_sent' GROUP BY reason ORDER BY reason";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, i64), sql).unwrap()
}

/// Alerts to the owner, other than the leads themselves.
async fn alert_titles(app: &TestApp) -> Vec<String> {
    let sql = "SELECT title FROM alert WHERE lead_id IS NULL ORDER BY title";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, sql).unwrap()
}

fn texts_to_customers(line: &Line) -> usize {
    line.twilio.received().iter().filter(|text| text.to != OWNER).count()
}

/// Strangers, each at an address `flood-N`.
async fn flood(app: &TestApp, shop: &Shop, strangers: impl IntoIterator<Item = Visitor>) {
    for (n, stranger) in strangers.into_iter().enumerate() {
        let email = format!("flood-{n}@customer.example");
        stranger.email(Some(&email)).submits_lead(app, shop).await;
    }
}

fn emails_to_flood(app: &TestApp) -> usize {
    app.mail.accepted_messages().iter().filter(|m| m.to.starts_with("flood-")).count()
}

async fn writes_by_hand(app: &TestApp, shop: &Shop, words: &str) {
    let office = app.client().signed_in(app, shop.owner()).await;
    let ann = office.get("/api/inbox?q=512555").await.json()[0]["customerId"].as_str().unwrap().to_owned();
    let written = json!({"channel": "sms", "body": words});
    assert_eq!(office.post(&format!("/api/customers/{ann}/messages"), &written).await.status, 201);
    app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
}

both_databases! {
    async fn flood_stays_within_daily_text_budget_and_staff_messages_still_go(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 20}, "calls": {"forwardTo": [OWNER]}})).await;
        line.writes(ANN, "Can you come at four?").await;
        app.run_tasks().await;
        flood(app, &shop, (0..50).map(Visitor::number)).await;
        app.live_through(Duration::minutes(10), Duration::seconds(5)).await;
        assert_eq!(texts_to_customers(&line), 20, "Ann's answer and nineteen others");
        assert_eq!(line.texts_to("+15125550100"), [""; 0], "no text is sent to the own number");
        assert_eq!(not_sent(app).await, [("today's budget of 20 automatic texts is used up".to_owned(), 31)]);
        assert_eq!(emails_to_flood(app), 50, "requests with an email address are answered by email");
        writes_by_hand(app, &shop, "Yes, see you at four.").await;
        assert!(line.texts_to(ANN).contains(&"Yes, see you at four.".to_owned()), "a person may always answer");
        let once = ["16 of today's 20 automatic texts are used up", "Today's 20 automatic texts are used up"];
        assert_eq!(alert_titles(app).await, once, "one alert at four fifths of the budget and one at its end");
        app.live_through(Duration::days(1), Duration::hours(4)).await;
        let late = app.lead(shop.id(), Visitor::number(900).submits_lead(app, &shop).await).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        let text = app.lead(shop.id(), late.summary.id).await.messages;
        assert!(text.iter().any(|m| m.to.starts_with("+1737") && m.status == MessageStatus::Sent), "the next day has its own budget");
        assert_eq!(alert_titles(app).await, once);
    }

    async fn leads_whose_texts_the_budget_refused_are_listed_until_they_get_a_text(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 3}})).await;
        for n in 0..5 {
            Visitor::number(n).submits_lead(app, &shop).await;
            app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        }
        let office = app.client().signed_in(app, shop.owner()).await;
        let list = format!("/api/leads/{}?texts=refused", shop.id());
        let listed = office.get(&list).await;
        assert_eq!((listed.json().as_array().unwrap().len(), listed.header("x-total-count")), (2, "2"), "{}", listed.json());
        let alerts = office.get("/api/alerts").await.json();
        let alert = alerts.as_array().unwrap().iter().find(|alert| alert["kind"] == "budget_used").unwrap();
        assert_eq!(alert["path"], "/app/leads?texts=refused");
        assert_eq!(office.get(&list.replace("refused", "sent")).await.status, 422);
        let file = office.get("/api/leads/export?format=json&texts=refused").await;
        assert_eq!(file.status, 200, "{}", file.json());
        // The next day a person sends one of them again.
        app.live_through(Duration::days(1), Duration::hours(4)).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let first = office.get(&list).await.json()[0].clone();
        let lead = office.get(&format!("/api/leads/{}", first["id"].as_str().unwrap())).await.json();
        let text = lead["messages"].as_array().unwrap().iter().find(|one| one["channel"] == "sms").unwrap().clone();
        let again = office.post(&format!("/api/messages/{}/retry?anyway=yes", text["id"].as_str().unwrap()), &json!({})).await;
        assert!(again.status.is_success(), "{}", again.json());
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        let left = office.get(&list).await.json();
        assert_eq!(left.as_array().unwrap().len(), 1, "{left}");
        assert_ne!(left[0]["id"], first["id"]);
        app.live_through(Duration::days(14), Duration::hours(12)).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(office.get(&list).await.json(), json!([]));
        assert_eq!(texts_to_customers(&line), 4);
    }

    async fn flood_from_fifty_networks_stays_within_daily_text_budget(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 40}, "calls": {"forwardTo": [OWNER]}})).await;
        line.writes(ANN, "Can you come at four?").await;
        app.run_tasks().await;
        let everywhere = (0..500_u32).map(|n| {
            let mut stranger = Visitor::number(n);
            stranger.sender.is_exempt = false;
            stranger.sender.ip = Some(IpAddr::from([198, 51, 100, u8::try_from(n % 50).unwrap()]));
            stranger
        });
        flood(app, &shop, everywhere).await;
        app.live_through(Duration::minutes(10), Duration::seconds(5)).await;
        assert_eq!(texts_to_customers(&line), 40, "Ann's answer and thirty-nine others");
        assert_eq!(emails_to_flood(app), 400, "Ann's text counts toward no limit of forms");
        let drowned = app.mail.accepted_messages().iter().any(|m| m.to.starts_with("flood-400@"));
        assert!(!drowned, "requests beyond the limit are not answered by themselves");
        let why = "SELECT COUNT(*) FROM automation_decision WHERE NOT sent AND channel = 'email' AND rule = 'auto_reply'
             AND reason = 'held for a person to look at: more than 400 requests came in within an hour'";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, why).unwrap(), 100);
        let alerts = alert_titles(app).await;
        let once = [
            "32 of today's 40 automatic texts are used up",
            "More than 100 requests came in within an hour",
            "Today's 40 automatic texts are used up",
        ];
        assert_eq!(alerts, once, "each cause has one alert");
        writes_by_hand(app, &shop, "Yes, see you at four.").await;
        assert!(line.texts_to(ANN).contains(&"Yes, see you at four.".to_owned()));
        line.writes(ANN, "Thank you").await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(office.get("/api/inbox?q=512555").await.json()[0]["lastPreview"], "Thank you");
    }

    async fn flooded_form_reply_omits_submitted_text(app) {
        let shop = app.org("Acme Plumbing").await;
        flood(app, &shop, (0..100).map(Visitor::number)).await;
        let mut abuser = Visitor::ann();
        abuser.sender.is_exempt = false;
        abuser.form.name = Some("Win at prize.example".into());
        abuser.form.notes = Some("Go to prize.example and give them your card".into());
        abuser.submits_lead(app, &shop).await;
        app.run_tasks().await;
        let mails = app.mail.accepted_messages();
        let mail = mails.iter().find(|mail| mail.to == "ann@customer.example").unwrap();
        let html = mail.html.as_deref().unwrap();
        let all = format!("{} {} {html}", mail.subject, mail.text);
        assert!(!all.contains("prize") && !all.contains("555-0142"), "{all}");
        assert_eq!(mail.subject, "We received your request");
        assert!(mail.text.contains("2 hours") && mail.text.starts_with("Hi there,"), "{}", mail.text);
    }

    async fn lead_released_after_flood_is_not_emailed_again(app) {
        let shop = app.org("Acme Plumbing").await;
        flood(app, &shop, (0..100).map(Visitor::number)).await;
        let mut last = Visitor::ann();
        last.sender.is_exempt = false;
        let held = last.submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(app.outbox(shop.id(), held).await, ["auto_reply email: sent"]);
        app.releases(&shop, held).await.unwrap();
        app.live_through(Duration::minutes(3), Duration::seconds(20)).await;
        let sent = ["auto_reply email: sent", "auto_reply sms: sent", "owner_notice email: sent"];
        assert_eq!(app.outbox(shop.id(), held).await, sent);
        let why = app.lead(shop.id(), held).await.decisions;
        let again = why.iter().find(|d| d.event == "lead_released" && !d.sent).unwrap();
        assert_eq!(again.reason, "this person was answered within the last 24 hours");
    }

    async fn texts_to_neighbouring_numbers_are_limited_per_exchange(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"numbersPerExchange": 5}, "calls": {"nudge": false}})).await;
        line.writes(ANN, "Can you come at four?").await;
        app.run_tasks().await;
        let from_outside = |n: u32| {
            let mut stranger = Visitor::number(n).phone(&format!("(512) 555-7{n:03}"));
            stranger.sender.is_exempt = false;
            stranger.sender.ip = Some(IpAddr::from([198, 51, 100, u8::try_from(n).unwrap()]));
            stranger
        };
        flood(app, &shop, (0..15).map(from_outside)).await;
        let elsewhere = Visitor::number(400).submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(5), Duration::seconds(5)).await;
        let why = "5 new numbers with the same first digits were texted within an hour, as in a fraud";
        assert_eq!(not_sent(app).await, [(why.to_owned(), 10)]);
        assert_eq!(emails_to_flood(app), 15);
        assert_eq!(alert_titles(app).await, ["Automatic texts to neighboring numbers were stopped"]);
        assert!(app.outbox(shop.id(), elsewhere).await.contains(&"auto_reply sms: sent".to_owned()), "other numbers are free");
        let braked = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String,
            "SELECT CAST(evidence AS TEXT) FROM message WHERE reason = $1 LIMIT 1", why).unwrap();
        let evidence: serde_json::Value = serde_json::from_str(&braked).unwrap();
        assert_eq!((&evidence["brake"], &evidence["numbersInExchange"], &evidence["numbersPerExchange"]), (&json!("exchange"), &json!(5), &json!(5)));
        // Ann has the same exchange, and has written: her call is still answered by text.
        app.advance(Duration::minutes(31));
        line.rings_for(ANN, 20).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(line.texts_to(ANN).len(), 2, "{:?}", line.texts_to(ANN));
        // Callers have numbers of their own: many calls from one small town are no fraud.
        for n in 0..6 {
            line.rings_for(&format!("+1512555800{n}"), 20).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!((0..6).filter(|n| line.texts_to(&format!("+1512555800{n}")).len() == 1).count(), 6);
        app.advance(Duration::minutes(40));
        let later = from_outside(99).submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert!(app.outbox(shop.id(), later).await.contains(&"auto_reply sms: sent".to_owned()), "an hour later it is free");
    }

    async fn texts_to_one_number_are_limited_daily_until_it_replies(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"textsPerNumber": 2}, "calls": {"nudge": false, "repeatHours": 1}})).await;
        for _ in 0..4 {
            line.rings_for(ANN, 20).await;
            app.live_through(Duration::minutes(61), Duration::seconds(305)).await;
        }
        assert_eq!(line.texts_to(ANN).len(), 2);
        let why = "this number got 2 automatic texts today and never wrote back";
        assert_eq!(not_sent(app).await, [(why.to_owned(), 2)]);
        assert_eq!(alert_titles(app).await, [""; 0], "one number sends no alert");
        line.writes(ANN, "I am home now").await;
        app.live_through(Duration::minutes(61), Duration::seconds(305)).await;
        line.rings_for(ANN, 20).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(line.texts_to(ANN).len(), 3, "a reply lifts the limit");
    }

    async fn unconfirmed_address_gets_six_automatic_emails_a_day(app) {
        let shop = app.org("Acme Plumbing").await;
        let solo = "solo@customer.example";
        let stranger = |n: u8| {
            let mut one = Visitor::number(u32::from(n)).email(Some(solo)).from([198, 51, 100, n]);
            one.sender.is_exempt = false;
            one
        };
        for n in 0..69 {
            stranger(n).submits_lead(app, &shop).await;
        }
        let newest = stranger(69).submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        let mails = |app: &TestApp| app.mail.accepted_messages().iter().filter(|mail| mail.to == solo).count();
        assert_eq!(mails(app), 6);
        let sql = "SELECT reason, COUNT(*) FROM message WHERE kind = 'auto_reply' AND channel = 'email'
             AND status = 'not_sent' GROUP BY reason";
        let stopped = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, i64), sql).unwrap();
        let why = "this address got 6 automatic emails today and is not confirmed as the customer's";
        assert_eq!(stopped, [(why.to_owned(), 64)]);
        assert_eq!(alert_titles(app).await, [""; 0], "one address sends no alert");
        let office = app.client().signed_in(app, shop.owner()).await;
        let customer = app.lead(shop.id(), newest).await.customer_id;
        let written = json!({"channel": "email", "body": "We come at eight.", "subject": "Your visit"});
        assert_eq!(office.post(&format!("/api/customers/{customer}/messages"), &written).await.status, 201);
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(mails(app), 7, "a person may always write");
        app.live_through(Duration::hours(25), Duration::hours(5)).await;
        let before = mails(app);
        for n in 100..108 {
            stranger(n).submits_lead(app, &shop).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(mails(app), before + 6, "the next day has its own share");
        // The last form that named it has it.
        stranger(108).submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(mails(app), before + 6);
        app.office_confirms(&shop).await;
        stranger(108).submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(mails(app), before + 7, "an address that the office confirmed gets its email");
    }

    async fn spellings_of_one_mailbox_share_six_emails_a_day(app) {
        let app: &TestApp = app;
        let shop = app.org("Acme Plumbing").await;
        let asks = async |n: u8, email: &str| {
            let mut one = Visitor::number(u32::from(n)).email(Some(email)).from([198, 51, 100, n]);
            one.sender.is_exempt = false;
            one.submits_lead(app, &shop).await;
        };
        for n in 0..10 {
            asks(n, &format!("solo+{n}@customer.example")).await;
        }
        for n in 10..20 {
            asks(n, &format!("s.olo+{n}@gmail.com")).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        let to = |app: &TestApp, end: &str| app.mail.accepted_messages().iter().filter(|mail| mail.to.ends_with(end)).count();
        assert_eq!((to(app, "@customer.example"), to(app, "@gmail.com")), (6, 6));
        asks(20, "\"solo\"@customer.example").await;
        asks(21, "Solo@customer.example").await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(to(app, "@customer.example"), 6);
        asks(22, "other@customer.example").await;
        app.live_through(Duration::minutes(1), Duration::seconds(5)).await;
        assert_eq!(to(app, "@customer.example"), 7, "another mailbox has its own share");
    }

    async fn lead_shows_cost_of_its_texts(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/leads/{lead}");
        assert_eq!(office.get(&path).await.json()["texts"], json!(null), "nothing has left yet");
        // The answer is lost: a text that may not have been accepted costs nothing yet.
        line.twilio.script(Fault::AcceptThenReset);
        app.run_tasks().await;
        assert_eq!(office.get(&path).await.json()["texts"], json!(null));
        let sid = line.twilio.received()[0].sid.clone();
        line.hooks().reports(&sid, &[Word::Delivered]).await;
        let texts = office.get(&path).await.json()["texts"].clone();
        let parts = u32::try_from(shared::platform::sms_segments::count_segments(&line.texts_to(ANN)[0]).segments).unwrap();
        assert_eq!((&texts["segments"], &texts["isEstimate"]), (&json!(parts), &json!(true)), "{texts}");
        assert_eq!(texts["cost"], json!(f64::from(parts) * 0.0113));
        assert_eq!(texts["shown"], "1 segment, about $0.01");
        // A text of Bob's is found in Twilio's list, which has its price.
        let bob = Visitor::number(1).submits_lead(app, &shop).await;
        line.twilio.script(Fault::AcceptThenReset);
        app.run_tasks().await;
        let sid = line.twilio.received()[1].sid.clone();
        let elsewhere = Report::new(&sid, Word::Delivered).to_path("/nowhere");
        line.hooks().report(&elsewhere).await;
        app.live_through(Duration::minutes(3), Duration::seconds(30)).await;
        let texts = office.get(&format!("/api/leads/{bob}")).await.json()["texts"].clone();
        assert_eq!((&texts["isEstimate"], &texts["cost"]), (&json!(false), &json!(f64::from(parts) * 0.0083)), "{texts}");
        let by_hand = json!({"channel": "sms", "body": "On my way", "byHand": true});
        let ann = app.lead(shop.id(), lead).await.customer_id;
        assert_eq!(office.post(&format!("/api/customers/{ann}/messages"), &by_hand).await.status, 201);
        assert_eq!(office.get(&path).await.json()["texts"]["segments"], json!(parts), "a text from one's own phone is not on this bill");
    }

    async fn text_sent_again_takes_another_unit_of_the_daily_budget(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 2}})).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let text = messages.into_iter().find(|m| m.channel == MessageChannel::Sms).unwrap().id;
        let office = app.client().signed_in(app, shop.owner()).await;
        let press = async || {
            app.advance(Duration::minutes(1));
            let sql = "UPDATE message SET status = 'failed' WHERE id = $1";
            app.within(async |tx| Ok(q!(tx, execute, sql, text)?)).await.unwrap();
            let pressed = office.post(&format!("/api/messages/{text}/retry?anyway=yes"), &json!({})).await;
            app.run_tasks().await;
            pressed
        };
        let again = press().await;
        assert_eq!(again.status, 202, "{}", again.json());
        let refused = press().await;
        assert_eq!(refused.status, 409);
        assert!(refused.json().to_string().contains("budget of 2 automatic texts is used up"), "{}", refused.json());
        assert_eq!(texts_to_customers(&line), 2);
        let sql = "SELECT texts FROM sms_daily_usage WHERE org_id = $1";
        assert_eq!(q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, shop.id()).unwrap(), 2);
    }

    async fn concurrent_claims_take_last_text_of_daily_budget_once(app) {
        let shop = app.org("Acme Plumbing").await;
        app.sets(&shop, json!({"sending": {"dailyTextBudget": 1}})).await;
        for n in 0..8 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        let sql = "SELECT id FROM message WHERE channel = 'sms' ORDER BY id";
        let ids = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar MessageId, sql).unwrap();
        assert_eq!(ids.len(), 8);
        let claims = ids.into_iter().map(async |id| {
            app.within(async |tx| send::claim_message(tx, &app.origin, "one of many", SET_UP, &ServiceMemberCounts::default(), id).await).await.unwrap()
        });
        let taken = futures::future::join_all(claims).await;
        let sent = taken.iter().filter(|claim| matches!(claim, ClaimOutcome::Send(_))).count();
        assert_eq!(sent, 1);
        let counted = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one as (i64, i64), "SELECT texts, segments FROM sms_daily_usage");
        assert_eq!(counted.unwrap().0, 1);
        app.advance(Duration::minutes(10));
        app.run_tasks().await;
    }
}
