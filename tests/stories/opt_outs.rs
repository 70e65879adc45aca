//! STOP is confirmed once no text can leave any more, Twilio's opt-out type is obeyed, and do-not-text numbers get no
//! texts.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::Duration;
use serde_json::json;
use shared::{
    domain::messaging::message::{MessageChannel, MessageStatus},
    platform::{db::q, id::CustomerId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{AcceptedText, Fault, InboundText},
    people::{Shop, Visitor},
    phone::{ANN, Line},
};

const ACME: &str = "+15125550100";

fn micros() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

fn to_ann(line: &Line) -> Vec<AcceptedText> {
    line.twilio.received().into_iter().filter(|text| text.to == ANN).collect()
}

/// The opt-out state of Ann's number, and its cause.
async fn opt_out_record(app: &TestApp, shop: &Shop) -> Option<(String, Option<String>)> {
    let sql = "SELECT state, matched FROM opt_out WHERE org_id = $1 AND address = $2";
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_optional as (String, Option<String>), sql, shop.id(), ANN)
        .unwrap()
}

async fn state(app: &TestApp, shop: &Shop) -> Option<String> {
    opt_out_record(app, shop).await.map(|(state, _)| state)
}

/// Ann writes while an automatic text to her hangs at the provider. Returns when the webhook was answered.
async fn written_while_it_hangs(app: &TestApp, shop: &Shop, line: &Line, millis: u64, words: &str) -> u64 {
    line.twilio.script(Fault::HangThenAccept { millis });
    Visitor::ann().submits_lead(app, shop).await;
    let written = async {
        line.twilio.wait_for_requests(1).await;
        assert!(to_ann(line).is_empty(), "the provider has not taken it yet");
        line.writes(ANN, words).await;
        micros()
    };
    tokio::join!(app.run_tasks(), written).1
}

