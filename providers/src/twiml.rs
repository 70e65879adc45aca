//! `TwiML` documents that answer Twilio's webhooks.
//!
//! Only the verbs in use. Attribute order and escaping equal those of Twilio's package; documents are compared byte for
//! byte with `twiml/vectors.json`.

use std::fmt::Write;

use platform::text_enum::display_serialized;
use serde::Serialize;

pub const CONTENT_TYPE: &str = "text/xml";

/// Verbs run in order; an empty response ends a call, or accepts a text silently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TwimlResponse(Vec<TwimlVerb>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TwimlVerb {
    Say(Say),
    Dial(Dial),
    Gather(Gather),
    Pause(u16),
    Redirect(String),
    Message(String),
    Reject(Option<RejectReason>),
    Hangup,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Say {
    pub text: String,
    /// Twilio's voice name: "Polly.Joanna".
    pub voice: Option<String>,
    /// "en-US", "es-US".
    pub language: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dial {
    /// Ringing time in seconds; Twilio's default is 30.
    pub timeout: Option<u16>,
    /// Webhook for the outcome; its response continues the call. Without it the next verb runs.
    pub action: Option<String>,
    pub caller_id: Option<String>,
    /// The caller hears ringing, and the call counts as answered only when a person is connected.
    pub answer_on_bridge: bool,
    pub time_limit: Option<u32>,
    pub numbers: Vec<DialNumber>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DialNumber {
    pub number: String,
    /// `TwiML` played to the answering person before connecting (whisper).
    pub url: Option<String>,
    pub status_callback: Option<String>,
    /// Events reported there; empty means the end only.
    pub events: Vec<CallEvent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CallEvent {
    Initiated,
    Ringing,
    Answered,
    Completed,
}

/// Waits for digits; if none come in time, the next verb runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gather {
    pub digits: u8,
    pub action: String,
    /// Seconds; Twilio's default is 5.
    pub timeout: Option<u16>,
    /// Spoken while waiting for the digits.
    pub prompts: Vec<Say>,
}

/// The message to a rejected caller. A rejected call costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectReason {
    /// "This number is not in service."
    Rejected,
    Busy,
}

impl TwimlResponse {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn say(self, say: Say) -> Self {
        self.push_verb(TwimlVerb::Say(say))
    }

    #[must_use]
    pub fn dial(self, dial: Dial) -> Self {
        self.push_verb(TwimlVerb::Dial(dial))
    }

    #[must_use]
    pub fn gather(self, gather: Gather) -> Self {
        self.push_verb(TwimlVerb::Gather(gather))
    }

    /// In seconds.
    #[must_use]
    pub fn pause(self, seconds: u16) -> Self {
        self.push_verb(TwimlVerb::Pause(seconds))
    }

    #[must_use]
    pub fn redirect(self, url: impl Into<String>) -> Self {
        self.push_verb(TwimlVerb::Redirect(url.into()))
    }

    #[must_use]
    pub fn message(self, body: impl Into<String>) -> Self {
        self.push_verb(TwimlVerb::Message(body.into()))
    }

    /// Only valid as the first verb.
    #[must_use]
    pub fn reject(self, reason: Option<RejectReason>) -> Self {
        self.push_verb(TwimlVerb::Reject(reason))
    }

    #[must_use]
    pub fn hangup(self) -> Self {
        self.push_verb(TwimlVerb::Hangup)
    }

    fn push_verb(mut self, verb: TwimlVerb) -> Self {
        self.0.push(verb);
        self
    }

    #[must_use]
    pub fn to_xml(&self) -> String {
        let response = XmlElement {
            children: self.0.iter().map(TwimlVerb::to_element).collect(),
            ..XmlElement::with_name("Response")
        };
        let mut xml = String::from(r#"<?xml version="1.0" encoding="UTF-8"?>"#);
        response.write_xml(&mut xml);
        xml
    }
}

impl Say {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    #[must_use]
    pub fn with_voice(self, voice: impl Into<String>) -> Self {
        Self { voice: Some(voice.into()), ..self }
    }

    #[must_use]
    pub fn with_language(self, language: impl Into<String>) -> Self {
        Self { language: Some(language.into()), ..self }
    }

    fn to_element(&self) -> XmlElement {
        XmlElement::with_name("Say")
            .with_text(&self.text)
            .with_attribute("language", self.language.clone())
            .with_attribute("voice", self.voice.clone())
    }
}

display_serialized!(CallEvent);

impl TwimlVerb {
    fn to_element(&self) -> XmlElement {
        match self {
            Self::Say(say) => say.to_element(),
            Self::Dial(dial) => dial.to_element(),
            Self::Gather(gather) => gather.to_element(),
            Self::Pause(seconds) => XmlElement::with_name("Pause").with_attribute("length", Some(seconds.to_string())),
            Self::Redirect(url) => XmlElement::with_name("Redirect").with_text(url),
            Self::Message(body) => XmlElement::with_name("Message").with_text(body),
            Self::Reject(reason) => {
                let name = |reason: &RejectReason| if *reason == RejectReason::Busy { "busy" } else { "rejected" };
                XmlElement::with_name("Reject")
                    .with_attribute("reason", reason.as_ref().map(|reason| name(reason).to_owned()))
            }
            Self::Hangup => XmlElement::with_name("Hangup"),
        }
    }
}

impl Dial {
    fn to_element(&self) -> XmlElement {
        let dial = XmlElement::with_name("Dial")
            .with_attribute("action", self.action.clone())
            .with_attribute("answerOnBridge", self.answer_on_bridge.then(|| "true".to_owned()))
            .with_attribute("callerId", self.caller_id.clone())
            .with_attribute("timeLimit", self.time_limit.map(|seconds| seconds.to_string()))
            .with_attribute("timeout", self.timeout.map(|seconds| seconds.to_string()));
        XmlElement { children: self.numbers.iter().map(DialNumber::to_element).collect(), ..dial }
    }
}

impl DialNumber {
    fn to_element(&self) -> XmlElement {
        let events: Vec<String> = self.events.iter().map(ToString::to_string).collect();
        XmlElement::with_name("Number")
            .with_text(&self.number)
            .with_attribute("statusCallback", self.status_callback.clone())
            .with_attribute("statusCallbackEvent", (!events.is_empty()).then(|| events.join(" ")))
            .with_attribute("url", self.url.clone())
    }
}

impl Gather {
    fn to_element(&self) -> XmlElement {
        let gather = XmlElement::with_name("Gather")
            .with_attribute("action", Some(self.action.clone()))
            .with_attribute("numDigits", Some(self.digits.to_string()))
            .with_attribute("timeout", self.timeout.map(|seconds| seconds.to_string()));
        XmlElement { children: self.prompts.iter().map(Say::to_element).collect(), ..gather }
    }
}

struct XmlElement {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: String,
    children: Vec<XmlElement>,
}

impl XmlElement {
    fn with_name(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), text: String::new(), children: Vec::new() }
    }

    fn with_text(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    fn with_attribute(mut self, name: &'static str, value: Option<String>) -> Self {
        self.attributes.extend(value.map(|value| (name, value)));
        self
    }

    fn write_xml(&self, xml: &mut String) {
        let name = self.name;
        // Writing to a String cannot fail.
        let _ = write!(xml, "<{name}");
        for (attribute, value) in &self.attributes {
            let _ = write!(xml, " {attribute}=\"");
            escape_xml(value, true, xml);
            xml.push('"');
        }
        if self.text.is_empty() && self.children.is_empty() {
            xml.push_str(" />");
            return;
        }
        xml.push('>');
        escape_xml(&self.text, false, xml);
        for child in &self.children {
            child.write_xml(xml);
        }
        let _ = write!(xml, "</{name}>");
    }
}

/// Characters invalid in XML are dropped, so that a control character in a name does not fail the call.
fn escape_xml(text: &str, in_attribute: bool, xml: &mut String) {
    for c in text.chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '\r' => xml.push_str("&#13;"),
            '"' if in_attribute => xml.push_str("&quot;"),
            '\n' if in_attribute => xml.push_str("&#10;"),
            '\t' if in_attribute => xml.push_str("&#09;"),
            '\n' | '\t' => xml.push(c),
            c if c < ' ' || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {}
            c => xml.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
