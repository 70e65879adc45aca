//! Text messages: where they go, by configuration.

use std::time::Duration;

use secrecy::SecretString;
use url::Url;

use super::{Accepted, SendError, memory::Memory};
use crate::{
    platform::config::Vars,
    providers::twiml::{self, Say},
};

mod calls;
pub mod codes;
mod lookup;
mod media;
mod numbers;
mod received;
pub mod signature;
mod twilio;

pub use calls::ReceivedCall;
pub use lookup::{Account, Found, Standing};
pub use media::{MAX_MEDIA_BYTES, Media};
pub use numbers::AccountNumber;
pub use received::{ReceivedPicture, ReceivedText};
pub use twilio::Twilio;

/// The longest one call to the provider may take.
pub const CALL_ENDS_WITHIN: Duration = Duration::from_secs(10);

/// The longest a text may wait at Twilio, in seconds, which is also Twilio's own default.
pub const MAX_VALIDITY_SECONDS: u32 = 36_000;

const TWILIO: &str = "https://api.twilio.com";

/// One text message.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The receiver in E.164 form.
    pub to: &'a str,
    pub body: &'a str,
    /// Where Twilio reports what became of it. It must be reachable from the internet, or Twilio refuses the text.
    pub status_callback: Option<&'a str>,
    /// How long it may wait at Twilio before it is dropped rather than sent, kept within what Twilio takes.
    pub validity_seconds: Option<u32>,
    /// The org's own number, instead of the configured sender.
    pub from: Option<&'a str>,
}

/// The way texts leave this process.
#[derive(Debug, Clone)]
pub enum Sms {
    Twilio(Twilio),
    Memory(MemorySms),
    Off,
}

/// A text as [`MemorySms`] remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentText {
    pub to: String,
    pub body: String,
    pub status_callback: Option<String>,
    pub validity_seconds: Option<u32>,
    pub from: Option<String>,
}

/// Texts that leave nowhere.
pub type MemorySms = Memory<SentText>;

impl Sms {
    /// The provider the configuration asks for.
    #[must_use]
    pub fn from_config(config: &SmsConfig, http: &reqwest::Client) -> Self {
        match config {
            SmsConfig::Off => Self::Off,
            SmsConfig::Twilio(account) => Self::Twilio(Twilio::new(account, http.clone())),
        }
    }

    /// Whether a text has anywhere to go.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Makes one attempt.
    ///
    /// # Errors
    /// [`SendError`] says whether it may be repeated.
    pub async fn send(&self, text: &Text<'_>) -> Result<Accepted, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.send(text).await,
            Self::Memory(memory) => memory.take(SentText::from(text), |n| format!("SM{n:032x}")),
            Self::Off => Err(SendError::NotSetUp { reason: "SMS is not set up".into() }),
        }
    }
}

/// A document for a call that reads `words` twice.
fn twiml_say(words: &str) -> String {
    let say = Say { text: words.to_owned(), ..Say::default() };
    twiml::Response::new().say(say.clone()).say(say).hangup().to_xml()
}

impl From<&Text<'_>> for SentText {
    fn from(text: &Text<'_>) -> Self {
        Self {
            to: text.to.to_owned(),
            body: text.body.to_owned(),
            status_callback: text.status_callback.map(ToOwned::to_owned),
            validity_seconds: text.validity_seconds,
            from: text.from.map(ToOwned::to_owned),
        }
    }
}

/// What the environment says about texts.
#[derive(Debug, Clone)]
pub enum SmsConfig {
    Off,
    Twilio(Box<TwilioAccount>),
}

/// An account at Twilio, and who its texts come from.
#[derive(Debug, Clone)]
pub struct TwilioAccount {
    /// `TWILIO_ACCOUNT_SID`
    pub sid: String,
    /// `TWILIO_AUTH_TOKEN`: also what Twilio signs its own calls to us with.
    pub auth_token: Option<SecretString>,
    /// `TWILIO_WEBHOOK_SECRETS`: what Twilio may sign with besides, the next token while it is changed and the secrets
    /// of shared keys, separated by commas.
    pub webhook_secrets: Vec<SecretString>,
    /// `TWILIO_API_KEY` and `TWILIO_API_SECRET`, which sign in instead of the token.
    pub api_key: Option<(String, SecretString)>,
    /// `TWILIO_MESSAGING_SERVICE_SID`, else `TWILIO_FROM`.
    pub sender: Sender,
    /// `TWILIO_API_URL`
    pub api_url: Url,
}

