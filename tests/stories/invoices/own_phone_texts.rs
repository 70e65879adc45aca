//! The text of an invoice that somebody sends from their own phone: it counts as the sending, once.

use shared::{domain::messaging::message::MessageKind, platform::db::q};

use super::*;

/// An invoice whose text waits for one's own phone, and the text.
struct WaitingText {
    fixture: BillingFixture,
    invoice: Value,
    messages: String,
    noted: Value,
}

impl WaitingText {
    async fn of(app: &mut TestApp) -> Self {
        let fixture = billing_fixture_for(app, &Visitor::ann().email(None)).await;
        let number = "UPDATE org SET sms_number = NULL WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, number, fixture.shop.id())?)).await.unwrap();
        let invoice = fixture.of_lead(json!({"lines": [{"name": "New valve", "unitPrice": 300}]})).await;
        fixture.sends(&invoice, json!({"email": false, "text": true})).await;
        app.run_tasks().await;
        let detail = app.lead(fixture.shop.id(), fixture.lead).await;
        let text = detail.messages.iter().find(|message| message.kind == MessageKind::Invoice).unwrap();
        assert!(text.by_hand && text.sent_at.is_none(), "{}", text.status_text);
        let noted = json!({"channel": "sms", "body": text.body, "byHand": true, "leadId": fixture.lead});
        let messages = format!("/api/customers/{}/messages", detail.customer_id);
        app.advance(Duration::minutes(5));
        Self { fixture, invoice, messages, noted }
    }

    async fn presses(&self) -> u16 {
        self.fixture.office.post(&self.messages, &self.noted).await.status.as_u16()
    }

    async fn sent_at(&self) -> Value {
        self.fixture.shown(&self.invoice).await["sentAt"].clone()
    }

    /// Records of a sending from somebody's own phone.
    async fn sendings(&self) -> usize {
        let lead = self.fixture.office.get(&format!("/api/leads/{}", self.fixture.lead)).await.json();
        let events = lead["events"].as_array().unwrap().clone();
        events.iter().filter(|one| one["kind"] == "invoice_sent" && one["detail"]["ownPhone"] == true).count()
    }
}

both_databases! {
    async fn invoice_texted_from_own_phone_counts_as_sent_once(app) {
        let waiting = WaitingText::of(app).await;
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (Value::Null, 0));
        assert_eq!(waiting.presses().await, 201);
        let sent_at = json!(app.now());
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (sent_at.clone(), 1));
        app.advance(Duration::minutes(5));
        assert_eq!(waiting.presses().await, 201, "a second press only adds a message");
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (sent_at, 1));
        app.run_tasks().await;
    }

    async fn text_of_paid_invoice_from_own_phone_marks_nothing_as_sent(app) {
        let waiting = WaitingText::of(app).await;
        waiting.fixture.pays(json!({"amount": 300, "method": "cash"})).await;
        assert_eq!(waiting.fixture.shown(&waiting.invoice).await["status"], "paid");
        assert_eq!(waiting.presses().await, 201, "the message itself is noted");
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (Value::Null, 0));
        app.run_tasks().await;
    }

    async fn text_of_void_invoice_from_own_phone_marks_nothing_as_sent(app) {
        let waiting = WaitingText::of(app).await;
        let void = waiting.fixture.does(&waiting.invoice, "/void", json!({"reason": "The wrong house"})).await;
        assert_eq!(void.status, 200, "{}", void.json());
        assert_eq!(waiting.presses().await, 201, "the message itself is noted");
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (Value::Null, 0));
        app.run_tasks().await;
    }

    async fn other_business_marks_no_invoice_text_as_sent(app) {
        let waiting = WaitingText::of(app).await;
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        let mut noted = waiting.noted.clone();
        assert_eq!(spy.post(&waiting.messages, &noted).await.status, 404);
        noted.as_object_mut().unwrap().remove("leadId");
        assert_eq!(spy.post(&waiting.messages, &noted).await.status, 404);
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (Value::Null, 0));
        app.run_tasks().await;
    }
}
