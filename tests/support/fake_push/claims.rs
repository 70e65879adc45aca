//! A sender's signature over its claims (RFC 8292), checked by *ring* and not by the library that makes it.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rustls::{SignatureScheme, crypto::ring::default_provider};
use serde_json::Value;
use shared::platform::clock::Clock;

pub(super) struct Signed {
    pub claims: Value,
    pub key: String,
}

/// The claims of `Authorization: vapid t=…, k=…`, when signed by that key, for this push service, and in force.
pub(super) fn check(header: &str, origin: &str) -> Option<Signed> {
    let (token, key) = header.strip_prefix("vapid ")?.split_once(',')?;
    let (token, key) = (token.trim().strip_prefix("t=")?, key.trim().strip_prefix("k=")?);
    let (signed, signature) = token.rsplit_once('.')?;
    let (head, claims) = signed.split_once('.')?;
    let json = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    let (head, claims) = (json(head)?, json(claims)?);
    let point = URL_SAFE_NO_PAD.decode(key).ok()?;
    let genuine = verify(&point, signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).ok()?);
    let now = Clock::System.now().timestamp();
    let lasts = claims["exp"].as_i64()? - now;
    let contact = claims["sub"].as_str()?;
    let right = head["alg"] == "ES256"
        && claims["aud"] == origin
        && (1..=24 * 3_600).contains(&lasts)
        && (contact.starts_with("mailto:") || contact.starts_with("https://"));
    (genuine && right).then(|| Signed { claims, key: key.to_owned() })
}

fn verify(point: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let known = default_provider().signature_verification_algorithms;
    let p256 = known.mapping.iter().find(|(scheme, _)| *scheme == SignatureScheme::ECDSA_NISTP256_SHA256);
    let (_, algorithms) = p256.expect("a curve every TLS library has");
    let Some(der) = der(signature) else { return false };
    algorithms.iter().any(|a| a.verify_signature(point, message, &der).is_ok())
}

/// Converts a signature from the JWT form (two numbers of 32 bytes) to DER.
fn der(signature: &[u8]) -> Option<Vec<u8>> {
    if signature.len() != 64 {
        return None;
    }
    let mut body = Vec::new();
    for number in signature.chunks(32) {
        let start = number.iter().position(|b| *b != 0)?;
        let positive: &[u8] = if number[start] & 0x80 == 0 { &[] } else { &[0] };
        let digits = [positive, &number[start..]].concat();
        body.extend([&[2, u8::try_from(digits.len()).ok()?], &digits[..]].concat());
    }
    Some([&[0x30, u8::try_from(body.len()).ok()?], &body[..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8292 §2.4; its claims are those of January 2016.
    const HEAD_AND_CLAIMS: &str = concat!(
        "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1",
        "MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0"
    );
    const SIGNATURE: &str = "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA";
    const KEY: &str = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs";

    #[test]
    fn rfc_8292_signature_verifies_and_altered_one_does_not() {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let (point, signature) = (bytes(KEY), bytes(SIGNATURE));
        assert!(verify(&point, HEAD_AND_CLAIMS.as_bytes(), &signature));
        assert!(!verify(&point, &HEAD_AND_CLAIMS.as_bytes()[1..], &signature));
        for at in [0, 31, 32, 63] {
            let mut changed = signature.clone();
            changed[at] ^= 1;
            assert!(!verify(&point, HEAD_AND_CLAIMS.as_bytes(), &changed), "{at}");
        }
        assert!(!verify(&point, HEAD_AND_CLAIMS.as_bytes(), &signature[1..]));
    }

    #[test]
    fn expired_genuine_signature_is_rejected() {
        let header = format!("vapid t={HEAD_AND_CLAIMS}.{SIGNATURE}, k={KEY}");
        assert!(check(&header, "https://push.example.net").is_none());
    }
}
