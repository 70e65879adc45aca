//! Forged calls of providers: those to a business's address are reported to the business, those to the install's
//! address to its operators.

use axum::http::Method;
use shared::providers::payments::signature;
use tests::fake_stripe::{ENDPOINT, FakeStripe, KEY};

use super::*;

const ALERT: &str = "Security alert: Forged provider calls";

/// A call without a signature, which the read that follows writes to the log.
async fn forges(client: &Client, path: &str, looker: &Client) {
    let kind = "application/x-www-form-urlencoded";
    assert_eq!(client.send(Method::POST, path, kind, b"MessageSid=SM1".to_vec()).await.problem().1, "forbidden");
    assert_eq!(looker.get("/api/webhooks/status").await.status, 200);
}

fn alerts_to(app: &TestApp, to: &str) -> usize {
    mails_to(app, to).into_iter().filter(|subject| subject == ALERT).count()
}

/// The state of provider calls in the owner's security score.
async fn finds(client: &Client) -> (bool, String) {
    let report = client.get("/api/security/report").await.json();
    let all = report["security_measures"]["monitoring"].as_array().unwrap().clone();
    let one = all.into_iter().find(|one| one["name"] == "No forged provider calls").unwrap();
    (one["ok"].as_bool().unwrap(), one["detail"].as_str().unwrap().to_owned())
}

async fn takes_cards(app: &TestApp, owner: &Client, shop: &Shop) {
    let keys = json!({"secretKey": KEY, "webhookSecret": ENDPOINT}).to_string().into_bytes();
    let path = format!("/api/org/{}/stripe", shop.id());
    assert_eq!(owner.send(Method::PUT, &path, "application/json", keys).await.status, 200);
    app.run_tasks().await;
}

