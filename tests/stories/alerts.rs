//! Alerts: on devices at once, to the list by frequency and schedule, and escalated from person to person.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    domain::{
        messaging::alert::{self, AlertView},
        tenancy::{
            account::Role,
            org::{self, SettingsPatch},
        },
    },
    platform::{db::q, id::LeadId},
    providers::push::PushSubscription,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_push::FakePush,
    http::{Answer, Client},
    people::{Person, Shop, Visitor},
};

mod devices;
mod escalation;
mod summaries;

const SAM: &str = "+15125550111";

struct Browser {
    client: Client,
    subscription: PushSubscription,
    id: String,
}

impl Browser {
    async fn of(app: &TestApp, push: &FakePush, person: &Person, label: &str) -> Self {
        let client = app.client().signed_in(app, person).await;
        let key = client.get("/api/push/key").await.json();
        let subscription = push.subscribe(key["publicKey"].as_str().unwrap());
        let made = client.post("/api/push/devices", &device_body(&subscription, label)).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        Self { client, subscription, id }
    }

    async fn devices(&self) -> Vec<Value> {
        self.client.get("/api/push/devices").await.json().as_array().unwrap().clone()
    }

    async fn device(&self) -> Value {
        self.devices().await.into_iter().find(|device| device["id"] == self.id.as_str()).unwrap()
    }

    async fn alerts(&self) -> Vec<Value> {
        self.client.get("/api/alerts").await.json().as_array().unwrap().clone()
    }

    async fn posts(&self, path: &str) -> Answer {
        self.client.post(path, &Value::Null).await
    }
}

fn device_body(device: &PushSubscription, label: &str) -> Value {
    json!({"endpoint": device.endpoint, "keys": {"p256dh": device.p256dh, "auth": device.auth}, "label": label})
}

async fn set(app: &TestApp, shop: &Shop, notifications: Value) {
    let patch: SettingsPatch = serde_json::from_value(json!({ "notifications": notifications })).unwrap();
    app.within(async |tx| org::change_settings(tx, &app.origin, shop.id(), &patch).await).await.unwrap();
}

fn at(app: &TestApp, days: i64, time: &str) {
    let zone = chrono_tz::America::Chicago;
    let date = tests::app::beginning().with_timezone(&zone).date_naive() + Duration::days(days);
    let local_time = date.and_time(chrono::NaiveTime::parse_from_str(time, "%H:%M").unwrap());
    let wanted = local_time.and_local_timezone(zone).unwrap().with_timezone(&Utc);
    app.advance(wanted - app.now());
}

fn texts_to(app: &TestApp, number: &str) -> Vec<String> {
    app.sms.accepted_messages().into_iter().filter(|text| text.to == number).map(|text| text.body).collect()
}

fn mails_to(app: &TestApp, shop: &Shop) -> Vec<String> {
    let owner = &shop.owner().email;
    app.mail.accepted_messages().into_iter().filter(|letter| letter.to == *owner).map(|letter| letter.subject).collect()
}

async fn reasons(app: &TestApp, shop: &Shop, lead: LeadId) -> Vec<(String, bool, String)> {
    let decisions = app.lead(shop.id(), lead).await.decisions;
    let ours = decisions.into_iter().filter(|d| d.rule == "owner_notice" || d.rule == "escalation");
    ours.map(|d| (d.event, d.sent, d.reason)).collect()
}

async fn alerts(app: &TestApp, shop: &Shop) -> Vec<AlertView> {
    alert::list(&mut app.db.acquire_reader().await.unwrap(), shop.id()).await.unwrap()
}

fn instant(value: &Value) -> Option<DateTime<Utc>> {
    value.as_str().map(|text| text.parse().unwrap())
}

