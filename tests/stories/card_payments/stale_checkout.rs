//! Pages that are open at Stripe while the amount due or the account changes.

use axum::http::Method;
use chrono::Duration;
use serde_json::json;
use shared::{
    ops::{erasure, tenant_data::removal},
    platform::{db::q, error::Error, id::CustomerId},
};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, LIVE, LIVE_NEW, Left, OTHER},
};

use super::{Owed, owed, put, quoted, text};

const NOT_CLOSED: &str = "A Stripe page over $120.00 could not be closed";

impl Owed {
    pub(super) fn is_expired(&self, session: &str) -> bool {
        self.stripe.sessions().iter().any(|page| page.id == session && page.left == Some(Left::Expired))
    }

    pub(super) async fn bodies_of(&self, title: &str) -> Vec<String> {
        let alerts = self.office.get("/api/alerts").await.json();
        let ours = alerts.as_array().unwrap().iter().filter(|one| one["title"] == title);
        ours.map(|one| one["body"].as_str().unwrap().to_owned()).collect()
    }

    async fn pays_cash(&self) {
        let body = json!({"amount": 120, "method": "cash", "receipt": false});
        assert_eq!(self.office.post(&format!("/api/leads/{}/paid", self.lead), &body).await.status, 200);
    }

    pub(super) async fn voids(&self) {
        let voided =
            self.office.post(&format!("/api/invoices/{}/void", self.invoice), &json!({"reason": "twice"})).await;
        assert!(voided.status.is_success(), "{}", voided.json());
    }

    async fn asks_for_erasure(&self, app: &TestApp) {
        let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
        let (org, mut conn) = (self.shop.id(), app.db.acquire_reader().await.unwrap());
        let ann = q!(&mut conn, fetch_one scalar CustomerId, sql, org, self.lead).unwrap();
        drop(conn);
        app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, org, ann, "Ann Lee", None).await)
            .await
            .unwrap();
    }

    /// The removal is refused, and names this.
    async fn is_not_removed_for(&self, app: &TestApp, item: &str) {
        let refused = removal::remove_org(&app.remover(), self.shop.id()).await.unwrap_err();
        assert!(matches!(&refused, Error::Conflict(why) if why.to_string().contains(item)), "{refused}");
    }
}