both_databases! {
    async fn forged_calls_to_install_webhooks_alert_the_operators(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.settings.platform_admins = vec![email(OPERATOR)];
        let shop = app.org("Acme Plumbing").await;
        // They are attributed to the business that registered first, by time.
        app.advance(Duration::seconds(1));
        let other = app.org("Best Roofing").await;
        let stranger = app.client();
        let olive = stranger.signed_in(app, shop.owner()).await;
        for calls in 1..=12 {
            forges(&stranger, "/webhooks/twilio/voice", &olive).await;
            app.run_tasks().await;
            assert_eq!(mails_to(app, OPERATOR).len(), usize::from(calls >= 10), "after {calls}");
        }
        assert_eq!(mails_to(app, OPERATOR), [ALERT]);
        assert_eq!(mails_to(app, &shop.owner().email).iter().filter(|subject| *subject == ALERT).count(), 1, "it is kept for them");
        assert!(!mails_to(app, &other.owner().email).contains(&ALERT.to_owned()), "it is no matter of theirs");
        assert_eq!(finds(&olive).await, (true, "none ever".to_owned()), "it costs no business a point");
    }

    async fn forged_calls_alert_the_operator_though_the_owner_disabled_it(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        app.settings.platform_admins = vec![email(OPERATOR), email("owner@acme-plumbing.example")];
        let shop = app.org("Acme Plumbing").await;
        let stranger = app.client();
        let olive = stranger.signed_in(app, shop.owner()).await;
        let off = olive.send(Method::PATCH, "/api/security/alerts/refused_webhooks", "application/json", br#"{"enabled":false}"#.to_vec());
        assert_eq!(off.await.status, 200);
        for _ in 0..10 {
            forges(&stranger, "/webhooks/twilio/sms", &olive).await;
        }
        app.run_tasks().await;
        assert_eq!(mails_to(app, OPERATOR), [ALERT]);
        assert!(finds(&olive).await.0, "to be an operator it must be proved that one reads its mail");
        tampers(app, "UPDATE account SET email_proved_at = created_at WHERE org_id = $1", shop.id()).await;
        let operator = stranger.signed_in(app, shop.owner()).await;
        let (ok, detail) = finds(&operator).await;
        assert!(!ok && detail.starts_with("last "), "{detail}");
    }

    async fn owner_who_is_also_operator_is_alerted_once(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        let shop = app.org("Acme Plumbing").await;
        app.settings.platform_admins = vec![email(&shop.owner().email)];
        let stranger = app.client();
        let olive = stranger.signed_in(app, shop.owner()).await;
        for _ in 0..10 {
            forges(&stranger, "/webhooks/twilio/sms", &olive).await;
        }
        app.run_tasks().await;
        assert_eq!(mails_to(app, &shop.owner().email).iter().filter(|subject| *subject == ALERT).count(), 1);
    }

    async fn forged_calls_to_business_webhook_alert_and_show_for_it_alone(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        // Subscriptions are shown to the install's own business: the first by time.
        let shop = app.org("Acme Plumbing").await;
        app.advance(Duration::seconds(1));
        let other = app.org("Best Roofing").await;
        let stranger = app.client();
        let (olive, neighbour) = (stranger.signed_in(app, shop.owner()).await, stranger.signed_in(app, other.owner()).await);
        let payments = async |client: &Client| client.get("/api/webhooks/status").await.json()["stripe"].clone();
        let before = payments(&olive).await;
        assert_eq!((&before["isSetUp"], before["addresses"].as_array().unwrap().len()), (&json!(false), 2), "{before}");
        takes_cards(app, &olive, &shop).await;
        let own = format!("/webhooks/stripe/{}", shop.id());
        // Calls to the install's own address are counted separately.
        for _ in 0..9 {
            forges(&stranger, "/webhooks/stripe", &olive).await;
        }
        for calls in 1..=11 {
            forges(&stranger, &own, &olive).await;
            app.run_tasks().await;
            let alert_mails = app.mail.accepted_messages().into_iter().filter(|letter| letter.to == shop.owner().email && letter.subject == ALERT);
            let alert_mails: Vec<_> = alert_mails.collect();
            assert_eq!(alert_mails.len(), usize::from(calls >= 10), "after {calls}");
            assert!(alert_mails.iter().all(|letter| letter.text.contains(&own)), "it says which address");
        }
        let seen = payments(&olive).await;
        assert_eq!((&seen["isSetUp"], &seen["why"]), (&json!(true), &Value::Null), "{seen}");
        let [mine, installs] = [0, 1].map(|at| seen["addresses"][at].clone());
        assert_eq!(mine["url"], json!(format!("https://toolbox.example{own}")));
        assert_eq!((&mine["name"], &mine["refused"], &mine["lastRefusedAt"]), (&json!("Card payments"), &json!(11), &json!(app.now())));
        assert_eq!((&installs["name"], &installs["refused"]), (&json!("Subscriptions"), &json!(9)));
        assert_eq!((finds(&olive).await.0, finds(&neighbour).await.0), (false, true));
        let theirs = payments(&neighbour).await["addresses"].clone();
        assert_eq!((theirs.as_array().unwrap().len(), &theirs[0]["refused"]), (1, &json!(0)), "{theirs}");
        app.advance(Duration::hours(25));
        let olive = stranger.signed_in(app, shop.owner()).await;
        assert!(finds(&olive).await.0, "a day later it is over");
    }

    async fn business_webhook_alert_reaches_operator_though_owner_disabled_it(app) {
        let stripe = FakeStripe::start().await;
        app.use_billing(&stripe);
        app.settings.platform_admins = vec![email(OPERATOR)];
        let shop = app.org("Acme Plumbing").await;
        let stranger = app.client();
        let olive = stranger.signed_in(app, shop.owner()).await;
        takes_cards(app, &olive, &shop).await;
        let own = format!("/webhooks/stripe/{}", shop.id());
        for (is_on, expected_counts) in [(false, (1, 0)), (true, (2, 1))] {
            app.advance(Duration::hours(25));
            let olive = stranger.signed_in(app, shop.owner()).await;
            let body = json!({ "enabled": is_on }).to_string().into_bytes();
            let switched = olive.send(Method::PATCH, "/api/security/alerts/refused_webhooks", "application/json", body).await;
            assert_eq!(switched.status, 200);
            for _ in 0..10 {
                forges(&stranger, &own, &olive).await;
            }
            app.run_tasks().await;
            assert_eq!((alerts_to(app, OPERATOR), alerts_to(app, &shop.owner().email)), expected_counts, "switched on: {is_on}");
        }
    }

    async fn stripe_webhook_status_shows_received_and_failed_events(app) {
        let stripe = FakeStripe::start().await;
        app.use_stripe(&stripe);
        let shop = app.org("Acme Plumbing").await;
        let anybody = app.client();
        let olive = anybody.signed_in(app, shop.owner()).await;
        takes_cards(app, &olive, &shop).await;
        let path = format!("/webhooks/stripe/{}", shop.id());
        let tells = async |body: &str| {
            let signature = signature::sign_payload(&ENDPOINT.to_owned().into(), body.as_bytes(), app.now());
            let stripes = anybody.with("stripe-signature", &signature);
            let answer = stripes.send(Method::POST, &path, "application/json", body.as_bytes().to_vec()).await;
            (answer.status.as_u16(), olive.get("/api/webhooks/status").await.json()["stripe"]["addresses"][0].clone())
        };
        let (status, seen) = tells("[]").await;
        assert_eq!((status, &seen["lastFailedAt"], &seen["lastReceivedAt"]), (400, &json!(app.now()), &Value::Null), "{seen}");
        let event = json!({"id": "evt_1", "type": "customer.created", "created": app.now().timestamp(), "data": {"object": {}}});
        let (status, seen) = tells(&event.to_string()).await;
        assert_eq!((status, &seen["lastReceivedAt"], &seen["refused"]), (200, &json!(app.now()), &json!(0)), "{seen}");
    }
}