both_databases! {
    async fn new_lead_is_pushed_once_to_every_office_device(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        let office = Browser::of(app, &push, &app.staff(&shop, Role::Office).await, "Desk").await;
        let stranger = Browser::of(app, &push, other.owner(), "Phone").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let shown = push.shown();
        let mut endpoints: Vec<&str> = shown.iter().map(|s| s.endpoint.as_str()).collect();
        endpoints.sort_unstable();
        assert_eq!(endpoints, [owner.subscription.endpoint.as_str(), office.subscription.endpoint.as_str()]);
        let data = &shown.iter().find(|s| s.endpoint == owner.subscription.endpoint).unwrap().data;
        assert_eq!(*data, json!({"title": "New lead: Ann Lee, Plumbing", "body": "\"Water on the floor\"",
            "url": format!("/app/leads/{lead}"), "tag": format!("lead:{lead}"), "leadId": lead, "urgent": false,
            "deviceId": owner.id, "test": false}));
        assert!(instant(&owner.device().await["lastSentAt"]).is_some());
        // A second run in the same minute shows nothing again.
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(push.shown().len(), 2);
        assert_eq!((owner.alerts().await.len(), stranger.alerts().await.len()), (1, 0));
    }

    async fn repeated_forms_within_minutes_raise_one_alert(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        for _ in 0..3 {
            Visitor::ann().submits_lead(app, &shop).await;
            app.advance(Duration::minutes(1));
        }
        app.run_tasks().await;
        assert_eq!((push.shown().len(), owner.alerts().await.len()), (1, 1));
    }

    async fn prune_after_half_a_year_removes_delivered_alerts_only(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        for shop in [&shop, &other] {
            app.promises_nothing(shop).await;
            Visitor::ann().submits_lead(app, shop).await;
        }
        app.run_tasks().await;
        let (update_sql, now) = ("UPDATE alert SET notified_at = $2 WHERE org_id = $1", app.now());
        app.within(async |tx| {
            q!(&mut *tx, execute, update_sql, shop.id(), Some(now))?;
            Ok(q!(tx, execute, update_sql, other.id(), None::<DateTime<Utc>>)?)
        })
        .await
        .unwrap();
        app.advance(Duration::days(179));
        alert::prune_old_alerts(&app.db, app.now()).await.unwrap();
        assert_eq!((alerts(app, &shop).await.len(), alerts(app, &other).await.len()), (1, 1));
        app.advance(Duration::days(2));
        alert::prune_old_alerts(&app.db, app.now()).await.unwrap();
        assert_eq!((alerts(app, &shop).await.len(), alerts(app, &other).await.len()), (0, 1), "an alert that was not delivered is kept");
    }

    async fn used_up_text_budget_raises_one_alert_a_day(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        let patch: SettingsPatch = serde_json::from_value(json!({"sending": {"dailyTextBudget": 2}})).unwrap();
        app.within(async |tx| org::change_settings(tx, &app.origin, shop.id(), &patch).await).await.unwrap();
        for n in 1..=5 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        let used_up = |alerts: &[Value]| alerts.iter().filter(|a| a["kind"] == "budget_used").count();
        assert_eq!(used_up(&owner.alerts().await), 1);
        let subject = "Today's 2 automatic texts are used up";
        assert_eq!(mails_to(app, &shop).iter().filter(|s| *s == subject).count(), 1);
        assert!(push.shown().iter().any(|s| s.data["title"] == subject && s.data["url"] == "/app/leads?texts=refused"));
        app.advance(Duration::days(3));
        for n in 6..=9 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(used_up(&owner.alerts().await), 2, "another day");
    }

    async fn doubtful_opt_out_raises_one_alert(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes("+15125550142", "Do you fix sinks?").await;
        app.run_tasks().await;
        let doubts = |all: Vec<AlertView>| all.into_iter().filter(|a| a.kind == alert::AlertKind::OptOutDoubt).collect::<Vec<_>>();
        assert!(doubts(alerts(app, &shop).await).is_empty());
        line.writes_doubled("+15125550142", "Please stop texting me").await;
        app.run_tasks().await;
        let asked = doubts(alerts(app, &shop).await);
        assert_eq!(asked.len(), 1, "delivered twice, asked once");
        assert!(asked[0].lead_id.is_some() && asked[0].title.starts_with("Did "), "{asked:?}");
        assert!(mails_to(app, &shop).contains(&asked[0].title), "{:?}", mails_to(app, &shop));
    }
}
