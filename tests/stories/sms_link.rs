//! A text that cannot be sent from the business's number: the alerted person can send it from their own phone.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    documents::template::strip_opt_out_sentence,
    domain::messaging::message::MessageChannel,
    providers::{RefusalReason, SendError, sms::SmsProvider},
    q,
};
use tests::{
    app::TestApp,
    both_databases,
    people::{Shop, Visitor},
    phone::{ANN, OWNER},
};

async fn alerts(app: &TestApp, shop: &Shop) -> Vec<Value> {
    let office = app.client().signed_in(app, shop.owner()).await;
    office.get("/api/alerts").await.json().as_array().unwrap().clone()
}

/// Moves to this time of the first day, on the business's clock.
fn chicago(app: &TestApp, time: &str) {
    let date = tests::app::beginning().with_timezone(&chrono_tz::America::Chicago).date_naive();
    let local_time = date.and_time(chrono::NaiveTime::parse_from_str(time, "%H:%M").unwrap());
    let wanted = local_time.and_local_timezone(chrono_tz::America::Chicago).unwrap().with_timezone(&chrono::Utc);
    app.advance(wanted - app.now());
}

/// The text inside a link.
fn words_of(link: &str) -> String {
    let url = url::Url::parse(link).unwrap();
    assert_eq!((url.scheme(), url.path()), ("sms", ANN), "{link}");
    url.query_pairs().find(|(name, _)| name == "body").unwrap().1.into_owned()
}

fn link_in(text: &str) -> &str {
    text.split_whitespace().find(|word| word.starts_with("sms:")).unwrap_or_else(|| panic!("no link in {text}"))
}

async fn answer(app: &TestApp, shop: &Shop) -> (String, String) {
    let messages = app.only_lead(shop).await.messages;
    let text = messages.into_iter().find(|m| m.channel == MessageChannel::Sms && m.to == ANN).unwrap();
    (text.body, text.status_text)
}