/// What the install itself sends from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sender {
    Number(String),
    Service(String),
}

impl Sender {
    /// The Messaging Service's id.
    #[must_use]
    pub fn service(&self) -> Option<&str> {
        match self {
            Self::Service(sid) => Some(sid),
            Self::Number(_) => None,
        }
    }

    /// The number itself; a service has several.
    #[must_use]
    pub fn number(&self) -> Option<&str> {
        match self {
            Self::Number(number) => Some(number),
            Self::Service(_) => None,
        }
    }
}

impl SmsConfig {
    /// What the install itself sends from.
    #[must_use]
    pub fn sender(&self) -> Option<&Sender> {
        match self {
            Self::Twilio(account) => Some(&account.sender),
            Self::Off => None,
        }
    }

    /// The Messaging Service that businesses may share.
    #[must_use]
    pub fn service(&self) -> Option<&str> {
        self.sender().and_then(Sender::service)
    }

    /// Whether a text has anywhere to go.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Reads the `TWILIO_*` variables: none of them is "off", some of them a fault for each that is missing.
    pub fn from_vars(vars: &mut Vars) -> Self {
        let [sid, token, key, secret, from, service] = [
            "TWILIO_ACCOUNT_SID",
            "TWILIO_AUTH_TOKEN",
            "TWILIO_API_KEY",
            "TWILIO_API_SECRET",
            "TWILIO_FROM",
            "TWILIO_MESSAGING_SERVICE_SID",
        ]
        .map(|name| vars.get(name));
        let api_url = read_api_url(vars);
        if [&sid, &token, &key, &secret, &from, &service].iter().all(|v| v.is_none()) {
            return Self::Off;
        }
        let sid = read_sid(vars, sid);
        let api_key = read_api_key(vars, key, secret);
        if token.is_none() && api_key.is_none() {
            vars.fault("TWILIO_AUTH_TOKEN", "must be set (or TWILIO_API_KEY and TWILIO_API_SECRET)");
        }
        if from.is_none() && service.is_none() {
            vars.fault("TWILIO_FROM", "must be set (or TWILIO_MESSAGING_SERVICE_SID)");
        }
        // A service chooses among several numbers and keeps to one per person, so it is the better sender of the two.
        let Some(sender) = service.map(Sender::Service).or(from.map(Sender::Number)) else { return Self::Off };
        match (sid, api_url) {
            (Some(sid), Some(api_url)) => Self::Twilio(Box::new(TwilioAccount {
                sid,
                auth_token: token.map(Into::into),
                webhook_secrets: read_secrets(vars),
                api_key,
                sender,
                api_url,
            })),
            _ => Self::Off,
        }
    }
}

fn read_sid(vars: &mut Vars, sid: Option<String>) -> Option<String> {
    match sid {
        None => vars.fault("TWILIO_ACCOUNT_SID", "must be set"),
        // It becomes a part of the address.
        Some(sid) if sid.bytes().all(|b| b.is_ascii_alphanumeric()) => return Some(sid),
        Some(_) => vars.fault("TWILIO_ACCOUNT_SID", "must be letters and digits only"),
    }
    None
}

fn read_secrets(vars: &Vars) -> Vec<SecretString> {
    let given = vars.get("TWILIO_WEBHOOK_SECRETS").unwrap_or_default();
    given.split(',').map(str::trim).filter(|secret| !secret.is_empty()).map(Into::into).collect()
}

fn read_api_key(vars: &mut Vars, key: Option<String>, secret: Option<String>) -> Option<(String, SecretString)> {
    match (key, secret) {
        (Some(key), Some(secret)) => return Some((key, secret.into())),
        (Some(_), None) => vars.fault("TWILIO_API_SECRET", "must be set, because TWILIO_API_KEY is"),
        (None, Some(_)) => vars.fault("TWILIO_API_KEY", "must be set, because TWILIO_API_SECRET is"),
        (None, None) => {}
    }
    None
}

