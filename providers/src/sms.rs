//! Text messages through the configured provider.

use std::time::Duration;

use platform::{config::EnvVars, phone::Phone};
use secrecy::SecretString;
use url::Url;

use super::{AcceptedMessage, SendError, memory::MemoryProvider};
use crate::twiml::{self, Say};

mod a2p;
mod calls;
pub mod codes;
mod lookup;
mod media;
mod number_purchase;
mod numbers;
mod received;
mod service_pool;
pub mod signature;
mod toll_free;
mod twilio;

pub use a2p::{A2pCollection, A2pFault, A2pResource};
pub use calls::ReceivedCall;
pub use lookup::{SmsAccount, SmsAccountState, SmsLookupResult};
pub use media::{MAX_MEDIA_BYTES, MmsMedia};
pub use number_purchase::{AvailableNumber, NumberPrices, NumberPurchase, NumberSearch, NumberWebhooks};
pub use numbers::AccountNumber;
pub use received::{ReceivedPicture, ReceivedSms};
pub use toll_free::{TollFreeRequest, TollFreeStatus, TollFreeVerification};
pub use twilio::Twilio;

pub const PROVIDER_CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// Twilio's maximum and default queue time, in seconds.
pub const MAX_VALIDITY_SECONDS: u32 = 36_000;

const TWILIO: &str = "https://api.twilio.com";

#[derive(Debug, Clone, Copy)]
pub struct SmsMessage<'a> {
    pub to: &'a Phone,
    pub body: &'a str,
    /// Status webhook. Must be reachable from the internet, or Twilio refuses the text.
    pub status_callback: Option<&'a str>,
    /// Queue time at Twilio before it is dropped, clamped to Twilio's range.
    pub validity_seconds: Option<u32>,
    /// The org's own number, instead of the configured sender.
    pub from: Option<&'a Phone>,
}

#[derive(Debug, Clone)]
pub enum SmsProvider {
    Twilio(Twilio),
    Memory(MemorySms),
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentSms {
    pub to: String,
    pub body: String,
    pub status_callback: Option<String>,
    pub validity_seconds: Option<u32>,
    pub from: Option<String>,
}

pub type MemorySms = MemoryProvider<SentSms>;

impl SmsProvider {
    #[must_use]
    pub fn from_config(config: &SmsConfig, http: &reqwest::Client) -> Self {
        match config {
            SmsConfig::Off => Self::Off,
            SmsConfig::Twilio(account) => Self::Twilio(Twilio::new(account, http.clone())),
        }
    }

    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Errors: [`SendError`] says whether it may be repeated.
    pub async fn send(&self, text: &SmsMessage<'_>) -> Result<AcceptedMessage, SendError> {
        match self {
            Self::Twilio(twilio) => twilio.send(text).await,
            Self::Memory(memory) => memory.record_send(SentSms::from(text), |n| format!("SM{n:032x}")),
            Self::Off => Err(SendError::NotSetUp { reason: "SMS is not set up".into() }),
        }
    }
}

fn build_say_document(words: &str) -> String {
    let say = Say { text: words.to_owned(), ..Say::default() };
    twiml::TwimlResponse::new().say(say.clone()).say(say).hangup().to_xml()
}

impl From<&SmsMessage<'_>> for SentSms {
    fn from(text: &SmsMessage<'_>) -> Self {
        Self {
            to: text.to.to_string(),
            body: text.body.to_owned(),
            status_callback: text.status_callback.map(ToOwned::to_owned),
            validity_seconds: text.validity_seconds,
            from: text.from.map(ToString::to_string),
        }
    }
}

#[derive(Debug, Clone)]
pub enum SmsConfig {
    Off,
    Twilio(Box<TwilioAccount>),
}

