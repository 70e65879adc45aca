//! Stripe's two modes, other currencies, and what it refuses.

use chrono::Duration;
use serde_json::json;
use shared::platform::db::q;
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{KEY, Left},
};

use super::{Owed, owed, put};

async fn opens_without_email(app: &TestApp, owed: &Owed, email: &str) {
    // The address of the request takes precedence over the customer's.
    let sql = "UPDATE lead SET email = $2 WHERE org_id = $1";
    app.within(async |tx| Ok(q!(tx, execute, sql, owed.shop.id(), email)?)).await.unwrap();
    let session = owed.goes_to_pay().await;
    let opened = owed.stripe.sessions();
    assert_eq!((opened.len(), opened[0].id.as_str()), (1, session.as_str()));
    assert!(!opened[0].fields.contains_key("customer_email"));
    app.run_tasks().await;
    app.advance(Duration::days(2));
    app.run_tasks().await;
}

both_databases! {
    async fn test_mode_payment_is_marked_and_settles_nothing(app) {
        let owed = owed(app).await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(put(&owed.office, &path, &json!({"secretKey": KEY})).await.json()["isTest"], json!(true));
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        let payment = owed.money().await["payments"][0].clone();
        assert_eq!((&payment["status"], &payment["refundable"]), (&json!("test"), &json!(0.0)), "{payment}");
        let refund = format!("/api/payments/{}/refund", payment["id"].as_str().unwrap());
        assert_eq!(owed.office.post(&refund, &json!({})).await.status, 409);
        assert_eq!(owed.alerts().await, ["Test payment: Ann Lee, $120.00"]);
        let invoice = owed.office.get(&format!("/api/invoices/{}", owed.invoice)).await.json();
        assert_eq!(invoice["status"], json!("open"));
        assert!(owed.page().await.contains("/pay\""), "it can still be paid");
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert!(!app.mail.accepted_messages().iter().any(|letter| letter.subject.contains("RCP-")), "no receipt for no money");
    }

    async fn payment_in_other_currency_is_alerted_and_settles_nothing(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.stripe.converts(&session, "cad");
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (0.0, 120.0));
        assert_eq!(owed.alerts().await, ["A card payment came in CAD, not in US dollars"]);
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!(owed.alerts().await.len(), 1);
    }

    async fn email_rejected_by_stripe_is_omitted_from_checkout(app) {
        let owed = owed(app).await;
        opens_without_email(app, &owed, "ann@mail.refused.example").await;
    }

    async fn email_rejected_without_naming_its_field_is_omitted_from_checkout(app) {
        let owed = owed(app).await;
        opens_without_email(app, &owed, "ann@unnamed.refused.example").await;
    }
}
