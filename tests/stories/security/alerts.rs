//! Each security alert fires when it should, once, to the owners, unless switched off; alerts about the install go to
//! the operators even so.

use axum::http::Method;

use super::*;

const PASSWORD: &str = "copper-elbow-joint";
const EMAIL: &str = "olive@acme.example";
const WALK: &str = "Security alert: Someone is looking for other people's records";

async fn register(app: &TestApp) -> Client {
    let stranger = app.client();
    let body = json!({"name": "Olive Owner", "email": EMAIL, "password": PASSWORD, "orgName": "Acme Plumbing"});
    assert_eq!(stranger.post("/api/auth/register", &body).await.status, 201);
    app.run_tasks().await;
    stranger
}

async fn login(client: &Client, password: &str) -> Answer {
    client.post("/api/auth/login", &json!({"email": EMAIL, "password": password})).await
}

fn cookie(answer: &Answer, name: &str) -> String {
    let lines = answer.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
    let mut found = lines.filter_map(|line| line.split(';').next()?.strip_prefix(name)?.strip_prefix('='));
    found.next().expect("the cookie").to_owned()
}

async fn alerts_to(app: &TestApp, to: &str) -> Vec<String> {
    app.run_tasks().await;
    mails_to(app, to).into_iter().filter(|subject| subject.starts_with("Security alert")).collect()
}

async fn switch(client: &Client, alert: &str, enabled: bool) -> Answer {
    let body = json!({ "enabled": enabled }).to_string().into_bytes();
    client.send(Method::PATCH, &format!("/api/security/alerts/{alert}"), "application/json", body).await
}

async fn looks(app: &TestApp, org: OrgId) -> usize {
    let (secret, url) = (&app.settings.secret, &app.settings.public_url);
    traffic_check::check_org(&app.db, &app.origin, secret, url, org).await.unwrap()
}

/// Requests as many missing records as trigger an alert.
async fn walks(client: &Client) {
    for tried in 0..20 {
        assert_eq!(client.get(&format!("/api/leads/{}", uuid::Uuid::from_u128(tried))).await.status, 404, "{tried}");
    }
}

