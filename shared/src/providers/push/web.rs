//! Web Push: one encrypted, signed POST per alert (RFC 8030, 8291, 8292), to public addresses only.

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{dns::Resolve, header};
use url::Url;
use web_push::{
    ContentEncoding, SubscriptionInfo, Urgency, VapidSignature, VapidSignatureBuilder, WebPushError, WebPushMessage,
    WebPushMessageBuilder,
};

use super::{PushConfig, PushNotification, PushServices, PushSubscription, VapidKey, answer, payload};
use crate::{
    platform::outbound::{self, PublicResolver},
    providers::{AcceptedMessage, RefusalReason, SendError},
};

/// Seconds an alert waits for an offline device. A late emergency is dropped.
const TTL: u32 = 3_600;
const TTL_URGENT: u32 = 600;

#[derive(Clone)]
pub struct WebPush {
    http: reqwest::Client,
    key: VapidKey,
    contact: String,
    services: PushServices,
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
            http: outbound::build_client(PublicResolver::system(), config.services.test_origin())?,
            key: config.key.clone(),
            contact: config.contact.clone(),
            services: config.services.clone(),
            timeout: Duration::from_secs(10),
        })
    }

    /// Time limit of one attempt, from connecting to the last byte of the response.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Uses another resolver, filtered the same way. Errors: when the machine's trusted certificates cannot be loaded.
    pub fn with_resolver(self, lookup: Arc<dyn Resolve>) -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: outbound::build_client(PublicResolver::from_resolver(lookup), self.services.test_origin())?,
            ..self
        })
    }

    pub(super) async fn send(
        &self,
        to: &PushSubscription,
        notice: &PushNotification<'_>,
    ) -> Result<AcceptedMessage, SendError> {
        // Checked at each sending: the row may be older than the current list, or foreign data.
        let Some(endpoint) = self.services.parse_endpoint(&to.endpoint) else {
            let reason = "the device's address is not a known push service's";
            return Err(SendError::refused_error(RefusalReason::BadAddress, None, reason));
        };
        let payload = payload::build_payload(notice)?;
        let device = SubscriptionInfo::new(endpoint.as_str(), &to.p256dh, &to.auth);
        let signature = self
            .sign_vapid(&endpoint, &device)
            .map_err(|_| SendError::refused_error(RefusalReason::SetUp, None, "VAPID_PRIVATE_KEY cannot sign"))?;
        let sealed = encrypt_message(&device, signature, notice, &payload).map_err(|e| match e {
            WebPushError::InvalidCryptoKeys => {
                SendError::refused_error(RefusalReason::BadAddress, None, "the device's keys cannot be used")
            }
            _ => SendError::refused_error(RefusalReason::Other, None, "the alert could not be encrypted"),
        })?;
        let answer = self.build_request(endpoint, sealed).send().await.map_err(|e| answer::no_response_error(&e))?;
        answer::parse_response(answer).await
    }

    /// VAPID token, valid for 12 hours at that push service only.
    fn sign_vapid(&self, endpoint: &Url, device: &SubscriptionInfo) -> Result<VapidSignature, WebPushError> {
        let mut signature = VapidSignatureBuilder::from_base64(self.key.private_key(), device)?;
        signature.add_claim("sub", self.contact.as_str());
        // The crate's own claim omits the port.
        signature.add_claim("aud", endpoint.origin().ascii_serialization());
        signature.build()
    }

    fn build_request(&self, endpoint: Url, sealed: WebPushMessage) -> reqwest::RequestBuilder {
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

/// Encrypts for the device; sets lifetime, urgency and topic.
fn encrypt_message(
    device: &SubscriptionInfo,
    signature: VapidSignature,
    notice: &PushNotification<'_>,
    payload: &[u8],
) -> Result<WebPushMessage, WebPushError> {
    let mut message = WebPushMessageBuilder::new(device);
    message.set_payload(ContentEncoding::Aes128Gcm, payload);
    message.set_vapid_signature(signature);
    message.set_topic(payload::topic_from_tag(notice.tag));
    message.set_ttl(if notice.urgent { TTL_URGENT } else { TTL });
    message.set_urgency(if notice.urgent { Urgency::High } else { Urgency::Normal });
    message.build()
}
