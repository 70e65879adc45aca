//! What is asked for of a deposit after a refund of it, and once an invoice asks for the same money.

use axum::http::Method;
use chrono::Duration;
use serde_json::{Value, json};
use tests::{
    app::TestApp,
    both_databases,
    fake_stripe::{Fault, Left},
};

use super::{JSON, Owed, quoted, takes_cards};

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

    /// The path of the page of this invoice.
    async fn page_of(&self, invoice: &str) -> String {
        let link = self.office.get(&format!("/api/invoices/{invoice}")).await.json()["link"].clone();
        link.as_str().unwrap().strip_prefix("https://toolbox.example").unwrap().to_owned()
    }

    fn amount_of(&self, session: &str) -> i64 {
        self.stripe.sessions().iter().find(|page| page.id == session).unwrap().amount
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
        let billed = Owed { at: owed.page_of(&invoice).await, ..owed };
        let rest = billed.goes_to_pay().await;
        assert_eq!(billed.amount_of(&rest), 70_000);
        billed.stripe.leave(&rest, Left::Paid);
        billed.comes_back(&rest).await;
        billed.stripe.leave(&session, Left::Paid);
        app.advance(Duration::days(2));
        app.run_tasks().await;
        assert_eq!((billed.collected_and_owed().await, billed.stripe.held()), ((1000.0, 0.0), 100_000));
    }

    async fn invoice_page_opened_before_a_deposit_transfer_was_known_expires(app) {
        let owed = quoted(app, 1000.0, 30.0).await;
        owed.signs().await;
        let session = owed.goes_to_pay().await;
        owed.stripe.leave(&session, Left::Underway);
        // The deposit's page is to be closed, and Stripe does not answer: the transfer stays unknown.
        owed.stripe.script(&[Fault::Error500; 4]);
        let invoice = owed.bills(app, 1000.0).await;
        owed.stripe.is_well();
        let billed = Owed { at: owed.page_of(&invoice).await, ..owed };
        let all = billed.goes_to_pay().await;
        assert_eq!(billed.amount_of(&all), 100_000);
        app.advance(Duration::minutes(1));
        app.run_tasks().await;
        assert!(billed.is_expired(&all), "it asks for the deposit again");
        let rest = billed.goes_to_pay().await;
        assert_eq!(billed.amount_of(&rest), 70_000);
        billed.stripe.leave(&session, Left::Refused);
        app.advance(Duration::minutes(20));
        app.run_tasks().await;
        assert!(billed.is_expired(&rest), "the deposit is asked for by the invoice");
        app.advance(Duration::days(2));
        app.run_tasks().await;
    }

    async fn deposit_page_of_a_change_order_expires_when_its_job_is_repriced(app) {
        let (shop, lead, office, stripe) = takes_cards(app).await;
        let booked = office.post("/api/jobs", &json!({"leadId": lead, "value": 900})).await;
        assert_eq!(booked.status, 201, "{}", booked.json());
        let job = format!("/api/jobs/{}", booked.json()["id"].as_str().unwrap());
        let lines = json!([{"name": "Replace subfloor", "unitPrice": 300}]);
        let more = json!({"lines": lines, "deposit": {"percent": 50}, "send": {"email": false, "text": false}});
        let made = office.post(&format!("{job}/change-orders"), &more).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let link = made.json()["changeOrder"]["link"].as_str().unwrap().to_owned();
        let at = link.strip_prefix("https://toolbox.example").unwrap().to_owned();
        let (invoice, hook) = (String::new(), String::new());
        let owed = Owed { customer: app.client(), shop, lead, office, stripe, at, invoice, hook };
        owed.signs().await;
        owed.bills(app, 1100.0).await;
        let page = owed.goes_to_pay().await;
        assert_eq!(owed.amount_of(&page), 10_000, "what the invoice leaves of $1,200.00");
        let version = owed.office.get(&job).await.json()["version"].clone();
        let worth = json!({"version": version, "value": 1000}).to_string().into_bytes();
        assert_eq!(owed.office.send(Method::PATCH, &job, JSON, worth).await.status, 200);
        app.run_tasks().await;
        assert!(owed.is_expired(&page));
        let page = owed.goes_to_pay().await;
        assert_eq!(owed.amount_of(&page), 15_000);
        app.advance(Duration::days(2));
        app.run_tasks().await;
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
