//! Whether a call to us comes from Twilio: `X-Twilio-Signature` over the public address and the posted fields.
//!
//! Two schemes, signed over the same text: HMAC-SHA1 with the account's auth token, and HMAC-SHA256 with the secret of
//! a shared key, announced by `X-Twilio-Webhooks-Signature-Settings`. The text is the address as it was configured at
//! Twilio followed by each field's name and value, sorted by name and then value, a pair that stands twice only once.
//! A body that is no form is not in the text: its SHA-256 stands in the address, as `bodySHA256`.
//!
//! `signature/vectors.json` holds what Twilio's own package signs and how it judges; every line of it is a test.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha1::Sha1;
use sha2::{Digest, Sha256};

mod address;
#[cfg(test)]
mod vectors;

/// A request that claims to come from Twilio.
#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// The configured public address, with path and query as received; never built from a `Host` header.
    pub url: &'a str,
    /// The posted fields, decoded, in any order. Empty when the body is no form.
    pub fields: &'a [(String, String)],
    /// The body as received.
    pub body: &'a [u8],
    /// `X-Twilio-Signature`
    pub signature: Option<&'a str>,
    /// `X-Twilio-Webhooks-Signature-Settings`
    pub settings: Option<&'a str>,
}

/// Why a request is not taken for Twilio's. For our own counters: a caller is told only that it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refused {
    /// We have nothing to check with.
    #[error("no secret is set up")]
    NoSecret,
    #[error("no signature")]
    NoSignature,
    /// Not base64, or not of the scheme's length.
    #[error("the signature is not written as one")]
    Malformed,
    /// Neither HMAC-SHA1 nor HMAC-SHA256.
    #[error("a scheme we do not know")]
    UnknownScheme,
    /// A body that is no form and has no digest in the address, so that nothing vouches for it.
    #[error("nothing vouches for the body")]
    BodyNotSigned,
    #[error("the body is not the one that was signed")]
    BodyChanged,
    /// The same field with the same value twice. The signature covers each pair once, so a copy that was added on the
    /// way would fit; Twilio sends none.
    #[error("a field stands twice")]
    Repeated,
    /// Another address, other fields, or another secret.
    #[error("the signature does not fit")]
    Mismatch,
}

#[derive(Clone, Copy)]
enum Scheme {
    Sha1,
    Sha256,
}

/// Checks against each of `tokens`: the auth token, its successor while it is being changed, and shared keys' secrets.
///
/// # Errors
/// [`Refused`] when no token fits.
pub fn verify(tokens: &[&SecretString], signed: &Signed<'_>) -> Result<(), Refused> {
    // An empty secret would let everybody sign.
    let tokens: Vec<&[u8]> =
        tokens.iter().map(|token| token.expose_secret().as_bytes()).filter(|token| !token.is_empty()).collect();
    if tokens.is_empty() {
        return Err(Refused::NoSecret);
    }
    let scheme = scheme(signed.settings)?;
    let given = signed.signature.filter(|given| !given.is_empty()).ok_or(Refused::NoSignature)?;
    // Strict: what decodes has one spelling only, so that equal bytes are equal signatures.
    let given = STANDARD.decode(given).map_err(|_| Refused::Malformed)?;
    if given.len() != scheme.bytes() {
        return Err(Refused::Malformed);
    }
    check_body(signed)?;
    let fields = in_order(signed.fields);
    let urls = address::variants(signed.url);
    let fits = |token: &[u8]| urls.iter().any(|url| scheme.fits(token, url, &fields, &given));
    if tokens.into_iter().any(fits) { Ok(()) } else { Err(Refused::Mismatch) }
}

/// # Errors
/// [`Refused::Repeated`] when a pair of name and value stands twice.
pub fn no_repeats(fields: &[(String, String)]) -> Result<(), Refused> {
    if in_order(fields).len() == fields.len() { Ok(()) } else { Err(Refused::Repeated) }
}

/// The first `algorithm=` that names something; without one it is the old scheme. The key's id is only a name.
fn scheme(settings: Option<&str>) -> Result<Scheme, Refused> {
    let named = settings.unwrap_or_default().split(',').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        (name.trim() == "algorithm").then(|| value.trim()).filter(|value| !value.is_empty())
    });
    match named.map(str::to_ascii_uppercase).as_deref() {
        None | Some("HMAC_SHA1") => Ok(Scheme::Sha1),
        Some("HMAC_SHA256") => Ok(Scheme::Sha256),
        Some(_) => Err(Refused::UnknownScheme),
    }
}

