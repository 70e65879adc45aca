//! A text from a handset: stored by Twilio, and posted to the product.

use serde::{Deserialize, Serialize};

use super::{
    ACCOUNT_SID, AcceptedText, Answer, Message, MmsPicture, Status, TwilioWebhooks,
    messages::segments,
    now_us,
    product::{account, fields, place},
};

#[derive(Debug, Clone, Default, Deserialize)]
pub struct InboundText {
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub body: String,
    #[serde(default)]
    pub pictures: Vec<MmsPicture>,
    /// "STOP", "START" or "HELP": Twilio handled the word itself and has answered it.
    #[serde(default)]
    pub opt_out_type: Option<String>,
    /// The Messaging Service of the number.
    #[serde(default)]
    pub service: Option<String>,
    /// The id of a text posted before, for a retry.
    #[serde(default)]
    pub sid: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Arrival {
    pub sid: String,
    pub answers: Vec<Answer>,
}

impl InboundText {
    #[must_use]
    pub fn new(from: &str, to: &str, body: &str) -> Self {
        Self { from: from.into(), to: to.into(), body: body.into(), ..Self::default() }
    }

    #[must_use]
    pub fn with_picture(mut self, picture: MmsPicture) -> Self {
        self.pictures.push(picture);
        self
    }

    #[must_use]
    pub fn handled_by_twilio(self, opt_out_type: &str) -> Self {
        Self { opt_out_type: Some(opt_out_type.into()), ..self }
    }

    #[must_use]
    pub fn again(self, sid: &str) -> Self {
        Self { sid: Some(sid.into()), ..self }
    }
}

impl TwilioWebhooks {
    pub async fn inbound_text(&self, text: &InboundText) -> Arrival {
        let message = self.keep(text);
        let sid = message.text.sid.clone();
        let mut form = account();
        form.extend(place("From", &text.from));
        form.extend(place("To", &text.to));
        form.extend(fields([
            ("MessageSid", sid.as_str()),
            ("SmsMessageSid", sid.as_str()),
            ("SmsSid", sid.as_str()),
            ("SmsStatus", "received"),
            ("From", text.from.as_str()),
            ("To", text.to.as_str()),
            ("Body", text.body.as_str()),
            ("NumSegments", segments(&text.body).to_string().as_str()),
            ("NumMedia", message.pictures.len().to_string().as_str()),
        ]));
        for (number, (media, picture)) in message.pictures.iter().enumerate() {
            let path = format!("/2010-04-01/Accounts/{ACCOUNT_SID}/Messages/{sid}/Media/{media}");
            form.push((format!("MediaContentType{number}"), picture.content_type.clone()));
            form.push((format!("MediaUrl{number}"), format!("{}{path}", self.fake.url())));
        }
        if let Some(kind) = &text.opt_out_type {
            form.extend(fields([("OptOutType", kind)]));
        }
        if let Some(service) = &text.service {
            form.extend(fields([("MessagingServiceSid", service)]));
        }
        let answers = self.post(&self.address("/webhooks/twilio/sms"), &form).await;
        Arrival { sid, answers }
    }

    /// A text that arrives while the product is down: Twilio does not retry. Returns Twilio's id.
    #[must_use]
    pub fn unreported_text(&self, text: &InboundText) -> String {
        self.keep(text).text.sid
    }

    fn keep(&self, text: &InboundText) -> Message {
        let mut book = self.fake.book();
        if let Some(known) = book.messages.iter().find(|m| Some(&m.text.sid) == text.sid.as_ref()) {
            return known.clone();
        }
        let given = text.sid.clone();
        let sid = given.unwrap_or_else(|| book.next_sid(if text.pictures.is_empty() { "SM" } else { "MM" }));
        let pictures = text.pictures.iter().map(|picture| (book.next_sid("ME"), picture.clone())).collect();
        let text = AcceptedText {
            sid,
            to: text.to.clone(),
            from: Some(text.from.clone()),
            messaging_service_sid: None,
            body: text.body.clone(),
            status_callback: None,
            validity_period: None,
            at_us: now_us(),
        };
        let created_at = book.now();
        let message = Message { text, status: Status::Delivered, code: None, is_inbound: true, pictures, created_at };
        book.messages.push(message.clone());
        message
    }
}
