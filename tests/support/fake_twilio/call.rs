//! A call to the product's number, executed by its own `TwiML`. Seconds pass only in the reports, without waiting.

use serde::{Deserialize, Serialize};

use super::{
    Leg, TwilioWebhooks,
    legs::Rung,
    product::{Fields, account, fields, place},
    xml::{self, Node},
};

#[derive(Debug, Clone, Default, Deserialize)]
pub struct Call {
    pub from: String,
    pub to: String,
    /// The phones' behaviour. A phone that is not named does not answer.
    #[serde(default)]
    pub legs: Vec<Leg>,
    /// The caller hangs up after this many seconds of ringing.
    #[serde(default)]
    pub caller_hangs_up_after: Option<u32>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct CallRecord {
    pub sid: String,
    pub rung: Vec<String>,
    /// The phone the caller was connected to: a person, or an unscreened machine.
    pub connected_to: Option<String>,
    pub spoken: Vec<String>,
    /// Heard by the answering phone before the connection.
    pub whispered: Vec<String>,
    /// The `DialCallStatus` of the ringing.
    pub dial_status: Option<String>,
    /// The final `CallStatus`.
    pub status: String,
    pub requests: Vec<WebhookRequest>,
    /// Entries of Twilio's debugger: empty when the product did everything right.
    pub errors: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct WebhookRequest {
    pub url: String,
    pub fields: Fields,
    pub status: u16,
    pub body: String,
}

/// Endless redirects are an error of the product's.
const MAX_DOCUMENTS: usize = 20;

impl Call {
    #[must_use]
    pub fn new(from: &str, to: &str) -> Self {
        Self { from: from.into(), to: to.into(), ..Self::default() }
    }

    #[must_use]
    pub fn rings(mut self, leg: Leg) -> Self {
        self.legs.push(leg);
        self
    }

    #[must_use]
    pub fn given_up_after(self, seconds: u32) -> Self {
        Self { caller_hangs_up_after: Some(seconds), ..self }
    }
}

impl TwilioWebhooks {
    /// Rings the product, executes its answers, and reports the end to `/webhooks/twilio/voice/status`.
    pub async fn call(&self, call: &Call) -> CallRecord {
        let sid = self.fake.book().next_sid("CA");
        self.remember(&sid, call);
        let mut ringing = Ringing { hooks: self, call, record: CallRecord { sid, ..CallRecord::default() }, talked: 0 };
        ringing.carry_out().await;
        ringing.end().await;
        ringing.record
    }
}

pub(super) struct Ringing<'a> {
    pub(super) hooks: &'a TwilioWebhooks,
    pub(super) call: &'a Call,
    pub(super) record: CallRecord,
    pub(super) talked: u32,
}

enum Next {
    Verb,
    Document(String, Fields),
    HangUp,
}

impl Ringing<'_> {
    async fn carry_out(&mut self) {
        let mut url = self.hooks.address("/webhooks/twilio/voice");
        let mut more = Fields::new();
        let mut status = "ringing";
        for _ in 0..MAX_DOCUMENTS {
            let mut form = self.fields(status);
            form.append(&mut more);
            let Some(document) = self.ask(&url, form).await else { return };
            match self.follow(&document, &url).await {
                Next::Document(next, with) => (url, more, status) = (next, with, "in-progress"),
                Next::Verb | Next::HangUp => return,
            }
        }
        self.record.errors.push("the documents lead on without end".into());
    }

    async fn follow(&mut self, document: &Node, url: &str) -> Next {
        for verb in &document.children {
            let next = match verb.name.as_str() {
                "Say" => {
                    self.record.spoken.push(verb.text.clone());
                    Next::Verb
                }
                "Dial" => self.dial(verb, url).await,
                "Gather" => {
                    // The caller presses nothing.
                    self.record.spoken.extend(verb.children.iter().map(|say| say.text.clone()));
                    Next::Verb
                }
                "Redirect" => Next::Document(self.hooks.absolute(verb.text.trim(), url), Fields::new()),
                "Reject" => {
                    let is_busy = verb.attribute("reason") == Some("busy");
                    self.record.status = if is_busy { "busy" } else { "no-answer" }.into();
                    Next::HangUp
                }
                "Hangup" => Next::HangUp,
                "Pause" => Next::Verb,
                other => {
                    self.record.errors.push(format!("a verb that is not known: {other}"));
                    Next::HangUp
                }
            };
            if !matches!(next, Next::Verb) {
                return next;
            }
        }
        Next::HangUp
    }

