//! Promised response times: a message promises an answer, the business is warned in time, and kept ones are counted.

use axum::http::Method;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    domain::{messaging::response_sla, tenancy::org::FeatureSwitches},
    platform::{db::q, id::LeadId},
    providers::{RefusalReason, SendError, sms::SmsProvider},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::Leg,
    figures::{daily, kpis, listed},
    http::{Client, Multipart},
    people::{Shop, Visitor},
    phone::{ANN, OWNER},
};

mod obligations;
mod promise_texts;
mod properties;
mod sla_figures;
mod timing;

const ACME: &str = "acme-plumbing";

fn chicago(local_time: &str) -> DateTime<Utc> {
    let local_time: chrono::NaiveDateTime = local_time.parse().unwrap();
    local_time.and_local_timezone(chrono_tz::America::Chicago).unwrap().with_timezone(&Utc)
}

fn instant_text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true)
}

fn waits_until(app: &TestApp, at: DateTime<Utc>) {
    assert!(at >= app.now(), "{at} is over");
    app.advance(at - app.now());
}

/// A fresh session: none lasts for days.
async fn office(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

async fn asks_for_a_quote(app: &TestApp) -> LeadId {
    let form = json!({"customerName": "Ann Lee", "email": "ann@customer.example", "phone": "(512) 555-0142",
        "serviceType": "Plumbing Upgrade", "orgId": ACME});
    let taken = app.client().here().post("/api/quotes/create", &form).await;
    assert_eq!(taken.status, 201, "{}", taken.json());
    LeadId(taken.json()["id"].as_str().unwrap().parse().unwrap())
}

async fn promise_of(app: &TestApp, shop: &Shop, lead: LeadId) -> Value {
    let shown = office(app, shop).await.get(&format!("/api/leads/{lead}")).await.json();
    shown["promise"].clone()
}

async fn state(app: &TestApp, shop: &Shop, lead: LeadId) -> String {
    promise_of(app, shop, lead).await["state"].as_str().unwrap_or("none").to_owned()
}

async fn warnings(app: &TestApp, shop: &Shop) -> Vec<Value> {
    let alerts = office(app, shop).await.get("/api/alerts").await.json();
    alerts.as_array().unwrap().iter().filter(|alert| alert["kind"] == "promise_due").cloned().collect()
}

async fn words_the_text(app: &TestApp, shop: &Shop, promise: &str) {
    let body = format!("{{{{ businessName }}}} got your request. {promise} Reply STOP to opt out.");
    let body = json!({"body": body}).to_string().into_bytes();
    let path = format!("/api/org/{ACME}/templates/sms");
    let saved = office(app, shop).await.send(Method::PATCH, &path, "application/json", body).await;
    assert_eq!(saved.status, 200, "{}", saved.json());
}

async fn words_the_missed_call(app: &TestApp, shop: &Shop, promise: &str) {
    let body = format!("{{{{ businessName }}}} missed your call. {promise} Reply STOP to opt out.");
    let body = json!({"body": body}).to_string().into_bytes();
    let path = format!("/api/org/{ACME}/templates/missedCall");
    let saved = office(app, shop).await.send(Method::PATCH, &path, "application/json", body).await;
    assert_eq!(saved.status, 200, "{}", saved.json());
}

/// Names of the leads that the list returns for this query.
async fn asked(app: &TestApp, shop: &Shop, question: &str) -> Vec<String> {
    let list = office(app, shop).await.get(&format!("/api/leads/{ACME}?{question}")).await;
    assert_eq!(list.status, 200, "{}", list.json());
    list.json().as_array().unwrap().iter().map(|lead| lead["name"].as_str().unwrap().to_owned()).collect()
}

async fn writes_to(app: &TestApp, shop: &Shop, lead: LeadId) {
    let customer = app.lead(shop.id(), lead).await.customer_id;
    let written = json!({"channel": "sms", "body": "We can come on Tuesday"});
    let sent = office(app, shop).await.post(&format!("/api/customers/{customer}/messages"), &written).await;
    assert!(sent.status.is_success(), "{}", sent.json());
    app.run_tasks().await;
}

/// Open around the clock, as the promise's due time follows the opening hours.
async fn always_open(app: &TestApp, shop: &Shop) {
    let day = json!([{"opens": "00:00", "closes": "24:00"}]);
    let week = json!({"mon": day, "tue": day, "wed": day, "thu": day, "fri": day, "sat": day, "sun": day});
    app.sets(shop, json!({"hours": {"week": week}})).await;
}

/// A bare install: no texts, and email into files. The owner's phone takes alerts.
async fn without_providers(app: &mut TestApp, shop: &Shop) {
    app.context.sms = SmsProvider::Off;
    app.use_mail_files();
    app.alerts_on(shop).await;
}

both_databases! {
    async fn quote_promise_warns_six_hours_before_due_and_breaks_unanswered(app) {
        let shop = app.org("Acme Plumbing").await;
        without_providers(app, &shop).await;
        always_open(app, &shop).await;
        // Quote request at Fri 16:00: due Sat 16:00.
        waits_until(app, chicago("2026-09-18T16:00:00"));
        let lead = asks_for_a_quote(app).await;
        app.run_tasks().await;
        let promise = promise_of(app, &shop, lead).await;
        assert_eq!(promise["dueAt"], instant_text(chicago("2026-09-19T16:00:00")));
        assert_eq!(promise["warnAt"], instant_text(chicago("2026-09-19T10:00:00")));
        assert_eq!((&promise["state"], &promise["words"]), (&json!("open"), &json!("within 24 hours")));
        assert_eq!(asked(app, &shop, "promise=open").await, ["Ann Lee"]);
        // Warning at Sat 10:00.
        waits_until(app, chicago("2026-09-19T09:59:59"));
        app.run_tasks().await;
        assert!(warnings(app, &shop).await.is_empty());
        waits_until(app, chicago("2026-09-19T10:00:00"));
        app.run_tasks().await;
        let warned = warnings(app, &shop).await;
        assert_eq!(warned.len(), 1);
        assert_eq!((&warned[0]["title"], &warned[0]["isUrgent"]), (&json!("Answer Ann Lee by Sat 4:00 PM"), &json!(false)));
        assert_eq!(warned[0]["body"], "An answer was promised within 24 hours: 6 h left. No one has answered yet.");
        assert_eq!((&warned[0]["leadId"], &warned[0]["climbsAt"]), (&json!(lead), &Value::Null));
        // Unanswered at 16:01 counts as broken.
        waits_until(app, chicago("2026-09-19T16:00:00"));
        app.run_tasks().await;
        assert_eq!(state(app, &shop, lead).await, "open", "the due instant itself is in time");
        waits_until(app, chicago("2026-09-19T16:01:00"));
        app.run_tasks().await;
        assert_eq!(state(app, &shop, lead).await, "broken");
        assert_eq!(warnings(app, &shop).await.len(), 1, "once");
        assert_eq!(asked(app, &shop, "promise=owed").await, ["Ann Lee"]);
        assert_eq!(asked(app, &shop, "promise=open").await, Vec::<String>::new());
        let detail = app.lead(shop.id(), lead).await;
        let broken: Vec<_> = detail.events.iter().filter(|event| event.title.starts_with("Promise")).collect();
        assert_eq!(broken.len(), 1);
        assert_eq!((broken[0].title.as_str(), broken[0].at), ("Promise broken: no one answered within 24 hours", chicago("2026-09-19T16:00:00")));
        let figures = kpis(&office(app, &shop).await, ACME).await["week"]["promises"].clone();
        assert_eq!((&figures["kept"]["value"], &figures["broken"]["value"]), (&json!(0), &json!(1)));
        app.figures_agree().await;
    }

    async fn promise_due_time_counts_business_hours_only(app) {
        let shop = app.org("Acme Plumbing").await;
        without_providers(app, &shop).await;
        waits_until(app, chicago("2026-09-18T16:00:00"));
        let quote = asks_for_a_quote(app).await;
        assert_eq!(promise_of(app, &shop, quote).await["dueAt"], instant_text(chicago("2026-09-21T09:00:00")), "not on Saturday");
        assert_eq!(promise_of(app, &shop, quote).await["words"], "within 24 hours");
        app.context.sms = SmsProvider::Memory(app.sms.clone());
        waits_until(app, chicago("2026-09-18T16:30:00"));
        let late = Visitor::number(1).email(None).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(promise_of(app, &shop, late).await["dueAt"], instant_text(chicago("2026-09-21T08:30:00")), "half an hour was left on Friday");
        assert!(!app.sms.accepted_messages().iter().any(|text| text.body.contains("closed right now")));
        waits_until(app, chicago("2026-09-18T19:00:00"));
        let night = Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(promise_of(app, &shop, night).await["dueAt"], instant_text(chicago("2026-09-21T09:00:00")));
        let text = app.sms.accepted_messages().pop().unwrap().body;
        assert!(text.ends_with("We're closed right now. We'll read this when we open Monday at 8:00 AM. Reply STOP to opt out."), "{text}");
        waits_until(app, chicago("2026-09-21T08:59:00"));
        app.run_tasks().await;
        assert_eq!(state(app, &shop, night).await, "open");
    }

    async fn quote_page_promises_the_hours_set_by_the_business(app) {
        let shop = app.org("Acme Plumbing").await;
        without_providers(app, &shop).await;
        always_open(app, &shop).await;
        let first = asks_for_a_quote(app).await;
        for (hours, words) in [(48, "within 48 hours"), (1, "within 1 hour"), (168, "within 168 hours")] {
            app.sets(&shop, json!({"estimates": {"quoteHours": hours}})).await;
            assert_eq!(app.client().get("/api/public/form").await.json()["quoteHours"], hours);
            let form = json!({"customerName": "Bob Ray", "email": format!("bob-{hours}@customer.example"),
                "serviceType": "Plumbing Upgrade", "orgId": ACME});
            let taken = app.client().here().post("/api/quotes/create", &form).await;
            let lead = LeadId(taken.json()["id"].as_str().unwrap().parse().unwrap());
            let promise = promise_of(app, &shop, lead).await;
            assert_eq!((&promise["words"], &promise["state"]), (&json!(words), &json!("open")));
            assert_eq!(promise["dueAt"], instant_text(app.now() + Duration::hours(hours)), "{words}");
            // Three quarters of it: 36 hours, 45 minutes, 126 hours.
            assert_eq!(promise["warnAt"], instant_text(app.now() + Duration::minutes(hours * 45)), "{words}");
        }
        let kept = promise_of(app, &shop, first).await;
        assert_eq!((&kept["words"], &kept["dueAt"]), (&json!("within 24 hours"), &json!(instant_text(app.now() + Duration::hours(24)))), "the first promise stays");
        app.run_tasks().await;
    }

    async fn promise_timer_follows_changed_template_text(app) {
        let shop = app.org("Acme Plumbing").await;
        // The default promises 1 hour by text and 2 hours by email: the earlier one applies.
        let first = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let promise = promise_of(app, &shop, first).await;
        assert_eq!((&promise["words"], &promise["dueAt"]), (&json!("within 1 hour"), &json!(instant_text(app.now() + Duration::hours(1)))));
        for (n, (words, within)) in (1..).zip([
            ("We reply within 3 hours.", Some(Duration::hours(3))),
            ("You will hear from us in the next thirty minutes.", Some(Duration::minutes(30))),
            ("We reply as soon as we can.", None),
            ("Our crews are out 24 hours a day.", None),
            ("Le respondemos en media hora.", Some(Duration::minutes(30))),
        ]) {
            words_the_text(app, &shop, words).await;
            let lead = Visitor::number(n).submits_lead(app, &shop).await;
            app.run_tasks().await;
            let due = promise_of(app, &shop, lead).await["dueAt"].clone();
            assert_eq!(due, within.map_or(Value::Null, |within| json!(instant_text(app.now() + within))), "{words}");
        }
        // A running promise keeps its words.
        assert_eq!(promise_of(app, &shop, first).await["words"], "within 1 hour");
    }

    async fn template_preview_shows_timed_promise_and_warns_of_untimed_one(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let stop = "Reply STOP to opt out.";
        for (kind, expected, promise, warned) in [
            ("sms", "We answer in half an hour.", json!({"minutes": 30, "words": "in half an hour"}), false),
            ("sms", "We answer by tomorrow.", Value::Null, true),
            ("sms", "We are open 24 hours.", Value::Null, false),
            ("textReply", "We call you back within 2 hours.", json!({"minutes": 120, "words": "within 2 hours"}), false),
            // A visit has its own time.
            ("visitBooked", "We call you back within 2 hours.", Value::Null, false),
        ] {
            let path = format!("/api/org/{ACME}/templates/{kind}/preview");
            let body = format!("{{{{ businessName }}}} for {{{{ customerName }}}}. {expected} {stop}");
            let shown = owner.post(&path, &json!({ "body": body })).await.json();
            assert_eq!(shown["promise"], promise, "{kind} {expected}");
            let codes = shown["warnings"].as_array().unwrap().iter().filter(|w| w["code"] == "promise_not_timed").count();
            assert_eq!(codes, usize::from(warned), "{kind} {expected}");
        }
    }

    async fn promise_is_not_read_from_customer_words_or_business_name(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let rename = "UPDATE org SET name = 'We reply within 5 minutes Inc' WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, rename, shop.id())?)).await.unwrap();
        shop.org.name = "We reply within 5 minutes Inc".to_owned();
        words_the_text(app, &shop, "We will be in touch.").await;
        let body = "Thank you. We will get back to you within 2 hours.\n\nYou wrote: {{ customerMessage }}\n\n{{ businessName }}";
        let body = json!({"body": body}).to_string().into_bytes();
        let path = format!("/api/org/{ACME}/templates/email");
        assert_eq!(office(app, &shop).await.send(Method::PATCH, &path, "application/json", body).await.status, 200);
        let mut ann = Visitor::ann();
        ann.form.notes = Some("We will call you within ten minutes, the neighbours said".to_owned());
        let lead = ann.submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert!(app.mail.accepted_messages()[0].text.contains("within ten minutes"), "it is repeated to them");
        assert_eq!(promise_of(app, &shop, lead).await["words"], "within 2 hours", "the email's own word");
    }

    async fn promise_is_kept_by_any_staff_response(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        app.sets(&shop, json!({"calls": {"forwardTo": [OWNER]}})).await;
        let mut leads = Vec::new();
        for n in 0..5 {
            leads.push(Visitor::number(n).submits_lead(app, &shop).await);
        }
        let ann = Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(10), Duration::minutes(1)).await;
        let client = office(app, &shop).await;
        let posts = async |path: String, body: Value| {
            let answer = client.post(&path, &body).await;
            assert!(answer.status.is_success(), "{path}: {}", answer.json());
        };
        writes_to(app, &shop, leads[0]).await;
        posts(format!("/api/leads/{}/estimate", leads[1]), json!({"quotedTotal": 350})).await;
        posts("/api/jobs".to_owned(), json!({"leadId": leads[2], "startsAt": app.now() + Duration::days(1)})).await;
        posts(format!("/api/leads/{}/answered", leads[3]), json!({"how": "answered"})).await;
        posts(format!("/api/leads/{}/answered", leads[4]), json!({"how": "not_wanted"})).await;
        line.rings(ANN, [Leg::accepts(OWNER)]).await;
        app.run_tasks().await;
        let mut states = Vec::new();
        for lead in leads.iter().copied().chain([ann]) {
            states.push(state(app, &shop, lead).await);
        }
        assert_eq!(states, ["kept", "kept", "kept", "kept", "released", "kept"]);
        app.live_through(Duration::hours(2), Duration::minutes(15)).await;
        assert!(warnings(app, &shop).await.is_empty(), "a kept promise has no warning");
        let promises = kpis(&office(app, &shop).await, ACME).await["week"]["promises"].clone();
        assert_eq!((&promises["kept"]["value"], &promises["broken"]["value"]), (&json!(5), &json!(0)));
        app.figures_agree().await;
    }

    async fn unsent_reply_creates_no_promise(app) {
        let shop = app.org("Acme Plumbing").await;
        let no_such_number = SendError::Refused { code: Some(21_211), reason: "no such number".into(), kind: RefusalReason::BadNumber };
        app.sms.queue_answer(Err(no_such_number));
        let refused = Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop, refused).await, "none");
        // A rule may stop it before sending.
        let stopped = Visitor::number(2).submits_lead(app, &shop).await;
        app.switches(&shop, FeatureSwitches { automated_communications: false, ..FeatureSwitches::ALL_ON }).await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop, stopped).await, "none");
    }

    async fn promise_is_released_by_opt_out_and_for_held_lead(app) {
        app.takes_email_for_set_up();
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        words_the_missed_call(app, &shop, "We call you back within 1 hour.").await;
        line.rings(ANN, []).await;
        app.advance(Duration::seconds(30));
        app.run_tasks().await;
        let lead = app.only_lead(&shop).await.summary.id;
        assert_eq!(state(app, &shop, lead).await, "open");
        line.writes(ANN, "STOP").await;
        app.run_tasks().await;
        assert_eq!(state(app, &shop, lead).await, "released", "texts were the only way to her");
        // A robot fills in the quote form: a promise was shown, but there is no person to answer.
        let form = json!({"customerName": "Best SEO", "email": "seo@robot.example", "serviceType": "Other",
            "company": "Best SEO Ltd", "orgId": ACME});
        let taken = app.client().here().post("/api/quotes/create", &form).await.json();
        let robot = LeadId(taken["id"].as_str().unwrap().parse().unwrap());
        assert_eq!(state(app, &shop, robot).await, "released");
        assert_eq!(asked(app, &shop, "promise=owed").await, Vec::<String>::new());
        app.advance(Duration::hours(2));
        app.releases(&shop, robot).await.unwrap();
        assert_eq!(state(app, &shop, robot).await, "open", "a released request counts from the time of its answer page");
        app.run_tasks().await;
    }

    async fn invalid_promise_filters_and_answers_are_refused(app) {
        let shop = app.org("Acme Plumbing").await;
        let owner = office(app, &shop).await;
        let days = "from=2026-09-11&to=2026-09-17";
        for (question, field) in [
            (format!("promise=open&{days}"), "promise"),
            ("promise=kept".to_owned(), "from"),
            ("promise=soon".to_owned(), "promise"),
            (format!("promise=kept&by=booked&{days}"), "by"),
        ] {
            let problem = owner.get(&format!("/api/leads/{ACME}?{question}")).await.problem();
            assert_eq!((problem.0, problem.2), (422, vec![field.to_owned()]), "{question}");
        }
        let bad = owner.post(&format!("/api/leads/{}/answered", LeadId(app.origin.random_uuid())), &json!({"how": "answered"})).await;
        assert_eq!(bad.status, 404);
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let bad = owner.post(&format!("/api/leads/{lead}/answered"), &json!({"how": "shouted"})).await;
        assert_eq!((bad.problem().0, bad.problem().2), (422, vec!["how".to_owned()]));
        app.run_tasks().await;
    }
}
