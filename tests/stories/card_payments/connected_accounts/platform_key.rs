//! The platform's key is of another platform, refused or missing: nothing is disconnected, and people hear of it.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::{
    addresses::email,
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left, OTHER_PLATFORM},
};

use super::{Owed, begins, connected, onboarded, payment_settings, place, platform};
use crate::card_payments::reconciliation::night;

const OPERATOR: &str = "operator@toolbox.example";
const NO_ACCESS: &str = "Toolbox cannot reach your Stripe account";
const DISCONNECTED: &str = "Card payments are off: Stripe was disconnected";

impl Owed {
    async fn settings(&self) -> Value {
        payment_settings(&self.office, &self.shop).await
    }

    async fn count_alerts(&self, title: &str) -> usize {
        self.alert_titles().await.iter().filter(|one| *one == title).count()
    }

    /// Signed in again, to the programs as they are set up now.
    async fn later(self, app: &TestApp) -> Self {
        Self { office: app.client().signed_in(app, self.shop.owner()).await, customer: app.client(), ..self }
    }

    async fn stays_connected(&self, account: &str) {
        let seen = self.settings().await;
        assert_eq!((&seen["connect"]["state"], &seen["hint"]), (&json!("ready"), &json!(account)), "{seen}");
        assert!(seen["keyRefusedAt"].is_string(), "{seen}");
        assert_eq!((self.count_alerts(NO_ACCESS).await, self.count_alerts(DISCONNECTED).await), (1, 0));
    }
}

fn operator_mails(app: &TestApp) -> usize {
    let subject = "Stripe does not let Toolbox reach connected accounts";
    app.mail.accepted_messages().iter().filter(|mail| mail.subject == subject).count()
}

async fn an_hour_passes(app: &TestApp) {
    app.advance(Duration::hours(1));
    app.run_tasks().await;
}

both_databases! {
    async fn key_of_another_platform_disconnects_no_account(app) {
        app.context.operators = vec![email(OPERATOR)];
        let stripe = platform(app).await;
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        app.use_platform_key(&stripe, OTHER_PLATFORM);
        night(app).await;
        let owed = owed.later(app).await;
        owed.stays_connected(&account).await;
        assert_eq!(operator_mails(app), 1, "one a day");
        let refused = owed.office.post(&place(&owed.shop, "/connect"), &json!({})).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["reason"]), (409, &json!("stripe_platform_refused")));
        assert_eq!(stripe.accounts().len(), 1, "no other account takes its place");
        app.use_platform(&stripe);
        an_hour_passes(app).await;
        let owed = owed.later(app).await;
        assert_eq!(owed.settings().await["keyRefusedAt"], Value::Null);
        assert_eq!(owed.count_alerts("Toolbox reaches your Stripe account again").await, 1);
        let page = owed.goes_to_pay().await;
        stripe.leave(&page, Left::Paid);
        owed.comes_back(&page).await;
        app.run_tasks().await;
        assert_eq!((owed.collected_and_owed().await, stripe.held_by(&account)), ((120.0, 0.0), 12_000));
    }

    async fn refused_platform_key_is_reported_to_owner_and_operators(app) {
        app.context.operators = vec![email(OPERATOR)];
        let owed = connected(app).await;
        let account = owed.stripe.accounts()[0].id.clone();
        owed.stripe.script_reads(&[Fault::Unauthorized; 60]);
        night(app).await;
        owed.stripe.is_well();
        let owed = owed.later(app).await;
        owed.stays_connected(&account).await;
        assert_eq!(operator_mails(app), 1);
        let unread = owed.settings().await["reconciliation"]["unread"].clone();
        assert_eq!(unread.as_array().unwrap().len(), 5, "{unread}");
        an_hour_passes(app).await;
        assert_eq!(owed.settings().await["keyRefusedAt"], Value::Null);
    }

    async fn missing_platform_key_is_reported_and_disconnects_no_account(app) {
        let stripe = platform(app).await;
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        app.use_no_platform(&stripe);
        night(app).await;
        let owed = owed.later(app).await;
        owed.stays_connected(&account).await;
        app.use_platform(&stripe);
        an_hour_passes(app).await;
        assert_eq!(owed.later(app).await.settings().await["keyRefusedAt"], Value::Null);
    }

    async fn account_of_an_unnamed_platform_is_ended_by_its_owner_alone(app) {
        let stripe = platform(app).await;
        // A restricted key.
        stripe.hides("account");
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        stripe.disconnects(&account);
        owed.receives_event(app, "account.application.deauthorized", &account).await;
        owed.stays_connected(&account).await;
        let off = owed.office.send(Method::DELETE, &place(&owed.shop, ""), "", Vec::new()).await;
        assert_eq!(off.status, 200, "{}", off.json());
        app.run_tasks().await;
        let again = begins(&owed.office, &owed.shop).await;
        assert_eq!((&again["cards"]["connect"]["state"], stripe.accounts().len()), (&json!("needs_details"), 2), "{again}");
        app.run_tasks().await;
    }

    async fn platform_of_an_older_connection_is_stored_by_the_next_look(app) {
        let stripe = platform(app).await;
        let (owed, account) = onboarded(app, &stripe, "Acme Plumbing").await;
        let named = "connected_account WHERE platform = 'acct_platform'";
        assert_eq!(app.count(named).await, 1);
        let older = "UPDATE connected_account SET platform = NULL WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, older, owed.shop.id())?)).await.unwrap();
        owed.receives_event(app, "account.updated", &account).await;
        assert_eq!(app.count(named).await, 1);
        stripe.disconnects(&account);
        owed.receives_event(app, "account.application.deauthorized", &account).await;
        assert_eq!((owed.connection().await, owed.count_alerts(DISCONNECTED).await), (json!("disconnected"), 1));
    }

    async fn refund_in_doubt_of_a_connected_account_asks_for_no_key(app) {
        let owed = connected(app).await;
        owed.asks_for_refund_with_lost_answer(app).await;
        owed.stripe.script_reads(&[Fault::Unauthorized; 8]);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        let alerts = owed.office.get("/api/alerts").await.json();
        let alert = alerts.as_array().unwrap().iter().find(|one| one["title"] == "A refund of $50.00 is in doubt").unwrap();
        let body = alert["body"].as_str().unwrap();
        assert!(body.contains("Ask the person who runs your Toolbox") && !body.contains("new key"), "{body}");
        owed.stripe.is_well();
        app.advance(Duration::hours(2));
        app.run_tasks().await;
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((70.0, 50.0), 7_000));
    }
}
