//! The phones that the product has rung: when each answers, what it hears, and which one is connected.

use serde::{Deserialize, Serialize};

use super::{
    call::Ringing,
    product::{Fields, account, fields},
    xml::Node,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// In E.164 form, as the product dials it.
    pub number: String,
    #[serde(flatten)]
    pub pickup: Pickup,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "pickup", rename_all = "snake_case")]
pub enum Pickup {
    NoAnswer,
    Busy,
    Failed,
    Voicemail {
        after: u32,
    },
    /// A person, who presses this when asked, and talks this long.
    Human {
        after: u32,
        presses: Option<char>,
        talks: u32,
    },
}

impl Leg {
    #[must_use]
    pub fn new(number: &str, pickup: Pickup) -> Self {
        Self { number: number.into(), pickup }
    }

    /// A person who answers after five seconds and presses 1.
    #[must_use]
    pub fn accepts(number: &str) -> Self {
        Self::new(number, Pickup::Human { after: 5, presses: Some('1'), talks: 60 })
    }

    /// A machine that answers after twelve seconds.
    #[must_use]
    pub fn voicemail(number: &str) -> Self {
        Self::new(number, Pickup::Voicemail { after: 12 })
    }
}

pub(super) enum Rung {
    Connected {
        sid: String,
        seconds: u32,
    },
    /// A person or machine answered, and was not connected.
    HungUpByMachine {
        sid: String,
        seconds: u32,
    },
    GivenUp,
    Ended(&'static str),
}

impl Rung {
    /// Twilio's name for it. An answering machine counts as an answer.
    pub(super) fn status(&self) -> &'static str {
        match self {
            Self::Connected { .. } | Self::HungUpByMachine { .. } => "completed",
            Self::GivenUp => "canceled",
            Self::Ended(status) => status,
        }
    }
}

/// Seconds of a whisper, from answering to pressing.
const WHISPER: u32 = 3;

struct Phone {
    sid: String,
    number: String,
    pickup: Pickup,
    whisper: Option<String>,
    callback: Option<String>,
    events: Vec<String>,
}

