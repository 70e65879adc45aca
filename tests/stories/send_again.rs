//! "Send again" asks the rules with what is true now: answers to keywords, messages about a visit, first answers. Those
//! about estimates, invoices and receipts are with them.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use shared::{
    domain::messaging::message::{MessageChannel, MessageKind, MessageStatus, MessageView},
    platform::{
        db::q,
        id::{LeadId, MessageId},
    },
    providers::sms::SmsProvider,
};
use tests::{
    app::TestApp,
    both_databases,
    http::Client,
    people::{Shop, Visitor},
    phone::ANN,
};

mod first_answers;
mod keyword_answers;
mod visit_day;
mod visit_notices;

/// The API sees texting and email as set up; the providers only record.
async fn shop_that_sends(app: &mut TestApp) -> Shop {
    app.use_twilio_at("http://127.0.0.1:9");
    app.context.sms = SmsProvider::Memory(app.sms.clone());
    app.takes_email_for_set_up();
    app.org("Acme Plumbing").await
}

/// A fresh session: none lasts for days.
async fn office(app: &TestApp, shop: &Shop) -> Client {
    app.client().signed_in(app, shop.owner()).await
}

/// The newest text of this kind to the customer of a lead.
async fn newest_text(app: &TestApp, shop: &Shop, lead: LeadId, kind: MessageKind) -> MessageView {
    let messages = app.lead(shop.id(), lead).await.messages;
    messages.into_iter().rfind(|m| m.kind == kind && m.channel == MessageChannel::Sms).expect("a text")
}

/// What the API says of sending it again: the permission, and the reason.
async fn looked_at(office: &Client, id: MessageId) -> (String, String) {
    let look = office.get(&format!("/api/messages/{id}/retry")).await.json();
    let part = |name: &str| look[name].as_str().unwrap_or_default().to_owned();
    (part("may"), part("reason"))
}

async fn assert_goes(office: &Client, id: MessageId) {
    assert_eq!(looked_at(office, id).await, ("go".to_owned(), String::new()));
}

/// Refused with this reason, also where what has changed is overridden.
async fn assert_refused(office: &Client, id: MessageId, why: &str) {
    assert_eq!(looked_at(office, id).await, ("no".to_owned(), why.to_owned()));
    let refused = office.post(&format!("/api/messages/{id}/retry?anyway=yes"), &Value::Null).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["detail"]), (409, &json!(format!("Not sent: {why}."))));
}

async fn sends_again(office: &Client, id: MessageId) {
    let sent = office.post(&format!("/api/messages/{id}/retry"), &Value::Null).await;
    assert_eq!(sent.status, 202, "{}", sent.json());
}

/// The newest text that Ann got.
fn last_text_to_ann(app: &TestApp) -> String {
    app.sms.accepted_messages().into_iter().rfind(|text| text.to == ANN).map(|text| text.body).unwrap_or_default()
}

/// A customer who asked for work, and the office that plans their visit.
struct VisitFixture {
    shop: Shop,
    lead: LeadId,
    office: Client,
}

impl VisitFixture {
    async fn of(app: &mut TestApp) -> Self {
        let shop = shop_that_sends(app).await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let office = office(app, &shop).await;
        Self { shop, lead, office }
    }

    async fn books(&self, starts_at: DateTime<Utc>) -> Value {
        let answer = self.office.post("/api/jobs", &json!({"leadId": self.lead, "startsAt": starts_at})).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json()
    }

    /// A booked visit whose notice the provider refused.
    async fn books_with_refused_notice(&self, app: &TestApp, starts_at: DateTime<Utc>) -> (Value, MessageId) {
        let job = self.books(starts_at).await;
        app.advance(Duration::minutes(1));
        app.refuse_next_text();
        app.run_tasks().await;
        let booked = self.newest_notice(app).await;
        assert_eq!(booked.status, MessageStatus::Failed, "{}", booked.status_text);
        (job, booked.id)
    }

    async fn newest_notice(&self, app: &TestApp) -> MessageView {
        newest_text(app, &self.shop, self.lead, MessageKind::Visit).await
    }

    async fn moves(&self, job: &Value, change: Value) {
        let shown = self.office.get(&job_path(job, "")).await.json();
        let mut body = change;
        body["version"] = shown["version"].clone();
        let answer = self.office.post(&job_path(job, "/schedule"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
    }

    async fn goes_to(&self, job: &Value, to: &str) {
        let answer = self.office.post(&job_path(job, "/status"), &json!({"to": to, "reason": "Rain"})).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
    }

    /// Whether the conversation offers one's own phone for it.
    async fn is_offered_by_hand(&self, app: &TestApp, id: MessageId) -> bool {
        let customer = app.lead(self.shop.id(), self.lead).await.customer_id;
        let talk = self.office.get(&format!("/api/customers/{customer}/conversation")).await.json();
        let items = talk["items"].as_array().unwrap();
        let message = items.iter().map(|item| &item["message"]).find(|message| message["id"] == json!(id));
        message.expect("it is in the conversation")["byHand"] == true
    }
}

fn job_path(job: &Value, rest: &str) -> String {
    format!("/api/jobs/{}{rest}", job["id"].as_str().unwrap())
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}