both_databases! {
    async fn stop_is_acknowledged_after_text_already_past_gate_is_sent(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let answered_at = written_while_it_hangs(app, &shop, &line, 300, "STOP").await;
        let [text] = &to_ann(&line)[..] else { panic!("{:?}", to_ann(&line)) };
        assert!(text.at_us <= answered_at, "a text left {} µs after STOP was acknowledged", text.at_us - answered_at);
        app.live_through(Duration::hours(3), Duration::minutes(30)).await;
        assert_eq!(to_ann(&line).len(), 1, "and none after it");
        assert_eq!(state(app, &shop).await.as_deref(), Some("stopped"));
    }

    async fn stop_confirmation_is_sent_after_text_already_past_gate(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        written_while_it_hangs(app, &shop, &line, 300, "stop please").await;
        app.advance(Duration::seconds(3));
        app.run_tasks().await;
        let texts = to_ann(&line);
        let [text, confirmation] = &texts[..] else { panic!("{texts:?}") };
        assert!(confirmation.body.contains("no more") || confirmation.body.contains("unsubscribed"), "{confirmation:?}");
        assert!(text.at_us <= confirmation.at_us && text.body != confirmation.body);
    }

    async fn stop_acknowledgement_waits_for_hung_provider_only_until_call_timeout(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let begun = micros();
        let answered_at = written_while_it_hangs(app, &shop, &line, 60_000, "STOP").await;
        assert!(answered_at - begun < 12_000_000, "{}", answered_at - begun);
        assert!(to_ann(&line).is_empty(), "the call was given up, so the provider took nothing");
        let sql = "SELECT COUNT(*) FROM message WHERE to_address = $1 AND status = 'sending'";
        let sending = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, ANN).unwrap();
        assert_eq!(sending, 0, "no call was open when STOP was acknowledged");
    }

    async fn pause_is_acknowledged_after_text_already_past_gate_is_sent(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let answered_at = written_while_it_hangs(app, &shop, &line, 300, "please don't text me anymore").await;
        let [text] = &to_ann(&line)[..] else { panic!("{:?}", to_ann(&line)) };
        assert!(text.at_us <= answered_at);
        assert_eq!(state(app, &shop).await.as_deref(), Some("paused"));
    }

    async fn twilio_opt_out_type_overrides_text_body(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let says = async |words: &str, kind: &str| {
            line.delivers(&InboundText::new(ANN, ACME, words).handled_by_twilio(kind)).await;
            app.run_tasks().await;
        };
        says("Necesito un plomero", "STOP").await;
        let (stopped, matched) = opt_out_record(app, &shop).await.unwrap();
        assert_eq!((stopped.as_str(), matched.as_deref()), ("stopped", Some("Twilio's keyword: STOP")));
        says("STOP", "START").await;
        assert_eq!(state(app, &shop).await.as_deref(), Some("lifted"), "Twilio's START, though the text says STOP");
        says("Salir", "STOP").await;
        says("Volver", "START").await;
        assert_eq!(state(app, &shop).await.as_deref(), Some("lifted"));
        says("STOP", "HELP").await;
        assert_eq!(state(app, &shop).await.as_deref(), Some("lifted"), "Twilio's HELP stops nothing");
        assert!(to_ann(&line).is_empty(), "Twilio has answered: {:?}", to_ann(&line));
        assert_eq!((app.count("lead").await, app.count("alert").await), (0, 0), "none of it is a request for work");
        says("Do you fix boilers?", "SOMETHING NEW").await;
        assert_eq!(app.count("lead").await, 1, "a keyword that Twilio did not report changes nothing");
    }

    async fn twilio_opt_out_type_arriving_later_for_known_text_is_applied_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let first = InboundText::new(ANN, ACME, "Adiós amigos, hasta luego");
        let sid = line.delivers(&first).await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop).await, None);
        let repeated = InboundText::new(ANN, ACME, &first.body).again(&sid).handled_by_twilio("STOP");
        line.delivers(&repeated).await;
        assert_eq!(state(app, &shop).await.as_deref(), Some("stopped"));
        app.advance(Duration::minutes(1));
        line.writes(ANN, "START").await;
        line.delivers(&repeated).await;
        assert_eq!(state(app, &shop).await.as_deref(), Some("lifted"), "the same webhook again does not stop them again");
        app.run_tasks().await;
    }

    async fn stop_followed_by_business_name_is_an_opt_out(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        line.writes(ANN, "can Acme stop by tomorrow?").await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop).await, None);
        line.writes(ANN, "STOP Acme Plumbing").await;
        assert_eq!(state(app, &shop).await.as_deref(), Some("stopped"));
        app.run_tasks().await;
    }

    async fn untextable_number_still_creates_lead_and_gets_email_reply(app) {
        let shop = app.org("Acme Plumbing").await;
        for (phone, why) in [
            ("+1 876 555 0142", "texts go to numbers in the United States and Canada only"),
            ("+1 242 555 0143", "texts go to numbers in the United States and Canada only"),
            ("+1 900 555 0142", "premium-rate and personal numbers are never texted"),
            ("+1 500 234 5678", "premium-rate and personal numbers are never texted"),
            ("+1 512 976 0142", "premium-rate and personal numbers are never texted"),
            ("+1 888 555 0142", "toll-free numbers are not texted"),
            ("+1 512 911 0142", "no phone can have this number"),
            ("+1 222 555 0142", "no phone can have this number"),
        ] {
            let mut one = Visitor::ann().named("Bo").phone(phone);
            let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
            one.form.email = Some(format!("b{digits}@example.com"));
            one.sender.is_exempt = true;
            let lead = one.submits_lead(app, &shop).await;
            app.run_tasks().await;
            let decisions = app.lead(shop.id(), lead).await.decisions;
            let text = decisions.iter().find(|d| d.rule == "auto_reply" && d.channel == Some(MessageChannel::Sms)).expect("a decision");
            assert!(text.reason.contains(why), "{phone}: {}", text.reason);
            let outbox = app.outbox(shop.id(), lead).await;
            assert!(outbox.contains(&"auto_reply email: sent".to_owned()), "{phone}: {outbox:?}");
            assert!(outbox.iter().all(|line| !line.starts_with("auto_reply sms")), "{phone}: {outbox:?}");
        }
        assert!(app.sms.recorded_sends().iter().all(|call| !call.message.to.starts_with("+1876")));
    }

    async fn gate_refuses_untextable_number_stored_before_the_rule(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let sql = "UPDATE message SET to_address = '+18765550142' WHERE org_id = $1 AND channel = 'sms' AND kind = 'auto_reply'";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
        app.run_tasks().await;
        let messages = app.lead(shop.id(), lead).await.messages;
        let text = messages.into_iter().find(|m| m.channel == MessageChannel::Sms && m.to == "+18765550142").expect("the text");
        assert_eq!((text.status, text.status_text.as_str()), (MessageStatus::NotSent, "not sent: texts go to numbers in the United States and Canada only"));
    }

    async fn thanks_within_seven_days_of_job_raises_no_alert_and_new_problem_does(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now() + Duration::hours(2)})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        let job = job.json()["id"].as_str().unwrap().to_owned();
        let alerts = async || {
            let sql = "SELECT COUNT(*) FROM alert WHERE kind = 'text_received'";
            q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
        };
        let says = async |words: &str| {
            line.writes(ANN, words).await;
            app.run_tasks().await;
        };
        let moves = async |to: &str| {
            let moved = office.post(&format!("/api/jobs/{job}/status"), &json!({"to": to})).await;
            assert_eq!(moved.status, 200, "{}", moved.json());
            app.run_tasks().await;
        };
        app.advance(Duration::hours(1));
        let replies = async || {
            let sql = "SELECT COUNT(*) FROM message WHERE kind = 'text_reply'";
            q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
        };
        says("ok see you then").await;
        moves("in_progress").await;
        app.advance(Duration::days(1));
        says("Great, thanks").await;
        moves("completed").await;
        app.advance(Duration::days(3));
        says("Great thanks").await;
        assert_eq!((app.count("lead").await, alerts().await, replies().await), (1, 0, 0), "a thank-you wakes nobody");
        app.advance(Duration::hours(1));
        says("There is another leak in the kitchen").await;
        assert_eq!((app.count("lead").await, alerts().await, replies().await), (1, 1, 0), "a new request sends an alert");
        let talk = "SELECT COUNT(*) FROM message WHERE direction = 'in' AND lead_id = $1";
        let kept = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, talk, lead).unwrap();
        assert_eq!(kept, 4, "all messages are in the conversation of the job");
        app.advance(Duration::hours(1));
        says("The basement is flooding!").await;
        assert_eq!((alerts().await, replies().await), (2, 1), "an emergency is answered at once");
        app.advance(Duration::days(5));
        says("Do you also do gutters?").await;
        assert_eq!((app.count("lead").await, replies().await), (2, 2), "after seven days it is a new request");
    }

    async fn ok_reply_to_open_question_raises_alert_despite_later_outbound_texts(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, ACME).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let job = json!({"leadId": lead, "startsAt": app.now() + Duration::hours(6)});
        assert_eq!(office.post("/api/jobs", &job).await.status, 201);
        app.run_tasks().await;
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        let customer = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar CustomerId, sql, shop.id(), lead).unwrap();
        let asks = async |words: &str| {
            app.advance(Duration::minutes(1));
            let path = format!("/api/customers/{customer}/messages");
            let sent = office.post(&path, &json!({"channel": "sms", "body": words})).await;
            assert!(sent.status.is_success(), "{}", sent.json());
            app.run_tasks().await;
        };
        let alerts = async || {
            let sql = "SELECT COUNT(*) FROM alert WHERE kind = 'text_received'";
            q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
        };
        let says = async |words: &str| {
            app.advance(Duration::minutes(30));
            line.writes(ANN, words).await;
            app.run_tasks().await;
            alerts().await
        };
        asks("See you at two.").await;
        assert_eq!(says("ok").await, 0, "nothing was asked");
        asks(&format!("{} Shall we come at four instead?", "We looked at the drawings of your kitchen again. ".repeat(3))).await;
        assert_eq!(says("ok").await, 1, "the mark is after the first 140 characters");
        assert_eq!(says("Great thanks").await, 1, "it is answered");
        asks("Can we park in your drive?").await;
        asks("The van is long.").await;
        assert_eq!(says("ok").await, 2, "a later text does not answer the question");
        asks("Shall we bring a plumber, too?").await;
        let sql = "UPDATE conversation SET last_kind = 'out', last_preview = 'Your visit is today.', last_at = $2 WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, sql, shop.id(), app.now() + Duration::minutes(1))?)).await.unwrap();
        assert_eq!(says("sounds good").await, 3, "nor does what a rule wrote");
        assert_eq!(app.count("lead").await, 1);
    }
}