both_databases! {
    async fn disabled_sms_puts_text_link_into_email_and_alert(app) {
        let shop = app.org("Acme Plumbing").await;
        app.context.sms = SmsProvider::Off;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (words, status) = answer(app, &shop).await;
        assert_eq!(status, "not sent: SMS is not set up");
        let alert_list = alerts(app, &shop).await;
        assert_eq!(alert_list.len(), 1, "one lead, one alert: {alert_list:?}");
        assert!(words.contains("Reply STOP to opt out."), "{words}");
        let own_words = strip_opt_out_sentence(&words);
        assert_eq!(words_of(alert_list[0]["textLink"].as_str().unwrap()), own_words, "one's own phone does not obey STOP");
        assert!(alert_list[0]["body"].as_str().unwrap().ends_with("No text was sent to them: SMS is not set up. Tap to text from your phone."));
        let mail = app.mail.accepted_messages();
        let mail = mail.iter().find(|mail| mail.to == shop.owner().email && mail.subject.starts_with("New lead")).unwrap();
        assert_eq!(words_of(link_in(&mail.text)), own_words);
        let lead = app.only_lead(&shop).await;
        let stuck = lead.messages.iter().find(|message| message.by_hand).unwrap();
        assert_eq!((&stuck.body, stuck.own_phone_text.as_ref()), (&words, Some(&own_words)));
        assert!(mail.text.contains("No text was sent to them: SMS is not set up."), "{}", mail.text);
        assert!(mail.html.as_deref().unwrap().contains("href=\"sms:+15125550142?body="), "a button of its own");
    }

    async fn pending_registration_sends_no_text_but_text_link_by_email_and_push(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        app.tells(&shop, MessageChannel::Sms, OWNER).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(line.texts_to(ANN), [""; 0], "no call of the provider is made for Ann");
        assert_eq!(line.texts_to(OWNER), [""; 0], "nor for the owner: carriers drop it all the same");
        let (words, _) = answer(app, &shop).await;
        let mails = app.mail.accepted_messages();
        let mail = mails.iter().find(|mail| mail.to == shop.owner().email && mail.text.contains("sms:")).unwrap();
        assert_eq!(words_of(link_in(&mail.text)), strip_opt_out_sentence(&words));
        let sql = "SELECT id FROM alert WHERE text_link IS NOT NULL";
        let ids = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar shared::platform::id::AlertId, sql).unwrap();
        let [id] = ids[..] else { panic!("one alert: {ids:?}") };
        let mut conn = app.db.acquire_reader().await.unwrap();
        let pushed = shared::domain::messaging::alert::deliver::load_pending_delivery(&mut conn, &app.origin, shop.id(), id).await.unwrap();
        drop(conn);
        let lead = app.only_lead(&shop).await;
        assert_eq!(pushed.unwrap().alert.link_path(), format!("/app/leads/{}?do=text", lead.summary.id), "no number in an address of ours");
        let office = app.client().signed_in(app, shop.owner()).await;
        let sent = json!({"channel": "sms", "body": words, "byHand": true});
        let path = format!("/api/customers/{}/messages", lead.customer_id);
        let recorded = office.post(&path, &sent).await.json();
        assert_eq!(recorded["statusText"], "sent from your own phone");
        assert!(alerts(app, &shop).await.iter().all(|alert| !alert["seenAt"].is_null()), "a text from the own phone marks the alerts as seen");
    }

    async fn approved_registration_counts_stopped_texts_and_sends_none_by_itself(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}, "calls": {"nudge": false}})).await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        let messages = app.only_lead(&shop).await.messages;
        let stopped = messages.into_iter().find(|m| m.channel == MessageChannel::Sms && m.to == ANN).unwrap().id;
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(line.texts_to(ANN), [""; 0], "somebody may have called her meanwhile");
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(office.get("/api/sending-number").await.json()["unsentTexts"], 1);
        let again = office.post(&format!("/api/messages/{stopped}/retry"), &Value::Null).await;
        assert_eq!(again.status, 202, "{}", again.json());
        app.run_tasks().await;
        assert_eq!(line.texts_to(ANN).len(), 1);
        assert_eq!(office.get("/api/sending-number").await.json()["unsentTexts"], 0);
    }

    async fn stopped_text_of_emailed_customer_is_not_counted_as_unsent(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let _line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        let outbox = app.only_lead(&shop).await.messages;
        assert!(outbox.iter().any(|m| m.channel == MessageChannel::Email && m.sent_at.is_some()), "{outbox:?}");
        let office = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(office.get("/api/sending-number").await.json()["unsentTexts"], 0);
    }

    async fn refused_text_raises_one_alert_with_its_words(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.sms.queue_answer(Err(SendError::Refused { kind: RefusalReason::SetUp, code: Some(21606), reason: "this number cannot send texts".into() }));
        app.run_tasks().await;
        let (words, status) = answer(app, &shop).await;
        assert_eq!(status, "failed: this number cannot send texts");
        app.live_through(Duration::minutes(5), Duration::seconds(30)).await;
        let alert_list = alerts(app, &shop).await;
        let unsent: Vec<_> = alert_list.iter().filter(|alert| alert["kind"] == "text_not_sent").collect();
        assert_eq!((unsent.len(), alert_list.len()), (1, 3), "besides the lead itself and the trouble with the number: {alert_list:?}");
        assert_eq!(unsent[0]["title"], "Your text to Ann Lee was not sent");
        let own_words = strip_opt_out_sentence(&words);
        assert_eq!(words_of(unsent[0]["textLink"].as_str().unwrap()), own_words);
        let mails = app.mail.accepted_messages();
        let mail = mails.iter().find(|mail| mail.subject == "Your text to Ann Lee was not sent").unwrap();
        assert_eq!((mail.to.as_str(), words_of(link_in(&mail.text))), (shop.owner().email.as_str(), own_words));
    }

    async fn landline_or_opted_out_number_gets_no_text_link(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes(ANN, "STOP").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let alert_list = alerts(app, &shop).await;
        assert_eq!((alert_list.len(), &alert_list[0]["textLink"]), (1, &json!(null)));
        let other = app.org("Best Roofing").await;
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        app.sms.queue_answer(Err(SendError::Refused { kind: RefusalReason::BadNumber, code: Some(21614), reason: "this is a landline".into() }));
        Visitor::ann().submits_lead(app, &other).await;
        app.run_tasks().await;
        let alert_list = alerts(app, &other).await;
        assert!(alert_list.iter().all(|alert| alert["textLink"].is_null()), "{alert_list:?}");
        let unsent: Vec<_> = alert_list.iter().filter(|alert| alert["kind"] == "text_not_sent").collect();
        assert_eq!((unsent.len(), alert_list.len()), (1, 2), "but somebody is asked to call them: {alert_list:?}");
        let body = unsent[0]["body"].as_str().unwrap();
        assert!(body.starts_with("The reason: this is a landline. Call them, or write to "), "{body}");
    }

    async fn text_sent_by_hand_at_night_cancels_morning_notice(app) {
        let shop = app.org("Acme Plumbing").await;
        app.promises_nothing(&shop).await;
        app.sets(&shop, json!({"notifications": {"schedule": "custom"}})).await;
        chicago(app, "22:00");
        let ann = Visitor::ann().submits_lead(app, &shop).await;
        app.sms.queue_answer(Err(SendError::Refused { kind: RefusalReason::SetUp, code: Some(21606), reason: "this number cannot send texts".into() }));
        app.run_tasks().await;
        let alert_list = alerts(app, &shop).await;
        let kinds: Vec<_> = alert_list.iter().map(|alert| alert["kind"].as_str().unwrap().to_owned()).collect();
        assert!(kinds.len() == 3 && kinds.contains(&"text_not_sent".to_owned()), "{kinds:?}");
        app.advance(Duration::minutes(5));
        let office = app.client().signed_in(app, shop.owner()).await;
        let path = format!("/api/customers/{}/messages", app.only_lead(&shop).await.customer_id);
        assert_eq!(office.post(&path, &json!({"channel": "sms", "body": "Hi Ann", "byHand": true})).await.status, 201);
        let alert_list = alerts(app, &shop).await;
        assert!(alert_list.iter().all(|alert| alert["textLink"].is_null()), "nothing asks for it any more: {alert_list:?}");
        let lead_alert = alert_list.iter().find(|alert| alert["kind"] == "new_lead").unwrap();
        office.post(&format!("/api/alerts/{}/seen", lead_alert["id"].as_str().unwrap()), &Value::Null).await;
        Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::hours(12));
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        let mails = app.mail.accepted_messages();
        let ours = mails.iter().filter(|mail| mail.to == shop.owner().email && !mail.subject.starts_with("Your texts are not"));
        let mails: Vec<_> = ours.map(|mail| &mail.subject).collect();
        assert_eq!((mails.len(), mails[0].starts_with("New lead: ") && !mails[0].contains("Ann")), (1, true), "{mails:?}");
        let why = app.lead(shop.id(), ann).await.decisions;
        let seen = why.iter().filter(|d| !d.sent && d.reason == "someone had seen it by then").count();
        assert_eq!(seen, 2, "the lead says why: {why:?}");
    }

    async fn stop_removes_text_link_from_earlier_alerts(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let alert_list = alerts(app, &shop).await;
        assert!(alert_list.len() == 2 && alert_list.iter().all(|alert| alert["textLink"].is_string()), "{alert_list:?}");
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        let (anns, others): (Vec<_>, Vec<_>) =
            alerts(app, &shop).await.into_iter().partition(|alert| alert["title"].as_str().unwrap().contains("Ann Lee"));
        assert_eq!((anns.len(), &anns[0]["textLink"]), (1, &json!(null)));
        assert!(!anns[0]["body"].as_str().unwrap().contains("Tap to text"), "{anns:?}");
        assert!(others[0]["textLink"].is_string() && others[0]["body"].as_str().unwrap().ends_with(" Tap to text from your phone."));
    }

    async fn text_given_up_after_downtime_raises_alert_with_its_words(app) {
        let shop = app.org("Acme Plumbing").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(20));
        app.run_tasks().await;
        let (words, status) = answer(app, &shop).await;
        assert_eq!(status, "failed: it could not be sent in time");
        let alert_list = alerts(app, &shop).await;
        let unsent: Vec<_> = alert_list.iter().filter(|alert| alert["kind"] == "text_not_sent").collect();
        // A personal phone does not obey STOP.
        let own_words = words.strip_suffix(" Reply STOP to opt out.").unwrap();
        assert_eq!((unsent.len(), words_of(unsent[0]["textLink"].as_str().unwrap()).as_str()), (1, own_words));
    }
}