#[derive(Debug, Clone)]
pub struct TwilioAccount {
    /// `TWILIO_ACCOUNT_SID`
    pub sid: String,
    /// `TWILIO_AUTH_TOKEN`: also the key of Twilio's webhook signatures.
    pub auth_token: Option<SecretString>,
    /// `TWILIO_WEBHOOK_SECRETS`: further signing secrets, separated by commas: the next token during a change, and the
    /// secrets of shared keys.
    pub webhook_secrets: Vec<SecretString>,
    /// `TWILIO_API_KEY` and `TWILIO_API_SECRET`, used instead of the token.
    pub api_key: Option<(String, SecretString)>,
    /// `TWILIO_MESSAGING_SERVICE_SID`, else `TWILIO_FROM`.
    pub sender: SmsSender,
    /// `TWILIO_PRIMARY_PROFILE`: the operator's primary customer profile, by which businesses register their texts.
    pub primary_profile: Option<String>,
    /// `TWILIO_API_URL`
    pub api_url: Url,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SmsSender {
    Number(String),
    Service(String),
}

impl SmsSender {
    #[must_use]
    pub fn service_sid(&self) -> Option<&str> {
        match self {
            Self::Service(sid) => Some(sid),
            Self::Number(_) => None,
        }
    }

    #[must_use]
    pub fn phone_number(&self) -> Option<&str> {
        match self {
            Self::Number(number) => Some(number),
            Self::Service(_) => None,
        }
    }
}

impl SmsConfig {
    #[must_use]
    pub fn sender(&self) -> Option<&SmsSender> {
        match self {
            Self::Twilio(account) => Some(&account.sender),
            Self::Off => None,
        }
    }

    /// The Messaging Service that businesses may share.
    #[must_use]
    pub fn service_sid(&self) -> Option<&str> {
        self.sender().and_then(SmsSender::service_sid)
    }

    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Whether businesses can register local numbers here.
    #[must_use]
    pub fn has_primary_profile(&self) -> bool {
        matches!(self, Self::Twilio(account) if account.primary_profile.is_some())
    }