impl Ringing<'_> {
    /// Rings all phones at once until one is connected, the time is over, or the caller hangs up.
    pub(super) async fn ring(&mut self, dial: &Node, url: &str) -> Rung {
        let phones = self.phones(dial, url);
        let patience = dial.attribute("timeout").and_then(|seconds| seconds.parse().ok()).unwrap_or(30);
        let gives_up = self.call.caller_hangs_up_after.unwrap_or(u32::MAX);
        for phone in &phones {
            self.record.rung.push(phone.number.clone());
            self.event(phone, "initiated", "initiated", 0).await;
            self.event(phone, "ringing", "ringing", 0).await;
        }
        let mut answered: Vec<&Phone> =
            phones.iter().filter(|phone| phone.after().is_some_and(|after| after < patience.min(gives_up))).collect();
        answered.sort_by_key(|phone| phone.after());
        let (mut last, mut connected) = (None, None);
        for phone in answered {
            if connected.is_some() {
                self.event(phone, "completed", "canceled", 0).await;
                continue;
            }
            self.event(phone, "answered", "in-progress", 0).await;
            let is_put_through = self.whisper(phone, gives_up).await;
            let seconds = if is_put_through { phone.talks() } else { WHISPER };
            self.event(phone, "completed", "completed", seconds).await;
            last = Some((phone.sid.clone(), seconds));
            if is_put_through {
                connected = last.clone();
                self.record.connected_to = Some(phone.number.clone());
                self.talked = seconds;
            }
        }
        let not_answered = |phone: &&Phone| phone.after().is_none_or(|after| after >= patience.min(gives_up));
        for phone in phones.iter().filter(not_answered) {
            let is_cut_short = connected.is_some() || gives_up < patience;
            let status = if is_cut_short { phone.cut_short() } else { phone.unanswered() };
            self.event(phone, "completed", status, 0).await;
        }
        match (connected, last) {
            (Some((sid, seconds)), _) => Rung::Connected { sid, seconds },
            (None, _) if gives_up < patience => Rung::GivenUp,
            (None, Some((sid, seconds))) => Rung::HungUpByMachine { sid, seconds },
            (None, None) => Rung::Ended(together(&phones)),
        }
    }

    /// Whispers to the answering phone. True when the document ends, which connects them.
    async fn whisper(&mut self, phone: &Phone, gives_up: u32) -> bool {
        let Some(mut url) = phone.whisper.clone() else { return true };
        let mut form = self.leg_fields(phone, "in-progress");
        for _ in 0..5 {
            let Some(document) = self.ask(&url, form).await else { return false };
            let mut next = None;
            for verb in &document.children {
                match verb.name.as_str() {
                    "Say" => self.record.whispered.push(verb.text.clone()),
                    "Pause" => {}
                    "Gather" => {
                        self.record.whispered.extend(verb.children.iter().map(|say| say.text.clone()));
                        let action = verb.attribute("action").unwrap_or(&url);
                        next = phone.pressed(gives_up).map(|digit| (action, Some(digit)));
                    }
                    "Redirect" => next = Some((verb.text.trim(), None)),
                    "Hangup" => return false,
                    other => self.record.errors.push(format!("a verb that is not known in a whisper: {other}")),
                }
                if next.is_some() {
                    break;
                }
            }
            let Some((path, digit)) = next else { return true };
            form = self.leg_fields(phone, "in-progress");
            form.extend(digit.map(|digit| ("Digits".to_owned(), digit.to_string())));
            url = self.hooks.absolute(path, &url);
        }
        self.record.errors.push("the whisper leads on without end".into());
        false
    }

    fn phones(&mut self, dial: &Node, url: &str) -> Vec<Phone> {
        let hooks = self.hooks;
        let absolute = |node: &Node, name| node.attribute(name).map(|path| hooks.absolute(path, url));
        let mut numbers: Vec<Node> = dial.children.iter().filter(|node| node.name == "Number").cloned().collect();
        if !dial.text.trim().is_empty() {
            numbers.push(Node { text: dial.text.clone(), ..Node::default() });
        }
        let mut phones = Vec::new();
        for node in numbers {
            let number = node.text.trim().to_owned();
            let leg = self.call.legs.iter().find(|leg| leg.number == number);
            phones.push(Phone {
                sid: hooks.fake.book().next_sid("CA"),
                pickup: leg.map_or(Pickup::NoAnswer, |leg| leg.pickup),
                whisper: absolute(&node, "url"),
                callback: absolute(&node, "statusCallback"),
                events: words(node.attribute("statusCallbackEvent").unwrap_or("completed")),
                number,
            });
        }
        if phones.is_empty() {
            self.record.errors.push("a Dial without a number".into());
        }
        phones
    }

    async fn event(&mut self, phone: &Phone, event: &str, status: &str, seconds: u32) {
        let Some(url) = phone.callback.clone().filter(|_| phone.events.iter().any(|known| known == event)) else {
            return;
        };
        let mut form = self.leg_fields(phone, status);
        let sequence = ["initiated", "ringing", "answered", "completed"].iter().position(|known| *known == event);
        form.extend(fields([
            ("CallbackSource", "call-progress-events"),
            ("SequenceNumber", &sequence.unwrap_or_default().to_string()),
            ("Timestamp", &self.hooks.fake.book().now().to_rfc2822()),
        ]));
        if event == "completed" {
            form.extend(fields([("CallDuration", seconds.to_string().as_str()), ("Duration", "1")]));
        }
        self.post(&url, form).await;
    }

    fn leg_fields(&self, phone: &Phone, status: &str) -> Fields {
        let mut form = account();
        form.extend(fields([
            ("CallSid", phone.sid.as_str()),
            ("ParentCallSid", self.record.sid.as_str()),
            ("CallStatus", status),
            ("Direction", "outbound-dial"),
            ("From", self.call.from.as_str()),
            ("Caller", self.call.from.as_str()),
            ("To", phone.number.as_str()),
            ("Called", phone.number.as_str()),
        ]));
        form
    }
}

impl Phone {
    fn after(&self) -> Option<u32> {
        match self.pickup {
            Pickup::Voicemail { after } | Pickup::Human { after, .. } => Some(after),
            _ => None,
        }
    }

    fn talks(&self) -> u32 {
        if let Pickup::Human { talks, .. } = self.pickup { talks } else { 30 }
    }

    /// The pressed digit, unless the caller has hung up by then.
    fn pressed(&self, gives_up: u32) -> Option<char> {
        match self.pickup {
            Pickup::Human { after, presses, .. } if after.saturating_add(WHISPER) < gives_up => presses,
            _ => None,
        }
    }

    fn unanswered(&self) -> &'static str {
        match self.pickup {
            Pickup::Busy => "busy",
            Pickup::Failed => "failed",
            _ => "no-answer",
        }
    }

    /// A phone that was busy before another one answered stays busy.
    fn cut_short(&self) -> &'static str {
        match self.unanswered() {
            "no-answer" => "canceled",
            known => known,
        }
    }
}

/// Twilio's status for phones that were all not answered.
fn together(phones: &[Phone]) -> &'static str {
    let all = |status| !phones.is_empty() && phones.iter().all(|phone| phone.unanswered() == status);
    ["busy", "failed"].into_iter().find(|status| all(*status)).unwrap_or("no-answer")
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(ToOwned::to_owned).collect()
}
