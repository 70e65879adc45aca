//! Stripe webhook signatures (docs.stripe.com/webhooks, "Verify webhook signatures manually"): the header is
//! `t=<seconds>,v1=<hex>[,v1=…]`, each `v1` an HMAC-SHA256 of `t`, a dot and the raw body.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// Replay protection: maximum age and clock difference in seconds, as in Stripe's libraries.
const TOLERANCE: i64 = 300;

/// Whether `header` signs `body` with one of the secrets at `now`. During a secret change Stripe signs with both, so
/// every `v1` is checked. Constant time.
#[must_use]
pub fn has_valid_signature(secrets: &[SecretString], header: &str, body: &[u8], now: DateTime<Utc>) -> bool {
    let mut at = None;
    let mut signatures = Vec::new();
    for part in header.split(',') {
        match part.trim().split_once('=') {
            // A duplicate `t` is refused.
            Some(("t", seconds)) if at.is_none() => at = Some(seconds),
            Some(("t", _)) => return false,
            Some(("v1", hex)) => signatures.extend(decode_hex(hex)),
            _ => {}
        }
    }
    let Some(at) = at else { return false };
    let is_recent =
        at.parse::<i64>().is_ok_and(|seconds| now.timestamp().abs_diff(seconds) <= TOLERANCE.unsigned_abs());
    is_recent
        && secrets
            .iter()
            .any(|secret| signatures.iter().any(|signature| matches_signature(secret, at, body, signature)))
}

fn matches_signature(secret: &SecretString, at: &str, body: &[u8], signature: &[u8]) -> bool {
    compute_hmac(secret, at, body).verify_slice(signature).is_ok()
}

fn compute_hmac(secret: &SecretString, at: &str, body: &[u8]) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).expect("HMAC takes any key");
    for part in [at.as_bytes(), b".", body] {
        mac.update(part);
    }
    mac
}

/// The header that Stripe would send with this body.
#[must_use]
pub fn sign_payload(secret: &SecretString, body: &[u8], at: DateTime<Utc>) -> String {
    let seconds = at.timestamp().to_string();
    let signature = compute_hmac(secret, &seconds, body).finalize().into_bytes();
    let mut header = format!("t={seconds},v1=");
    for byte in &signature {
        // Writing to a String cannot fail.
        let _ = write!(header, "{byte:02x}");
    }
    header
}

fn decode_hex(hex: &str) -> Option<Vec<u8>> {
    if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
        return None;
    }
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"id":"evt_1","type":"checkout.session.completed"}"#;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_900_000_000 + seconds, 0).unwrap()
    }

    fn secret(text: &str) -> SecretString {
        SecretString::from(text.to_owned())
    }

    #[test]
    fn stripe_signature_is_valid_within_five_minutes() {
        let secrets = [secret("whsec_one")];
        let header = sign_payload(&secrets[0], BODY, at(0));
        for (seconds, is_good) in [(0, true), (300, true), (301, false), (-300, true), (-301, false)] {
            assert_eq!(has_valid_signature(&secrets, &header, BODY, at(seconds)), is_good, "{seconds} s later");
        }
    }

    /// Made with openssl: `printf '1900000000.{}' | openssl dgst -sha256 -hmac whsec_known`.
    #[test]
    fn known_signature_vector_is_accepted() {
        let header = "t=1900000000,v1=9203d4aa50f007a18107ba5b650cae0108329cabe7a2d83b77aa4447e9943cef";
        assert!(has_valid_signature(&[secret("whsec_known")], header, b"{}", at(0)));
    }

    #[test]
    fn old_and_new_secret_are_both_accepted_during_rotation() {
        let (old, new) = (secret("whsec_old"), secret("whsec_new"));
        let both = format!(
            "{},{}",
            sign_payload(&old, BODY, at(0)),
            sign_payload(&new, BODY, at(0)).split_once(',').unwrap().1
        );
        for known in [&old, &new] {
            assert!(has_valid_signature(std::slice::from_ref(known), &both, BODY, at(1)));
        }
        assert!(has_valid_signature(&[old, new.clone()], &sign_payload(&new, BODY, at(0)), BODY, at(1)));
    }

    #[test]
    fn forged_or_malformed_signature_is_refused() {
        let secrets = [secret("whsec_one")];
        let good = sign_payload(&secrets[0], BODY, at(0));
        let hex = good.split_once("v1=").unwrap().1;
        let forged = [
            String::new(),
            "t=1900000000".to_owned(),
            format!("v1={hex}"),
            format!("t=1900000001,v1={hex}"),
            format!("t=1900000000,t=1900000000,v1={hex}"),
            format!("t=1900000000,v0={hex}"),
            format!("t=1900000000,v1={}", &hex[..62]),
            format!("t=1900000000,v1={}é", &hex[..62]),
            format!("t=x,v1={hex}"),
            "t=1900000000,v1=".to_owned(),
        ];
        for header in &forged {
            assert!(!has_valid_signature(&secrets, header, BODY, at(0)), "{header}");
        }
        assert!(!has_valid_signature(&secrets, &good, b"{}", at(0)), "another body");
        assert!(!has_valid_signature(&[secret("whsec_other")], &good, BODY, at(0)), "another secret");
        assert!(!has_valid_signature(&[], &good, BODY, at(0)), "no secret");
    }
}