    /// Reads the `TWILIO_*` variables: none set means off, an incomplete set gives a fault per missing one.
    pub fn from_vars(vars: &mut EnvVars) -> Self {
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
        let primary_profile = read_primary_profile(vars);
        if [&sid, &token, &key, &secret, &from, &service].iter().all(|v| v.is_none()) {
            return Self::Off;
        }
        let sid = read_sid(vars, sid);
        let api_key = read_api_key(vars, key, secret);
        if token.is_none() && api_key.is_none() {
            vars.record_invalid("TWILIO_AUTH_TOKEN", "must be set (or TWILIO_API_KEY and TWILIO_API_SECRET)");
        }
        if from.is_none() && service.is_none() {
            vars.record_invalid("TWILIO_FROM", "must be set (or TWILIO_MESSAGING_SERVICE_SID)");
        }
        // A service has several numbers and keeps to one per person, so it is preferred.
        let Some(sender) = service.map(SmsSender::Service).or(from.map(SmsSender::Number)) else { return Self::Off };
        match (sid, api_url) {
            (Some(sid), Some(api_url)) => Self::Twilio(Box::new(TwilioAccount {
                sid,
                auth_token: token.map(Into::into),
                webhook_secrets: read_secrets(vars),
                api_key,
                sender,
                primary_profile,
                api_url,
            })),
            _ => Self::Off,
        }
    }
}

fn read_sid(vars: &mut EnvVars, sid: Option<String>) -> Option<String> {
    match sid {
        None => vars.record_invalid("TWILIO_ACCOUNT_SID", "must be set"),
        // It becomes part of a URL.
        Some(sid) if sid.bytes().all(|b| b.is_ascii_alphanumeric()) => return Some(sid),
        Some(_) => vars.record_invalid("TWILIO_ACCOUNT_SID", "must be letters and digits only"),
    }
    None
}

fn read_secrets(vars: &EnvVars) -> Vec<SecretString> {
    let given = vars.get("TWILIO_WEBHOOK_SECRETS").unwrap_or_default();
    given.split(',').map(str::trim).filter(|secret| !secret.is_empty()).map(Into::into).collect()
}

fn read_api_key(vars: &mut EnvVars, key: Option<String>, secret: Option<String>) -> Option<(String, SecretString)> {
    match (key, secret) {
        (Some(key), Some(secret)) => return Some((key, secret.into())),
        (Some(_), None) => vars.record_invalid("TWILIO_API_SECRET", "must be set, because TWILIO_API_KEY is"),
        (None, Some(_)) => vars.record_invalid("TWILIO_API_KEY", "must be set, because TWILIO_API_SECRET is"),
        (None, None) => {}
    }
    None
}

/// It becomes part of a form; another kind of id would be refused by Twilio after the first steps.
fn read_primary_profile(vars: &mut EnvVars) -> Option<String> {
    let given = vars.get("TWILIO_PRIMARY_PROFILE")?;
    let is_profile = given.starts_with("BU") && given.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_profile {
        vars.record_invalid("TWILIO_PRIMARY_PROFILE", "must be the id of a customer profile, which begins with BU");
    }
    is_profile.then_some(given)
}

fn read_api_url(vars: &mut EnvVars) -> Option<Url> {
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
        vars.record_invalid("TWILIO_API_URL", "must be an http or https address without user, query or fragment");
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [(&str, &str); 3] =
        [("TWILIO_ACCOUNT_SID", "AC1"), ("TWILIO_AUTH_TOKEN", "t0ken-canary"), ("TWILIO_FROM", "+15005550006")];

    fn read(pairs: &[(&str, &str)]) -> (SmsConfig, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = SmsConfig::from_vars(&mut vars);
        let faults = vars.into_result().err().map(|e| e.0).unwrap_or_default();
        (config, faults.into_iter().map(|f| f.variable).collect())
    }

    #[test]
    fn unset_configuration_turns_sms_off_without_fault() {
        let (config, faults) = read(&[("TWILIO_API_URL", "http://127.0.0.1:9/")]);
        assert!(matches!(config, SmsConfig::Off) && faults.is_empty());
    }

    #[test]
    fn missing_variable_is_named() {
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
    fn api_key_pair_replaces_the_token_and_service_sid_overrides_the_number() {
        let (config, faults) = read(&[
            WHOLE[0],
            WHOLE[2],
            ("TWILIO_API_KEY", "SK1"),
            ("TWILIO_API_SECRET", "s"),
            ("TWILIO_MESSAGING_SERVICE_SID", "MG1"),
        ]);
        let SmsConfig::Twilio(account) = config else { panic!("{faults:?}") };
        assert_eq!(account.sender, SmsSender::Service("MG1".into()));
        assert!(account.auth_token.is_none() && account.api_key.is_some());
    }

    #[test]
    fn malformed_api_url_or_account_sid_is_a_fault() {
        for bad in ["twilio", "ftp://x/", "https://user:pass@x/", "https://x/?a=1", "file:///etc"] {
            assert_eq!(read(&[("TWILIO_API_URL", bad)]).1, ["TWILIO_API_URL"], "{bad}");
        }
        assert_eq!(read(&[WHOLE[1], WHOLE[2], ("TWILIO_ACCOUNT_SID", "AC/../x")]).1, ["TWILIO_ACCOUNT_SID"]);
    }

    #[test]
    fn primary_profile_is_the_id_of_a_customer_profile() {
        let primary = |given| read(&[WHOLE[0], WHOLE[1], WHOLE[2], ("TWILIO_PRIMARY_PROFILE", given)]);
        let (config, faults) = primary("BU1");
        assert!(config.has_primary_profile() && faults.is_empty());
        for bad in ["AC1", "BU/../1"] {
            assert_eq!(primary(bad).1, ["TWILIO_PRIMARY_PROFILE"], "{bad}");
        }
        assert!(!read(&WHOLE).0.has_primary_profile());
    }

    #[test]
    fn auth_token_appears_in_no_debug_output() {
        let (config, _) = read(&WHOLE);
        let sms = SmsProvider::from_config(&config, &super::super::http_client().unwrap());
        let shown = format!("{config:?} {sms:?}");
        assert!(sms.is_set_up() && shown.contains("AC1") && !shown.contains("t0ken-canary"), "{shown}");
    }

    #[tokio::test]
    async fn memory_sms_answers_as_configured_and_off_refuses_to_send() {
        let to = Phone::from_stored("+1".to_owned());
        let text = SmsMessage { to: &to, body: "b", status_callback: None, validity_seconds: None, from: None };
        let memory = MemorySms::default();
        memory.queue_answer(Err(SendError::retryable_error("later")));
        let sms = SmsProvider::Memory(memory.clone());
        assert_eq!(sms.send(&text).await.unwrap_err(), SendError::retryable_error("later"));
        assert_eq!(sms.send(&text).await.unwrap().provider_id.len(), 34);
        assert_eq!((memory.recorded_sends().len(), memory.accepted_messages().len()), (2, 1));
        assert_eq!(SmsProvider::Off.send(&text).await.unwrap_err().to_string(), "not sent: SMS is not set up");
    }
}
