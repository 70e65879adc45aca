//! Webhooks: programs of a business get its events, signed and repeated until accepted, and no other business's.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{domain::tenancy::account::Role, ops::webhooks};
use tests::{
    app::TestApp,
    both_databases,
    fake_webhook_receiver::{FakeWebhookReceiver, Reply},
    http::{Answer, Client},
    people::{Shop, Visitor},
};

const HOOKS: &str = "/api/org/acme-plumbing/webhooks";

/// Acme, with a receiver that listens for these events.
struct Listening {
    shop: Shop,
    owner: Client,
    receiver: FakeWebhookReceiver,
    id: String,
    secret: String,
}

async fn listens(app: &mut TestApp, events: &[&str]) -> Listening {
    let receiver = FakeWebhookReceiver::start().await;
    app.use_hooks(&receiver);
    let shop = app.org("Acme Plumbing").await;
    let owner = app.client().signed_in(app, shop.owner()).await;
    let made = owner.post(HOOKS, &json!({"url": receiver.url(), "events": events})).await;
    assert_eq!(made.status, 201, "{}", made.json());
    app.run_tasks().await;
    let text = |name: &str| made.json()[name].as_str().unwrap().to_owned();
    Listening { shop, owner, receiver, id: text("id"), secret: text("secret") }
}

impl Listening {
    async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let path = format!("{HOOKS}/{}{path}", self.id);
        self.owner.send(method, &path, "application/json", body.to_string().into_bytes()).await
    }

    async fn log(&self) -> Vec<Value> {
        let path = format!("{HOOKS}/{}/calls", self.id);
        self.owner.get(&path).await.json().as_array().unwrap().clone()
    }

    async fn hook(&self) -> Value {
        self.owner.get(HOOKS).await.json()[0].clone()
    }
}

