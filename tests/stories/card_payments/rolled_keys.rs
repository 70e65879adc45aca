//! Keys that may not read whose keys they are: a new one may be of the same account.

use serde_json::json;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{LIVE, LIVE_NEW, Left},
};

use super::{Owed, owed, reconciliation::night};

/// Ann owes $120.00, and the key in force is a restricted one whose account Stripe did not name.
async fn unnamed(app: &mut TestApp) -> Owed {
    let owed = owed(app).await;
    owed.stripe.hides("account");
    owed.uses_account(app, LIVE_NEW).await;
    app.run_tasks().await;
    owed
}

impl Owed {
    /// The key is deleted in Stripe, and another one of the same account is entered.
    async fn rolls_key(&self, app: &TestApp) {
        self.stripe.revokes(LIVE_NEW);
        self.uses_account(app, LIVE).await;
        app.run_tasks().await;
    }
}

both_databases! {
    async fn payment_on_a_page_of_a_revoked_key_is_booked_with_the_new_key(app) {
        let owed = unnamed(app).await;
        let page = owed.goes_to_pay().await;
        owed.stripe.leave(&page, Left::Paid);
        owed.rolls_key(app).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        assert!(!owed.page().await.contains("/pay\""), "it is not asked for again");
        night(app).await;
        let look = owed.comparison(app).await;
        assert_eq!((&look["agreed"], &look["differences"], &look["notCompared"]), (&json!(1), &json!([]), &json!([])), "{look}");
    }

    async fn open_page_of_a_revoked_key_is_closed_with_the_new_key(app) {
        let owed = unnamed(app).await;
        let page = owed.goes_to_pay().await;
        owed.rolls_key(app).await;
        let left = owed.stripe.sessions().into_iter().find(|one| one.id == page).and_then(|one| one.left);
        assert_eq!(left, Some(Left::Expired));
        assert_eq!(owed.alerts().await, [""; 0], "nothing is left open");
    }

    async fn refund_in_doubt_of_a_revoked_key_is_settled_with_the_new_key(app) {
        let owed = unnamed(app).await;
        owed.asks_for_refund_with_lost_answer(app).await;
        owed.rolls_key(app).await;
        let money = owed.money().await;
        let refund = money["payments"].as_array().unwrap().iter().find(|row| row["kind"] == "refund").unwrap();
        assert_eq!((&refund["status"], &refund["markable"]), (&json!("settled"), &json!(false)), "{refund}");
        assert_eq!((owed.collected_and_owed().await, owed.stripe.refunds().len()), ((70.0, 50.0), 1));
    }
}
