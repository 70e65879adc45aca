//! "Send again" of an invoice and of its reminders: the amount, the customer's answer and the rule are asked again.

use shared::{
    documents::template::{Language, TemplateKindName},
    domain::{
        messaging::message::{MessageChannel, MessageKind},
        tenancy::org::wordings::{self, WordingText},
    },
    providers::SendError,
};

use super::*;

const OTHER_AMOUNT: &str = "it names an amount that is no longer due";

/// An invoice of $1,000, and a text about it that the carrier refused.
struct RefusedText {
    fixture: BillingFixture,
    invoice: Value,
    path: String,
}

/// An invoice that goes to nobody, on the day when it is due: its reminder leaves with the next tasks.
async fn due_today(app: &mut TestApp) -> (BillingFixture, Value) {
    let mut fixture = billing_fixture(app).await;
    let lines = json!([{"name": "New valve", "unitPrice": 1000}]);
    let invoice = fixture.issues(json!({"lines": lines, "dueOn": "2026-09-18"})).await;
    app.advance(Duration::days(1));
    fixture.office = app.client().signed_in(app, fixture.shop.owner()).await;
    (fixture, invoice)
}

impl RefusedText {
    async fn of_invoice(app: &mut TestApp) -> Self {
        let fixture = billing_fixture(app).await;
        let invoice = fixture.of_lead(json!({"lines": [{"name": "New valve", "unitPrice": 1000}]})).await;
        app.refuse_next_text();
        fixture.sends(&invoice, json!({"email": false, "text": true})).await;
        Self::find(app, (fixture, invoice), MessageKind::Invoice).await
    }

    async fn of_reminder(app: &mut TestApp) -> Self {
        let due = due_today(app).await;
        app.refuse_next_text();
        Self::find(app, due, MessageKind::Dunning).await
    }

    async fn of_manual_reminder(app: &mut TestApp) -> Self {
        let fixture = billing_fixture(app).await;
        let invoice = fixture.issues(json!({"lines": [{"name": "New valve", "unitPrice": 1000}]})).await;
        app.refuse_next_text();
        let sent = fixture.office.post(&format!("/api/leads/{}/reminder", fixture.lead), &json!({})).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["what"]), (202, &json!("payment")), "{}", sent.json());
        Self::find(app, (fixture, invoice), MessageKind::Invoice).await
    }

    async fn find(app: &TestApp, (fixture, invoice): (BillingFixture, Value), kind: MessageKind) -> Self {
        app.run_tasks().await;
        let messages = app.lead(fixture.shop.id(), fixture.lead).await.messages;
        let text = messages.into_iter().find(|m| m.kind == kind && m.channel == MessageChannel::Sms).unwrap();
        assert!(text.retryable && text.body.contains("$1,000.00"), "{}: {}", text.status_text, text.body);
        let path = format!("/api/messages/{}/retry", text.id);
        app.advance(Duration::minutes(1));
        let refused = Self { fixture, invoice, path };
        assert_eq!(refused.look().await, ("go".to_owned(), Value::Null));
        refused
    }

    async fn look(&self) -> (String, Value) {
        let look = self.fixture.office.get(&self.path).await.json();
        (look["may"].as_str().unwrap().to_owned(), look["reason"].clone())
    }

    async fn is_refused(&self, why: &str) {
        assert_eq!(self.look().await, ("no".to_owned(), json!(why)));
        let refused = self.fixture.office.post(&format!("{}?anyway=yes", self.path), &Value::Null).await;
        let detail = format!("Not sent: {why}.");
        assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(detail)));
    }

    /// It leaves only when a person says so.
    async fn is_asked_about(&self, app: &TestApp, why: &str) {
        assert_eq!(self.look().await, ("go_anyway".to_owned(), json!(why)));
        assert_eq!(self.fixture.office.post(&self.path, &Value::Null).await.status, 409);
        let before = texts(app).len();
        let sent = self.fixture.office.post(&format!("{}?anyway=yes", self.path), &Value::Null).await;
        assert_eq!(
            (sent.status.as_u16(), &sent.json()["outlook"]["state"]),
            (202, &json!("leaves")),
            "{}",
            sent.json()
        );
        app.run_tasks().await;
        assert_eq!(texts(app).len(), before + 1);
    }

    async fn pays(&self, amount: i64) {
        self.fixture.pays(json!({"amount": amount, "partial": true, "receipt": false})).await;
    }

    async fn does(&self, what: &str, body: Value) {
        let answer = self.fixture.does(&self.invoice, what, body).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
    }
}