both_databases! {
    async fn new_lead_is_posted_once_signed_and_by_ids_only(app) {
        let acme = listens(app, &["lead.created"]).await;
        let lead = Visitor::ann().submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        app.run_tasks().await;
        let came = acme.receiver.came();
        assert_eq!(came.len(), 1);
        let body = came[0].json();
        assert_eq!((body["type"].as_str(), &body["data"]), (Some("lead.created"), &json!({"leadId": lead})));
        assert_eq!(body["businessId"], json!(acme.shop.id()));
        for private in ["Ann", "Lee", "555", "customer.example", "Water"] {
            assert!(!came[0].body.contains(private), "{}", came[0].body);
        }
        assert!(came[0].is_by(&acme.secret) && !came[0].is_by("whsec_AAAA"));
        assert_eq!(came[0].header("webhook-timestamp"), app.now().timestamp().to_string());
        let log = acme.log().await;
        assert_eq!((log.len(), &log[0]["state"], &log[0]["tries"][0]["status"]), (1, &json!("taken"), &json!(204)));
        assert_eq!(log[0]["eventId"].as_str(), Some(came[0].header("webhook-id")));
        assert_eq!(log[0]["body"].as_str(), Some(came[0].body.as_str()), "the log shows what was sent");
    }

    async fn webhook_gets_only_subscribed_events_of_its_tenant(app) {
        let acme = listens(app, &["lead.stage_changed", "message.received"]).await;
        let other = app.org("Best Roofing").await;
        Visitor::number(1).submits_lead(app, &other).await;
        let lead = Visitor::number(2).submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        assert!(acme.receiver.came().is_empty());
        let moved = acme.owner.post(&format!("/api/leads/{lead}/stage"), &json!({"stage": "Quoted"})).await;
        assert!(moved.status.is_success(), "{}", moved.json());
        app.run_tasks().await;
        let came = acme.receiver.came();
        assert_eq!(came.len(), 1);
        assert_eq!((&came[0].json()["type"], &came[0].json()["data"]["leadId"]), (&json!("lead.stage_changed"), &json!(lead)));
    }

    async fn rolled_back_lead_or_disabled_webhook_makes_no_call(app) {
        let acme = listens(app, &["lead.created"]).await;
        let mut tx = app.db.begin().await.unwrap();
        Visitor::ann().submits_within(&mut tx, app, &acme.shop).await.unwrap();
        drop(tx);
        assert_eq!(app.count("webhook_delivery").await, 0, "with the request its call is gone");
        let off = acme.send(Method::PATCH, "", &json!({"isOn": false})).await;
        assert_eq!(off.json()["isOn"], json!(false));
        Visitor::ann().submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        assert_eq!((app.count("webhook_delivery").await, acme.receiver.came().len()), (0, 0));
    }

    async fn failed_call_is_retried_with_backoff_under_the_same_id(app) {
        let acme = listens(app, &["lead.created"]).await;
        let elsewhere = format!("{}/elsewhere", acme.receiver.url());
        acme.receiver.script([Reply::Status(500), Reply::Redirect(elsewhere), Reply::Hang, Reply::Later(503, 20_000)]);
        Visitor::number(1).submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        // 5 s, 5 min and 30 min, each ±20 %; then the receiver's `Retry-After`.
        for (number, pause) in [6, 360, 2_160, 20_000].into_iter().enumerate() {
            assert_eq!(acme.receiver.came().len(), number + 1);
            assert_eq!(acme.log().await[0]["state"], "waiting");
            assert!(!acme.hook().await["failingSince"].is_null());
            app.advance(Duration::seconds(pause));
            app.run_tasks().await;
        }
        let came = acme.receiver.came();
        assert_eq!(came.len(), 5, "the redirect was not followed");
        for one in &came {
            assert_eq!((one.header("webhook-id"), &one.body), (came[0].header("webhook-id"), &came[0].body));
            assert!(one.is_by(&acme.secret));
        }
        assert_ne!(came[0].header("webhook-timestamp"), came[4].header("webhook-timestamp"), "each try is of its own time");
        let call = acme.log().await.remove(0);
        let outcomes: Vec<&str> = call["tries"].as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, [
            "it answered HTTP 500",
            "it leads elsewhere (HTTP 307), and redirects are not followed",
            "it did not answer within ten seconds",
            "it answered HTTP 503",
            "taken",
        ]);
        assert_eq!(call["state"], "taken");
        assert!(acme.hook().await["failingSince"].is_null());
    }

    async fn webhook_failing_for_five_days_is_disabled_and_owner_alerted(app) {
        let acme = listens(app, &["lead.created"]).await;
        acme.receiver.script(std::iter::repeat_n(Reply::Status(500), 200));
        for day in 0..4 {
            Visitor::number(day).submits_lead(app, &acme.shop).await;
            app.run_tasks().await;
            app.live_through(Duration::days(1), Duration::hours(6)).await;
        }
        assert_eq!(acme.hook().await["isOn"], json!(true), "not a day too early");
        Visitor::number(6).submits_lead(app, &acme.shop).await;
        app.live_through(Duration::days(1), Duration::hours(6)).await;
        let hook = acme.hook().await;
        assert_eq!((&hook["isOn"], &hook["stoppedWhy"]), (&json!(false), &json!("nothing was taken there for five days")));
        let alerts = acme.owner.get("/api/alerts").await.json();
        let alert_count = alerts.as_array().unwrap().iter().filter(|alert| alert["title"] == "A webhook has been turned off").count();
        assert_eq!(alert_count, 1);
        assert!(acme.log().await.iter().all(|call| call["state"] == "failed"), "nothing waits for it any more");
        let before = acme.receiver.came().len();
        Visitor::number(7).submits_lead(app, &acme.shop).await;
        app.live_through(Duration::days(1), Duration::hours(6)).await;
        assert_eq!(acme.receiver.came().len(), before);
        let acme = Listening { owner: app.client().signed_in(app, acme.shop.owner()).await, ..acme };
        let on = acme.send(Method::PATCH, "", &json!({"isOn": true})).await.json();
        assert_eq!((&on["failingSince"], &on["stoppedAt"], &on["stoppedWhy"]), (&Value::Null, &Value::Null, &Value::Null));
        Visitor::number(8).submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        assert_eq!((acme.receiver.came().len(), &acme.hook().await["isOn"]), (before + 1, &json!(true)));
    }

    async fn webhook_answering_410_is_disabled_at_once(app) {
        let acme = listens(app, &["lead.created"]).await;
        acme.receiver.script([Reply::Status(410)]);
        Visitor::number(1).submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        assert_eq!(acme.hook().await["stoppedWhy"], "it answered that it is gone (HTTP 410)");
        let again = acme.log().await[0]["id"].as_str().unwrap().to_owned();
        let refused = acme.send(Method::POST, &format!("/calls/{again}/retry"), &Value::Null).await;
        assert_eq!(refused.problem().1, "conflict");
    }

    async fn test_call_on_disabled_webhook_is_made_once_even_on_failure(app) {
        let acme = listens(app, &["review.received"]).await;
        acme.send(Method::PATCH, "", &json!({"isOn": false})).await;
        acme.receiver.script([Reply::Status(500)]);
        for state in ["failed", "taken"] {
            let made = acme.send(Method::POST, "/test", &Value::Null).await;
            assert_eq!((made.status.as_u16(), &made.json()["state"]), (202, &json!("waiting")));
            app.live_through(Duration::hours(1), Duration::minutes(10)).await;
            let call = acme.log().await.remove(0);
            assert_eq!((&call["event"], &call["state"]), (&json!("test"), &json!(state)));
            assert_eq!(call["tries"].as_array().unwrap().len(), 1);
            assert!(acme.hook().await["failingSince"].is_null(), "a test says nothing of its health");
        }
        assert_eq!(acme.receiver.came()[1].json()["type"], "test");
    }

    async fn rotated_secret_signs_beside_the_old_one_for_a_day(app) {
        let acme = listens(app, &["lead.created"]).await;
        let changed = acme.send(Method::POST, "/secret", &Value::Null).await;
        assert_eq!(changed.status, 201);
        let new = changed.json()["secret"].as_str().unwrap().to_owned();
        assert_ne!(new, acme.secret);
        acme.send(Method::POST, "/test", &Value::Null).await;
        app.run_tasks().await;
        app.advance(Duration::hours(24));
        acme.send(Method::POST, "/test", &Value::Null).await;
        app.run_tasks().await;
        let came = acme.receiver.came();
        assert!(came[0].is_by(&acme.secret) && came[0].is_by(&new));
        assert!(!came[1].is_by(&acme.secret) && came[1].is_by(&new));
        assert!(acme.hook().await["oldSecretUntil"].is_null());
        let listed = acme.owner.get(HOOKS).await;
        assert!(!String::from_utf8_lossy(&listed.body).contains("whsec_"), "never again");
    }

    async fn call_can_be_retried_by_hand_and_call_without_task_is_swept(app) {
        let acme = listens(app, &["lead.created"]).await;
        acme.receiver.script([Reply::Status(200), Reply::Status(500)]);
        Visitor::number(1).submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        let id = acme.log().await[0]["id"].as_str().unwrap().to_owned();
        let again = format!("/calls/{id}/retry");
        assert_eq!(acme.send(Method::POST, &again, &Value::Null).await.status, 202);
        app.run_tasks().await;
        assert_eq!(acme.log().await[0]["state"], "waiting", "the second try has failed");
        assert_eq!(acme.send(Method::POST, &again, &Value::Null).await.problem().1, "conflict");
        app.within(async |tx| Ok(shared::platform::db::q!(tx, execute, "DELETE FROM task WHERE kind = 'deliver_webhook'")?)).await.unwrap();
        app.advance(Duration::minutes(30));
        assert_eq!(webhooks::requeue_overdue_deliveries(&app.db, &app.origin).await.unwrap(), 1);
        app.run_tasks().await;
        assert_eq!((&acme.log().await[0]["state"], acme.receiver.came().len()), (&json!("taken"), 3));
        assert_eq!(webhooks::requeue_overdue_deliveries(&app.db, &app.origin).await.unwrap(), 0);
    }

    async fn internal_url_or_unknown_event_is_refused(app) {
        let acme = listens(app, &["lead.created"]).await;
        for inner in [
            "http://hooks.example.com/", "https://127.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/",
            "https://2130706433/", "https://localhost/", "https://hooks.example.com:8443/", "https://a@hooks.example.com/",
            "https://router.local/", "ftp://hooks.example.com/", "hooks.example.com", "",
        ] {
            let body = json!({"url": inner, "events": ["lead.created"]});
            let (status, _, fields) = acme.owner.post(HOOKS, &body).await.problem();
            assert_eq!((status, fields), (422, vec!["url".to_owned()]), "{inner}");
            let (status, _, fields) = acme.send(Method::PATCH, "", &json!({ "url": inner })).await.problem();
            assert_eq!((status, fields), (422, vec!["url".to_owned()]), "{inner}");
        }
        for (events, field) in [(json!([]), "events"), (json!(["moon.landed"]), "events[0]"), (json!("test"), "events")] {
            let body = json!({"url": "https://hooks.example.com/", "events": events});
            assert_eq!(acme.owner.post(HOOKS, &body).await.problem().2, [field], "{events}");
        }
        let office = app.client().signed_in(app, &app.staff(&acme.shop, Role::Office).await).await;
        assert_eq!(office.get(HOOKS).await.status, 403, "an address may hold a key of the receiver's");
        let nobodys = format!("{HOOKS}/{}/calls", app.origin.uuid_v7());
        assert_eq!(acme.owner.get(&nobodys).await.status, 404);
    }

    async fn webhook_changes_need_recent_reauthentication(app) {
        let acme = listens(app, &["lead.created"]).await;
        app.advance(Duration::minutes(16));
        let (elsewhere, events) = (json!({"url": "https://hooks.example.com/"}), json!(["lead.created"]));
        let new = json!({"url": "https://hooks.example.com/", "events": events});
        for refused in [
            acme.owner.post(HOOKS, &new).await,
            acme.send(Method::PATCH, "", &elsewhere).await,
            acme.send(Method::POST, "/secret", &Value::Null).await,
            acme.send(Method::DELETE, "", &Value::Null).await,
        ] {
            assert_eq!(refused.problem().1, "reauthentication_needed");
        }
        assert_eq!((app.count("webhook").await, acme.hook().await["url"].as_str()), (1, Some(acme.receiver.url().as_str())));
        let mail_count = app.mail.accepted_messages().into_iter().filter(|letter| letter.subject == "A webhook was added").count();
        assert_eq!(mail_count, 1, "the person who added it gets an email");
    }

    async fn manual_calls_are_rate_limited_per_hour(app) {
        let acme = listens(app, &["review.received"]).await;
        for _ in 0..60 {
            assert_eq!(acme.send(Method::POST, "/test", &Value::Null).await.status, 202);
        }
        assert_eq!(acme.send(Method::POST, "/test", &Value::Null).await.problem().1, "too_many_requests");
        app.run_tasks().await;
        let again = acme.log().await[0]["id"].as_str().unwrap().to_owned();
        let again = acme.send(Method::POST, &format!("/calls/{again}/retry"), &Value::Null).await;
        assert_eq!(again.problem().1, "too_many_requests", "nor does the log");
        app.advance(Duration::hours(1));
        assert_eq!(acme.send(Method::POST, "/test", &Value::Null).await.status, 202);
        app.run_tasks().await;
    }

    async fn internal_url_written_into_the_database_is_not_called(app) {
        let acme = listens(app, &["lead.created"]).await;
        let sql = "UPDATE webhook SET url = 'https://169.254.169.254/latest/meta-data'";
        app.within(async |tx| Ok(shared::platform::db::q!(tx, execute, sql)?)).await.unwrap();
        Visitor::number(1).submits_lead(app, &acme.shop).await;
        app.run_tasks().await;
        let call = acme.log().await.remove(0);
        let refusal = "the address must lead to the internet, not into a network of its own";
        assert_eq!((&call["state"], &call["tries"][0]["outcome"]), (&json!("failed"), &json!(refusal)));
    }
}
