//! No response time is stated or due before the business could be alerted, and none where it cannot be.

use shared::{
    documents::response_time,
    domain::messaging::message::{MessageChannel, sms_link},
};

use super::*;

const EMAIL_OFF: &str = "email is not set up";
const NO_DEVICE: &str = "no device of the owner or the office has alerts on";

/// The alert channels of the business as its settings show them: which, since when, and why not at once.
async fn ways(app: &TestApp, shop: &Shop) -> (Value, Vec<(String, Value, Value)>) {
    let alert_ways = office(app, shop).await.get("/api/alerts/ways").await.json();
    let ways = alert_ways["ways"].as_array().unwrap().iter();
    let ways = ways.map(|way| (way["by"].as_str().unwrap().to_owned(), way["from"].clone(), way["why"].clone()));
    (alert_ways["toldFrom"].clone(), ways.collect())
}

fn texted(app: &TestApp) -> Vec<String> {
    app.sms.accepted_messages().into_iter().map(|text| text.body).collect()
}

fn mailed(app: &TestApp, to: &str) -> String {
    app.mail.accepted_messages().into_iter().rfind(|letter| letter.to == to).unwrap().text
}

fn promised_at(app: &TestApp, within: Duration) -> String {
    instant_text(app.now() + within)
}

async fn quote_hours(app: &TestApp) -> Value {
    app.client().get("/api/public/form").await.json()["quoteHours"].clone()
}

async fn summaries_at_nine(app: &TestApp, shop: &Shop, frequency: &str) {
    let set = json!({"frequency": frequency, "schedule": "custom", "businessStart": "09:00", "businessEnd": "17:00"});
    app.sets(shop, json!({ "notifications": set })).await;
}

