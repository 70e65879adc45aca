//! Push alerts: to which device, with which words, and under whose key, by configuration.

use std::path::Path;

use uuid::Uuid;

use super::{Accepted, Refusal, SendError, memory::Memory};
use crate::platform::{clock::Entropy, config::Vars, public_url::PublicUrl};

mod answer;
mod key;
mod payload;
mod subscription;
mod web;

pub use key::VapidKey;
pub use subscription::{Services, Subscription};
pub use web::WebPush;

/// One alert on one device.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    pub title: &'a str,
    pub body: &'a str,
    /// What a tap opens: a path in the app, such as `/app/leads/…`.
    pub url: &'a str,
    /// An alert replaces the one with the same tag, on the device and while it waits at the push service.
    pub tag: &'a str,
    pub lead_id: Option<Uuid>,
    /// An emergency: it wakes the device, and is dropped rather than shown late.
    pub urgent: bool,
    /// Whom the device says it is when it tells that it showed this.
    pub device_id: Uuid,
    /// Somebody asked for it, to see whether alerts arrive.
    pub test: bool,
}

/// The way alerts leave this process.
#[derive(Debug, Clone)]
pub enum Push {
    Web(WebPush),
    Memory(MemoryPush),
}

/// An alert as [`MemoryPush`] remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentPush {
    pub to: Subscription,
    pub title: String,
    pub body: String,
    pub url: String,
    pub tag: String,
    pub lead_id: Option<Uuid>,
    pub urgent: bool,
    pub device_id: Uuid,
    pub test: bool,
}

/// Alerts that leave nowhere.
pub type MemoryPush = Memory<SentPush>;

impl Push {
    /// The way the configuration asks for. There is no "off": a key is made when none is given.
    ///
    /// # Errors
    /// When the trusted certificates of this machine cannot be loaded.
    pub fn from_config(config: &PushConfig) -> Result<Self, reqwest::Error> {
        Ok(Self::Web(WebPush::new(config)?))
    }

    /// Makes one attempt.
    ///
    /// # Errors
    /// [`SendError`] says whether it may be repeated, and [`is_gone`] whether the device is to be forgotten.
    pub async fn send(&self, to: &Subscription, notice: &Notice<'_>) -> Result<Accepted, SendError> {
        match self {
            Self::Web(web) => web.send(to, notice).await,
            Self::Memory(memory) => memory.take(SentPush::new(to, notice), |n| format!("push-{n}")),
        }
    }
}

/// Whether the push service said that this subscription has ended, so that its row may be deleted.
#[must_use]
pub fn is_gone(error: &SendError) -> bool {
    matches!(error, SendError::Refused { kind: Refusal::BadAddress, code: Some(404 | 410), .. })
}

impl SentPush {
    fn new(to: &Subscription, notice: &Notice<'_>) -> Self {
        Self {
            to: to.clone(),
            title: notice.title.to_owned(),
            body: notice.body.to_owned(),
            url: notice.url.to_owned(),
            tag: notice.tag.to_owned(),
            lead_id: notice.lead_id,
            urgent: notice.urgent,
            device_id: notice.device_id,
            test: notice.test,
        }
    }
}

/// What the environment says about push alerts.
#[derive(Debug, Clone)]
pub struct PushConfig {
    /// `VAPID_PRIVATE_KEY`, else `<DATA_DIR>/vapid.key`: every device is bound to it.
    pub key: VapidKey,
    /// Whom a push service may write to about what we send: `SUPPORT_EMAIL`, else `PUBLIC_URL`.
    pub contact: String,
    /// The push services that are spoken to; `PUSH_TEST_ENDPOINT` adds one on this machine, for tests.
    pub services: Services,
}

impl PushConfig {
    /// Reads `VAPID_PRIVATE_KEY` and `PUSH_TEST_ENDPOINT`; makes and keeps a key when none is given.
    pub fn from_vars(
        vars: &mut Vars,
        data_dir: &Path,
        entropy: &Entropy,
        public_url: &PublicUrl,
        support_email: Option<&str>,
    ) -> Self {
        Self {
            key: VapidKey::from_vars(vars, data_dir, entropy),
            contact: contact(public_url, support_email),
            services: Services::from_vars(vars),
        }
    }

    /// What a browser subscribes with (`applicationServerKey`): the public point, uncompressed, in base64url.
    #[must_use]
    pub fn public_key(&self) -> &str {
        self.key.public()
    }
}

/// Push services take `mailto:` and `https:` only (RFC 8292 §2.1), so an install without either names nobody.
fn contact(public_url: &PublicUrl, support_email: Option<&str>) -> String {
    match support_email {
        Some(email) => format!("mailto:{email}"),
        None if public_url.is_https() => public_url.join(""),
        None => "mailto:no-reply@localhost".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contact_is_the_support_address_else_the_install() {
        let here = PublicUrl::parse("https://toolbox.example/").unwrap();
        let local = PublicUrl::parse("http://localhost:8080").unwrap();
        assert_eq!(contact(&here, Some("help@toolbox.example")), "mailto:help@toolbox.example");
        assert_eq!(contact(&here, None), "https://toolbox.example");
        assert_eq!(contact(&local, None), "mailto:no-reply@localhost");
    }

    #[tokio::test]
    async fn memory_answers_as_told_and_only_an_ended_subscription_is_gone() {
        let to = Subscription { endpoint: "https://x".into(), p256dh: "p".into(), auth: "a".into() };
        let notice = Notice {
            title: "New lead",
            body: "Ann",
            url: "/app/leads/1",
            tag: "lead:1",
            lead_id: None,
            urgent: true,
            device_id: Uuid::nil(),
            test: false,
        };
        let memory = MemoryPush::default();
        let push = Push::Memory(memory.clone());
        for (kind, code, gone) in [
            (Refusal::BadAddress, Some(410), true),
            (Refusal::BadAddress, Some(404), true),
            (Refusal::BadAddress, None, false),
            (Refusal::SetUp, Some(403), false),
        ] {
            memory.will_answer(Err(SendError::refused(kind, code, "no")));
            assert_eq!(is_gone(&push.send(&to, &notice).await.unwrap_err()), gone, "{kind:?} {code:?}");
        }
        assert!(!is_gone(&SendError::retry("later")));
        push.send(&to, &notice).await.unwrap();
        assert_eq!((memory.calls().len(), memory.accepted()), (5, vec![SentPush::new(&to, &notice)]));
    }
}