    async fn dial(&mut self, dial: &Node, url: &str) -> Next {
        let rung = self.ring(dial, url).await;
        self.record.dial_status = Some(rung.status().into());
        if self.record.connected_to.is_none() && self.is_unanswered_until_bridged(dial) {
            self.record.status = "no-answer".into();
        }
        let is_over = matches!(rung, Rung::GivenUp);
        let Some(action) = dial.attribute("action") else {
            return if is_over { Next::HangUp } else { Next::Verb };
        };
        let action = self.hooks.absolute(action, url);
        let result_fields = Self::outcome(&rung);
        if !is_over {
            return Next::Document(action, result_fields);
        }
        // The product gets the request, although its answer has no effect.
        let mut form = self.fields(if self.record.status.is_empty() { "completed" } else { "no-answer" });
        form.extend(result_fields);
        self.ask(&action, form).await;
        Next::HangUp
    }

    /// With `answerOnBridge` the caller's own call is not answered while the phones ring.
    fn is_unanswered_until_bridged(&self, dial: &Node) -> bool {
        dial.attribute("answerOnBridge") == Some("true") && self.record.spoken.is_empty()
    }

    fn outcome(rung: &Rung) -> Fields {
        let mut result_fields = fields([("DialCallStatus", rung.status())]);
        if let Rung::Connected { sid, seconds } | Rung::HungUpByMachine { sid, seconds } = rung {
            result_fields.extend(fields([("DialCallSid", sid.as_str()), ("DialCallDuration", &seconds.to_string())]));
        }
        let is_bridged = if matches!(rung, Rung::Connected { .. }) { "true" } else { "false" };
        result_fields.extend(fields([("DialBridged", is_bridged)]));
        result_fields
    }

    /// The end of the call, reported to the number's own status address.
    async fn end(&mut self) {
        if self.record.status.is_empty() || !self.record.spoken.is_empty() {
            self.record.status = "completed".into();
        }
        let seconds = self.talked.to_string();
        let mut form = self.fields(&self.record.status.clone());
        form.extend(fields([
            ("CallDuration", seconds.as_str()),
            ("Duration", "1"),
            ("CallbackSource", "call-progress-events"),
            ("SequenceNumber", "0"),
            ("Timestamp", &self.hooks.fake.book().now().to_rfc2822()),
        ]));
        self.hooks.is_over(&self.record.sid, &self.record.status);
        let url = self.hooks.address("/webhooks/twilio/voice/status");
        self.post(&url, form).await;
    }

    fn fields(&self, status: &str) -> Fields {
        let (from, to) = (self.call.from.as_str(), self.call.to.as_str());
        let mut form = account();
        form.extend(fields([
            ("CallSid", self.record.sid.as_str()),
            ("CallStatus", status),
            ("Direction", "inbound"),
            ("From", from),
            ("Caller", from),
            ("To", to),
            ("Called", to),
        ]));
        for (name, number) in [("From", from), ("Caller", from), ("To", to), ("Called", to)] {
            form.extend(place(name, number));
        }
        form
    }

    /// Posts, and parses the answer as `TwiML`.
    pub(super) async fn ask(&mut self, url: &str, form: Fields) -> Option<Node> {
        let asked = self.post(url, form).await;
        let read = match (asked.status, asked.content_type.split(';').next().unwrap_or_default().trim()) {
            (200, "text/xml" | "application/xml") => xml::read(&asked.body),
            (200, other) => Err(format!("TwiML of the type {other:?}")),
            (status, _) => Err(format!("answered with {status}")),
        };
        match read {
            Ok(document) if document.name == "Response" => Some(document),
            Ok(other) => self.wrong(url, &format!("a document that begins with {}", other.name)),
            Err(why) => self.wrong(url, &why),
        }
    }

    fn wrong(&mut self, url: &str, why: &str) -> Option<Node> {
        self.record.errors.push(format!("{url}: {why}"));
        None
    }

    /// Posts, where only success matters. Of several copies the first answer counts.
    pub(super) async fn post(&mut self, url: &str, form: Fields) -> super::Answer {
        let mut answers = self.hooks.post(url, &form).await;
        if let Some(bad) = answers.iter().find(|answer| !(200..300).contains(&answer.status)) {
            self.record.errors.push(format!("{url}: answered with {}", bad.status));
        }
        let answer = answers.swap_remove(0);
        let asked = WebhookRequest { url: url.into(), fields: form, status: answer.status, body: answer.body.clone() };
        self.record.requests.push(asked);
        answer
    }
}
