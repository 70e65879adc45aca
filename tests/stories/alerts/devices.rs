//! Devices of the people of a business: gone, failing, tried, signed out, and never another business's.

use chrono::Duration;
use serde_json::{Value, json};
use shared::domain::tenancy::{account::Role, session};
use tests::{
    both_databases,
    fake_push::{FakePush, Fault},
    people::Visitor,
};

use super::{Browser, device_body, instant};

both_databases! {
    async fn unsubscribed_device_is_skipped_until_registered_again(app) {
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
        let again = owner.client.post("/api/push/devices", &device_body(&owner.subscription, "New phone")).await.json();
        assert_eq!((&again["id"], &again["label"], &again["deadAt"]), (&json!(owner.id), &json!("New phone"), &Value::Null));
    }

    async fn push_service_failure_is_retried_for_that_device_only(app) {
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

    async fn test_push_records_receipt_and_failure_without_an_alert(app) {
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

    async fn push_registration_with_bad_endpoint_or_keys_is_refused(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let shop = app.org("Acme Plumbing").await;
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        for bad in ["http://169.254.169.254/latest", "https://[::1]/x", "https://2130706433/x", "https://fcm.googleapis.com.evil.example/x",
            "http://fcm.googleapis.com/fcm/send/x", "file:///etc/passwd", ""] {
            let mut body = device_body(&owner.subscription, "Phone");
            body["endpoint"] = json!(bad);
            let answer = owner.client.post("/api/push/devices", &body).await;
            assert_eq!(answer.problem(), (422, "validation_failed".into(), vec!["endpoint".into()]), "{bad}");
        }
        let mut body = device_body(&owner.subscription, "Phone");
        body["keys"] = json!({"p256dh": "x", "auth": "y"});
        assert_eq!(owner.client.post("/api/push/devices", &body).await.problem().2, ["auth", "p256dh"]);
        for n in 2..=20 {
            let key = app.settings.push.public_key();
            let answer = owner.client.post("/api/push/devices", &device_body(&push.subscribe(key), &format!("{n}"))).await;
            assert_eq!(answer.status, 201);
        }
        let more = owner.client.post("/api/push/devices", &device_body(&push.subscribe("key"), "21")).await;
        assert_eq!(more.problem().1, "conflict");
        assert_eq!(owner.devices().await.len(), 20);
    }

    async fn logout_stops_push_and_expired_session_is_shown_as_fault(app) {
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
        session::prune_expired_sessions(&app.db, app.now()).await.unwrap();
        shared::domain::tenancy::push_device::prune_expired_devices(&app.db, app.now()).await.unwrap();
        let again = app.client().signed_in(app, shop.owner()).await;
        let listed = again.get("/api/push/devices").await.json();
        assert_eq!(listed[0]["fault"], "the session there has ended: sign in again on it");
        assert!(listed[0]["deadAt"].is_string());
        app.run_tasks().await;
    }

    async fn several_alerts_seen_in_one_request_change_only_those_of_the_business(app) {
        let push = FakePush::start().await;
        app.use_push(&push);
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let owner = Browser::of(app, &push, shop.owner(), "Phone").await;
        for n in 1..=2 {
            Visitor::number(n).submits_lead(app, &shop).await;
        }
        app.run_tasks().await;
        let ids: Vec<Value> = owner.alerts().await.iter().map(|alert| alert["id"].clone()).collect();
        assert!(ids.len() >= 2, "{ids:?}");
        let all = json!({"ids": ids});
        let spy = app.client().signed_in(app, other.owner()).await;
        assert_eq!(spy.post("/api/alerts/seen", &all).await.status, 204);
        assert!(owner.alerts().await.iter().all(|alert| alert["seenAt"].is_null()));
        let crew = app.client().signed_in(app, &app.staff(&shop, Role::Crew).await).await;
        assert_eq!(crew.post("/api/alerts/seen", &all).await.status, 403);
        for _ in 0..2 {
            assert_eq!(owner.client.post("/api/alerts/seen", &all).await.status, 204);
        }
        assert!(owner.alerts().await.iter().all(|alert| !alert["seenAt"].is_null()));
        let too_many = owner.client.post("/api/alerts/seen", &json!({"ids": vec![ids[0].clone(); 201]})).await;
        assert_eq!(too_many.problem(), (422, "validation_failed".to_owned(), vec!["ids".to_owned()]));
    }

    async fn alerts_and_devices_are_closed_to_other_tenants_and_crew(app) {
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
        assert_eq!(crew.get("/api/push/devices").await.json(), json!([]), "crew members see only their own devices");
        for action in ["test", "seen"] {
            let answer = crew.post(&format!("/api/push/devices/{}/{action}", owner.id), &Value::Null).await;
            assert_eq!(answer.status, 404, "{action}");
        }
        assert_eq!(crew.send("DELETE".parse().unwrap(), &path, "", Vec::new()).await.status, 404);
    }
}
