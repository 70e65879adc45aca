//! "Send report now": it leaves at once, or the owner reads what is missing.

use serde_json::{Value, json};
use shared::{domain::tenancy::org::Switches, providers::sms::Sms};
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

/// A server that can send both ways.
async fn set_up(app: &mut TestApp) -> FakeSmtp {
    let smtp = FakeSmtp::start().await;
    use_smtp(app, &smtp.url());
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = Sms::Memory(app.sms.clone());
    smtp
}

both_databases! {
    async fn it_says_what_is_missing_until_something_can_leave(app) {
        let (shop, owner) = acme(app).await;
        assert!(reason(&press(&owner).await).contains("SMTP_URL"));
        set_up(app).await;
        let (_, owner) = (&shop, app.client().signed_in(app, shop.owner()).await);
        app.switches(&shop, Switches { kpi_reporting: false, ..Switches::ALL_ON }).await;
        assert!(reason(&press(&owner).await).contains("switched off"));
        app.switches(&shop, Switches::ALL_ON).await;
        assert_eq!(press(&owner).await.status, 202);
        let wrong = owner.post("/api/kpi-pulse", &json!({"period": "daily"})).await;
        assert_eq!(wrong.status.as_u16() / 100, 4, "{}", wrong.json());
        app.run_tasks().await;
    }

    async fn it_reaches_the_list_and_names_whom_it_cannot_reach(app) {
        let smtp = FakeSmtp::start().await;
        use_smtp(app, &smtp.url());
        let (shop, owner) = acme(app).await;
        app.tells(&shop, shared::domain::messaging::message::Channel::Sms, "+15125550111").await;
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

    async fn where_nobody_is_on_the_list_it_goes_to_who_pressed(app) {
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

    async fn a_repeated_press_is_one_report_and_a_toy_is_taken_away(app) {
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
