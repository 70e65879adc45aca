//! Twilio's reports about an accepted text: over HTTP, signed, late, twice and in any order.

use axum::http::{Method, StatusCode};
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use shared::{domain::messaging::message::MessageChannel, platform::id::MessageId};
use tests::{
    app::TestApp,
    both_databases,
    fake_twilio::{ACCOUNT_SID, AUTH_TOKEN, FakeTwilio, Fault},
    people::{Shop, Visitor},
};

/// Twilio's signature: the public address, then every field's name and value, sorted by name.
fn signature(address: &str, fields: &[(&str, &str)]) -> String {
    let mut mac = Hmac::<sha1::Sha1>::new_from_slice(AUTH_TOKEN.as_bytes()).unwrap();
    mac.update(address.as_bytes());
    let mut sorted = fields.to_vec();
    sorted.sort_unstable();
    for (name, value) in sorted {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
    }
    STANDARD.encode(mac.finalize().into_bytes())
}

async fn report(app: &TestApp, id: MessageId, status: &str) -> StatusCode {
    let path = format!("/webhooks/twilio/message-status/{id}");
    let sid = "SM0123456789abcdef0123456789abcdef";
    let fields = [("AccountSid", ACCOUNT_SID), ("MessageSid", sid), ("MessageStatus", status)];
    let signed = signature(&app.settings.public_url.join(&path), &fields);
    let body = fields.map(|(name, value)| format!("{name}={value}")).join("&").into_bytes();
    let twilio = app.client().with("x-twilio-signature", &signed);
    twilio.send(Method::POST, &path, "application/x-www-form-urlencoded", body).await.status
}

async fn text(app: &TestApp, shop: &Shop, lead: shared::platform::id::LeadId) -> (MessageId, String) {
    let messages = app.lead(shop.id(), lead).await.messages;
    let text = messages.into_iter().find(|m| m.channel == MessageChannel::Sms).unwrap();
    (text.id, text.status_text)
}

both_databases! {
    async fn delivered_status_is_not_overwritten_by_later_reports(app) {
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (id, _) = text(app, &shop, lead).await;
        for status in ["delivered", "sent", "queued", "delivered", "undelivered"] {
            assert_eq!(report(app, id, status).await, StatusCode::NO_CONTENT);
        }
        assert_eq!(text(app, &shop, lead).await.1, "delivered");
    }

    async fn status_report_resolves_text_in_doubt(app) {
        let twilio = FakeTwilio::start().await;
        app.use_twilio(&twilio);
        twilio.script(Fault::AcceptThenReset);
        let shop = app.org("Acme Plumbing").await;
        let lead = Visitor::ann().submits_lead(app, &shop).await;
        app.run_tasks().await;
        let (id, words) = text(app, &shop, lead).await;
        assert!(words.starts_with("we can't tell if this was delivered"), "{words}");
        assert!(app.lead(shop.id(), lead).await.summary.needs_attention);
        assert_eq!(report(app, id, "queued").await, StatusCode::NO_CONTENT);
        assert_eq!(text(app, &shop, lead).await.1, "sent");
        assert!(!app.lead(shop.id(), lead).await.summary.needs_attention);
        assert_eq!(twilio.received().len(), 1);
    }
}
