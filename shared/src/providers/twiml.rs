//! `TwiML`: what a webhook answers Twilio, so that it says, rings, listens or hangs up.
//!
//! Only the verbs this product uses. Attributes stand in alphabetical order and marks are escaped as Twilio's own
//! package does it; `twiml/vectors.json` holds that package's documents, and ours are equal byte for byte.

use std::fmt::Write;

/// What the answer's `Content-Type` says.
pub const CONTENT_TYPE: &str = "text/xml";

/// A whole answer. Its verbs are carried out one after the other; an empty one ends a call or takes a text in silence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response(Vec<Verb>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Verb {
    Say(Say),
    Dial(Dial),
    Gather(Gather),
    Pause(u16),
    Redirect(String),
    Message(String),
    Reject(Option<Reason>),
    Hangup,
}

/// Words to be spoken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Say {
    pub text: String,
    /// Twilio's name for a voice: "Polly.Joanna".
    pub voice: Option<String>,
    /// "en-US", "es-US".
    pub language: Option<String>,
}

/// Phones to be rung all at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dial {
    /// How many seconds they ring; Twilio's own default is 30.
    pub timeout: Option<u16>,
    /// Where the outcome is posted; the answer to it goes on with the call. Without it the next verb does.
    pub action: Option<String>,
    /// The number the rung phones see.
    pub caller_id: Option<String>,
    /// The caller hears ringing, and the call counts as answered only when somebody has been put through.
    pub answer_on_bridge: bool,
    /// The longest the conversation may last, in seconds.
    pub time_limit: Option<u32>,
    pub numbers: Vec<Number>,
}

/// One phone of a [`Dial`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Number {
    /// In E.164 form.
    pub number: String,
    /// `TwiML` for whoever picks up, carried out before the two are put through: the whisper.
    pub url: Option<String>,
    pub status_callback: Option<String>,
    /// What is reported there; nothing named means the end only.
    pub events: Vec<CallEvent>,
}

/// A moment in the life of a rung phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEvent {
    Initiated,
    Ringing,
    Answered,
    Completed,
}

/// Waits for digits. If none come in time, the next verb is carried out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gather {
    pub digits: u8,
    /// Where the digits are posted.
    pub action: String,
    /// How many seconds it waits; Twilio's own default is 5.
    pub timeout: Option<u16>,
    /// Spoken meanwhile.
    pub prompts: Vec<Say>,
}

/// What the caller of a rejected call hears. A rejected call costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// "This number is not in service."
    Rejected,
    Busy,
}

impl Response {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn say(self, say: Say) -> Self {
        self.then(Verb::Say(say))
    }

    #[must_use]
    pub fn dial(self, dial: Dial) -> Self {
        self.then(Verb::Dial(dial))
    }

    #[must_use]
    pub fn gather(self, gather: Gather) -> Self {
        self.then(Verb::Gather(gather))
    }

    /// Silence, in seconds.
    #[must_use]
    pub fn pause(self, seconds: u16) -> Self {
        self.then(Verb::Pause(seconds))
    }

    /// Goes on with the `TwiML` at `url`.
    #[must_use]
    pub fn redirect(self, url: impl Into<String>) -> Self {
        self.then(Verb::Redirect(url.into()))
    }

    /// Answers a text with a text.
    #[must_use]
    pub fn message(self, body: impl Into<String>) -> Self {
        self.then(Verb::Message(body.into()))
    }

    /// Does not take the call. Only as the first verb.
    #[must_use]
    pub fn reject(self, reason: Option<Reason>) -> Self {
        self.then(Verb::Reject(reason))
    }

    #[must_use]
    pub fn hangup(self) -> Self {
        self.then(Verb::Hangup)
    }

    fn then(mut self, verb: Verb) -> Self {
        self.0.push(verb);
        self
    }

