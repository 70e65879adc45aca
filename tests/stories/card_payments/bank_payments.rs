//! Bank payments that take days, while keys, accounts and what is due change.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::domain::tenancy::org::keys;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Left, OTHER},
};

use super::{Owed, left_as, owed, put, reconciliation::night};

const NOT_FOLLOWED: &str = "A bank payment of $120.00 can no longer be followed";

/// Ann pays by a bank transfer and does not come back, and Stripe's webhook does not arrive.
async fn unknown_transfer(app: &mut TestApp) -> (Owed, String) {
    let owed = owed(app).await;
    let session = owed.goes_to_pay().await;
    owed.stripe.leave(&session, Left::Underway);
    (owed, session)
}

async fn under_way(app: &mut TestApp) -> (Owed, String) {
    left_as(app, Left::Underway).await
}

impl Owed {
    /// Whether the page says that payment is in progress, and further taps open no other page.
    async fn waits(&self) -> bool {
        let pages = self.stripe.sessions().len();
        assert_eq!(self.posts(&format!("{}/pay", self.at)).await.status, 303);
        let page = self.page().await;
        self.stripe.sessions().len() == pages && page.contains("on its way") && !page.contains("/pay\"")
    }

    async fn changes_account(&self) {
        let path = format!("/api/org/{}/stripe", self.shop.id());
        assert_eq!(put(&self.office, &path, &json!({"secretKey": OTHER})).await.status, 200);
    }
}

both_databases! {
    async fn pending_transfer_blocks_new_checkout_while_balance_changes(app) {
        let (owed, session) = under_way(app).await;
        let part = json!({"amount": 20, "partial": true, "method": "cash", "receipt": false, "invoiceId": owed.invoice});
        assert_eq!(owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &part).await.status, 200);
        app.run_tasks().await;
        assert!(owed.waits().await);
        app.advance(Duration::days(3));
        app.run_tasks().await;
        assert!(owed.waits().await);
        owed.stripe.leave(&session, Left::Paid);
        night(app).await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        let money = owed.money().await;
        assert_eq!((&money["collected"], &money["credit"]), (&json!(140.0), &json!(20.0)), "{money}");
        assert_eq!(money["giveBack"]["amount"], json!(20.0));
    }

    async fn pending_transfer_of_former_account_is_followed_to_payment(app) {
        let (owed, session) = under_way(app).await;
        owed.changes_account().await;
        app.run_tasks().await;
        assert!(owed.waits().await);
        app.advance(Duration::hours(12));
        app.run_tasks().await;
        assert!(owed.waits().await);
        owed.stripe.leave(&session, Left::Paid);
        app.advance(Duration::hours(7));
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        assert!(owed.alerts().await.iter().any(|title| title == "Ann Lee paid $120.00 by card"));
    }

    async fn untraceable_transfer_is_alerted_and_invoice_payable_again(app) {
        let (owed, _) = under_way(app).await;
        owed.changes_account().await;
        app.run_tasks().await;
        app.advance(Duration::hours(27));
        app.within(async |tx| keys::prune_former_keys(tx, app.now() - Duration::hours(26)).await).await.unwrap();
        app.run_tasks().await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.bodies_of(NOT_FOLLOWED).await.len(), 1);
        assert!(owed.page().await.contains("/pay\""));
        assert!(!owed.waits().await, "they can pay in the account in force");
        app.run_tasks().await;
    }

    async fn transfer_unknown_at_an_account_change_is_followed_to_payment(app) {
        let (owed, session) = unknown_transfer(app).await;
        owed.changes_account().await;
        app.run_tasks().await;
        assert!(owed.waits().await);
        app.advance(Duration::hours(12));
        app.run_tasks().await;
        assert!(owed.waits().await);
        owed.stripe.leave(&session, Left::Paid);
        app.advance(Duration::hours(7));
        app.run_tasks().await;
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((120.0, 0.0), 12_000));
    }

    async fn transfer_unknown_when_keys_are_removed_is_alerted_once_they_are_deleted(app) {
        let (owed, _) = unknown_transfer(app).await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(owed.office.send(Method::DELETE, &path, "", Vec::new()).await.status, 200);
        app.run_tasks().await;
        assert!(owed.waits().await);
        app.advance(Duration::hours(27));
        app.within(async |tx| keys::prune_former_keys(tx, app.now() - Duration::hours(26)).await).await.unwrap();
        app.run_tasks().await;
        let owed = Owed { office: app.client().signed_in(app, owed.shop.owner()).await, ..owed };
        assert_eq!(owed.bodies_of(NOT_FOLLOWED).await.len(), 1);
        assert!(!owed.page().await.contains("on its way"));
    }

    async fn page_opened_beside_an_unknown_transfer_expires_once_it_is_known(app) {
        let (owed, session) = unknown_transfer(app).await;
        owed.changes_account().await;
        let second = owed.goes_to_pay().await;
        assert_ne!(second, session);
        app.run_tasks().await;
        assert!(owed.is_expired(&second) && owed.waits().await);
        owed.stripe.leave(&session, Left::Paid);
        app.advance(Duration::hours(7));
        app.run_tasks().await;
        assert_eq!((owed.collected_and_owed().await, owed.stripe.held()), ((120.0, 0.0), 12_000));
    }

    async fn second_transfer_for_an_invoice_is_alerted_and_both_are_booked(app) {
        let (owed, session) = unknown_transfer(app).await;
        owed.changes_account().await;
        let second = owed.goes_to_pay().await;
        owed.stripe.leave(&second, Left::Underway);
        owed.comes_back(&second).await;
        app.run_tasks().await;
        assert!(owed.waits().await);
        assert_eq!(owed.bodies_of("A second bank payment of $120.00 is on its way").await.len(), 1);
        owed.stripe.leave(&session, Left::Paid);
        owed.stripe.leave(&second, Left::Paid);
        app.advance(Duration::hours(7));
        app.run_tasks().await;
        let money = owed.money().await;
        assert_eq!((&money["collected"], &money["credit"]), (&json!(240.0), &json!(120.0)), "{money}");
    }
}