both_databases! {
    async fn resend_of_invoice_after_part_payment_is_refused(app) {
        let text = RefusedText::of_invoice(app).await;
        text.pays(700).await;
        text.is_refused(OTHER_AMOUNT).await;
        let spanish = text.fixture.office.with("accept-language", "es").post(&text.path, &Value::Null).await.json();
        assert_eq!(spanish["nestedReason"], "names_other_amount", "{spanish}");
        assert!(spanish["detail"].as_str().unwrap().contains("nombra un monto que ya no se debe"), "{spanish}");
        app.run_tasks().await;
        assert_eq!(texts(app), [""; 0]);
    }

    async fn resend_of_disputed_invoice_asks_first(app) {
        let text = RefusedText::of_invoice(app).await;
        text.does("/dispute", json!({"isDisputed": true, "reason": "The wrong tap"})).await;
        text.is_asked_about(app, "they dispute this invoice").await;
    }

    async fn resend_of_paid_invoice_asks_first(app) {
        let text = RefusedText::of_invoice(app).await;
        text.pays(1000).await;
        app.run_tasks().await;
        text.is_asked_about(app, "this invoice was paid on Sep 17").await;
    }

    async fn resend_of_voided_invoice_is_refused(app) {
        let text = RefusedText::of_invoice(app).await;
        text.does("/void", json!({"reason": "A slip"})).await;
        text.is_refused("this invoice was voided on Sep 17").await;
        app.run_tasks().await;
    }

    async fn resend_of_reminder_after_part_payment_is_refused(app) {
        let text = RefusedText::of_reminder(app).await;
        text.pays(700).await;
        text.is_refused(OTHER_AMOUNT).await;
        app.run_tasks().await;
        assert_eq!(texts(app), [""; 0]);
    }

    async fn resend_of_reminder_is_refused_while_invoice_is_disputed_or_promised(app) {
        let text = RefusedText::of_reminder(app).await;
        text.does("/dispute", json!({"isDisputed": true, "reason": "The wrong tap"})).await;
        text.is_refused("they dispute this invoice").await;
        text.does("/dispute", json!({"isDisputed": false})).await;
        assert_eq!(text.look().await.0, "go");
        text.does("/promise", json!({"on": "2026-09-25"})).await;
        text.is_refused("they promised to pay by Sep 25").await;
        text.does("/promise", json!({"on": null})).await;
        assert_eq!(text.look().await.0, "go");
        app.run_tasks().await;
        assert_eq!(texts(app), [""; 0]);
    }

    async fn resend_of_reminder_after_reminders_were_switched_off_asks_first(app) {
        let text = RefusedText::of_reminder(app).await;
        app.sets(&text.fixture.shop, json!({"invoicing": {"dunning": false}})).await;
        text.is_asked_about(app, "reminders of invoices are switched off").await;
    }

    async fn resend_of_reminder_of_paid_invoice_is_refused(app) {
        let text = RefusedText::of_reminder(app).await;
        text.pays(1000).await;
        text.is_refused("this invoice was paid on Sep 18").await;
        app.run_tasks().await;
    }

    async fn resend_of_manual_reminder_is_refused_after_dispute_part_payment_or_payment(app) {
        let text = RefusedText::of_manual_reminder(app).await;
        text.does("/dispute", json!({"isDisputed": true, "reason": "The wrong tap"})).await;
        text.is_refused("they dispute this invoice").await;
        text.does("/dispute", json!({"isDisputed": false})).await;
        text.pays(700).await;
        text.is_refused(OTHER_AMOUNT).await;
        text.pays(300).await;
        text.is_refused("this invoice was paid on Sep 17").await;
        app.run_tasks().await;
        assert_eq!(texts(app), [""; 0]);
    }

    async fn waiting_reminder_is_dropped_after_part_payment_with_reason(app) {
        let (fixture, invoice) = due_today(app).await;
        app.sms.queue_answer(Err(SendError::Retry { reason: "the provider is down".into(), after: None }));
        app.run_tasks().await;
        let step = async || fixture.shown(&invoice).await["followUps"][0].clone();
        assert_eq!((&step().await["step"], &step().await["unsent"]), (&json!("due_0"), &json!("Waiting to be sent")));
        fixture.pays(json!({"amount": 700, "partial": true, "receipt": false})).await;
        app.live_through(Duration::hours(1), Duration::minutes(5)).await;
        assert_eq!(step().await["unsent"], format!("Not sent: {OTHER_AMOUNT}"));
        let outbox = app.outbox(fixture.shop.id(), fixture.lead).await;
        assert!(outbox.contains(&format!("dunning sms: not sent: {OTHER_AMOUNT}")), "{outbox:?}");
        assert_eq!(texts(app), [""; 0]);
    }

    async fn reminder_whose_own_wording_names_a_fee_is_sent(app) {
        let (fixture, _) = due_today(app).await;
        let body = "{{ businessName }}: your invoice is due. After that a fee of $25.00 is added. Reply STOP to opt out.";
        let words = WordingText { subject: None, body: body.to_owned() };
        let wording = (TemplateKindName::InvoiceDueSoon, Language::En);
        app.within(async |tx| wordings::save_version(tx, &app.origin, fixture.shop.id(), wording, Some(&words), None).await).await.unwrap();
        app.run_tasks().await;
        assert!(texts(app).iter().any(|text| text.contains("a fee of $25.00")), "{:?}", texts(app));
    }
}
