//! A text that cannot leave from the business's number: whoever is told of the lead can send it from their own phone.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    message::Channel,
    providers::{Refusal, SendError, sms::Sms},
    q,
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::{ANN, OWNER},
};

/// The alerts as the devices get them: title, what a tap opens, and the link.
async fn alerts(app: &TestApp, shop: &Shop) -> Vec<Value> {
    let office = app.client().signed_in(app, shop.owner()).await;
    office.get("/api/alerts").await.json().as_array().unwrap().clone()
}

/// The words that a link holds.
fn words_of(link: &str) -> String {
    let url = url::Url::parse(link).unwrap();
    assert_eq!((url.scheme(), url.path()), ("sms", ANN), "{link}");
    url.query_pairs().find(|(name, _)| name == "body").unwrap().1.into_owned()
}

fn link_in(text: &str) -> &str {
    text.split_whitespace().find(|word| word.starts_with("sms:")).unwrap_or_else(|| panic!("no link in {text}"))
}

/// The automatic answer as it stands with the lead.
async fn answer(app: &TestApp, shop: &Shop) -> (String, String) {
    let messages = app.only_lead(shop).await.messages;
    let text = messages.into_iter().find(|m| m.channel == Channel::Sms && m.to == ANN).unwrap();
    (text.body, text.status_text)
}

both_databases! {
    async fn without_sms_the_email_and_the_alert_carry_the_text_for_ones_own_phone(app) {
        let shop = app.org("Acme Plumbing").await;
        app.context.sms = Sms::Off;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (words, status) = answer(app, &shop).await;
        assert_eq!(status, "not sent: SMS is not set up");
        let told = alerts(app, &shop).await;
        assert_eq!(told.len(), 1, "one lead, one alert: {told:?}");
        assert_eq!(words_of(told[0]["textLink"].as_str().unwrap()), words);
        assert!(told[0]["body"].as_str().unwrap().ends_with("No text was sent to them: SMS is not set up. Tap to text from your phone."));
        let mail = app.mail.accepted();
        let mail = mail.iter().find(|mail| mail.to == shop.owner().email && mail.subject.starts_with("New lead")).unwrap();
        assert_eq!(words_of(link_in(&mail.text)), words);
        assert!(mail.text.contains("No text was sent to them: SMS is not set up."), "{}", mail.text);
        assert!(mail.html.as_deref().unwrap().contains("href=\"sms:+15125550142?body="), "a button of its own");
    }

    async fn while_the_registration_waits_the_owners_text_carries_it_and_the_push_opens_the_lead_at_it(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        app.tells(&shop, Channel::Sms, OWNER).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(line.texts_to(ANN), [""; 0], "no call of the provider is made for Ann");
        let (words, _) = answer(app, &shop).await;
        let owner = line.texts_to(OWNER);
        assert_eq!((owner.len(), words_of(link_in(&owner[0]))), (1, words.clone()));
        let sql = "SELECT id FROM alert WHERE text_link IS NOT NULL";
        let ids = q!(&mut app.db.read().await.unwrap(), fetch_all scalar shared::id::AlertId, sql).unwrap();
        let [id] = ids[..] else { panic!("one alert: {ids:?}") };
        let pushed = shared::alert::deliver::pending(&mut app.db.read().await.unwrap(), &app.origin, id).await.unwrap();
        let lead = app.only_lead(&shop).await;
        assert_eq!(pushed.unwrap().alert.path(), format!("/app/leads/{}?do=text", lead.summary.id), "no number in an address of ours");
        let office = app.client().signed_in(app, shop.owner()).await;
        let sent = json!({"channel": "sms", "body": words, "byHand": true});
        let path = format!("/api/customers/{}/messages", lead.customer_id);
        let recorded = office.post(&path, &sent).await.json();
        assert_eq!(recorded["statusText"], "sent from your own phone");
        assert!(alerts(app, &shop).await.iter().all(|alert| !alert["seenAt"].is_null()), "who has texted has seen it");
    }

    async fn a_text_that_is_refused_alerts_once_with_the_words(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.sms.will_answer(Err(SendError::Refused { kind: Refusal::SetUp, code: Some(21606), reason: "this number cannot send texts".into() }));
        app.run_tasks().await;
        let (words, status) = answer(app, &shop).await;
        assert_eq!(status, "failed: this number cannot send texts");
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        let told = alerts(app, &shop).await;
        let unsent: Vec<_> = told.iter().filter(|alert| alert["kind"] == "text_not_sent").collect();
        assert_eq!((unsent.len(), told.len()), (1, 2), "besides the lead itself: {told:?}");
        assert_eq!(unsent[0]["title"], "Your text to Ann Lee was not sent");
        assert_eq!(words_of(unsent[0]["textLink"].as_str().unwrap()), words);
        let mails = app.mail.accepted();
        let mail = mails.iter().find(|mail| mail.subject == "Your text to Ann Lee was not sent").unwrap();
        assert_eq!((mail.to.as_str(), words_of(link_in(&mail.text))), (shop.owner().email.as_str(), words));
    }

    async fn nobody_is_asked_to_text_a_landline_or_somebody_who_said_stop(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes(ANN, "STOP").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let told = alerts(app, &shop).await;
        assert_eq!((told.len(), &told[0]["textLink"]), (1, &json!(null)));
        let other = app.org("Best Roofing").await;
        app.context.sms = Sms::Memory(app.sms.clone());
        app.sms.will_answer(Err(SendError::Refused { kind: Refusal::BadNumber, code: Some(21614), reason: "this is a landline".into() }));
        Visitor::ann().submits_lead(app, &other).await;
        app.run_tasks().await;
        let told = alerts(app, &other).await;
        assert_eq!((told.len(), &told[0]["textLink"]), (1, &json!(null)), "{told:?}");
    }
}
