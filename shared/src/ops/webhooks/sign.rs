//! How a call proves that it is ours and of now: the headers of Standard Webhooks 1.0, for which receivers have
//! libraries in every language. An HMAC-SHA256 over `id.timestamp.body`, under a secret that is shown once.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;
use uuid::Uuid;

use crate::platform::{
    clock::Entropy,
    encryption::renewal::{self, Renewed},
    error::{Error, Result},
    id::{HookId, OrgId},
    secret::SecretKey,
};

const PURPOSE: &str = "webhook";
/// As the standard writes a symmetric secret.
const PREFIX: &str = "whsec_";
/// Between the 24 and 64 bytes that it allows.
const LENGTH: usize = 32;

/// The bytes that both sides know.
#[derive(Clone)]
pub(super) struct Secret(Vec<u8>);

impl Secret {
    pub fn new(entropy: &Entropy) -> Self {
        Self(entropy.bytes::<LENGTH>().to_vec())
    }

    /// As the business copies it.
    pub fn shown(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    pub fn sealed(&self, key: &SecretKey, entropy: &Entropy, org: OrgId, hook: HookId) -> Vec<u8> {
        key.seal(entropy, PURPOSE, &[org.0.as_bytes(), hook.0.as_bytes()], &self.0)
    }

    /// None when it was sealed with another `SECRET_KEY`.
    pub fn open(key: &SecretKey, org: OrgId, hook: HookId, sealed: &[u8]) -> Option<Self> {
        key.open(PURPOSE, &[org.0.as_bytes(), hook.0.as_bytes()], sealed).map(Self)
    }

    fn signature(&self, signed: &str) -> String {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes any key");
        mac.update(signed.as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// A secret under the key in force.
pub(super) fn renew(ring: &SecretKey, entropy: &Entropy, org: OrgId, hook: HookId, sealed: &[u8]) -> Renewed<Vec<u8>> {
    renewal::renew(ring, entropy, (PURPOSE, &[org.0.as_bytes(), hook.0.as_bytes()]), sealed)
}

/// The headers of one try. While a secret is being changed both sign.
///
/// # Errors
/// [`Error::Internal`] when a header cannot hold them, which none of ours does.
pub(super) fn headers(secrets: &[Secret], event: Uuid, at: DateTime<Utc>, body: &str) -> Result<HeaderMap> {
    let (id, time) = (event.to_string(), at.timestamp().to_string());
    let signed = format!("{id}.{time}.{body}");
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.signature(&signed)).collect();
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

    /// The example of the standard's own libraries (standardwebhooks, `webhook_test`).
    #[test]
    fn the_signature_is_the_standards() {
        let secret = Secret(STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap());
        let signed = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        assert_eq!(secret.signature(signed), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn both_secrets_sign_while_one_takes_the_place_of_the_other() {
        let secrets = [1, 2].map(|seed| Secret::new(&Entropy::seeded(seed)));
        let at = DateTime::UNIX_EPOCH + chrono::Duration::days(20_000);
        let headers = headers(&secrets, Uuid::nil(), at, "{}").unwrap();
        let signed = format!("{}.{}.{{}}", Uuid::nil(), at.timestamp());
        let wanted = secrets.each_ref().map(|secret| secret.signature(&signed)).join(" ");
        assert_eq!(headers["webhook-signature"], wanted);
        assert_eq!(headers["webhook-id"], Uuid::nil().to_string());
        assert_eq!(headers["webhook-timestamp"], at.timestamp().to_string());
    }

    #[test]
    fn a_secret_is_opened_for_its_own_address_only() {
        let (key, entropy) = (SecretKey::new([7; 32]), Entropy::seeded(1));
        let [org, hook, other] = [1, 2, 3].map(Uuid::from_u128);
        let secret = Secret::new(&entropy);
        let sealed = secret.sealed(&key, &entropy, OrgId(org), HookId(hook));
        let opened = Secret::open(&key, OrgId(org), HookId(hook), &sealed).unwrap();
        assert_eq!(opened.shown(), secret.shown());
        assert!(Secret::open(&key, OrgId(org), HookId(other), &sealed).is_none());
        assert!(secret.shown().starts_with("whsec_") && secret.shown().len() == 50, "{}", secret.shown());
    }
}
