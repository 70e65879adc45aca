//! What is asked for of a deposit after a refund of it, and once an invoice asks for the same money.

use chrono::Duration;
use serde_json::{Value, json};
use tests::{app::TestApp, both_databases, fake_stripe::Left};

use super::{Owed, quoted};

impl Owed {
    async fn pays_deposit(&self, app: &TestApp) {
        let session = self.goes_to_pay().await;
        self.stripe.leave(&session, Left::Paid);
        self.comes_back(&session).await;
        app.run_tasks().await;
    }

    /// Refunds this amount to the card and takes it off the bill.
    async fn forgives(&self, app: &TestApp, amount: f64) {
        let payment = self.money().await["payments"][0]["id"].as_str().unwrap().to_owned();
        let body = json!({"amount": amount, "forgive": true});
        let given = self.office.post(&format!("/api/payments/{payment}/refund"), &body).await;
        assert_eq!(given.status, 200, "{}", given.json());
        app.advance(Duration::minutes(2));
        app.run_tasks().await;
    }

    async fn bills(&self, app: &TestApp, amount: f64) -> String {
        let draft = json!({"leadId": self.lead, "lines": [{"name": "Work", "unitPrice": amount}]});
        let made = self.office.post("/api/invoices", &draft).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let path = format!("/api/invoices/{}/send", made.json()["id"].as_str().unwrap());
        let sent = self.office.post(&path, &json!({})).await;
        assert_eq!(sent.status, 202, "{}", sent.json());
        app.run_tasks().await;
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// Deposit due and paid, and what is owed: on the Money page and at the estimate.
    async fn deposit(&self) -> (f64, f64, f64, f64, f64) {
        let money = self.money().await;
        let estimate = self.office.get(&format!("/api/leads/{}/estimates", self.lead)).await.json()[0].clone();
        let of = |from: &Value, name: &str| from[name].as_f64().unwrap();
        (
            of(&money, "depositDue"),
            of(&money, "depositPaid"),
            of(&estimate, "depositDue"),
            of(&estimate, "depositPaid"),
            of(&money, "owed"),
        )
    }

    /// The page asks for nothing, and "Pay" opens no Stripe page.
    async fn asks_for_nothing(&self) {
        let page = self.page().await;
        assert!(!page.contains("/pay\"") && !page.contains("contact you about the deposit"), "{page}");
        assert!(!page.contains("Deposit due on approval"), "{page}");
        let before = self.stripe.sessions().len();
        assert_eq!(self.posts(&format!("{}/pay", self.at)).await.status, 303);
        assert_eq!(self.stripe.sessions().len(), before);
    }
}

both_databases! {
    async fn deposit_refunded_in_part_and_forgiven_is_not_requested_again(app) {
        let owed = quoted(app, 5550.0, 25.0).await;
        owed.signs().await;
        owed.pays_deposit(app).await;
        assert_eq!(owed.deposit().await, (0.0, 1387.5, 0.0, 1387.5, 4162.5));
        owed.forgives(app, 200.0).await;
        assert_eq!(owed.deposit().await, (0.0, 1187.5, 0.0, 1187.5, 4162.5));
        owed.asks_for_nothing().await;
        owed.bills(app, 5550.0).await;
        assert_eq!(owed.deposit().await, (0.0, 1187.5, 0.0, 1187.5, 4162.5));
        owed.asks_for_nothing().await;
        assert_eq!(owed.money().await["invoices"][0]["balance"], 4162.5);
    }

    async fn deposit_refunded_in_full_and_forgiven_is_neither_due_nor_paid(app) {
        let owed = quoted(app, 1000.0, 30.0).await;
        owed.signs().await;
        owed.pays_deposit(app).await;
        owed.forgives(app, 300.0).await;
        let money = owed.money().await;
        assert_eq!((&money["owed"], &money["writtenOff"]), (&json!(700.0), &json!(300.0)));
        assert_eq!(owed.deposit().await, (0.0, 0.0, 0.0, 0.0, 700.0));
        owed.asks_for_nothing().await;
        assert!(!owed.page().await.contains("Deposit paid"));
    }

    async fn invoice_does_not_request_deposit_whose_transfer_is_pending(app) {
        let owed = quoted(app, 1000.0, 30.0).await;
        owed.signs().await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Underway);
        owed.comes_back(&session).await;
        let invoice = owed.bills(app, 1000.0).await;
        let link = owed.office.get(&format!("/api/invoices/{invoice}")).await.json()["link"].as_str().unwrap().to_owned();
        let at = link.strip_prefix("https://toolbox.example").unwrap().to_owned();
        let billed = Owed { at, ..owed };
        let rest = billed.goes_to_pay().await;
        assert_eq!(billed.stripe.sessions().iter().find(|page| page.id == rest).map(|page| page.amount), Some(70_000));
        billed.stripe.leave(&rest, Left::Paid);
        billed.comes_back(&rest).await;
        billed.stripe.leave(&session, Left::Paid);
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!((billed.collected_and_owed().await, billed.stripe.held()), ((1000.0, 0.0), 100_000));
    }

    async fn deposit_also_invoiced_is_requested_once_and_its_page_expires(app) {
        let owed = quoted(app, 1000.0, 30.0).await;
        owed.signs().await;
        let session = owed.goes_to_pay().await;
        owed.bills(app, 800.0).await;
        assert_eq!(owed.deposit().await, (200.0, 0.0, 200.0, 0.0, 1000.0));
        let is_expired = |id: &str| owed.stripe.sessions().iter().any(|page| page.id == id && page.left == Some(Left::Expired));
        assert!(is_expired(&session));
        let rest = owed.goes_to_pay().await;
        assert_eq!(owed.stripe.sessions().iter().find(|page| page.id == rest).map(|page| page.amount), Some(20_000));
        owed.bills(app, 200.0).await;
        assert!(is_expired(&rest));
        assert_eq!(owed.deposit().await, (0.0, 0.0, 0.0, 0.0, 1000.0));
        owed.asks_for_nothing().await;
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }
}
