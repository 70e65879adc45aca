//! Web Push: one encrypted, signed POST per alert (RFC 8030, 8291, 8292), to public addresses only.

use std::{fmt, sync::Arc, time::Duration};

use platform::{
    clock::Clock,
    outbound::{self, PublicResolver},
    spans,
};
use reqwest::{dns::Resolve, header};
use url::Url;

use super::{PushConfig, PushNotification, PushServices, PushSubscription, VapidKey, payload, push_response};
use crate::{AcceptedMessage, RefusalReason, SendError};

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

    /// Uses another resolver, filtered the same way. Errors: when the client cannot be built.
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
        let signature = self
            .key
            .sign_token(&endpoint.origin().ascii_serialization(), &self.contact, Clock::System.now())
            .ok_or_else(|| SendError::refused_error(RefusalReason::SetUp, None, "VAPID_PRIVATE_KEY cannot sign"))?;
        let sealed = to.encrypt_payload(&payload).ok_or_else(|| {
            SendError::refused_error(RefusalReason::BadAddress, None, "the device's keys cannot be used")
        })?;
        let request = self.build_request(endpoint, notice).header(header::AUTHORIZATION, signature).body(sealed);
        let answer = spans::send_to_provider(request, "web push", "send")
            .await
            .map_err(|e| push_response::no_response_error(&e))?;
        push_response::parse_response(answer).await
    }

    /// Everything but the signature and the encrypted payload.
    fn build_request(&self, endpoint: Url, notice: &PushNotification<'_>) -> reqwest::RequestBuilder {
        let (ttl, urgency) = if notice.urgent { (TTL_URGENT, "high") } else { (TTL, "normal") };
        self.http
            .post(endpoint)
            .timeout(self.timeout)
            .header("TTL", ttl)
            .header("Urgency", urgency)
            .header("Topic", payload::topic_from_tag(notice.tag))
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(header::CONTENT_ENCODING, "aes128gcm")
    }
}
