//! "Send report now": it is sent at once, or the owner reads what is missing.

use serde_json::{Value, json};
use shared::{domain::tenancy::org::FeatureSwitches, providers::sms::SmsProvider};
use tests::{
    app::TestApp,
    both_databases,
    fake_smtp::FakeSmtp,
    http::{Answer, Client},
};

use super::acme;
use crate::settings::test_messages::use_smtp;

async fn press(client: &Client) -> Answer {
    client.post("/api/kpi-pulse", &json!({"period": "manual"})).await
}

fn reason(answer: &Answer) -> String {
    assert_eq!(answer.problem().0, 409, "{}", answer.json());
    answer.json()["detail"].as_str().unwrap().to_owned()
}

async fn set_up(app: &mut TestApp) -> FakeSmtp {
    let smtp = FakeSmtp::start().await;
    use_smtp(app, &smtp.url());
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    smtp
}

both_databases! {
    async fn manual_report_names_missing_setup_until_it_can_be_sent(app) {
        let (shop, owner) = acme(app).await;
        assert!(reason(&press(&owner).await).contains("Email is not set up yet"));
        set_up(app).await;
        let (_, owner) = (&shop, app.client().signed_in(app, shop.owner()).await);
        app.switches(&shop, FeatureSwitches { kpi_reporting: false, ..FeatureSwitches::ALL_ON }).await;
        assert!(reason(&press(&owner).await).contains("switched off"));
        app.switches(&shop, FeatureSwitches::ALL_ON).await;
        assert_eq!(press(&owner).await.status, 202);
        let wrong = owner.post("/api/kpi-pulse", &json!({"period": "daily"})).await;
        assert_eq!(wrong.status.as_u16() / 100, 4, "{}", wrong.json());
        app.run_tasks().await;
    }

    async fn manual_report_reaches_recipients_and_names_unreachable_ones(app) {
        let smtp = FakeSmtp::start().await;
        use_smtp(app, &smtp.url());
        let (shop, owner) = acme(app).await;
        app.tells(&shop, shared::domain::messaging::message::MessageChannel::Sms, "+15125550111").await;
        let sent = press(&owner).await.json();
        assert_eq!(sent["sentTo"][0]["to"], json!(shop.owner().email));
        assert_eq!((&sent["notSent"][0]["to"], sent["sentTo"].as_array().unwrap().len()), (&json!("+15125550111"), 1));
        assert!(sent["notSent"][0]["reason"].as_str().unwrap().contains("SMS is not set up"));
        app.run_tasks().await;
        let [letter] = &smtp.letters()[..] else { panic!("{} letters", smtp.letters().len()) };
        assert!(letter.header("Subject").is_some() && letter.raw.contains("Content-ID: <chart>"), "{}", letter.raw);
        let listed = owner.get("/api/kpi-pulse").await.json();
        assert_eq!((&listed["reports"][0]["id"], &listed["reports"][0]["outcome"]), (&sent["id"], &json!("sent")));
    }

    async fn manual_report_without_recipients_goes_to_the_requester(app) {
        let smtp = set_up(app).await;
        let (shop, _) = acme(app).await;
        let forget = "DELETE FROM recipient WHERE org_id = $1";
        app.within(async |tx| Ok(shared::q!(tx, execute, forget, shop.id())?)).await.unwrap();
        let office = app.staff(&shop, shared::domain::tenancy::account::Role::Office).await;
        let client = app.client().signed_in(app, &office).await;
        assert_eq!(press(&client).await.json()["sentTo"][0]["to"], json!(office.email));
        app.run_tasks().await;
        assert_eq!(smtp.letters().len(), 1);
    }

    async fn repeated_request_sends_one_report_and_excess_is_rate_limited(app) {
        let smtp = set_up(app).await;
        let (_, owner) = acme(app).await;
        let keyed = owner.with("idempotency-key", "one press");
        let (first, again): (Value, Value) = (press(&keyed).await.json(), press(&keyed).await.json());
        assert_eq!(first, again);
        for _ in 1..20 {
            assert_eq!(press(&owner).await.status, 202);
        }
        let refused = press(&owner).await;
        assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "3600"));
        app.run_tasks().await;
        assert_eq!(smtp.letters().len(), 20);
    }
}
