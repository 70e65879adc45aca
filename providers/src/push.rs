//! Push alerts to devices.

use std::path::Path;

use platform::{clock::Entropy, config::EnvVars, public_url::PublicUrl};
use uuid::Uuid;

use super::{AcceptedMessage, RefusalReason, SendError, memory::MemoryProvider};

mod encryption;
mod key;
mod payload;
mod push_response;
mod subscription;
mod web;

pub use key::VapidKey;
pub use subscription::{PushServices, PushSubscription};
pub use web::WebPush;

#[derive(Debug, Clone, Copy)]
pub struct PushNotification<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub url: &'a str,
    /// Replaces an alert with the same tag, on the device and at the push service.
    pub tag: &'a str,
    pub lead_id: Option<Uuid>,
    /// Emergency: wakes the device, and is dropped rather than shown late.
    pub urgent: bool,
    /// Id with which the device confirms that it showed the alert.
    pub device_id: Uuid,
    pub test: bool,
}

#[derive(Debug, Clone)]
pub enum PushProvider {
    Web(WebPush),
    Memory(MemoryPush),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentPushNotification {
    pub to: PushSubscription,
    pub title: String,
    pub body: String,
    pub url: String,
    pub tag: String,
    pub lead_id: Option<Uuid>,
    pub urgent: bool,
    pub device_id: Uuid,
    pub test: bool,
}

pub type MemoryPush = MemoryProvider<SentPushNotification>;

impl PushProvider {
    /// Always enabled: a key is generated when none is given. Errors: when the client cannot be built.
    pub fn from_config(config: &PushConfig) -> Result<Self, reqwest::Error> {
        Ok(Self::Web(WebPush::new(config)?))
    }

    /// Errors: [`SendError`] says whether it may be repeated, and [`is_subscription_gone`] whether the device must be
    /// removed.
    pub async fn send(
        &self,
        to: &PushSubscription,
        notice: &PushNotification<'_>,
    ) -> Result<AcceptedMessage, SendError> {
        match self {
            Self::Web(web) => web.send(to, notice).await,
            Self::Memory(memory) => memory.record_send(SentPushNotification::new(to, notice), |n| format!("push-{n}")),
        }
    }
}

/// Whether the push service reported that the subscription has ended, so that its row may be deleted.
#[must_use]
pub fn is_subscription_gone(error: &SendError) -> bool {
    matches!(error, SendError::Refused { kind: RefusalReason::BadAddress, code: Some(404 | 410), .. })
}

impl SentPushNotification {
    fn new(to: &PushSubscription, notice: &PushNotification<'_>) -> Self {
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

#[derive(Debug, Clone)]
pub struct PushConfig {
    /// `VAPID_PRIVATE_KEY`, else `<DATA_DIR>/vapid.key`; every device subscription is bound to it.
    pub key: VapidKey,
    /// Contact for push services: `SUPPORT_EMAIL`, else `PUBLIC_URL`.
    pub contact: String,
    /// Allowed push services; `PUSH_TEST_ENDPOINT` adds a local one for tests.
    pub services: PushServices,
}

impl PushConfig {
    /// Reads `VAPID_PRIVATE_KEY` and `PUSH_TEST_ENDPOINT`; generates and stores a key when none is given.
    pub fn from_vars(
        vars: &mut EnvVars,
        data_dir: &Path,
        entropy: &Entropy,
        public_url: &PublicUrl,
        support_email: Option<&str>,
    ) -> Self {
        Self {
            key: VapidKey::from_vars(vars, data_dir, entropy),
            contact: vapid_contact(public_url, support_email),
            services: PushServices::from_vars(vars),
        }
    }

    /// `applicationServerKey` of a browser subscription: the uncompressed public point in base64url.
    #[must_use]
    pub fn public_key(&self) -> &str {
        self.key.public_key()
    }
}

/// RFC 8292 §2.1 allows only `mailto:` and `https:`; an install without either gives no contact.
fn vapid_contact(public_url: &PublicUrl, support_email: Option<&str>) -> String {
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
    fn contact_is_the_support_address_or_else_the_public_url() {
        let here = PublicUrl::parse("https://toolbox.example/").unwrap();
        let local = PublicUrl::parse("http://localhost:8080").unwrap();
        assert_eq!(vapid_contact(&here, Some("help@toolbox.example")), "mailto:help@toolbox.example");
        assert_eq!(vapid_contact(&here, None), "https://toolbox.example");
        assert_eq!(vapid_contact(&local, None), "mailto:no-reply@localhost");
    }

    #[tokio::test]
    async fn memory_push_answers_as_configured_and_only_404_or_410_is_gone() {
        let to = PushSubscription { endpoint: "https://x".into(), p256dh: "p".into(), auth: "a".into() };
        let notice = PushNotification {
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
        let push = PushProvider::Memory(memory.clone());
        for (kind, code, gone) in [
            (RefusalReason::BadAddress, Some(410), true),
            (RefusalReason::BadAddress, Some(404), true),
            (RefusalReason::BadAddress, None, false),
            (RefusalReason::SetUp, Some(403), false),
        ] {
            memory.queue_answer(Err(SendError::refused_error(kind, code, "no")));
            assert_eq!(is_subscription_gone(&push.send(&to, &notice).await.unwrap_err()), gone, "{kind:?} {code:?}");
        }
        assert!(!is_subscription_gone(&SendError::retryable_error("later")));
        push.send(&to, &notice).await.unwrap();
        assert_eq!(
            (memory.recorded_sends().len(), memory.accepted_messages()),
            (5, vec![SentPushNotification::new(&to, &notice)])
        );
    }
}
