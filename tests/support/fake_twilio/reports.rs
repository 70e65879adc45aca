//! Delivery reports of a text: in any order, twice, late, early, or about an unknown text.

use serde::{Deserialize, Serialize};

use super::{
    Answer, FakeTwilio, Message, Product, TwilioWebhooks,
    product::{account, fields},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Queued,
    Sending,
    Sent,
    Delivered,
    Undelivered,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Report {
    pub sid: String,
    pub status: Status,
    /// The error code when not delivered.
    #[serde(default)]
    pub code: Option<i32>,
    /// The path it is posted to, instead of the text's own status address.
    #[serde(default)]
    pub path: Option<String>,
}

/// Reports that follow every accepted text by themselves.
#[derive(Debug, Clone, Deserialize)]
pub struct Reporting {
    pub product: Product,
    /// Posted, and answered, before the answer to the sender.
    #[serde(default)]
    pub before_the_answer: Vec<Status>,
    #[serde(default)]
    pub after_the_answer: Vec<Status>,
}

impl Status {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::Failed => "failed",
        }
    }

    pub(super) const fn rank(self) -> u8 {
        match self {
            Self::Queued => 1,
            Self::Sending => 2,
            Self::Sent => 3,
            Self::Delivered | Self::Undelivered | Self::Failed => 4,
        }
    }
}

impl Report {
    #[must_use]
    pub fn new(sid: &str, status: Status) -> Self {
        Self { sid: sid.into(), status, code: None, path: None }
    }

    #[must_use]
    pub fn because(self, code: i32) -> Self {
        Self { code: Some(code), ..self }
    }

    #[must_use]
    pub fn to_path(self, path: &str) -> Self {
        Self { path: Some(path.into()), ..self }
    }
}

impl TwilioWebhooks {
    /// Posts a report to the text's status address, or else to the account's default.
    pub async fn report(&self, report: &Report) -> Vec<Answer> {
        let text = self.fake.messages().into_iter().find(|m| m.text.sid == report.sid);
        self.fake.book().note(report);
        let url = match (&report.path, text.as_ref().and_then(|m| m.text.status_callback.clone())) {
            (Some(path), _) => self.address(path),
            (None, Some(url)) => url,
            (None, None) => self.address("/webhooks/twilio/message-status"),
        };
        let status = report.status.name();
        let mut form = account();
        form.extend(fields([
            ("SmsSid", report.sid.as_str()),
            ("SmsStatus", status),
            ("MessageSid", report.sid.as_str()),
            ("MessageStatus", status),
        ]));
        // For an unknown SID a text to another number is made up.
        let (to, from) = text.as_ref().map_or(("+15005550000", super::FROM), |m| {
            (m.text.to.as_str(), m.text.from.as_deref().unwrap_or(super::FROM))
        });
        form.extend(fields([("To", to), ("From", from)]));
        if let Some(service) = text.as_ref().and_then(|m| m.text.messaging_service_sid.as_deref()) {
            form.extend(fields([("MessagingServiceSid", service)]));
        }
        if let Some(code) = report.code {
            form.extend(fields([("ErrorCode", &code.to_string())]));
        }
        if report.status == Status::Delivered {
            form.extend(fields([("RawDlrDoneDate", "2611210701")]));
        }
        self.post(&url, &form).await
    }

    pub async fn reports(&self, sid: &str, statuses: &[Status]) -> Vec<Answer> {
        let mut answers = Vec::new();
        for status in statuses {
            answers.extend(self.report(&Report::new(sid, *status)).await);
        }
        answers
    }
}

impl Reporting {
    pub(super) async fn tell(&self, fake: &FakeTwilio, message: &Message, statuses: &[Status]) {
        fake.hooks(self.product.clone()).reports(&message.text.sid, statuses).await;
    }
}

impl super::Book {
    /// A text's status only advances, in whatever order reports come.
    fn note(&mut self, report: &Report) {
        let text = self.messages.iter_mut().find(|m| m.text.sid == report.sid);
        if let Some(text) = text.filter(|text| report.status.rank() > text.status.rank()) {
            (text.status, text.code) = (report.status, report.code);
        }
    }
}