both_databases! {
    async fn reply_time_is_not_promised_without_a_working_alert(app) {
        let shop = app.org("Acme Plumbing").await;
        app.use_mail_files();
        always_open(app, &shop).await;
        assert_eq!(quote_hours(app).await, Value::Null);
        let off = [("push".to_owned(), Value::Null, json!(NO_DEVICE)), ("email".to_owned(), Value::Null, json!(EMAIL_OFF))];
        assert_eq!(ways(app, &shop).await, (Value::Null, off.to_vec()));
        let quote = asks_for_a_quote(app).await;
        let lead = Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        for lead in [quote, lead] {
            assert_eq!(state(app, &shop, lead).await, "none");
        }
        let sent_texts = texted(app);
        assert!(!sent_texts.is_empty() && sent_texts.iter().all(|text| text.contains("We'll reply as soon as we can.")), "{sent_texts:?}");
        // Alerts are turned on: from then on a time is promised again.
        app.alerts_on(&shop).await;
        assert_eq!(quote_hours(app).await, 24);
        let lead = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(promise_of(app, &shop, lead).await["dueAt"], promised_at(app, Duration::hours(1)));
        // The push service refuses what is sent: this device alerts no one.
        let fault = "UPDATE push_device SET fault = 'the push service is away' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, fault, shop.id())?)).await.unwrap();
        assert_eq!(quote_hours(app).await, Value::Null);
    }

    async fn after_hours_reply_without_alert_states_opening_time_and_no_promise(app) {
        let shop = app.org("Acme Plumbing").await;
        app.use_mail_files();
        waits_until(app, chicago("2026-09-18T19:00:00"));
        let lead = Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let text = texted(app).pop().unwrap();
        assert!(!text.contains("as soon as we can") && text.len() <= 160, "{text}");
        assert!(text.ends_with("We're closed right now. We'll read this when we open Monday at 8:00 AM. Reply STOP to opt out."), "{text}");
        assert_eq!(state(app, &shop, lead).await, "none");
    }

    async fn open_hours_text_and_email_state_the_shortest_time(app) {
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (text, email) = (texted(app).pop().unwrap(), mailed(app, "ann@customer.example"));
        assert!(text.contains("We'll reply within 1 hour."), "{text}");
        assert!(email.contains("will get back to you within 1 hour.") && !email.contains("2 hours"), "{email}");
        assert_eq!(promise_of(app, &shop, lead).await["words"], "within 1 hour");
        words_the_text(app, &shop, "We reply within 4 hours.").await;
        let lead = Visitor::number(1).email(Some("bob@customer.example")).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (text, email) = (texted(app).pop().unwrap(), mailed(app, "bob@customer.example"));
        assert!(text.contains("We reply within 2 hours.") && email.contains("within 2 hours."), "{text} {email}");
        assert_eq!(promise_of(app, &shop, lead).await["dueAt"], promised_at(app, Duration::hours(2)));
        // No other time was promised: each keeps its own words.
        Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let text = texted(app).pop().unwrap();
        assert!(text.contains("We reply within 4 hours."), "{text}");
    }

    async fn after_hours_text_and_email_state_only_when_the_request_is_read(app) {
        let shop = app.org("Acme Plumbing").await;
        app.alerts_on(&shop).await;
        waits_until(app, chicago("2026-09-18T19:00:00"));
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        for sent_text in [texted(app).pop().unwrap(), mailed(app, "ann@customer.example")] {
            assert!(response_time::find_promised_time(&sent_text).is_none(), "{sent_text}");
            assert!(sent_text.contains("We're closed right now. We'll read this when we open Monday at 8:00 AM."), "{sent_text}");
        }
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!((&promise["words"], &promise["dueAt"]), (&json!("after opening Monday 8:00 AM"), &json!(instant_text(chicago("2026-09-21T09:00:00")))));
        waits_until(app, chicago("2026-09-21T09:01:00"));
        app.run_tasks().await;
        let broken = app.lead(shop.id(), lead).await.events.into_iter().find(|event| event.title.starts_with("Promise"));
        assert_eq!(broken.unwrap().title, "Promise broken: no one answered after opening Monday 8:00 AM");
    }

    async fn quote_form_after_hours_says_when_the_request_is_read(app) {
        let shop = app.org("Acme Plumbing").await;
        app.alerts_on(&shop).await;
        let form = |email: &str| json!({"customerName": "Bob Ray", "email": email, "serviceType": "Other", "orgId": ACME});
        let open = app.client().here().post("/api/quotes/create", &form("bob@customer.example")).await.json();
        assert_eq!((&open["quoteHours"], &open["readingTime"]), (&json!(24), &Value::Null));
        waits_until(app, chicago("2026-09-18T19:00:00"));
        assert_eq!(quote_hours(app).await, Value::Null);
        let closed = app.client().here().post("/api/quotes/create", &form("ray@customer.example")).await.json();
        let reading = "We're closed right now. We'll read this when we open Monday at 8:00 AM.";
        assert_eq!((&closed["quoteHours"], &closed["readingTime"]), (&Value::Null, &json!(reading)));
        let lead = LeadId(closed["id"].as_str().unwrap().parse().unwrap());
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!((&promise["words"], &promise["dueAt"]), (&json!("after opening Monday 8:00 AM"), &json!(instant_text(chicago("2026-09-22T08:00:00")))));
        app.run_tasks().await;
        assert!(mailed(app, "ray@customer.example").contains(reading), "page and email say the same");
        let robot = json!({"customerName": "Best SEO", "email": "ray@customer.example", "serviceType": "Other", "company": "SEO Ltd", "orgId": ACME});
        let held = app.client().here().post("/api/quotes/create", &robot).await.json();
        assert_eq!(held["readingTime"], reading, "the answer does not reveal that a request is held");
    }

    async fn lead_form_after_hours_says_when_the_request_is_read(app) {
        let shop = app.org("Acme Plumbing").await;
        app.alerts_on(&shop).await;
        let sent = async || app.client().here().post_form("/api/leads/create", Multipart::ann(ACME)).await.json();
        assert_eq!(sent().await["readingTime"], Value::Null, "no reading time in opening hours");
        waits_until(app, chicago("2026-09-18T19:00:00"));
        let closed = sent().await;
        let reading = "We're closed right now. We'll read this when we open Monday at 8:00 AM.";
        assert_eq!((&closed["readingTime"], &closed["quoteHours"]), (&json!(reading), &Value::Null));
        app.run_tasks().await;
    }

    async fn lead_form_promise_has_its_clock_though_no_answer_leaves(app) {
        let shop = app.org("Acme Plumbing").await;
        without_providers(app, &shop).await;
        waits_until(app, chicago("2026-09-18T19:00:00"));
        // Without an email nothing can leave.
        let form = Multipart::ann(ACME).text("email", "");
        let taken = app.client().here().post_form("/api/leads/create", form).await.json();
        assert!(taken["readingTime"].as_str().unwrap().ends_with("when we open Monday at 8:00 AM."), "{taken}");
        let lead = LeadId(taken["id"].as_str().unwrap().parse().unwrap());
        app.run_tasks().await;
        assert!(app.outbox(shop.id(), lead).await.iter().all(|message| !message.ends_with(": sent")), "no answer left");
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!((&promise["state"], &promise["words"]), (&json!("open"), &json!("after opening Monday 8:00 AM")));
        assert_eq!(promise["dueAt"], instant_text(chicago("2026-09-21T09:00:00")));
        waits_until(app, chicago("2026-09-21T08:59:00"));
        app.run_tasks().await;
        let warned = warnings(app, &shop).await;
        assert_eq!(warned.len(), 1);
        assert_eq!(warned[0]["title"], "Answer Ann Lee by Mon 9:00 AM");
        assert_eq!(warned[0]["body"], "An answer was promised after opening Monday 8:00 AM and is due in 1 min. No one has answered yet.");
    }

    async fn form_without_alerts_states_no_reading_time_and_promises_nothing(app) {
        let shop = app.org("Acme Plumbing").await;
        app.context.sms = SmsProvider::Off;
        app.use_mail_files();
        waits_until(app, chicago("2026-09-18T19:00:00"));
        let lead_form = app.client().here().post_form("/api/leads/create", Multipart::ann(ACME)).await.json();
        let quote = json!({"customerName": "Bob Ray", "email": "bob@customer.example", "serviceType": "Other", "orgId": ACME});
        let quote_form = app.client().here().post("/api/quotes/create", &quote).await.json();
        for taken in [lead_form, quote_form] {
            assert_eq!(taken["readingTime"], Value::Null, "nobody is told of it");
            let lead = LeadId(taken["id"].as_str().unwrap().parse().unwrap());
            assert_eq!(state(app, &shop, lead).await, "none");
        }
        app.run_tasks().await;
    }

    async fn quote_form_announces_email_confirmation_only_if_sendable(app) {
        let shop = app.org("Acme Plumbing").await;
        let asks = async |app: &TestApp, email: &str| {
            let form = json!({"customerName": "Bob Ray", "email": email, "serviceType": "Other", "orgId": ACME});
            app.client().here().post("/api/quotes/create", &form).await.json()["confirmedByEmail"].clone()
        };
        assert_eq!(asks(app, "a@customer.example").await, json!(false), "the email would only be saved as a file");
        app.takes_email_for_set_up();
        assert_eq!(asks(app, "b@customer.example").await, json!(true));
        app.forgets_worker().await;
        let sign = "INSERT INTO worker_heartbeat (worker, seen_at) VALUES ('w1', $1)";
        app.within(async |tx| Ok(q!(tx, execute, sign, app.now() - Duration::minutes(5))?)).await.unwrap();
        assert_eq!(asks(app, "d@customer.example").await, json!(false), "no worker is there to send it");
        app.within(async |tx| Ok(q!(tx, execute, "UPDATE worker_heartbeat SET seen_at = $1", app.now())?)).await.unwrap();
        app.switches(&shop, FeatureSwitches { automated_communications: false, ..FeatureSwitches::ALL_ON }).await;
        assert_eq!(asks(app, "c@customer.example").await, json!(false));
        app.run_tasks().await;
    }

    async fn custom_after_hours_templates_state_no_time_to_callers_or_texters(app) {
        app.takes_email_for_set_up();
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.alerts_on(&shop).await;
        app.sets(&shop, json!({"calls": {"nudge": false}})).await;
        let owner = office(app, &shop).await;
        let words = |what: &str| json!({"body": format!("{{{{ businessName }}}} {what}. We answer within 1 hour. Reply STOP to opt out.")});
        for (kind, what) in [("missedCallAfterHours", "missed your call"), ("textReplyAfterHours", "got your text")] {
            let path = format!("/api/org/{ACME}/templates/{kind}");
            let body = words(what).to_string().into_bytes();
            let saved = owner.send(Method::PATCH, &path, "application/json", body).await;
            assert_eq!(saved.status, 200, "{}", saved.json());
            let seen = owner.post(&format!("{path}/preview"), &words(what)).await.json();
            let seen = seen["body"].as_str().unwrap();
            assert!(seen.contains("We answer as soon as we can.") && seen.contains("We're closed right now. We'll read this when we open"), "{seen}");
        }
        waits_until(app, chicago("2026-09-18T19:00:00"));
        line.rings(ANN, []).await;
        line.writes("+15125550177", "Can you look at my sink?").await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        for to in [ANN, "+15125550177"] {
            let text = line.texts_to(to).pop().unwrap();
            assert!(text.contains("We answer as soon as we can."), "{text}");
            assert!(text.ends_with("We're closed right now. We'll read this when we open Monday at 8:00 AM. Reply STOP to opt out."), "{text}");
        }
        let sql = "SELECT words, due_at FROM sla WHERE org_id = $1 ORDER BY id";
        let due = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, DateTime<Utc>), sql, shop.id()).unwrap();
        let monday = ("after opening Monday 8:00 AM".to_owned(), chicago("2026-09-21T09:00:00"));
        assert_eq!(due, [monday.clone(), monday]);
    }

    async fn default_after_hours_text_sets_the_promise_it_states(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.alerts_on(&shop).await;
        waits_until(app, chicago("2026-09-18T19:00:00"));
        line.writes(ANN, "Can you look at my sink?").await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        let text = line.texts_to(ANN).pop().unwrap();
        assert!(text.contains("We're closed right now. We'll reply after we open Monday 8:00 AM."), "{text}");
        let sql = "SELECT words, due_at FROM sla WHERE org_id = $1";
        let due = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, DateTime<Utc>), sql, shop.id()).unwrap();
        assert_eq!(due, [("after opening Monday 8:00 AM".to_owned(), chicago("2026-09-21T09:00:00"))]);
    }

    async fn open_hours_answer_states_reading_time_of_the_next_summary(app) {
        let shop = app.org("Acme Plumbing").await;
        app.takes_email_for_set_up();
        always_open(app, &shop).await;
        summaries_at_nine(app, &shop, "daily").await;
        waits_until(app, chicago("2026-09-17T15:00:00"));
        let (promise_view, all) = ways(app, &shop).await;
        assert_eq!(promise_view, instant_text(chicago("2026-09-18T09:00:00")));
        assert!(all.iter().any(|(_, _, why)| why == "kept for the daily summary"), "the time is named once: {all:?}");
        let (read, due) = ("We'll read this Friday at 9:00 AM.", json!(instant_text(chicago("2026-09-18T10:00:00"))));
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        for sent_text in [texted(app).pop().unwrap(), mailed(app, "ann@customer.example")] {
            assert!(response_time::find_promised_time(&sent_text).is_none(), "{sent_text}");
            assert!(sent_text.contains(read) && !sent_text.contains("closed"), "{sent_text}");
        }
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!((&promise["words"], &promise["dueAt"]), (&json!("after Friday 9:00 AM"), &due));
        // The page says the same, and its day runs from then.
        assert_eq!(quote_hours(app).await, Value::Null);
        let form = json!({"customerName": "Bob Ray", "email": "bob@customer.example", "serviceType": "Other", "orgId": ACME});
        let taken = app.client().here().post("/api/quotes/create", &form).await.json();
        assert_eq!((&taken["quoteHours"], &taken["readingTime"]), (&Value::Null, &json!(read)));
        let quote = LeadId(taken["id"].as_str().unwrap().parse().unwrap());
        let promise = promise_of(app, &shop, quote).await;
        assert_eq!((&promise["words"], &promise["dueAt"]), (&json!("after Friday 9:00 AM"), &json!(instant_text(chicago("2026-09-19T09:00:00")))));
        app.run_tasks().await;
        let taken = app.client().here().post_form("/api/leads/create", Multipart::ann(ACME)).await.json();
        assert_eq!(taken["readingTime"], json!(read));
        app.run_tasks().await;
        // A device is alerted at once, whatever the list's frequency is.
        app.alerts_on(&shop).await;
        assert_eq!(quote_hours(app).await, 24);
        let lead = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!((&promise["words"], &promise["dueAt"]), (&json!("within 1 hour"), &json!(promised_at(app, Duration::hours(1)))));
        waits_until(app, chicago("2026-09-18T10:30:00"));
        app.run_tasks().await;
    }

    async fn answer_after_the_notification_hours_states_when_they_begin(app) {
        app.takes_email_for_set_up();
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        let day = json!([{"opens": "08:00", "closes": "18:00"}]);
        let week = json!({"mon": day, "tue": day, "wed": day, "thu": day, "fri": day, "sat": [], "sun": []});
        app.sets(&shop, json!({"hours": {"week": week}, "calls": {"nudge": false}})).await;
        summaries_at_nine(app, &shop, "immediate").await;
        words_the_missed_call(app, &shop, "We call you back within 1 hour.").await;
        waits_until(app, chicago("2026-09-17T17:30:00"));
        line.rings(ANN, []).await;
        line.writes("+15125550177", "Can you look at my sink?").await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        for to in [ANN, "+15125550177"] {
            let text = line.texts_to(to).pop().unwrap();
            assert!(text.contains("We'll read this Friday at 9:00 AM."), "{text}");
            assert!(response_time::find_promised_time(&text).is_none(), "{text}");
        }
        let sql = "SELECT words, due_at FROM sla WHERE org_id = $1 ORDER BY id";
        let due = q!(&mut app.db.acquire_reader().await.unwrap(), fetch_all as (String, DateTime<Utc>), sql, shop.id()).unwrap();
        let friday = ("after Friday 9:00 AM".to_owned(), chicago("2026-09-18T10:00:00"));
        assert_eq!(due, [friday.clone(), friday]);
    }

    async fn after_hours_reply_states_reading_time_of_the_next_summary(app) {
        let shop = app.org("Acme Plumbing").await;
        summaries_at_nine(app, &shop, "weekly").await;
        waits_until(app, chicago("2026-09-18T19:00:00"));
        let lead = Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let text = texted(app).pop().unwrap();
        assert!(text.ends_with("We're closed right now. We'll read this Monday at 9:00 AM. Reply STOP to opt out."), "{text}");
        assert_eq!(promise_of(app, &shop, lead).await["dueAt"], instant_text(chicago("2026-09-21T10:00:00")));
    }

    async fn after_hours_reply_before_the_opening_of_the_same_day_says_today(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.alerts_on(&shop).await;
        let day = json!([{"opens": "10:00", "closes": "18:00"}]);
        let week = json!({"mon": day, "tue": day, "wed": day, "thu": day, "fri": day, "sat": [], "sun": []});
        app.sets(&shop, json!({"hours": {"week": week}})).await;
        waits_until(app, chicago("2026-09-21T08:30:00"));
        let form = app.client().here().post_form("/api/leads/create", Multipart::ann(ACME)).await.json();
        let reading = "We're closed right now. We'll read this when we open today (Monday) at 10:00 AM.";
        assert_eq!(form["readingTime"], reading);
        let lead = LeadId(form["id"].as_str().unwrap().parse().unwrap());
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!(promise["words"], "after opening Monday 10:00 AM", "the office may read it on another day");
        line.writes("+15125550177", "Can you look at my sink?").await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        assert!(mailed(app, "ann@customer.example").contains(reading), "page and email say the same");
        let text = line.texts_to("+15125550177").pop().unwrap();
        assert!(text.contains("We'll reply after we open today at 10:00 AM."), "{text}");
    }

    async fn owner_text_alert_counts_only_if_sendable(app) {
        let shop = app.org("Acme Plumbing").await;
        app.use_twilio_at("http://127.0.0.1:9");
        app.tells(&shop, MessageChannel::Sms, OWNER).await;
        let by_text = async |app: &TestApp| ways(app, &shop).await.1.into_iter().find(|(by, ..)| by == "sms").unwrap();
        assert_eq!(by_text(app).await, ("sms".to_owned(), json!(instant_text(app.now())), Value::Null));
        assert_eq!(quote_hours(app).await, 24);
        for (sql, why) in [
            ("UPDATE org_trust SET proven_at = NULL WHERE org_id = $1", shared::domain::tenancy::trust_level::NOT_PROVEN),
            ("INSERT INTO opt_out (org_id, channel, address, state, source, at)
                 SELECT id, 'sms', '+15125550199', 'stopped', 'text', created_at FROM org WHERE id = $1", "they said STOP"),
            ("UPDATE org SET sms_number = NULL WHERE id = $1", sms_link::NO_NUMBER),
        ] {
            app.within(async |tx| Ok(q!(tx, execute, sql, shop.id())?)).await.unwrap();
            let (_, from, reason) = by_text(app).await;
            assert_eq!((from, reason), (Value::Null, json!(why)));
            assert_eq!(quote_hours(app).await, Value::Null, "{why}");
            app.within(async |tx| shared::domain::tenancy::trust_level::mark_trusted(tx, &app.origin, shop.id()).await).await.unwrap();
            let lifted = "UPDATE opt_out SET state = 'lifted' WHERE org_id = $1";
            app.within(async |tx| Ok(q!(tx, execute, lifted, shop.id())?)).await.unwrap();
        }
        let number = "UPDATE org SET sms_number = '+15005550006' WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, number, shop.id())?)).await.unwrap();
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        assert_eq!(by_text(app).await.2, json!(sms_link::NOT_REGISTERED));
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        let until = app.now() + Duration::minutes(30);
        let pause = "INSERT INTO channel_pause (channel, until) VALUES ('sms', $1)";
        app.within(async |tx| Ok(q!(tx, execute, pause, until)?)).await.unwrap();
        assert_eq!(by_text(app).await.1, instant_text(until), "the provider asked for silence");
        app.switches(&shop, FeatureSwitches { lead_intake: false, ..FeatureSwitches::ALL_ON }).await;
        let (promise_view, all) = ways(app, &shop).await;
        assert!(promise_view.is_null() && all.iter().all(|(_, _, why)| why == "lead intake is switched off"), "{all:?}");
    }
}