fn read_api_url(vars: &mut Vars) -> Option<Url> {
    let given = vars.get("TWILIO_API_URL").unwrap_or_else(|| TWILIO.into());
    let url = Url::parse(&given).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    if url.is_none() {
        vars.fault("TWILIO_API_URL", "must be an http or https address without user, query or fragment");
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [(&str, &str); 3] =
        [("TWILIO_ACCOUNT_SID", "AC1"), ("TWILIO_AUTH_TOKEN", "t0ken-canary"), ("TWILIO_FROM", "+15005550006")];

    fn read(pairs: &[(&str, &str)]) -> (SmsConfig, Vec<String>) {
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let config = SmsConfig::from_vars(&mut vars);
        let faults = vars.finish().err().map(|e| e.0).unwrap_or_default();
        (config, faults.into_iter().map(|f| f.variable).collect())
    }

    #[test]
    fn nothing_set_is_off_and_not_a_fault() {
        let (config, faults) = read(&[("TWILIO_API_URL", "http://127.0.0.1:9/")]);
        assert!(matches!(config, SmsConfig::Off) && faults.is_empty());
    }

    #[test]
    fn each_missing_variable_is_named() {
        for (left_out, _) in WHOLE {
            let rest: Vec<_> = WHOLE.into_iter().filter(|(name, _)| *name != left_out).collect();
            assert_eq!(read(&rest).1, [left_out]);
        }
        assert_eq!(read(&[("TWILIO_FROM", "+1")]).1, ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"]);
        assert_eq!(
            read(&[WHOLE[0], WHOLE[2], ("TWILIO_API_KEY", "SK1")]).1,
            ["TWILIO_API_SECRET", "TWILIO_AUTH_TOKEN"]
        );
    }

    #[test]
    fn a_key_pair_replaces_the_token_and_a_service_wins_over_a_number() {
        let (config, faults) = read(&[
            WHOLE[0],
            WHOLE[2],
            ("TWILIO_API_KEY", "SK1"),
            ("TWILIO_API_SECRET", "s"),
            ("TWILIO_MESSAGING_SERVICE_SID", "MG1"),
        ]);
        let SmsConfig::Twilio(account) = config else { panic!("{faults:?}") };
        assert_eq!(account.sender, Sender::Service("MG1".into()));
        assert!(account.auth_token.is_none() && account.api_key.is_some());
    }

    #[test]
    fn an_address_that_is_not_one_is_a_fault() {
        for bad in ["twilio", "ftp://x/", "https://user:pass@x/", "https://x/?a=1", "file:///etc"] {
            assert_eq!(read(&[("TWILIO_API_URL", bad)]).1, ["TWILIO_API_URL"], "{bad}");
        }
        assert_eq!(read(&[WHOLE[1], WHOLE[2], ("TWILIO_ACCOUNT_SID", "AC/../x")]).1, ["TWILIO_ACCOUNT_SID"]);
    }

    #[test]
    fn the_token_is_in_no_debug_output() {
        let (config, _) = read(&WHOLE);
        let sms = Sms::from_config(&config, &super::super::http_client().unwrap());
        let shown = format!("{config:?} {sms:?}");
        assert!(sms.is_set_up() && shown.contains("AC1") && !shown.contains("t0ken-canary"), "{shown}");
    }

    #[tokio::test]
    async fn memory_answers_as_told_and_off_says_so() {
        let text = Text { to: "+1", body: "b", status_callback: None, validity_seconds: None, from: None };
        let memory = MemorySms::default();
        memory.will_answer(Err(SendError::retry("later")));
        let sms = Sms::Memory(memory.clone());
        assert_eq!(sms.send(&text).await.unwrap_err(), SendError::retry("later"));
        assert_eq!(sms.send(&text).await.unwrap().provider_id.len(), 34);
        assert_eq!((memory.calls().len(), memory.accepted().len()), (2, 1));
        assert_eq!(Sms::Off.send(&text).await.unwrap_err().to_string(), "not sent: SMS is not set up");
    }
}