both_databases! {
    async fn erasure_expires_open_page_of_the_person(app) {
        let owed = quoted(app, 1000.0, 25.0).await;
        owed.signs().await;
        owed.asks_for_erasure(app).await;
        app.advance(erasure::GRACE - Duration::hours(1));
        let page = owed.goes_to_pay().await;
        app.advance(Duration::hours(1));
        worker::housekeeping::run_due_erasures(&app.context).await.unwrap();
        assert_eq!(app.count("erasure WHERE state = 'done'").await, 1);
        app.run_tasks().await;
        assert!(owed.is_expired(&page), "nobody pays after the erasure");
        assert_eq!(app.count("checkout WHERE status IN ('opening', 'open') OR is_closing = TRUE").await, 0);
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn business_with_money_on_its_way_at_stripe_is_not_removed(app) {
        let owed = owed(app).await;
        let session = owed.goes_to_pay().await;
        owed.is_not_removed_for(app, &format!("a page over $120.00 ({session})")).await;
        owed.stripe.leave(&session, Left::Paid);
        owed.comes_back(&session).await;
        app.run_tasks().await;
        owed.stripe.refunds_take_days();
        let payment = owed.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let back = json!({"amount": 50});
        assert_eq!(owed.office.post(&format!("/api/payments/{payment}/refund"), &back).await.status, 200);
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        owed.is_not_removed_for(app, &format!("a refund of $50.00 (pi_{session})")).await;
        owed.stripe.refund_ends(&owed.stripe.refunds()[0].id.clone(), "succeeded");
        app.advance(Duration::days(2));
        app.run_tasks().await;
        let removed = removal::remove_org(&app.remover(), owed.shop.id()).await.unwrap();
        assert_eq!(removed.name, "Acme Plumbing");
    }

    async fn checkout_page_expires_on_promise_or_cash_payment(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        let promise = json!({"on": "2026-09-25"});
        let path = format!("/api/invoices/{}/promise", owed.invoice);
        let promised = owed.office.post(&path, &promise).await;
        assert!(promised.status.is_success(), "{}", promised.json());
        app.run_tasks().await;
        assert!(owed.is_expired(&page));
        let page = owed.goes_to_pay().await;
        app.run_tasks().await;
        assert!(!owed.is_expired(&page), "a page with the right amount stays open");
        owed.pays_cash().await;
        app.run_tasks().await;
        assert!(owed.is_expired(&page));
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn voided_invoice_expires_checkout_page_and_blocks_redirect(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        let leave = owed.posts(&format!("{}/pay", owed.at)).await.header("location").to_owned();
        owed.voids().await;
        let gone = owed.customer.get(&leave).await;
        assert_ne!(gone.header("refresh"), format!("0; url=https://checkout.stripe.example/c/pay/{page}"), "{}", text(&gone));
        app.run_tasks().await;
        assert!(owed.is_expired(&page));
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn payment_after_void_is_credit_refundable_in_one_tap(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        owed.stripe.leave(&page, Left::Paid);
        // The business voids it before the webhook arrives.
        owed.voids().await;
        app.run_tasks().await;
        let money = owed.money().await;
        assert_eq!((&money["collected"], &money["invoiced"], &money["credit"]), (&json!(120.0), &json!(0.0), &json!(120.0)));
        let back = money["giveBack"].clone();
        assert_eq!(back["amount"], json!(120.0), "{money}");
        let path = format!("/api/payments/{}/refund", back["paymentId"].as_str().unwrap());
        let given = owed.office.post(&path, &json!({"amount": back["amount"]})).await;
        assert_eq!(given.status, 200, "{}", given.json());
        assert_eq!(given.json()["giveBack"], json!(null), "one tap, once");
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
        let money = owed.money().await;
        assert_eq!((&money["collected"], &money["credit"], owed.stripe.held()), (&json!(0.0), &json!(0.0), 0));
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn card_payment_after_cash_is_reported_as_credit(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        owed.stripe.leave(&page, Left::Paid);
        owed.pays_cash().await;
        app.run_tasks().await;
        let money = owed.money().await;
        assert_eq!((&money["credit"], &money["giveBack"]["amount"]), (&json!(120.0), &json!(120.0)), "{money}");
        let alerts = owed.office.get("/api/alerts").await.json();
        let body = alerts.as_array().unwrap().iter().find(|one| one["title"] == "Ann Lee paid $120.00 by card").unwrap()["body"].clone();
        assert!(body.as_str().unwrap().contains("it is a credit"), "{body}");
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn checkout_page_expiry_is_retried_after_stripe_outage(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        owed.pays_cash().await;
        owed.stripe.script(&[Fault::Error500, Fault::TooManyRequests]);
        app.run_tasks().await;
        assert!(!owed.is_expired(&page));
        for _ in 0..4 {
            app.advance(Duration::minutes(1));
            app.run_tasks().await;
        }
        assert!(owed.is_expired(&page));
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn checkout_page_that_cannot_be_expired_raises_alert(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        owed.pays_cash().await;
        owed.stripe.script(&[Fault::KeyReused]);
        app.run_tasks().await;
        assert!(!owed.is_expired(&page));
        let bodies = owed.bodies_of(NOT_CLOSED).await;
        assert!(bodies.len() == 1 && bodies[0].starts_with("Stripe did not close it."), "{bodies:?}");
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn page_of_a_refused_key_is_alerted_once_and_closed_with_the_next_key(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        owed.pays_cash().await;
        owed.stripe.script(&[Fault::Unauthorized; 20]);
        app.run_tasks().await;
        for _ in 0..3 {
            app.advance(Duration::hours(2));
            app.run_tasks().await;
        }
        assert!(!owed.is_expired(&page));
        let bodies = owed.bodies_of(NOT_CLOSED).await;
        assert!(bodies.len() == 1 && bodies[0].starts_with("Stripe refuses your key."), "{bodies:?}");
        assert!(bodies[0].ends_with("Put a new key in Settings, Card payments, and the page is closed."), "{bodies:?}");
        let shown = owed.office.get(&format!("/api/org/{}/stripe", owed.shop.id())).await.json();
        assert!(shown["keyRefusedAt"].is_string(), "{shown}");
        owed.stripe.is_well();
        owed.uses_account(app, LIVE_NEW).await;
        app.run_tasks().await;
        assert!(owed.is_expired(&page), "it is another key of the same account");
        assert_eq!(owed.bodies_of(NOT_CLOSED).await.len(), 0);
        assert_eq!(owed.bodies_of("The Stripe page over $120.00 is closed").await, ["Customers cannot pay on it now."]);
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn page_of_an_account_without_keys_is_alerted_as_out_of_reach(app) {
        let owed = owed(app).await;
        owed.goes_to_pay().await;
        let forget = "DELETE FROM org_secret WHERE org_id = $1 AND name LIKE 'stripe%'";
        app.within(async |tx| Ok(q!(tx, execute, forget, owed.shop.id())?)).await.unwrap();
        owed.pays_cash().await;
        app.run_tasks().await;
        let bodies = owed.bodies_of(NOT_CLOSED).await;
        assert!(bodies.len() == 1 && bodies[0].starts_with("Toolbox has no access to the Stripe account"), "{bodies:?}");
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn customer_can_pay_while_stripe_keeps_old_page_open(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        let part = json!({"amount": 20, "partial": true, "method": "cash", "receipt": false, "invoiceId": owed.invoice});
        assert_eq!(owed.office.post(&format!("/api/leads/{}/paid", owed.lead), &part).await.status, 200);
        owed.stripe.keeps_pages();
        // The customer taps again before the task has run.
        assert_ne!(owed.goes_to_pay().await, page);
        let amounts: Vec<i64> = owed.stripe.sessions().iter().map(|page| page.amount).collect();
        assert_eq!(amounts, [12_000, 10_000]);
        assert_eq!(owed.bodies_of(NOT_CLOSED).await.len(), 1);
        app.run_tasks().await;
    }

    async fn checkout_pages_of_former_keys_are_expired_and_not_reused(app) {
        let owed = owed(app).await;
        let before = owed.goes_to_pay().await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(put(&owed.office, &path, &json!({"secretKey": OTHER})).await.status, 200);
        let after = owed.goes_to_pay().await;
        assert_ne!(before, after);
        app.run_tasks().await;
        assert!(owed.is_expired(&before), "with the keys it was opened with");
        assert!(!owed.is_expired(&after));
        assert_eq!(put(&owed.office, &path, &json!({"secretKey": LIVE})).await.status, 200);
        owed.stripe.leave(&after, Left::Paid);
        app.run_tasks().await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0), "the last payment is booked");
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn checkout_pages_are_expired_after_keys_are_removed(app) {
        let owed = owed(app).await;
        let page = owed.goes_to_pay().await;
        let path = format!("/api/org/{}/stripe", owed.shop.id());
        assert_eq!(owed.office.send(Method::DELETE, &path, "", Vec::new()).await.status, 200);
        app.run_tasks().await;
        assert!(owed.is_expired(&page));
        assert_eq!(owed.posts(&format!("{}/pay", owed.at)).await.status, 303);
        assert_eq!(owed.stripe.sessions().len(), 1);
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn checkout_opens_despite_error_stripe_replays_for_its_key(app) {
        let owed = owed(app).await;
        owed.stripe.script(&[Fault::Error500]);
        let page = owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions().len(), 1, "{page}");
        owed.pays_cash().await;
        app.run_tasks().await;
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn checkout_page_created_behind_an_error_is_found_and_reused(app) {
        let owed = owed(app).await;
        owed.stripe.script(&[Fault::DoneThen500]);
        let page = owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions().len(), 1, "{page}");
        owed.stripe.leave(&page, Left::Paid);
        owed.comes_back(&page).await;
        assert_eq!(owed.collected_and_owed().await, (120.0, 0.0));
        app.run_tasks().await;
    }
}
