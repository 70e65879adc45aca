//! The control panel: live probes of the five tools, and whether Twilio's calls reach the install.

use chrono::Duration;
use serde_json::{Value, json};
use shared::{
    ops::system_status::{self, WorkerMetrics},
    platform::{
        db::q,
        live::{self, Topic},
    },
    providers::SendError,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    http::Client,
    people::{Shop, Visitor},
};
use uuid::Uuid;

use super::{owner, patch, test_messages::use_smtp};

async fn tools(client: &Client) -> (Vec<String>, String) {
    let answer = client.get("/api/system/status").await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    let rows = answer.json().as_array().unwrap().clone();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let line = rows.iter().map(|row| format!("{}: {}", text(row, "tool"), text(row, "status"))).collect();
    (line, rows.iter().map(|row| text(row, "detail")).collect::<Vec<_>>().join("\n"))
}

fn all(status: &str) -> Vec<String> {
    let tools = ["leadIntake", "autoReply", "jobTracker", "reviewBooster", "kpiPulse"];
    tools.map(|tool| format!("{tool}: {status}")).to_vec()
}

async fn a_sign(app: &TestApp) {
    system_status::record_heartbeat(&app.db, &app.origin, "worker-1", &WorkerMetrics::default()).await.unwrap();
}

both_databases! {
    async fn messages_in_doubt_are_counted_and_shown(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        let in_doubt = async |client: &Client| {
            let tools = client.get("/api/system/status").await.json();
            let checks = tools[1]["checks"].as_array().unwrap().clone();
            checks.into_iter().find(|check| check["name"] == "In doubt").unwrap()["detail"].clone()
        };
        assert_eq!(in_doubt(&client).await, "none");
        Visitor::ann().submits_lead(app, &shop).await;
        app.mail.queue_answer(Err(SendError::Unknown { reason: "the connection broke".into() }));
        app.run_tasks().await;
        app.advance(Duration::days(3));
        assert_eq!(in_doubt(&client).await, "1 message: no one knows whether it arrived. Its lead is marked");
        app.run_tasks().await;
    }

    async fn tools_are_operational_while_everything_works(app) {
        app.forgets_worker().await;
        let shop = app.org("Acme Plumbing").await;
        let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
        app.use_twilio(&twilio);
        use_smtp(app, &smtp.url());
        let client = owner(app, &shop).await;
        patch(&client, "/api/org/acme-plumbing", &json!({"reviewLink": "https://example.com/r"})).await;
        let (before, words) = tools(&client).await;
        assert_eq!(before, all("down"), "no worker is running: {words}");
        assert!(words.contains("nothing has run yet"), "{words}");
        a_sign(app).await;
        assert_eq!(tools(&client).await.0, all("operational"));
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let rows = client.get("/api/system/status").await.json();
        for tool in 0..2 {
            let last = rows[tool]["lastSuccessAt"].as_str().unwrap();
            assert!(last.starts_with(&app.now().format("%Y-%m-%dT%H:%M").to_string()), "{last}");
        }
        assert!(rows[4]["lastSuccessAt"].is_null(), "nothing was reported yet");
        assert!(smtp.letters().iter().all(|letter| letter.header("Subject").is_some()), "a question is no letter");
    }

    async fn job_tracker_is_idle_until_the_first_job_is_booked(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        a_sign(app).await;
        let tracker = async || client.get("/api/system/status").await.json()[2].clone();
        let idle = tracker().await;
        assert_eq!((&idle["detail"], &idle["lastSuccessAt"]), (&json!("no job is booked yet, so nothing is sent"), &Value::Null));
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        let job = json!({"leadId": lead, "startsAt": app.now() + Duration::days(3)});
        assert_eq!(client.post("/api/jobs", &job).await.status, 201);
        let busy = tracker().await;
        assert_ne!(busy["detail"], idle["detail"]);
        let last = busy["lastSuccessAt"].as_str().unwrap();
        assert!(last.starts_with(&app.now().format("%Y-%m-%dT%H:%M").to_string()), "{last}");
        app.run_tasks().await;
    }

    async fn waiting_messages_are_counted_in_the_status(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(12));
        let tools = client.get("/api/system/status").await.json();
        let checks = tools[1]["checks"].as_array().unwrap().clone();
        let waiting = checks.into_iter().find(|check| check["name"] == "Waiting").unwrap();
        assert_eq!(waiting["ok"], false, "{waiting}");
        assert!(waiting["detail"].as_str().unwrap().ends_with("wait to leave, the oldest for 12 minutes"), "{waiting}");
        app.run_tasks().await;
    }

    async fn auto_reply_is_not_operational_while_business_texts_are_held(app) {
        let shop = app.org("Acme Plumbing").await;
        let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
        app.use_twilio(&twilio);
        use_smtp(app, &smtp.url());
        let client = owner(app, &shop).await;
        a_sign(app).await;
        app.sets(&shop, json!({"sending": {"registration": "pending"}})).await;
        let (seen, words) = tools(&client).await;
        assert_eq!(seen[1], "autoReply: degraded");
        assert!(words.contains("Texts: your number is not registered for texting yet"), "{words}");
        app.sets(&shop, json!({"sending": {"registration": "approved"}})).await;
        let unproven = "UPDATE org_trust SET proven_at = NULL, let_through_at = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, unproven, shop.id())?)).await.unwrap();
        let (seen, words) = tools(&client).await;
        assert_eq!(seen[1], "autoReply: down");
        assert!(words.contains("neither texts nor email can leave"), "{words}");
    }

    async fn silent_worker_degrades_every_tool_and_then_takes_it_down(app) {
        app.forgets_worker().await;
        let shop = app.org("Acme Plumbing").await;
        let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
        app.use_twilio(&twilio);
        use_smtp(app, &smtp.url());
        let client = owner(app, &shop).await;
        patch(&client, "/api/org/acme-plumbing", &json!({"reviewLink": "https://example.com/r"})).await;
        a_sign(app).await;
        app.advance(Duration::minutes(2));
        let (seen, words) = tools(&client).await;
        assert_eq!(seen, all("degraded"));
        assert!(words.contains("nothing has moved for 2 min"), "{words}");
        app.advance(Duration::minutes(10));
        assert_eq!(tools(&client).await.0, all("down"));
        a_sign(app).await;
        assert_eq!(tools(&client).await.0, all("operational"), "it is back");
        Visitor::ann().submits_lead(app, &shop).await;
        app.advance(Duration::minutes(2));
        a_sign(app).await;
        let (seen, words) = tools(&client).await;
        assert_eq!(seen, all("degraded"), "it lives, but does nothing");
        assert!(words.contains("work has waited for 2 min"), "{words}");
        app.run_tasks().await;
    }

    async fn refusing_provider_degrades_the_tools_that_need_it(app) {
        let shop = app.org("Acme Plumbing").await;
        let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
        app.use_twilio(&twilio);
        use_smtp(app, &smtp.url());
        a_sign(app).await;
        twilio.set_account_status("suspended");
        let client = owner(app, &shop).await;
        let (seen, words) = tools(&client).await;
        assert_eq!(seen[..2], ["leadIntake: operational", "autoReply: degraded"]);
        assert!(words.contains("Twilio has suspended the account"), "{words}");
        twilio.set_account_status("active");
        assert_eq!(tools(&client).await.0, seen, "it is not asked at every look");
        app.advance(Duration::seconds(31));
        assert_eq!(tools(&client).await.0[1], "autoReply: operational");
        drop(smtp);
        use_smtp(app, "smtp://127.0.0.1:9");
        let (seen, words) = tools(&owner(app, &shop).await).await;
        assert_eq!(seen[..2], ["leadIntake: degraded", "autoReply: degraded"], "{words}");
    }

    async fn twilio_webhook_reachability_is_shown(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let before = owner(app, &shop).await.get("/api/webhooks/status").await.json()["twilio"].clone();
        assert_eq!((&before["isSetUp"], &before["isReachable"]), (&false.into(), &true.into()));
        assert!(before["why"].as_str().unwrap().contains("SMS is not set up yet"), "{before}");
        let line = app.line(&mut shop, "+15125550100").await;
        let office = owner(app, &shop).await;
        let named = |status: &Value| -> Vec<(String, String)> {
            let rows = status["addresses"].as_array().unwrap().iter();
            rows.map(|a| (a["name"].as_str().unwrap().to_owned(), a["url"].as_str().unwrap().to_owned())).collect()
        };
        let status = office.get("/api/webhooks/status").await.json()["twilio"].clone();
        assert_eq!((&status["isSetUp"], &status["why"]), (&true.into(), &Value::Null));
        let base = "https://toolbox.example/webhooks/twilio";
        let wanted = [("Texts", "sms"), ("Calls", "voice"), ("Delivery reports", "message-status")];
        assert_eq!(named(&status), wanted.map(|(name, path)| (name.to_owned(), format!("{base}/{path}"))));
        assert!(status["addresses"][0]["lastReceivedAt"].is_null());
        line.writes("+15125550142", "Do you fix boilers?").await;
        let forged = office.send(axum::http::Method::POST, "/webhooks/twilio/voice", "application/x-www-form-urlencoded", b"CallSid=CA1".to_vec());
        assert_eq!(forged.await.status, 403);
        // Each API counts the calls that it received, and stores its counts before it shows the status.
        let receiving = line.client().signed_in(app, shop.owner()).await;
        assert_eq!(receiving.get("/api/webhooks/status").await.status, 200);
        let status = office.get("/api/webhooks/status").await.json()["twilio"].clone();
        let [texts, calls, reports] = [0, 1, 2].map(|at| status["addresses"][at].clone());
        assert!(texts["lastReceivedAt"].is_string() && texts["lastFailedAt"].is_null(), "{texts}");
        assert_eq!((&calls["refused"], calls["lastRefusedAt"].is_string()), (&1.into(), true), "{calls}");
        assert_eq!((&reports["refused"], &reports["lastReceivedAt"]), (&0.into(), &Value::Null));
        // An open page that waits for a test text is told, and a forged call tells nobody.
        let events = live::list_since(&mut app.db.acquire_reader().await.unwrap(), shop.id(), Uuid::nil()).await.unwrap();
        let calls: Vec<_> = events.iter().filter(|event| event.topic == Topic::ProviderCall).collect();
        assert_eq!((calls.len(), calls[0].subject_id), (1, shop.id().0));
        app.run_tasks().await;
    }

    async fn webhook_status_hides_calls_of_other_businesses(app) {
        let mut acme = app.org("Acme Plumbing").await;
        // The first by time is the install's own business.
        app.advance(Duration::seconds(1));
        let mut best = app.org("Best Roofing").await;
        let line = app.line(&mut acme, "+15125550100").await;
        app.line_at(&mut best, "+15125550101", &line.twilio).await;
        line.writes("+15125550142", "Do you fix boilers?").await;
        line.rings("+15125550142", []).await;
        let (kind, body) = ("application/x-www-form-urlencoded", b"MessageSid=SM1".to_vec());
        let forged = line.client().send(axum::http::Method::POST, "/webhooks/twilio/sms", kind, body).await;
        assert_eq!(forged.status, 403);
        let addresses = async |shop: &Shop| {
            let client = line.client().signed_in(app, shop.owner()).await;
            client.get("/api/webhooks/status").await.json()["twilio"]["addresses"].clone()
        };
        let (own, others) = (addresses(&acme).await, addresses(&best).await);
        assert!(own[0]["lastReceivedAt"].is_string() && own[1]["lastReceivedAt"].is_string(), "{own}");
        assert_eq!(own[0]["refused"], 1, "{own}");
        for address in others.as_array().unwrap() {
            assert_eq!((&address["lastReceivedAt"], &address["lastFailedAt"]), (&Value::Null, &Value::Null), "{address}");
            assert_eq!((&address["refused"], &address["lastRefusedAt"]), (&0.into(), &Value::Null), "{address}");
        }
        app.run_tasks().await;
    }
}