impl Scheme {
    const fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// In constant time for one address and one token; which of them fits is no secret.
    fn fits(self, token: &[u8], url: &str, fields: &[&(String, String)], given: &[u8]) -> bool {
        match self {
            Self::Sha1 => fits::<Hmac<Sha1>>(token, url, fields, given),
            Self::Sha256 => fits::<Hmac<Sha256>>(token, url, fields, given),
        }
    }
}

fn fits<M: Mac + KeyInit>(token: &[u8], url: &str, fields: &[&(String, String)], given: &[u8]) -> bool {
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(token) else { return false };
    mac.update(url.as_bytes());
    for (name, value) in fields {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
    }
    mac.verify_slice(given).is_ok()
}

/// By name, then value, each pair once. Bytes of UTF-8 sort as code points do.
fn in_order(fields: &[(String, String)]) -> Vec<&(String, String)> {
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort();
    sorted.dedup();
    sorted
}

/// A form's fields are signed one by one; any other body by its digest in the address.
fn check_body(signed: &Signed<'_>) -> Result<(), Refused> {
    if !signed.fields.is_empty() {
        return Ok(());
    }
    match body_digest(signed.url) {
        Some(digest) if digest.as_bytes() == hex(&Sha256::digest(signed.body)).as_bytes() => Ok(()),
        Some(_) => Err(Refused::BodyChanged),
        None if signed.body.is_empty() => Ok(()),
        None => Err(Refused::BodyNotSigned),
    }
}

/// The first `bodySHA256` of the query that is not empty. It is no secret: whoever sends the body can compute it.
fn body_digest(url: &str) -> Option<Cow<'_, str>> {
    let (_, query) = url.split('#').next()?.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find_map(|(name, value)| (name == "bodySHA256" && !value.is_empty()).then_some(value))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One token, the old scheme, a form: see [`verify`].
    fn is_from_twilio(auth_token: &SecretString, url: &str, fields: &[(String, String)], signature: &str) -> bool {
        verify(&[auth_token], &Signed { url, fields, body: &[], signature: Some(signature), settings: None }).is_ok()
    }

    /// The example in Twilio's own documentation.
    const SIGNED: &str = "L/OH5YylLD5NRKLltdqwSvS0BnU=";
    const URL: &str = "https://example.com/myapp.php?foo=1&bar=2";

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
        let (token, other) = (SecretString::from("12345"), SecretString::from("12346"));
        assert!(is_from_twilio(&token, URL, &fields(), SIGNED));
        assert!(!is_from_twilio(&token, "https://example.com/myapp.php?foo=1&bar=3", &fields(), SIGNED));
        assert!(!is_from_twilio(&other, URL, &fields(), SIGNED));
    }

    #[test]
    fn a_copy_of_a_signed_field_is_a_repeat_and_two_values_of_one_name_are_none() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let with = |more| fields().into_iter().chain([more]).collect::<Vec<_>>();
        assert_eq!(no_repeats(&fields()), Ok(()));
        assert_eq!(no_repeats(&with(pair("Digits", "1235"))), Ok(()));
        assert_eq!(no_repeats(&with(pair("Digits", "1234"))), Err(Refused::Repeated));
    }

    #[test]
    fn each_refusal_says_why() {
        let (token, none, fields) = (SecretString::from("12345"), SecretString::from(""), fields());
        let good = Signed { url: URL, fields: &fields, body: b"", signature: Some(SIGNED), settings: None };
        assert_eq!(verify(&[&token], &good), Ok(()));
        let signature = |text| Signed { signature: text, ..good };
        for (tokens, request, why) in [
            (&[][..], good, Refused::NoSecret),
            (&[&none], good, Refused::NoSecret),
            (&[&token], signature(None), Refused::NoSignature),
            (&[&token], signature(Some("")), Refused::NoSignature),
            (&[&token], signature(Some("x")), Refused::Malformed),
            (&[&token], signature(Some("AAAA")), Refused::Malformed),
            (&[&token], Signed { settings: Some("algorithm=HMAC_SHA3"), ..good }, Refused::UnknownScheme),
            (&[&token], Signed { settings: Some("algorithm=HMAC_SHA256"), ..good }, Refused::Malformed),
            (&[&token], Signed { fields: &[], body: b"{}", ..good }, Refused::BodyNotSigned),
            (&[&token], Signed { fields: &[], url: "https://x/?bodySHA256=00", ..good }, Refused::BodyChanged),
            (&[&token], Signed { fields: &fields[1..], ..good }, Refused::Mismatch),
        ] {
            assert_eq!(verify(tokens, &request), Err(why));
        }
    }
}
