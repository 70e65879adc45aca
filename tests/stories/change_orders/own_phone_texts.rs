//! The text of a change order that somebody sends from their own phone: it counts as the sending, once.

use shared::{domain::messaging::message::MessageKind, platform::db::q};

use super::*;

/// A change order whose text waits for one's own phone, and the text.
struct WaitingText {
    job: Opened,
    change: Value,
    messages: String,
    noted: Value,
}

impl WaitingText {
    async fn of(app: &mut TestApp) -> Self {
        let job = opened(app).await;
        let number = "UPDATE org SET sms_number = NULL WHERE id = $1";
        app.within(async |tx| Ok(q!(tx, execute, number, job.shop.id())?)).await.unwrap();
        let change =
            json!({"lines": [{"name": "Replace subfloor", "unitPrice": 300}], "send": {"email": false, "text": true}});
        let change = job.changes(&change).await;
        app.run_tasks().await;
        let detail = app.lead(job.shop.id(), job.lead).await;
        let text = detail.messages.iter().find(|message| message.kind == MessageKind::ChangeOrder).unwrap();
        assert!(text.by_hand && text.sent_at.is_none(), "{}", text.status_text);
        let noted = json!({"channel": "sms", "body": text.body, "byHand": true, "leadId": job.lead});
        let messages = format!("/api/customers/{}/messages", detail.customer_id);
        app.advance(Duration::minutes(5));
        Self { job, change, messages, noted }
    }

    async fn presses(&self) -> u16 {
        self.job.office.post(&self.messages, &self.noted).await.status.as_u16()
    }

    async fn sent_at(&self) -> Value {
        self.job.all().await[0]["sentAt"].clone()
    }

    /// Records of a sending from somebody's own phone.
    async fn sendings(&self) -> usize {
        let lead = self.job.office.get(&format!("/api/leads/{}", self.job.lead)).await.json();
        let events = lead["events"].as_array().unwrap().clone();
        events.iter().filter(|one| one["kind"] == "change_order_sent" && one["detail"]["ownPhone"] == true).count()
    }
}

both_databases! {
    async fn change_order_texted_from_own_phone_counts_as_sent_once(app) {
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

    async fn text_of_declined_change_order_from_own_phone_marks_nothing_as_sent(app) {
        let waiting = WaitingText::of(app).await;
        let declined = waiting.job.posts(&waiting.change, "decline", &[("reason", "Leave it as it is")]).await;
        assert_eq!(declined.status, 303);
        assert_eq!(waiting.presses().await, 201, "the message itself is noted");
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (Value::Null, 0));
        app.run_tasks().await;
    }

    async fn other_business_marks_no_change_order_text_as_sent(app) {
        let waiting = WaitingText::of(app).await;
        let other = app.org("Best Roofing").await;
        let spy = app.client().signed_in(app, other.owner()).await;
        assert_eq!(spy.post(&waiting.messages, &waiting.noted).await.status, 404);
        assert_eq!((waiting.sent_at().await, waiting.sendings().await), (Value::Null, 0));
        app.run_tasks().await;
    }
}
