//! Payments in a Stripe account that is not in force any more: shown and reported as not compared.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use shared::platform::db::q;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{LIVE, OTHER},
};

use super::{Owed, paid, reconciliation::night};

impl Owed {
    async fn not_compared(&self, app: &TestApp) -> Value {
        self.comparison(app).await["notCompared"].clone()
    }

    /// Texts of the alerts about former accounts.
    async fn former_account_alerts(&self, app: &TestApp) -> Vec<String> {
        let owner = app.client().signed_in(app, self.shop.owner()).await;
        let alerts = owner.get("/api/alerts").await.json();
        let is_meant = |one: &&Value| one["title"] == "Payments of a former Stripe account are not compared";
        let text = |one: &Value| one["body"].as_str().unwrap().to_owned();
        alerts.as_array().unwrap().iter().filter(is_meant).map(text).collect()
    }

    /// The payment came into another account.
    async fn came_into(&self, app: &TestApp, account: &str) {
        let sql = "UPDATE payment SET account = $2 WHERE org_id = $1 AND kind = 'payment'";
        app.within(async |tx| Ok(q!(tx, execute, sql, self.shop.id(), account)?)).await.unwrap();
    }
}

both_databases! {
    async fn payment_charged_back_in_a_former_account_is_marked_as_not_compared(app) {
        let (owed, session) = paid(app).await;
        night(app).await;
        assert_eq!(owed.not_compared(app).await, json!([]));
        let wanted = json!([{"account": "acct_own", "payments": 1, "amount": 120.0, "since": app.now()}]);
        owed.uses_account(app, OTHER).await;
        assert_eq!(owed.not_compared(app).await, wanted);
        let alerts = owed.former_account_alerts(app).await;
        assert!(alerts[0].starts_with("1 card payment ($120.00) of the last 120 days came into Stripe account acct_own"), "{alerts:?}");
        app.advance(Duration::days(3));
        owed.stripe.disputes(&session, "needs_response");
        night(app).await;
        night(app).await;
        assert_eq!(owed.not_compared(app).await, wanted, "what happens there is not learnt");
        assert_eq!(owed.former_account_alerts(app).await.len(), 1, "once");
        owed.uses_account(app, LIVE).await;
        assert_eq!(owed.not_compared(app).await, json!([]));
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((0.0, 120.0), 0));
    }

    async fn disconnected_account_is_named_with_its_payments_at_once(app) {
        let (owed, _) = paid(app).await;
        night(app).await;
        let owner = app.client().signed_in(app, owed.shop.owner()).await;
        let removed = owner.send(Method::DELETE, &format!("/api/org/{}/stripe", owed.shop.id()), "", Vec::new()).await;
        let wanted = json!([{"account": "acct_own", "payments": 1, "amount": 120.0, "since": app.now()}]);
        assert_eq!((removed.status.as_u16(), &removed.json()["reconciliation"]["notCompared"]), (200, &wanted));
        assert_eq!((owed.not_compared(app).await, owed.former_account_alerts(app).await.len()), (wanted, 1));
        app.run_tasks().await;
    }

    async fn payment_of_an_account_left_long_ago_is_reported_once_by_the_next_run(app) {
        let (owed, _) = paid(app).await;
        owed.uses_account(app, OTHER).await;
        owed.came_into(app, "acct_before").await;
        night(app).await;
        let wanted = json!([{"account": "acct_before", "payments": 1, "amount": 120.0, "since": null}]);
        assert_eq!(owed.not_compared(app).await, wanted);
        let is_named = |text: &&String| text.contains("Stripe account acct_before, which is no longer connected");
        assert_eq!(owed.former_account_alerts(app).await.iter().filter(is_named).count(), 1);
        night(app).await;
        assert_eq!(owed.former_account_alerts(app).await.iter().filter(is_named).count(), 1, "once");
        app.advance(Duration::days(121));
        assert_eq!(owed.not_compared(app).await, json!([]), "older than the period");
        app.run_tasks().await;
    }

    async fn payment_of_a_rolled_key_is_compared_in_the_account_that_lists_it(app) {
        let (owed, _) = paid(app).await;
        owed.came_into(app, "key_0123456789").await;
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["notCompared"]), (&json!(1), &json!([])), "{look}");
        assert_eq!(owed.former_account_alerts(app).await.len(), 0);
    }
}
