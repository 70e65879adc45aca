//! Whether a call bears Stripe's signature (docs.stripe.com/webhooks, "Verify webhook signatures manually"): the header
//! `t=<seconds>,v1=<hex>[,v1=…]`, each `v1` an HMAC-SHA256 of `t`, a dot and the body as it was received.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// A call that is older, or newer, was recorded and played again: what Stripe's own libraries allow, in seconds.
const TOLERANCE: i64 = 300;

/// Whether `header` signs `body` with one of the secrets, now. While a secret is changed Stripe signs with both, and
/// every `v1` is looked at. Takes as long for a wrong signature as for a right one.
#[must_use]
pub fn is_signed(secrets: &[SecretString], header: &str, body: &[u8], now: DateTime<Utc>) -> bool {
    let mut at = None;
    let mut signatures = Vec::new();
    for part in header.split(',') {
        match part.trim().split_once('=') {
            // Said twice, it says nothing.
            Some(("t", seconds)) if at.is_none() => at = Some(seconds),
            Some(("t", _)) => return false,
            Some(("v1", hex)) => signatures.extend(bytes(hex)),
            _ => {}
        }
    }
    let Some(at) = at else { return false };
    let is_recent =
        at.parse::<i64>().is_ok_and(|seconds| now.timestamp().abs_diff(seconds) <= TOLERANCE.unsigned_abs());
    is_recent && secrets.iter().any(|secret| signatures.iter().any(|signature| fits(secret, at, body, signature)))
}

fn fits(secret: &SecretString, at: &str, body: &[u8], signature: &[u8]) -> bool {
    mac(secret, at, body).verify_slice(signature).is_ok()
}

fn mac(secret: &SecretString, at: &str, body: &[u8]) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).expect("HMAC takes any key");
    for part in [at.as_bytes(), b".", body] {
        mac.update(part);
    }
    mac
}

/// The header Stripe would send with this body.
#[must_use]
pub fn sign(secret: &SecretString, body: &[u8], at: DateTime<Utc>) -> String {
    let seconds = at.timestamp().to_string();
    let signature = mac(secret, &seconds, body).finalize().into_bytes();
    let mut header = format!("t={seconds},v1=");
    for byte in &signature {
        // Writing into a text does not fail.
        let _ = write!(header, "{byte:02x}");
    }
    header
}

/// The bytes of a hexadecimal text; none when it is no such text.
fn bytes(hex: &str) -> Option<Vec<u8>> {
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
    fn what_stripe_signed_is_taken_for_five_minutes() {
        let secrets = [secret("whsec_one")];
        let header = sign(&secrets[0], BODY, at(0));
        for (seconds, is_good) in [(0, true), (300, true), (301, false), (-300, true), (-301, false)] {
            assert_eq!(is_signed(&secrets, &header, BODY, at(seconds)), is_good, "{seconds} s later");
        }
    }

    /// Made with openssl: `printf '1900000000.{}' | openssl dgst -sha256 -hmac whsec_known`.
    #[test]
    fn a_signature_made_elsewhere_is_known() {
        let header = "t=1900000000,v1=9203d4aa50f007a18107ba5b650cae0108329cabe7a2d83b77aa4447e9943cef";
        assert!(is_signed(&[secret("whsec_known")], header, b"{}", at(0)));
    }

    #[test]
    fn while_a_secret_is_changed_either_is_good() {
        let (old, new) = (secret("whsec_old"), secret("whsec_new"));
        let both = format!("{},{}", sign(&old, BODY, at(0)), sign(&new, BODY, at(0)).split_once(',').unwrap().1);
        for known in [&old, &new] {
            assert!(is_signed(std::slice::from_ref(known), &both, BODY, at(1)));
        }
        assert!(is_signed(&[old, new.clone()], &sign(&new, BODY, at(0)), BODY, at(1)));
    }

    #[test]
    fn nothing_else_is_taken() {
        let secrets = [secret("whsec_one")];
        let good = sign(&secrets[0], BODY, at(0));
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
            assert!(!is_signed(&secrets, header, BODY, at(0)), "{header}");
        }
        assert!(!is_signed(&secrets, &good, b"{}", at(0)), "another body");
        assert!(!is_signed(&[secret("whsec_other")], &good, BODY, at(0)), "another secret");
        assert!(!is_signed(&[], &good, BODY, at(0)), "no secret");
    }
}
