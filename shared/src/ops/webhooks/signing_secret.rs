//! Signature of a call, in the headers of Standard Webhooks 1.0, for which receivers have libraries in every language:
//! an HMAC-SHA256 over `id.timestamp.body`, under a secret that is shown once.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;
use uuid::Uuid;

use crate::platform::{
    clock::Entropy,
    encryption::renewal::{Reencryption, SecretRenewal},
    error::{Error, Result},
    id::{OrgId, WebhookId},
    secret::SecretKey,
};

const PURPOSE: &str = "webhook";
/// Prefix of a symmetric secret in the standard.
const PREFIX: &str = "whsec_";
/// The standard allows 24 to 64 bytes.
const SECRET_BYTES: usize = 32;

#[derive(Clone)]
pub(super) struct WebhookSigningSecret(Vec<u8>);

impl WebhookSigningSecret {
    pub fn new(entropy: &Entropy) -> Self {
        Self(entropy.random_bytes::<SECRET_BYTES>().to_vec())
    }

    pub fn to_encoded(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    pub fn to_encrypted(&self, key: &SecretKey, entropy: &Entropy, org: OrgId, hook: WebhookId) -> Vec<u8> {
        key.encrypt_bytes(entropy, PURPOSE, &[org.0.as_bytes(), hook.0.as_bytes()], &self.0)
    }

    /// None when it was sealed with another `SECRET_KEY`.
    pub fn from_encrypted(key: &SecretKey, org: OrgId, hook: WebhookId, sealed: &[u8]) -> Option<Self> {
        key.decrypt_bytes(PURPOSE, &[org.0.as_bytes(), hook.0.as_bytes()], sealed).map(Self)
    }

    fn compute_signature(&self, signed: &str) -> String {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes any key");
        mac.update(signed.as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

pub(super) fn renew_secret(
    renewal: &SecretRenewal<'_>,
    org: OrgId,
    hook: WebhookId,
    sealed: &[u8],
) -> Reencryption<Vec<u8>> {
    renewal.renew_bytes((PURPOSE, &[org.0.as_bytes(), hook.0.as_bytes()]), sealed)
}

/// Headers of one try. While a secret is being changed both sign.
/// Errors: [`Error::Internal`] when a header cannot hold them, which none of ours does.
pub(super) fn build_signature_headers(
    secrets: &[WebhookSigningSecret],
    event: Uuid,
    at: DateTime<Utc>,
    body: &str,
) -> Result<HeaderMap> {
    let (id, time) = (event.to_string(), at.timestamp().to_string());
    let signed = format!("{id}.{time}.{body}");
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.compute_signature(&signed)).collect();
    let mut headers = HeaderMap::new();
    for (name, text) in
        [("webhook-id", &id), ("webhook-timestamp", &time), ("webhook-signature", &signatures.join(" "))]
    {
        let value = HeaderValue::from_str(text).map_err(|e| Error::Internal(format!("webhook header: {e}")))?;
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example of the standard's own libraries (standardwebhooks, `webhook_test`).
    #[test]
    fn signature_matches_standard_webhooks_example() {
        let secret = WebhookSigningSecret(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        let signed = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        assert_eq!(secret.compute_signature(signed), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn payload_is_signed_with_both_secrets_during_rotation() {
        let secrets = [1, 2].map(|seed| WebhookSigningSecret::new(&Entropy::from_seed(seed)));
        let at = DateTime::UNIX_EPOCH + chrono::Duration::days(20_000);
        let headers = build_signature_headers(&secrets, Uuid::nil(), at, "{}").unwrap();
        let signed = format!("{}.{}.{{}}", Uuid::nil(), at.timestamp());
        let wanted = secrets.each_ref().map(|secret| secret.compute_signature(&signed)).join(" ");
        assert_eq!(headers["webhook-signature"], wanted);
        assert_eq!(headers["webhook-id"], Uuid::nil().to_string());
        assert_eq!(headers["webhook-timestamp"], at.timestamp().to_string());
    }

    #[test]
    fn sealed_secret_opens_for_its_own_endpoint_only() {
        let (key, entropy) = (SecretKey::new([7; 32]), Entropy::from_seed(1));
        let [org, hook, other] = [1, 2, 3].map(Uuid::from_u128);
        let secret = WebhookSigningSecret::new(&entropy);
        let sealed = secret.to_encrypted(&key, &entropy, OrgId(org), WebhookId(hook));
        let opened = WebhookSigningSecret::from_encrypted(&key, OrgId(org), WebhookId(hook), &sealed).unwrap();
        assert_eq!(opened.to_encoded(), secret.to_encoded());
        assert!(WebhookSigningSecret::from_encrypted(&key, OrgId(org), WebhookId(other), &sealed).is_none());
        assert!(
            secret.to_encoded().starts_with("whsec_") && secret.to_encoded().len() == 50,
            "{}",
            secret.to_encoded()
        );
    }
}
