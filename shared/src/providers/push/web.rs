//! Web Push: one encrypted, signed POST per alert (RFC 8030, 8291, 8292) over a client that reaches only the internet.

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{dns::Resolve, header};
use url::Url;
use web_push::{
    ContentEncoding, SubscriptionInfo, Urgency, VapidSignature, VapidSignatureBuilder, WebPushError, WebPushMessage,
    WebPushMessageBuilder,
};

use super::{Notice, PushConfig, Services, Subscription, VapidKey, answer, payload};
use crate::{
    platform::outbound::{self, PublicOnly},
    providers::{Accepted, Refusal, SendError},
};

/// How long an alert waits for a device that is off, in seconds. An emergency that comes later than this is news no more.
const TTL: u32 = 3_600;
const TTL_URGENT: u32 = 600;

/// Our key and the way to the push services.
#[derive(Clone)]
pub struct WebPush {
    http: reqwest::Client,
    key: VapidKey,
    contact: String,
    services: Services,
    timeout: Duration,
}

impl fmt::Debug for WebPush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebPush")
            .field("key", &self.key)
            .field("contact", &self.contact)
            .field("services", &self.services)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl WebPush {
    pub(super) fn new(config: &PushConfig) -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: outbound::client(PublicOnly::system(), config.services.test())?,
            key: config.key.clone(),
            contact: config.contact.clone(),
            services: config.services.clone(),
            timeout: Duration::from_secs(10),
        })
    }

    /// The longest one attempt may take, from connecting to the last byte of the answer.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Asks `lookup` for addresses instead of the machine. Its answers are held to the same rule.
    ///
    /// # Errors
    /// When the trusted certificates of this machine cannot be loaded.
    pub fn with_lookup(self, lookup: Arc<dyn Resolve>) -> Result<Self, reqwest::Error> {
        Ok(Self { http: outbound::client(PublicOnly::over(lookup), self.services.test())?, ..self })
    }

    pub(super) async fn send(&self, to: &Subscription, notice: &Notice<'_>) -> Result<Accepted, SendError> {
        // Checked again at each sending: the row may be older than today's list, or not written by us.
        let Some(endpoint) = self.services.endpoint(&to.endpoint) else {
            let reason = "the device's address is not a known push service's";
            return Err(SendError::refused(Refusal::BadAddress, None, reason));
        };
        let payload = payload::of(notice)?;
        let device = SubscriptionInfo::new(endpoint.as_str(), &to.p256dh, &to.auth);
        let signature = self
            .sign(&endpoint, &device)
            .map_err(|_| SendError::refused(Refusal::SetUp, None, "VAPID_PRIVATE_KEY cannot sign"))?;
        let sealed = seal(&device, signature, notice, &payload).map_err(|e| match e {
            WebPushError::InvalidCryptoKeys => {
                SendError::refused(Refusal::BadAddress, None, "the device's keys cannot be used")
            }
            _ => SendError::refused(Refusal::Other, None, "the alert could not be encrypted"),
        })?;
        let answer = self.request(endpoint, sealed).send().await.map_err(|e| answer::none(&e))?;
        answer::read(answer).await
    }

    /// Says to the push service who we are; good for 12 hours, there alone.
    fn sign(&self, endpoint: &Url, device: &SubscriptionInfo) -> Result<VapidSignature, WebPushError> {
        let mut signature = VapidSignatureBuilder::from_base64(self.key.private(), device)?;
        signature.add_claim("sub", self.contact.as_str());
        // The crate's own would leave the port out.
        signature.add_claim("aud", endpoint.origin().ascii_serialization());
        signature.build()
    }

    fn request(&self, endpoint: Url, sealed: WebPushMessage) -> reqwest::RequestBuilder {
        let mut request = self.http.post(endpoint).timeout(self.timeout).header("TTL", sealed.ttl.to_string());
        if let Some(urgency) = sealed.urgency {
            request = request.header("Urgency", urgency.to_string());
        }
        if let Some(topic) = sealed.topic {
            request = request.header("Topic", topic);
        }
        let Some(payload) = sealed.payload else { return request };
        for (name, value) in payload.crypto_headers {
            request = request.header(name, value);
        }
        request
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(header::CONTENT_ENCODING, payload.content_encoding.to_str())
            .body(payload.content)
    }
}

/// Encrypts for the device, and says how long it may wait and what it replaces.
fn seal(
    device: &SubscriptionInfo,
    signature: VapidSignature,
    notice: &Notice<'_>,
    payload: &[u8],
) -> Result<WebPushMessage, WebPushError> {
    let mut message = WebPushMessageBuilder::new(device);
    message.set_payload(ContentEncoding::Aes128Gcm, payload);
    message.set_vapid_signature(signature);
    message.set_topic(payload::topic(notice.tag));
    message.set_ttl(if notice.urgent { TTL_URGENT } else { TTL });
    message.set_urgency(if notice.urgent { Urgency::High } else { Urgency::Normal });
    message.build()
}