    /// The document, as it is sent.
    #[must_use]
    pub fn to_xml(&self) -> String {
        let response = Element { children: self.0.iter().map(Verb::element).collect(), ..Element::named("Response") };
        let mut xml = String::from(r#"<?xml version="1.0" encoding="UTF-8"?>"#);
        response.write(&mut xml);
        xml
    }
}

impl Say {
    /// In the account's own voice and language.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    #[must_use]
    pub fn voice(self, voice: impl Into<String>) -> Self {
        Self { voice: Some(voice.into()), ..self }
    }

    #[must_use]
    pub fn language(self, language: impl Into<String>) -> Self {
        Self { language: Some(language.into()), ..self }
    }

    fn element(&self) -> Element {
        Element::named("Say").text(&self.text).with("language", self.language.clone()).with("voice", self.voice.clone())
    }
}

impl CallEvent {
    const fn name(self) -> &'static str {
        match self {
            Self::Initiated => "initiated",
            Self::Ringing => "ringing",
            Self::Answered => "answered",
            Self::Completed => "completed",
        }
    }
}

impl Verb {
    fn element(&self) -> Element {
        match self {
            Self::Say(say) => say.element(),
            Self::Dial(dial) => dial.element(),
            Self::Gather(gather) => gather.element(),
            Self::Pause(seconds) => Element::named("Pause").with("length", Some(seconds.to_string())),
            Self::Redirect(url) => Element::named("Redirect").text(url),
            Self::Message(body) => Element::named("Message").text(body),
            Self::Reject(reason) => {
                let name = |reason: &Reason| if *reason == Reason::Busy { "busy" } else { "rejected" };
                Element::named("Reject").with("reason", reason.as_ref().map(|reason| name(reason).to_owned()))
            }
            Self::Hangup => Element::named("Hangup"),
        }
    }
}

impl Dial {
    fn element(&self) -> Element {
        let dial = Element::named("Dial")
            .with("action", self.action.clone())
            .with("answerOnBridge", self.answer_on_bridge.then(|| "true".to_owned()))
            .with("callerId", self.caller_id.clone())
            .with("timeLimit", self.time_limit.map(|seconds| seconds.to_string()))
            .with("timeout", self.timeout.map(|seconds| seconds.to_string()));
        Element { children: self.numbers.iter().map(Number::element).collect(), ..dial }
    }
}

impl Number {
    fn element(&self) -> Element {
        let events: Vec<_> = self.events.iter().map(|event| event.name()).collect();
        Element::named("Number")
            .text(&self.number)
            .with("statusCallback", self.status_callback.clone())
            .with("statusCallbackEvent", (!events.is_empty()).then(|| events.join(" ")))
            .with("url", self.url.clone())
    }
}

impl Gather {
    fn element(&self) -> Element {
        let gather = Element::named("Gather")
            .with("action", Some(self.action.clone()))
            .with("numDigits", Some(self.digits.to_string()))
            .with("timeout", self.timeout.map(|seconds| seconds.to_string()));
        Element { children: self.prompts.iter().map(Say::element).collect(), ..gather }
    }
}

/// A mark with attributes in alphabetical order, and either words or marks inside.
struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn named(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), text: String::new(), children: Vec::new() }
    }

    fn text(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    fn with(mut self, name: &'static str, value: Option<String>) -> Self {
        self.attributes.extend(value.map(|value| (name, value)));
        self
    }

    fn write(&self, xml: &mut String) {
        let name = self.name;
        // Writing into a String cannot fail.
        let _ = write!(xml, "<{name}");
        for (attribute, value) in &self.attributes {
            let _ = write!(xml, " {attribute}=\"");
            escape(value, true, xml);
            xml.push('"');
        }
        if self.text.is_empty() && self.children.is_empty() {
            xml.push_str(" />");
            return;
        }
        xml.push('>');
        escape(&self.text, false, xml);
        for child in &self.children {
            child.write(xml);
        }
        let _ = write!(xml, "</{name}>");
    }
}

/// What a document may not hold at all is left out: a name with a control character in it must not cost the call.
fn escape(text: &str, in_attribute: bool, xml: &mut String) {
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
