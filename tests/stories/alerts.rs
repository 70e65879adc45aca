//! Alerts: on the devices at once, to the list by frequency and schedule, and from person to person while nobody looks.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    account::Role,
    alert::{self, AlertView},
    id::LeadId,
    message::Channel,
    org::{self, SettingsPatch},
    providers::{push::Subscription, sms::Sms},
    session,
};
use tests::{
    app::TestApp,
    both_databases,
    fake_push::{FakePush, Fault},
    http::{Answer, Client},
    people::{Person, Shop, Visitor},
};

const SAM: &str = "+15125550111";
const PAT: &str = "+15125550112";

/// A person's browser with alerts on.
struct Browser {
    client: Client,
    subscription: Subscription,
    id: String,
}

impl Browser {
    async fn of(app: &TestApp, push: &FakePush, person: &Person, label: &str) -> Self {
        let client = app.client().signed_in(app, person).await;
        let key = client.get("/api/push/key").await.json();
        let subscription = push.subscribe(key["publicKey"].as_str().unwrap());
        let made = client.post("/api/push/devices", &said(&subscription, label)).await;
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

fn said(device: &Subscription, label: &str) -> Value {
    json!({"endpoint": device.endpoint, "keys": {"p256dh": device.p256dh, "auth": device.auth}, "label": label})
}

async fn set(app: &TestApp, shop: &Shop, notifications: Value) {
    let patch: SettingsPatch = serde_json::from_value(json!({ "notifications": notifications })).unwrap();
    app.within(async |tx| org::change_settings(tx, &app.origin, shop.id(), &patch).await).await.unwrap();
}

/// Moves to a time of day in Chicago on the day the stories begin, or `days` later.
fn at(app: &TestApp, days: i64, time: &str) {
    let zone = chrono_tz::America::Chicago;
    let date = tests::app::beginning().with_timezone(&zone).date_naive() + Duration::days(days);
    let wall = date.and_time(chrono::NaiveTime::parse_from_str(time, "%H:%M").unwrap());
    let wanted = wall.and_local_timezone(zone).unwrap().with_timezone(&Utc);
    app.advance(wanted - app.now());
}

/// What left for an address since `since`, by channel.
fn texts_to(app: &TestApp, number: &str) -> Vec<String> {
    app.sms.accepted().into_iter().filter(|text| text.to == number).map(|text| text.body).collect()
}

fn mails_to(app: &TestApp, shop: &Shop) -> Vec<String> {
    let owner = &shop.owner().email;
    app.mail.accepted().into_iter().filter(|letter| letter.to == *owner).map(|letter| letter.subject).collect()
}

async fn reasons(app: &TestApp, shop: &Shop, lead: LeadId) -> Vec<(String, bool, String)> {
    let decisions = app.lead(shop.id(), lead).await.decisions;
    let ours = decisions.into_iter().filter(|d| d.rule == "owner_notice" || d.rule == "escalation");
    ours.map(|d| (d.event, d.sent, d.reason)).collect()
}

async fn alerts(app: &TestApp, shop: &Shop) -> Vec<AlertView> {
    alert::list(&mut app.db.read().await.unwrap(), shop.id()).await.unwrap()
}

fn emergency() -> Visitor {
    let mut visitor = Visitor::ann();
    visitor.form.notes = Some("The basement is FLOODING".into());
    visitor
}

fn instant(value: &Value) -> Option<DateTime<Utc>> {
    value.as_str().map(|text| text.parse().unwrap())
}

both_databases! {
    async fn a_new_lead_is_on_every_phone_of_the_office_with_the_app_closed(app) {
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
        // The same minute again shows nothing twice.
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(push.shown().len(), 2);
        assert_eq!((owner.alerts().await.len(), stranger.alerts().await.len()), (1, 0));
    }

    async fn a_visit_of_several_forms_is_one_alert(app) {
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

    async fn a_device_that_is_gone_is_named_and_left_alone_and_comes_back(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Old phone").await;
        let desk = Browser::of(app, &push, shop.owner(), "Desk").await;
        push.unsubscribe(&owner.subscription);
        Visitor::number(1).submits_lead(app, &shop).await;
        app.run_tasks().await;
        let dead = owner.device().await;
        assert_eq!((&dead["label"], &dead["fault"]), (&json!("Old phone"), &json!("this device takes no more alerts")));
        assert!(instant(&dead["deadAt"]).is_some());
        assert_eq!(owner.posts(&format!("/api/push/devices/{}/test", owner.id)).await.problem().1, "conflict");
        let asked = push.answers().len();
        Visitor::number(2).submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(push.answers().len(), asked + 1, "only the device that lives is asked");
        assert_eq!(push.shown().iter().filter(|s| s.endpoint == desk.subscription.endpoint).count(), 2);
        let again = owner.client.post("/api/push/devices", &said(&owner.subscription, "New phone")).await.json();
        assert_eq!((&again["id"], &again["label"], &again["deadAt"]), (&json!(owner.id), &json!("New phone"), &Value::Null));
    }

    async fn a_push_service_that_fails_is_tried_again_for_that_device_only(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        push.script(Fault::Status { status: 503, retry_after: None, body: "" });
        Browser::of(app, &push, shop.owner(), "Desk").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!(push.shown().len(), 1);
        let faults = owner.devices().await.iter().filter(|d| d["fault"].is_string() && d["deadAt"].is_null()).count();
        assert_eq!(faults, 1);
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        let mut endpoints: Vec<String> = push.shown().into_iter().map(|s| s.endpoint).collect();
        endpoints.sort_unstable();
        endpoints.dedup();
        assert_eq!((push.shown().len(), endpoints.len()), (2, 2));
        assert!(owner.devices().await.iter().all(|d| d["fault"].is_null()));
    }

    async fn a_test_is_shown_and_read_back(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        let asked = owner.posts(&format!("/api/push/devices/{}/test", owner.id)).await;
        assert_eq!(asked.status, 202);
        assert!(asked.json()["testId"].is_string());
        app.run_tasks().await;
        let shown = push.shown();
        assert_eq!((&shown[0].data["test"], &shown[0].data["deviceId"]), (&json!(true), &json!(owner.id)));
        assert_eq!(owner.device().await["seenAt"], Value::Null);
        assert_eq!(owner.posts(&format!("/api/push/devices/{}/seen", owner.id)).await.status, 204);
        assert_eq!(instant(&owner.device().await["seenAt"]), Some(app.now()));
        assert!(owner.alerts().await.is_empty(), "a test is no alert");
        push.script(Fault::Status { status: 500, retry_after: None, body: "" });
        owner.posts(&format!("/api/push/devices/{}/test", owner.id)).await;
        app.run_tasks().await;
        assert_eq!(owner.device().await["fault"], "the push service failed (HTTP 500)");
    }

    async fn an_address_that_is_no_push_services_is_refused(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        for bad in ["http://169.254.169.254/latest", "https://[::1]/x", "https://2130706433/x", "https://fcm.googleapis.com.evil.example/x",
            "http://fcm.googleapis.com/fcm/send/x", "file:///etc/passwd", ""] {
            let mut body = said(&owner.subscription, "Phone");
            body["endpoint"] = json!(bad);
            let answer = owner.client.post("/api/push/devices", &body).await;
            assert_eq!(answer.problem(), (422, "validation_failed".into(), vec!["endpoint".into()]), "{bad}");
        }
        let mut body = said(&owner.subscription, "Phone");
        body["keys"] = json!({"p256dh": "x", "auth": "y"});
        assert_eq!(owner.client.post("/api/push/devices", &body).await.problem().2, ["auth", "p256dh"]);
        for n in 2..=20 {
            let key = app.settings.push.public_key();
            let answer = owner.client.post("/api/push/devices", &said(&push.subscribe(key), &format!("{n}"))).await;
            assert_eq!(answer.status, 201);
        }
        let more = owner.client.post("/api/push/devices", &said(&push.subscribe("key"), "21")).await;
        assert_eq!(more.problem().1, "conflict");
        assert_eq!(owner.devices().await.len(), 20);
    }

    async fn signing_out_ends_the_alerts_on_the_device_and_a_session_that_runs_out_is_named(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let phone = Browser::of(app, &push, shop.owner(), "Phone").await;
        let desk = Browser::of(app, &push, shop.owner(), "Desk").await;
        assert_eq!(phone.posts("/api/auth/logout").await.status, 204);
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let shown: Vec<String> = push.shown().into_iter().map(|s| s.endpoint).collect();
        assert_eq!(shown, std::slice::from_ref(&desk.subscription.endpoint));
        assert_eq!(desk.devices().await.len(), 1);
        app.advance(Duration::days(15));
        session::prune(&app.db, app.now()).await.unwrap();
        shared::push_device::prune(&app.db, app.now()).await.unwrap();
        let again = app.client().signed_in(app, shop.owner()).await;
        let listed = again.get("/api/push/devices").await.json();
        assert_eq!(listed[0]["fault"], "the session there has ended: sign in again on it");
        assert!(listed[0]["deadAt"].is_string());
    }

    async fn another_business_sees_and_changes_nothing_of_it(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        let spy = Browser::of(app, &push, other.owner(), "Phone").await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let alert = owner.alerts().await[0]["id"].as_str().unwrap().to_owned();
        for path in [
            format!("/api/alerts/{alert}/seen"),
            format!("/api/push/devices/{}/test", owner.id),
            format!("/api/push/devices/{}/seen", owner.id),
        ] {
            assert_eq!(spy.posts(&path).await.status, 404, "{path}");
        }
        let path = format!("/api/push/devices/{}", owner.id);
        assert_eq!(spy.client.send("DELETE".parse().unwrap(), &path, "", Vec::new()).await.status, 404);
        assert_eq!((spy.devices().await.len(), spy.alerts().await.len()), (1, 0));
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(crew.get("/api/alerts").await.status, 403);
        assert_eq!(crew.get("/api/push/devices").await.json(), json!([]), "whoever goes out has to do with their own devices");
        for deed in ["test", "seen"] {
            let answer = crew.post(&format!("/api/push/devices/{}/{deed}", owner.id), &Value::Null).await;
            assert_eq!(answer.status, 404, "{deed}");
        }
        assert_eq!(crew.send("DELETE".parse().unwrap(), &path, "", Vec::new()).await.status, 404);
    }

    async fn a_lead_of_the_night_is_pushed_at_once_and_told_in_the_morning(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        Browser::of(app, &push, shop.owner(), "Phone").await;
        app.tells(&shop, Channel::Sms, SAM).await;
        at(app, 1, "21:30");
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        assert_eq!((push.shown().len(), mails_to(app, &shop).len(), texts_to(app, SAM).len()), (1, 0, 0));
        let kept = "kept until your notification hours begin: Monday, Sep 21 at 08:00";
        assert_eq!(reasons(app, &shop, lead).await, [("lead_created".into(), false, kept.to_owned())]);
        at(app, 4, "07:58");
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        assert!(mails_to(app, &shop).is_empty());
        app.live_through(Duration::minutes(3), Duration::minutes(1)).await;
        assert_eq!(mails_to(app, &shop), ["New lead: Ann Lee, Plumbing"]);
        assert_eq!(texts_to(app, SAM).len(), 1);
        let told = ("alert_due".to_owned(), true, "your notification hours have begun".to_owned());
        assert_eq!(reasons(app, &shop, lead).await[1..], [told.clone(), told]);
        app.live_through(Duration::hours(2), Duration::minutes(10)).await;
        assert_eq!(mails_to(app, &shop).len(), 1, "once");
    }

    async fn an_hourly_a_daily_and_a_weekly_summary_come_once_with_everything_in_it(app) {
        let shop = app.org("Acme Plumbing").await;
        app.tells(&shop, Channel::Sms, SAM).await;
        let table = [
            ("hourly", 0, "10:15", 0, "10:58", "kept for the hourly summary: Thursday, Sep 17 at 11:00"),
            ("daily", 0, "12:00", 1, "08:58", "kept for the daily summary: Friday, Sep 18 at 09:00"),
            ("weekly", 1, "12:00", 4, "08:58", "kept for the weekly summary: Monday, Sep 21 at 09:00"),
        ];
        for (n, (frequency, day, from, due_day, before, why)) in (1_u32..).zip(table) {
            set(app, &shop, json!({"frequency": frequency, "schedule": "custom"})).await;
            let (mails, texts) = (mails_to(app, &shop).len(), texts_to(app, SAM).len());
            at(app, day, from);
            let first = Visitor::number(n * 10).submits_lead(app, &shop).await;
            Visitor::number(n * 10 + 1).submits_lead(app, &shop).await;
            app.live_through(Duration::minutes(5), Duration::minutes(1)).await;
            assert_eq!(reasons(app, &shop, first).await[0].2, why);
            at(app, due_day, before);
            app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
            assert_eq!((mails_to(app, &shop).len(), texts_to(app, SAM).len()), (mails, texts), "{frequency} before");
            app.live_through(Duration::minutes(4), Duration::minutes(1)).await;
            assert_eq!(mails_to(app, &shop)[mails..], ["2 leads for Acme Plumbing"], "{frequency}");
            assert_eq!(texts_to(app, SAM)[texts..], ["2 leads for Acme Plumbing. https://toolbox.example/app/leads"]);
            let told = reasons(app, &shop, first).await;
            assert_eq!(told[1..].iter().map(|r| r.2.clone()).collect::<Vec<_>>(), vec![format!("the {frequency} summary"); 2]);
        }
        app.live_through(Duration::days(8), Duration::hours(1)).await;
        assert_eq!(mails_to(app, &shop).len(), 3, "nothing new, no summary");
    }

    async fn two_workers_at_once_tell_a_summary_once(app) {
        let shop = app.org("Acme Plumbing").await;
        set(app, &shop, json!({"frequency": "hourly", "schedule": "anytime"})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        app.advance(Duration::hours(1));
        // Boxed: four of them together are too large for a stack.
        let run = || Box::pin(worker::tasks::digest::run(&app.context));
        let told = futures::future::join_all([run(), run(), run(), run()]).await;
        assert_eq!(told.into_iter().map(Result::unwrap).sum::<usize>(), 1);
        app.run_tasks().await;
        assert_eq!(mails_to(app, &shop).len(), 1);
    }

    async fn what_waits_follows_the_settings_when_they_change(app) {
        let shop = app.org("Acme Plumbing").await;
        set(app, &shop, json!({"frequency": "weekly"})).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert!(mails_to(app, &shop).is_empty());
        set(app, &shop, json!({"frequency": "immediate"})).await;
        app.live_through(Duration::minutes(2), Duration::minutes(1)).await;
        assert_eq!(mails_to(app, &shop).len(), 1);
    }

    async fn an_emergency_passes_frequency_and_schedule_and_climbs_until_it_is_seen(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        for phone in [SAM, PAT] {
            app.tells(&shop, Channel::Sms, phone).await;
            app.advance(Duration::seconds(1));
        }
        set(app, &shop, json!({"frequency": "weekly"})).await;
        push.unsubscribe(&owner.subscription);
        at(app, 1, "02:00");
        let lead = emergency().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let counts = |app: &TestApp| (mails_to(app, &shop).len(), texts_to(app, SAM).len(), texts_to(app, PAT).len());
        assert_eq!(counts(app), (1, 1, 1), "at once, in the night, whatever the frequency");
        app.live_through(Duration::seconds(110), Duration::seconds(10)).await;
        assert_eq!(counts(app), (1, 1, 1));
        app.live_through(Duration::seconds(20), Duration::seconds(10)).await;
        assert_eq!(counts(app), (1, 2, 1), "the first person after two minutes");
        assert!(texts_to(app, SAM)[1].starts_with("Nobody has looked yet. Urgent. New lead: Ann Lee"), "{:?}", texts_to(app, SAM));
        let told = reasons(app, &shop, lead).await;
        let last = ("alert_unseen".to_owned(), true, "nobody had looked at this urgent alert after 2 minutes".to_owned());
        assert_eq!(told.last(), Some(&last));
        let open = &owner.alerts().await[0];
        assert_eq!((&open["isUrgent"], &open["step"], &open["seenAt"]), (&json!(true), &json!(1), &Value::Null));
        let climbs = instant(&open["climbsAt"]).unwrap() - instant(&open["createdAt"]).unwrap();
        assert_eq!(climbs, Duration::minutes(7));
        let path = format!("/api/alerts/{}/seen", open["id"].as_str().unwrap());
        let seen = owner.posts(&path).await.json();
        assert_eq!((instant(&seen["seenAt"]), &seen["climbsAt"]), (Some(app.now()), &Value::Null));
        assert_eq!(owner.posts(&path).await.json(), seen, "saying it again changes nothing");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        assert_eq!(counts(app), (1, 2, 1), "nobody else is woken");
    }

    async fn an_emergency_that_nobody_sees_reaches_everybody_and_ends(app) {
        let shop = app.org("Acme Plumbing").await;
        for phone in [SAM, PAT] {
            app.tells(&shop, Channel::Sms, phone).await;
            app.advance(Duration::seconds(1));
        }
        emergency().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(8), Duration::minutes(1)).await;
        assert_eq!((texts_to(app, SAM).len(), texts_to(app, PAT).len()), (2, 2));
        app.live_through(Duration::hours(1), Duration::minutes(5)).await;
        assert_eq!((texts_to(app, SAM).len(), texts_to(app, PAT).len()), (2, 2));
        let ended = alerts(app, &shop).await;
        assert_eq!((ended[0].step, ended[0].climbs_at, ended[0].seen_at), (2, None, None));
    }

    async fn without_texts_an_emergency_climbs_by_email(app) {
        let (shop, bare) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        app.tells(&shop, Channel::Sms, SAM).await;
        app.tells(&shop, Channel::Sms, PAT).await;
        app.context.sms = Sms::Off;
        let lead = emergency().submits_lead(app, &shop).await;
        emergency().submits_lead(app, &bare).await;
        let climbed = |shop: &Shop| {
            mails_to(app, shop).iter().filter(|s| *s == "Nobody has looked yet: Urgent. New lead: Ann Lee, Plumbing").count()
        };
        app.live_through(Duration::seconds(110), Duration::seconds(10)).await;
        assert_eq!((climbed(&shop), climbed(&bare)), (0, 0));
        app.live_through(Duration::seconds(30), Duration::seconds(10)).await;
        assert_eq!((climbed(&shop), climbed(&bare)), (1, 1), "in place of the text, and where there is no phone at all");
        app.live_through(Duration::minutes(20), Duration::minutes(1)).await;
        assert_eq!((climbed(&shop), climbed(&bare)), (2, 1), "one for each of the two who would have been texted");
        let letters = app.mail.accepted();
        let letter = letters.iter().rfind(|l| l.to == shop.owner().email && l.subject.starts_with("Nobody")).unwrap();
        assert!(letter.text.contains(&format!("https://toolbox.example/app/leads/{lead}")), "{}", letter.text);
        let why = "the text to the next person could not leave: SMS is not set up";
        assert_eq!(reasons(app, &shop, lead).await.iter().filter(|r| r.2 == why).count(), 2);
    }

    async fn a_summary_names_what_was_seen_and_the_device_that_hears_nothing(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        set(app, &shop, json!({"frequency": "hourly", "schedule": "anytime"})).await;
        let (phone, desk) =
            (Browser::of(app, &push, shop.owner(), "Old phone").await, Browser::of(app, &push, shop.owner(), "Desk").await);
        push.unsubscribe(&phone.subscription);
        for n in [1, 2] {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.run_tasks().await;
        let path = format!("/api/alerts/{}/seen", desk.alerts().await[0]["id"].as_str().unwrap());
        assert_eq!(desk.posts(&path).await.status, 200);
        app.advance(Duration::hours(1));
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        let summary = |app: &TestApp| app.mail.accepted().into_iter().rfind(|l| l.subject.contains("leads for")).unwrap();
        let first = summary(app);
        assert_eq!((first.subject.as_str(), first.text.matches("(seen)").count()), ("2 leads for Acme Plumbing", 1), "{}", first.text);
        let named = first.text.lines().find(|line| line.starts_with("Alerts no longer reach ")).unwrap();
        assert!(named.contains(": Old phone (since Thursday, Sep 17). ") && !named.contains("Desk"), "{named}");
        assert!(first.html.unwrap().contains("Old phone"));
        phone.client.post("/api/push/devices", &said(&push.subscribe(app.settings.push.public_key()), "Old phone")).await;
        for n in [3, 4] {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.advance(Duration::hours(1));
        app.live_through(Duration::minutes(1), Duration::minutes(1)).await;
        assert!(!summary(app).text.contains("no longer reach"), "turned on again: {}", summary(app).text);
    }

    async fn what_is_not_urgent_does_not_climb(app) {
        let shop = app.org("Acme Plumbing").await;
        app.tells(&shop, Channel::Sms, SAM).await;
        Visitor::ann().submits_lead(app, &shop).await;
        app.live_through(Duration::minutes(30), Duration::minutes(1)).await;
        assert_eq!(texts_to(app, SAM).len(), 1);
        assert_eq!(alerts(app, &shop).await[0].climbs_at, None);
    }

    async fn a_used_up_budget_is_told_once_a_day(app) {
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
        assert!(push.shown().iter().any(|s| s.data["title"] == subject && s.data["url"] == "/app/settings?tab=automation"));
        app.advance(Duration::days(3));
        for n in 6..=9 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.live_through(Duration::minutes(1), Duration::seconds(10)).await;
        assert_eq!(used_up(&owner.alerts().await), 2, "another day");
    }

    async fn a_doubtful_opt_out_asks_a_person_once(app) {
        let mut shop = app.org("Acme Plumbing").await;
        let line = app.line(&mut shop, "+15125550100").await;
        line.writes("+15125550142", "Do you fix sinks?").await;
        app.run_tasks().await;
        let doubts = |all: Vec<AlertView>| all.into_iter().filter(|a| a.kind == alert::Kind::OptOutDoubt).collect::<Vec<_>>();
        assert!(doubts(alerts(app, &shop).await).is_empty());
        line.writes_doubled("+15125550142", "Please stop texting me").await;
        app.run_tasks().await;
        let asked = doubts(alerts(app, &shop).await);
        assert_eq!(asked.len(), 1, "delivered twice, asked once");
        assert!(asked[0].lead_id.is_some() && asked[0].title.starts_with("Did "), "{asked:?}");
        assert!(mails_to(app, &shop).contains(&asked[0].title), "{:?}", mails_to(app, &shop));
    }
}
