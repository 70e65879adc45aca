//! "Send a test": it arrives, or the owner reads what is missing.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::{platform::config::EnvVars, providers::mail::MailConfig};
use tests::{
    app::TestApp,
    both_databases,
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    http::{Answer, Client},
};

use super::{ask, owner, patch};

pub(crate) fn use_smtp(app: &mut TestApp, url: &str) {
    app.use_smtp_at(url);
    let mut vars = EnvVars::from_pairs([("SMTP_URL", url), ("MAIL_FROM", "Toolbox <office@toolbox.example>")]);
    app.settings.mail = MailConfig::from_vars(&mut vars, &app.settings.data_dir);
    vars.into_result().unwrap();
}

async fn test(client: &Client, path: &str) -> Answer {
    ask(client, (Method::POST, path.to_owned(), Value::Null)).await
}

fn reason(answer: &Answer) -> String {
    assert_eq!(answer.problem().0, 409, "{}", answer.json());
    answer.json()["detail"].as_str().unwrap().to_owned()
}

both_databases! {
    async fn test_email_reaches_the_requesting_user(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        assert!(reason(&test(&client, "/api/test/email").await).contains("Email is not set up yet"));
        let smtp = FakeSmtp::start().await;
        use_smtp(app, &smtp.url());
        let client = owner(app, &shop).await;
        let sent = test(&client, "/api/test/email").await;
        assert_eq!((sent.status.as_u16(), &sent.json()["to"]), (202, &json!(shop.owner().email)));
        app.run_tasks().await;
        let [letter] = &smtp.letters()[..] else { panic!("{} letters", smtp.letters().len()) };
        assert!(letter.header("Subject").unwrap().contains("Test email of Acme Plumbing"));
        assert_eq!(status_of(app, &sent).await, "sent");
    }

    async fn test_text_reaches_the_first_recipient_else_the_business_phone(app) {
        let shop = app.org("Acme Plumbing").await;
        let client = owner(app, &shop).await;
        assert!(reason(&test(&client, "/api/test/sms").await).contains("no phone number"));
        assert_eq!(patch(&client, "/api/org/acme-plumbing", &json!({"phone": "512 555 0100"})).await.status, 200);
        assert!(reason(&test(&client, "/api/test/sms").await).contains("SMS is not set up"));
        assert_eq!(app.count("message WHERE kind = 'test'").await, 0);
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        let client = owner(app, &shop).await;
        assert_eq!(test(&client, "/api/test/sms").await.json()["to"], "+15125550100");
        let body = client.post("/api/org/acme-plumbing/recipients", &json!({"phone": "512 555 0142"})).await.json();
        assert_eq!(test(&client, "/api/test/sms").await.json()["to"], "+15125550142");
        let id = body["phones"][0]["id"].as_str().unwrap();
        let one = test(&client, &format!("/api/org/acme-plumbing/recipients/{id}/test")).await;
        assert_eq!(one.status, 202, "{}", one.json());
        app.run_tasks().await;
        let texts: Vec<_> = twilio.received().into_iter().map(|text| text.to).collect();
        assert_eq!(texts, ["+15125550100", "+15125550142", "+15125550142"]);
        assert!(twilio.received()[0].body.contains("This is a test text of Acme Plumbing"));
    }

    async fn repeated_click_sends_one_message_and_excess_is_rate_limited(app) {
        let shop = app.org("Acme Plumbing").await;
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        let client = owner(app, &shop).await;
        patch(&client, "/api/org/acme-plumbing", &json!({"phone": "512 555 0100"})).await;
        let keyed = client.with("idempotency-key", "one click");
        let (first, again) = (test(&keyed, "/api/test/sms").await, test(&keyed, "/api/test/sms").await);
        assert_eq!((again.status.as_u16(), first.json()), (202, again.json()));
        assert_eq!(test(&keyed, "/api/test/email").await.problem().1, "idempotency_mismatch");
        for _ in 1..20 {
            assert_eq!(test(&client, "/api/test/sms").await.status, 202);
        }
        let refused = test(&client, "/api/test/sms").await;
        assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "3600"));
        app.run_tasks().await;
        app.live_through(Duration::hours(1), Duration::minutes(1)).await;
        assert_eq!(twilio.received().len(), 20);
        assert_eq!(test(&client, "/api/test/sms").await.status, 202, "an hour later");
        app.run_tasks().await;
    }
}

async fn status_of(app: &TestApp, sent: &Answer) -> String {
    let id: uuid::Uuid = sent.json()["messageId"].as_str().unwrap().parse().unwrap();
    let sql = "SELECT status FROM message WHERE id = $1";
    shared::q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, sql, id).unwrap()
}
