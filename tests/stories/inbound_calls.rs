//! The telephone: a missed call is answered by text once, and each text is answered once.

use chrono::{Duration, TimeZone, Utc};
use serde_json::json;
use shared::{
    domain::{intake::lead::LeadFormKind, messaging::message::MessageChannel},
    platform::db::q,
};
use tests::{
    both_databases,
    fake_twilio::{ACCOUNT_SID, InboundText, Leg, Pickup},
    people::Visitor,
    phone::{ANN, CallEvent, OWNER},
};

const NUMBER: &str = "+15125550100";

/// Twilio's four events of a call, in all orders.
fn orders() -> Vec<[CallEvent; 4]> {
    let all = [CallEvent::Rings, CallEvent::Accepted, CallEvent::RungOut, CallEvent::Over];
    let mut orders = Vec::new();
    for a in 0..4 {
        for b in (0..4).filter(|b| *b != a) {
            for c in (0..4).filter(|c| ![a, b].contains(c)) {
                orders.push([all[a], all[b], all[c], all[6 - a - b - c]]);
            }
        }
    }
    orders
}

both_databases! {
    async fn missed_call_is_texted_back_once_in_24_hours_and_listed(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        let call = line.rings(ANN, [Leg::new(OWNER, Pickup::NoAnswer)]).await;
        assert_eq!(call.rung, [OWNER], "the owner's phone rang");
        assert!(call.spoken.concat().contains("Acme Plumbing"), "the greeting names the business: {:?}", call.spoken);
        app.run_tasks().await;
        assert!(line.texts_to(ANN).is_empty(), "not before ten seconds have passed");
        app.advance(Duration::seconds(10));
        app.run_tasks().await;
        let texts = line.texts_to(ANN);
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert!(text.contains("Acme Plumbing") && text.contains("https://book.example/acme"), "{text}");
        assert!(text.contains("STOP"), "the first text says how to end it: {text}");
        for hours in [1, 5, 17] {
            app.advance(Duration::hours(hours));
            line.rings(ANN, [Leg::new(OWNER, Pickup::NoAnswer)]).await;
            app.advance(Duration::seconds(10));
            app.run_tasks().await;
        }
        let lead = app.only_lead(&shop).await;
        assert_eq!((lead.summary.form, lead.summary.missed_calls, lead.summary.touch_count), (LeadFormKind::Call, 4, 4));
        let missed = lead.messages.iter().filter(|m| m.kind == shared::domain::messaging::message::MessageKind::MissedCall).count();
        assert_eq!(missed, 1, "the other calls say nothing more");
        assert!(lead.decisions.iter().any(|d| d.reason.contains("within the last 24 hours")), "the decision has its reason");
        app.advance(Duration::hours(2));
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(10));
        app.run_tasks().await;
        let lead = app.only_lead(&shop).await;
        let missed = lead.messages.iter().filter(|m| m.kind == shared::domain::messaging::message::MessageKind::MissedCall).count();
        assert_eq!(missed, 2, "a day later they are texted again");
    }

    async fn missed_call_notice_has_same_heading_in_text_and_email(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let caller = "+15125550197";
        app.tells(&shop, MessageChannel::Sms, caller).await;
        line.rings(ANN, []).await;
        app.run_tasks().await;
        let heading = "Missed call: (512) 555-0142";
        let texts = line.texts_to(caller);
        assert!(texts.len() == 1 && texts[0].starts_with(&format!("{heading} https://")), "{texts:?}");
        let mails = app.mail.accepted_messages();
        let mail = mails.iter().find(|mail| mail.to == shop.owner().email && mail.subject == heading).unwrap();
        assert_eq!(mail.text.lines().next(), Some(heading));
    }

    async fn missed_call_within_seven_days_of_job_belongs_to_its_conversation_and_waits(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let job = office.post("/api/jobs", &json!({"leadId": lead, "startsAt": app.now() + Duration::hours(2)})).await;
        assert_eq!(job.status, 201, "{}", job.json());
        for to in ["in_progress", "completed"] {
            let path = format!("/api/jobs/{}/status", job.json()["id"].as_str().unwrap());
            let moved = office.post(&path, &json!({ "to": to })).await;
            assert_eq!(moved.status, 200, "{}", moved.json());
        }
        app.live_through(Duration::minutes(5), Duration::minutes(1)).await;
        let counts = async || {
            let sql = "SELECT (SELECT COUNT(*) FROM lead) AS leads,
                     (SELECT COUNT(*) FROM alert WHERE kind = 'missed_call') AS alerts,
                     (SELECT COUNT(*) FROM message WHERE kind = 'missed_call' AND status IN ('sent', 'delivered')) AS texts";
            q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one as (i64, i64, i64), sql).unwrap()
        };
        let calls = async || {
            line.rings(ANN, []).await;
            app.advance(Duration::seconds(10));
            app.run_tasks().await;
        };
        app.advance(Duration::days(4));
        app.run_tasks().await;
        app.advance(Duration::minutes(20));
        calls().await;
        assert_eq!(counts().await, (1, 1, 1), "no new lead, the owner is told, and she is texted back");
        let seen = app.lead(shop.id(), lead).await.summary;
        assert_eq!((seen.missed_calls, seen.touch_count), (1, 2));
        let office = app.client().signed_in(app, shop.owner()).await;
        let waiting = office.get("/api/worklist?view=next").await.json();
        let items = waiting.as_array().unwrap();
        let item = items.iter().find(|item| item["kind"] == "call_back").unwrap_or_else(|| panic!("{waiting}"));
        assert_eq!((&item["leadId"], &item["action"]), (&json!(lead), &json!("call")), "{item}");
        app.advance(Duration::days(4));
        calls().await;
        assert_eq!(counts().await, (2, 2, 2), "after seven days it is a new request");
    }

    async fn call_counts_as_answered_only_when_a_person_presses_one(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER, "+15125550198"]}})).await;
        let call = line.rings(ANN, [Leg::accepts(OWNER)]).await;
        assert_eq!(call.connected_to.as_deref(), Some(OWNER));
        assert!(call.whispered.concat().contains("Press 1"), "{:?}", call.whispered);
        app.live_through(Duration::minutes(10), Duration::minutes(1)).await;
        assert_eq!((app.count("lead").await, line.texts_to(ANN).len()), (0, 0), "answered: nothing to do");
        let call = line.rings(ANN, [Leg::voicemail(OWNER)]).await;
        assert_eq!((call.connected_to.as_deref(), call.dial_status.as_deref()), (None, Some("completed")));
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(app.count("lead").await, 1, "a machine that picks up has not answered");
        let lead = app.only_lead(&shop).await;
        assert!(lead.decisions.iter().any(|d| d.rule == "missed_call_text"), "{:?}", lead.decisions);
    }

    async fn answered_second_call_cancels_text_about_first_call(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(6));
        line.rings(ANN, [Leg::accepts(OWNER)]).await;
        app.live_through(Duration::days(1), Duration::minutes(30)).await;
        assert!(line.texts_to(ANN).is_empty(), "they have spoken: {:?}", line.texts_to(ANN));
        let lead = app.only_lead(&shop).await;
        let words: Vec<_> = lead.messages.iter().filter(|m| m.to == ANN).map(|m| m.status_text.as_str()).collect();
        assert!(words.iter().all(|w| *w == "not sent: you answered their call") && !words.is_empty(), "{words:?}");
    }

    async fn call_hung_up_at_once_creates_no_lead(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        line.rings_for(ANN, 2).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(app.count("lead").await, 0);
    }

    async fn calls_form_and_text_within_90_seconds_make_one_lead_text_and_notice(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.tells(&shop, shared::domain::messaging::message::MessageChannel::Sms, OWNER).await;
        for step in 0..3 {
            line.rings_doubled(ANN).await;
            app.advance(Duration::seconds(15));
            app.run_tasks().await;
            assert_eq!(app.count("lead").await, 1, "after call {step}");
        }
        Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::seconds(15));
        app.run_tasks().await;
        line.writes_doubled(ANN, "Hello? There is water everywhere").await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        let lead = app.only_lead(&shop).await;
        assert_eq!((lead.summary.missed_calls, lead.summary.touch_count), (3, 5));
        assert_eq!(line.texts_to(ANN).len(), 1, "{:?}", line.texts_to(ANN));
        assert_eq!(line.texts_to(OWNER).len(), 1, "{:?}", line.texts_to(OWNER));
    }

    async fn missed_call_reminder_is_sent_once_and_only_without_reply(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.rings(ANN, []).await;
        line.rings("+15125550143", []).await;
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        line.writes("+15125550143", "Can you come at four?").await;
        app.live_through(Duration::days(3), Duration::minutes(30)).await;
        assert_eq!(line.texts_to(ANN).len(), 2, "the text and one reminder: {:?}", line.texts_to(ANN));
        assert_eq!(line.texts_to("+15125550143").len(), 1, "{:?}", line.texts_to("+15125550143"));
    }

    async fn missed_call_text_depends_on_opening_hours_and_emergency(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"emergencyWords": ["flood"], "nudge": false}, "hours": {
            "week": {"mon": [{"opens": "08:00", "closes": "17:00"}], "tue": [], "wed": [], "thu": [],
                "fri": [{"opens": "08:00", "closes": "17:00"}], "sat": [], "sun": []},
            "closedDates": [{"date": "2026-09-21", "name": "Founders' day"}]}})).await;
        let mut spoken_texts = Vec::new();
        // Friday noon, Friday evening, and the closed Monday, in Chicago.
        for (n, (day, hour)) in [(18, 17), (19, 0), (21, 16)].into_iter().enumerate() {
            let at = Utc.with_ymd_and_hms(2026, 9, day, hour, 0, 0).unwrap();
            app.advance(at - app.now());
            let caller = format!("+1512555015{n}");
            line.rings(&caller, []).await;
            app.advance(Duration::seconds(10));
            app.run_tasks().await;
            spoken_texts.extend(line.texts_to(&caller));
        }
        assert_eq!(spoken_texts.len(), 3, "{spoken_texts:?}");
        assert!(spoken_texts[0] != spoken_texts[1] && spoken_texts[1] != spoken_texts[2] && spoken_texts[0] != spoken_texts[2], "{spoken_texts:?}");
        let monday = Utc.with_ymd_and_hms(2026, 9, 28, 15, 0, 0).unwrap();
        app.advance(monday - app.now());
        line.writes("+15125550160", "The basement is a FLOOD").await;
        app.live_through(Duration::hours(11), Duration::hours(1)).await;
        let before = line.texts_to("+15125550160").len();
        line.rings("+15125550160", []).await;
        app.advance(Duration::seconds(10));
        app.run_tasks().await;
        let texts = line.texts_to("+15125550160");
        assert_eq!(texts.len(), before + 1, "{texts:?}");
        assert!(!spoken_texts.contains(&texts[before]), "an emergency has words of its own: {texts:?}");
    }

    async fn emergency_reply_omits_closed_notice_and_calm_reply_omits_number(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"emergencyWords": ["flood"]}, "hours": {
            "week": {"mon": [], "tue": [], "wed": [], "thu": [], "fri": [], "sat": [], "sun": []}, "closedDates": []}})).await;
        line.writes(ANN, "FLOOD in the basement, water everywhere").await;
        line.writes("+15125550143", "How much is a new faucet?").await;
        app.run_tasks().await;
        let [urgent] = &line.texts_to(ANN)[..] else { panic!("{:?}", line.texts_to(ANN)) };
        assert!(urgent.contains("911") && !urgent.contains("closed"), "{urgent}");
        let [calm] = &line.texts_to("+15125550143")[..] else { panic!("{:?}", line.texts_to("+15125550143")) };
        assert!(calm.contains("closed") && !calm.contains("555-0143"), "{calm}");
    }

    async fn anonymous_foreign_toll_free_and_own_callers_are_never_texted(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        for from in ["+266696687", "anonymous", "+442079460018", "+18005550123", OWNER, NUMBER] {
            line.rings(from, []).await;
        }
        app.live_through(Duration::hours(4), Duration::minutes(10)).await;
        assert_eq!(line.twilio.received(), [], "nobody");
    }

    async fn missed_call_from_hidden_number_raises_alert_without_text(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        line.rings("anonymous", [Leg::new(OWNER, Pickup::NoAnswer)]).await;
        let office = app.client().signed_in(app, shop.owner()).await;
        let alert_list = office.get("/api/alerts").await.json();
        let at = app.now().with_timezone(&chrono_tz::America::Chicago).format("%-I:%M %p");
        assert_eq!(alert_list[0]["title"], format!("Missed call from a hidden number at {at}"));
        assert!(alert_list[0]["body"].as_str().unwrap().starts_with("No text can be sent"), "{alert_list}");
        app.advance(Duration::hours(1));
        line.rings("+266696687", [Leg::new(OWNER, Pickup::NoAnswer)]).await;
        line.rings_for("anonymous", 2).await;
        app.live_through(Duration::hours(4), Duration::minutes(10)).await;
        assert_eq!(line.twilio.received(), []);
        let mails = app.mail.accepted_messages();
        let first = mails.iter().find(|mail| mail.subject.starts_with("Missed call from a hidden number at")).unwrap();
        assert!(first.text.contains("No text can be sent to it"), "{}", first.text);
        let lead = app.only_lead(&shop).await;
        assert_eq!((lead.summary.name.as_str(), lead.summary.missed_calls, lead.summary.phone.as_str()), ("Hidden number", 2, ""));
        let why = lead.decisions.iter().find(|d| d.rule == "missed_call_text").unwrap();
        assert_eq!((why.sent, why.reason.as_str()), (false, "they hide their number"));
        let threads = office.get("/api/inbox").await.json();
        assert_eq!((threads.as_array().unwrap().len(), &threads[0]["name"]), (1, &json!("Hidden number")));
        let talk = office.get(&format!("/api/customers/{}/conversation", lead.customer_id)).await.json();
        let calls = talk["items"].as_array().unwrap().iter().filter(|item| item["type"] == "call").count();
        assert_eq!((calls, &talk["canText"]["ok"], &talk["canEmail"]["ok"]), (2, &json!(false), &json!(false)));
        assert_eq!(office.get("/api/alerts").await.json().as_array().unwrap().len(), 2, "each missed call has an alert");
    }

    async fn call_reported_only_by_status_webhook_counts_as_missed_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let sid = "CAffffffffffffffffffffffffffffffff";
        let end = |status: &str| -> Vec<(String, String)> {
            let account = ("AccountSid", ACCOUNT_SID);
            [account, ("CallSid", sid), ("From", ANN), ("To", NUMBER), ("CallStatus", status), ("CallDuration", "0")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec()
        };
        for status in ["ringing", "failed", "failed", "completed"] {
            let url = "https://toolbox.example/webhooks/twilio/voice/status";
            let answers = line.hooks().post(url, &end(status)).await;
            assert_eq!(answers[0].status, 200, "{answers:?}");
        }
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(app.only_lead(&shop).await.summary.missed_calls, 1);
        assert_eq!(line.texts_to(ANN).len(), 1);
    }

    async fn call_webhooks_in_any_order_and_repeated_give_same_result(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER], "nudge": false}})).await;
        let orders = orders();
        for (n, order) in orders.iter().enumerate() {
            for step in order {
                for _ in 0..2 {
                    line.says_of_a_call(&format!("CA{n:032x}"), &format!("+1737555{n:04}"), *step).await;
                }
            }
        }
        app.live_through(Duration::minutes(2), Duration::seconds(10)).await;
        let texted = line.twilio.received();
        assert_eq!(texted, [], "in every order the call was answered");
        let states = "SELECT status FROM call";
        let states = shared::q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all scalar String, states).unwrap();
        assert_eq!((states.len(), states.iter().all(|state| state == "answered")), (24, true), "{states:?}");
        for (n, order) in orders.iter().enumerate() {
            for step in order.iter().filter(|step| **step != CallEvent::Accepted) {
                line.says_of_a_call(&format!("CB{n:032x}"), &format!("+1512{}7777", 720 + n), *step).await;
            }
        }
        app.live_through(Duration::minutes(2), Duration::seconds(10)).await;
        let mut to: Vec<_> = line.twilio.received().into_iter().map(|text| text.to).collect();
        to.sort();
        to.dedup();
        assert_eq!((to.len(), line.twilio.received().len()), (24, 24), "each was missed once, and texted once");
    }

    async fn alert_email_of_text_names_no_service_that_was_not_asked(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        app.tells(&shop, MessageChannel::Email, "office@acme.example").await;
        line.writes(ANN, "Do you fix boilers?").await;
        app.run_tasks().await;
        let mut alerts = app.mail.accepted_messages().into_iter().filter(|mail| mail.to == "office@acme.example");
        let text = alerts.find(|mail| mail.text.contains("Do you fix boilers?")).unwrap().text;
        assert!(text.contains("Phone: ") && !text.contains("Service: "), "{text}");
        Visitor::number(7).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(app.mail.accepted_messages().iter().any(|mail| mail.to == "office@acme.example" && mail.text.contains("Service: Plumbing")));
    }

    async fn inbound_text_creates_lead_and_is_answered_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        line.writes_doubled(ANN, "Do you fix boilers?").await;
        app.run_tasks().await;
        line.writes(ANN, "It is a Weil-McLain").await;
        app.live_through(Duration::hours(1), Duration::minutes(5)).await;
        let lead = app.only_lead(&shop).await;
        assert_eq!((lead.summary.form, lead.summary.touch_count), (LeadFormKind::Text, 2));
        assert_eq!(line.texts_to(ANN).len(), 1, "{:?}", line.texts_to(ANN));
        let inbound: Vec<_> = lead.messages.iter().filter(|m| m.status == shared::domain::messaging::message::MessageStatus::Received).collect();
        assert_eq!(inbound.len(), 2, "each text is stored once");
    }

    async fn redelivered_inbound_text_changes_nothing(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, NUMBER).await;
        let text = InboundText::new(ANN, NUMBER, "Do you fix boilers?");
        let sid = line.delivers(&text).await;
        app.live_through(Duration::hours(30), Duration::hours(1)).await;
        let before = (app.count("message").await, app.count("lead_inquiry").await);
        line.delivers(&text.again(&sid)).await;
        app.run_tasks().await;
        assert_eq!((app.count("message").await, app.count("lead_inquiry").await), before);
    }

    async fn inbound_calls_and_texts_are_routed_by_business_number(app) {
        let (mut acme, mut best) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let line = app.line(&mut acme, NUMBER).await;
        let other = app.line_at(&mut best, "+15125550101", &line.twilio).await;
        other.writes(ANN, "A tile is missing").await;
        line.rings(ANN, []).await;
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(app.only_lead(&acme).await.summary.form, LeadFormKind::Call);
        assert_eq!(app.only_lead(&best).await.summary.form, LeadFormKind::Text);
        let received = line.twilio.received();
        let from: Vec<_> = received.iter().filter(|t| t.to == ANN).map(|t| t.from.clone().unwrap()).collect();
        assert!(from.contains(&NUMBER.to_owned()) && from.contains(&"+15125550101".to_owned()), "{from:?}");
    }
}
