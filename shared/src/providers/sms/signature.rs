//! Whether a call to us comes from Twilio: `X-Twilio-Signature` over the public address and the posted fields.
//!
//! HMAC-SHA1 with the account's auth token over the full address followed by every field's name and value, sorted by
//! name (twilio.com/docs/usage/security, "Validating requests").

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha1::Sha1;

/// `url` is exactly what Twilio was given, query and all; never built from a `Host` header.
#[must_use]
pub fn is_from_twilio(auth_token: &SecretString, url: &str, fields: &[(String, String)], signature: &str) -> bool {
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(auth_token.expose_secret().as_bytes()) else { return false };
    mac.update(url.as_bytes());
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort();
    for (name, value) in sorted {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
    }
    STANDARD.decode(signature).is_ok_and(|given| mac.verify_slice(&given).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in Twilio's own documentation.
    const SIGNED: &str = "L/OH5YylLD5NRKLltdqwSvS0BnU=";

    fn fields() -> Vec<(String, String)> {
        [
            ("CallSid", "CA1234567890ABCDE"),
            ("Caller", "+14158675310"),
            ("Digits", "1234"),
            ("From", "+14158675310"),
            ("To", "+18005551212"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    #[test]
    fn twilios_own_example_passes_and_nothing_near_it() {
        let (token, url) = (SecretString::from("12345"), "https://example.com/myapp.php?foo=1&bar=2");
        assert!(is_from_twilio(&token, url, &fields(), SIGNED));
        let mut shuffled = fields();
        shuffled.reverse();
        assert!(is_from_twilio(&token, url, &shuffled, SIGNED));
        assert!(!is_from_twilio(&token, "https://example.com/myapp.php?foo=1&bar=3", &fields(), SIGNED));
        assert!(!is_from_twilio(&SecretString::from("12346"), url, &fields(), SIGNED));
        let mut changed = fields();
        changed[2].1 = "1235".to_owned();
        assert!(!is_from_twilio(&token, url, &changed, SIGNED));
        let mut added = fields();
        added.push(("To".to_owned(), "+15550000000".to_owned()));
        assert!(!is_from_twilio(&token, url, &added, SIGNED));
        for wrong in ["", "x", "L/OH5YylLD5NRKLltdqwSvS0Bn==", "AAAA"] {
            assert!(!is_from_twilio(&token, url, &fields(), wrong), "{wrong}");
        }
    }
}