both_databases! {
    async fn sign_in_from_a_new_browser_alerts_once(app) {
        let stranger = register(app).await;
        let first = login(&stranger, PASSWORD).await;
        assert_eq!(first.status, 200);
        assert_eq!(alerts_to(app, EMAIL).await, Vec::<String>::new(), "the very first one");
        let known = stranger.with("cookie", &format!("__Host-did={}", cookie(&first, "__Host-did")));
        assert_eq!(login(&known, PASSWORD).await.status, 200);
        assert_eq!(alerts_to(app, EMAIL).await, Vec::<String>::new(), "she is known by her cookie");
        let other = login(&stranger.with("user-agent", "Somebody's"), PASSWORD).await;
        assert_eq!(alerts_to(app, EMAIL).await, ["Security alert: Sign-in from a new device"]);
        let again = stranger.with("cookie", &format!("__Host-did={}", cookie(&other, "__Host-did")));
        login(&again, PASSWORD).await;
        assert_eq!(alerts_to(app, EMAIL).await.len(), 1, "that one is known now");
        let made_up = stranger.with("cookie", &format!("__Host-did={}", "A".repeat(43)));
        login(&made_up, PASSWORD).await;
        assert_eq!(alerts_to(app, EMAIL).await.len(), 2, "a forged device token is not accepted");
        let olive = stranger.with_session(&first.session().unwrap());
        assert_eq!(olive.get("/api/auth/me").await.status, 200);
        let listed = olive.get("/api/security/alerts").await.json();
        assert_eq!((&listed[0]["alertId"], &listed[0]["lastFiredAt"]), (&json!("new_device"), &json!(app.now())));
        assert_eq!(switch(&olive, "new_device", false).await.json()["enabled"], json!(false));
        login(&stranger, PASSWORD).await;
        assert_eq!(alerts_to(app, EMAIL).await.len(), 2, "she does not want it");
    }

    async fn ten_failed_sign_ins_alert_unless_the_address_is_unknown(app) {
        let stranger = register(app).await;
        for failure in 0..12 {
            let alert_count = alerts_to(app, EMAIL).await.len();
            assert_eq!(alert_count, usize::from(failure >= 10), "after {failure}");
            assert_eq!(login(&stranger, "not this one").await.status, 401);
            app.advance(Duration::minutes(2));
        }
        assert_eq!(alerts_to(app, EMAIL).await, ["Security alert: Many failed sign-ins"]);
        for _ in 0..12 {
            let body = json!({"email": "nobody@acme.example", "password": "not this one"});
            assert_eq!(stranger.post("/api/auth/login", &body).await.status, 401);
            app.advance(Duration::minutes(2));
        }
        assert_eq!(alerts_to(app, EMAIL).await.len(), 1);
    }

    async fn password_guessing_with_a_stolen_session_alerts(app) {
        let stranger = register(app).await;
        let thief = stranger.with_session(&login(&stranger, PASSWORD).await.session().unwrap());
        for failure in 0..10 {
            assert_eq!(alerts_to(app, EMAIL).await.len(), 0, "after {failure}");
            let answer = thief.post("/api/auth/prove", &json!({"password": "not this one"})).await;
            assert_eq!(answer.problem().2, ["password"]);
            app.advance(Duration::minutes(2));
        }
        assert_eq!(alerts_to(app, EMAIL).await, ["Security alert: Many failed sign-ins"]);
    }

    async fn id_enumeration_in_queries_and_bodies_alerts(app) {
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        for tried in 0..10 {
            assert_eq!(olive.get(&format!("/api/security/audit-log?org={}", uuid::Uuid::from_u128(tried))).await.status, 404);
            assert_eq!(alerts_to(app, &shop.owner().email).await.len(), 0, "after {tried}");
        }
        for tried in 10..20 {
            assert_eq!(alerts_to(app, &shop.owner().email).await.len(), 0, "after {tried}");
            let body = json!({"leadId": uuid::Uuid::from_u128(tried).to_string(), "service": "Leak"});
            assert_eq!(olive.post("/api/jobs", &body).await.status, 404, "{tried}");
        }
        assert_eq!(alerts_to(app, &shop.owner().email).await, [WALK]);
    }

    async fn id_enumeration_alerts_at_the_twentieth_id(app) {
        let (shop, other) = (app.org("Acme Plumbing").await, app.org("Best Roofing").await);
        let spy = app.client().signed_in(app, &app.staff(&shop, Role::Office).await).await;
        let mut theirs = Vec::new();
        for number in 0..20 {
            theirs.push(Visitor::number(number).submits_lead(app, &other).await);
        }
        app.run_tasks().await;
        for (tried, lead) in theirs.iter().enumerate() {
            assert_eq!(alerts_to(app, &shop.owner().email).await.len(), 0, "after {tried}");
            let answer = spy.get(&format!("/api/leads/{lead}")).await;
            assert_eq!((answer.status.as_u16(), answer.problem().1.as_str()), (404, "not_found"));
        }
        let alert_mails = alerts_to(app, &shop.owner().email).await;
        assert_eq!(alert_mails, [WALK]);
        assert_eq!(alerts_to(app, &other.owner().email).await.len(), 0, "they are not the ones to act");
        let written = "audit_event WHERE action = 'foreign_ids_tried'";
        assert_eq!(app.count(written).await, 1);
        for lead in &theirs {
            spy.get(&format!("/api/leads/{lead}")).await;
        }
        assert_eq!((alerts_to(app, &shop.owner().email).await.len(), app.count(written).await), (1, 1), "once");
    }

    async fn id_enumeration_alerts_operator_though_the_owner_disabled_it(app) {
        app.settings.platform_admins = vec![email(OPERATOR), email(OPERATOR)];
        let shop = app.org("Acme Plumbing").await;
        let spy = app.staff(&shop, Role::Office).await;
        let stranger = app.client();
        let olive = stranger.signed_in(app, shop.owner()).await;
        assert_eq!(switch(&olive, "foreign_ids", false).await.json()["enabled"], json!(false));
        walks(&stranger.signed_in(app, &spy).await).await;
        assert_eq!(alerts_to(app, &shop.owner().email).await, Vec::<String>::new(), "she does not want it");
        assert_eq!(alerts_to(app, OPERATOR).await, [WALK], "once, though named twice");
        let letter = app.mail.accepted_messages().into_iter().find(|letter| letter.to == OPERATOR).unwrap();
        assert!(letter.text.contains(&spy.email) && letter.text.contains("Acme Plumbing have switched this alert off"), "{}", letter.text);
        let listed = olive.get("/api/security/alerts").await.json();
        let walk = listed.as_array().unwrap().iter().find(|alert| alert["alertId"] == "foreign_ids").unwrap();
        assert_eq!((&walk["enabled"], &walk["lastFiredAt"]), (&json!(false), &Value::Null));
    }

    async fn enabled_alert_reaches_each_owner_and_operator_once(app) {
        app.settings.platform_admins = vec![email(OPERATOR), email("owner@acme-plumbing.example")];
        let shop = app.org("Acme Plumbing").await;
        let partner = app.staff(&shop, Role::Owner).await;
        let spy = app.staff(&shop, Role::Office).await;
        walks(&app.client().signed_in(app, &spy).await).await;
        for to in [OPERATOR, shop.owner().email.as_str(), partner.email.as_str()] {
            assert_eq!(alerts_to(app, to).await, [WALK], "{to}");
        }
        assert_eq!(alerts_to(app, &spy.email).await, Vec::<String>::new());
    }

    async fn owner_who_is_operator_is_alerted_though_owner_alert_is_off(app) {
        let shop = app.org("Acme Plumbing").await;
        app.settings.platform_admins = vec![email(&shop.owner().email)];
        let olive = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(switch(&olive, "foreign_ids", false).await.status, 200);
        walks(&olive).await;
        assert_eq!(alerts_to(app, &shop.owner().email).await, [WALK]);
    }

    async fn support_address_is_alerted_when_no_operator_is_named(app) {
        app.settings.support_email = Some(email(OPERATOR));
        let shop = app.org("Acme Plumbing").await;
        let olive = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(switch(&olive, "foreign_ids", false).await.status, 200);
        walks(&olive).await;
        assert_eq!(alerts_to(app, OPERATOR).await, [WALK]);
    }

    async fn operator_is_alerted_about_the_install_before_any_business_exists(app) {
        let operators = [email(OPERATOR)];
        let context = SecurityAlertContext { origin: &app.origin, public_url: &app.settings.public_url, operators: Some((&app.settings.secret, operators.as_slice())) };
        let forged = ForgedCallbacks { address: "/webhooks/twilio/sms", times: 10 };
        assert!(app.within(async |tx| callback_log::record_at_install(tx, &context, None, forged).await).await.unwrap());
        assert_eq!(alerts_to(app, OPERATOR).await, ["Security alert: Forged provider calls"]);
    }

    async fn account_level_alert_does_not_reach_operators(app) {
        app.settings.platform_admins = vec![email(OPERATOR)];
        let stranger = register(app).await;
        for _ in 0..10 {
            login(&stranger, "not this one").await;
            app.advance(Duration::minutes(2));
        }
        assert_eq!(alerts_to(app, EMAIL).await, ["Security alert: Many failed sign-ins"]);
        assert_eq!(alerts_to(app, OPERATOR).await, Vec::<String>::new());
    }

    async fn forged_provider_webhook_calls_alert_at_the_tenth(app) {
        app.use_twilio_at("http://127.0.0.1:9");
        let shop = app.org("Acme Plumbing").await;
        let stranger = app.client();
        let olive = stranger.signed_in(app, shop.owner()).await;
        for calls in 1..=12 {
            let body = b"MessageSid=SM1&MessageStatus=delivered".to_vec();
            let kind = "application/x-www-form-urlencoded";
            let answer = stranger.send(Method::POST, "/webhooks/twilio/message-status", kind, body).await;
            assert_eq!(answer.problem().1, "forbidden");
            // This read writes the counted calls to the log.
            assert_eq!(olive.get("/api/webhooks/status").await.status, 200);
            assert_eq!(alerts_to(app, &shop.owner().email).await.len(), usize::from(calls >= 10), "after {calls}");
        }
    }

    async fn undelivered_messages_alert_once_a_day(app) {
        let shop = app.org("Acme Plumbing").await;
        for number in 0..10 {
            Visitor::number(number).submits_lead(app, &shop).await;
        }
        app.run_tasks().await;
        assert_eq!(looks(app, shop.id()).await, 0);
        tampers(app, "UPDATE message SET status = 'failed' WHERE org_id = $1 AND direction = 'out'", shop.id()).await;
        for number in 0..5 {
            let insert = "INSERT INTO opt_out (org_id, channel, address, state, source, at) VALUES ($1, 'sms', $2, 'stopped', 'text', $3)";
            let address = format!("+1312555010{number}");
            app.within(async |tx| Ok(q!(tx, execute, insert, shop.id(), &address, app.now())?)).await.unwrap();
        }
        looks(app, shop.id()).await;
        let mut alert_mails = alerts_to(app, &shop.owner().email).await;
        alert_mails.sort();
        assert!(alert_mails.contains(&"Security alert: Messages do not arrive".to_owned()), "{alert_mails:?}");
        assert_eq!(looks(app, shop.id()).await, 0, "once a day");
        app.run_tasks().await;
    }

    async fn changed_audit_log_is_found_by_the_daily_check_and_alerts(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 3).await;
        assert_eq!(looks(app, shop.id()).await, 0);
        tampers(app, "UPDATE audit_event SET ip = '203.0.113.9' WHERE org_id = $1 AND seq = 2", shop.id()).await;
        assert_eq!(looks(app, shop.id()).await, 0, "once a day");
        app.advance(Duration::days(1));
        assert_eq!(looks(app, shop.id()).await, 1);
        assert_eq!(alerts_to(app, &shop.owner().email).await, ["Security alert: The audit log was changed"]);
        let (secret, url) = (&app.settings.secret, &app.settings.public_url);
        assert_eq!(audit_anchor::mail_daily(&app.db, &app.origin, secret, url).await.unwrap(), 0, "nothing vouches for it");
    }

    async fn manual_audit_check_alerts_and_does_not_delay_the_daily_check(app) {
        let shop = app.org("Acme Plumbing").await;
        record_actions(app, &shop, 3).await;
        assert_eq!(looks(app, shop.id()).await, 0);
        app.advance(Duration::hours(22));
        let olive = app.client().signed_in(app, shop.owner()).await;
        assert_eq!(olive.post("/api/security/audit-log/verify", &json!({})).await.json()["ok"], json!(true));
        tampers(app, "UPDATE audit_event SET ip = '203.0.113.9' WHERE org_id = $1 AND seq = 2", shop.id()).await;
        app.advance(Duration::hours(2));
        assert_eq!(looks(app, shop.id()).await, 1, "the daily check runs although a manual one was two hours ago");
        assert_eq!(alerts_to(app, &shop.owner().email).await, ["Security alert: The audit log was changed"]);
        let other = app.org("Best Roofing").await;
        record_actions(app, &other, 3).await;
        tampers(app, "UPDATE audit_event SET ip = '203.0.113.9' WHERE org_id = $1 AND seq = 2", other.id()).await;
        let theirs = app.client().signed_in(app, other.owner()).await;
        assert_eq!(theirs.post("/api/security/audit-log/verify", &json!({})).await.json()["ok"], json!(false));
        assert_eq!(alerts_to(app, &other.owner().email).await, ["Security alert: The audit log was changed"]);
    }
}
