//! Verification of Twilio webhooks: `X-Twilio-Signature` over the public address and the posted fields.
//!
//! Two schemes over the same text: HMAC-SHA1 with the account's auth token, and HMAC-SHA256 with the secret of a shared
//! key, announced by `X-Twilio-Webhooks-Signature-Settings`. The text is the address configured at Twilio followed by
//! each field's name and value, sorted by name and then value, duplicates once. Other bodies than forms are not
//! included: their SHA-256 is in the address, as `bodySHA256`.
//!
//! `signature/vectors.json` holds signatures and verdicts of Twilio's own package; every line is a test.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha1::Sha1;
use sha2::{Digest, Sha256};

mod address;
#[cfg(test)]
mod vectors;

#[derive(Debug, Clone, Copy)]
pub struct SignedTwilioRequest<'a> {
    /// The configured public address, with path and query as received; never built from a `Host` header.
    pub url: &'a str,
    /// Decoded form fields in any order. Empty when the body is no form.
    pub fields: &'a [(String, String)],
    pub body: &'a [u8],
    /// `X-Twilio-Signature`
    pub signature: Option<&'a str>,
    /// `X-Twilio-Webhooks-Signature-Settings`
    pub settings: Option<&'a str>,
}

/// For our own metrics: the caller learns only that it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum TwilioSignatureError {
    #[error("no secret is set up")]
    NoSecret,
    #[error("no signature")]
    NoSignature,
    /// Not base64, or not of the scheme's length.
    #[error("the signature is not written as one")]
    Malformed,
    #[error("a scheme we do not know")]
    UnknownScheme,
    /// Not a form, and no digest in the address, so the body is not covered.
    #[error("nothing vouches for the body")]
    BodyNotSigned,
    #[error("the body is not the one that was signed")]
    BodyChanged,
    /// A duplicate pair. The signature covers each pair once, so an added copy would pass; Twilio sends none.
    #[error("a field is there twice")]
    Repeated,
    /// Wrong address, fields or secret.
    #[error("the signature does not fit")]
    Mismatch,
}

#[derive(Clone, Copy)]
enum SignatureScheme {
    Sha1,
    Sha256,
}

/// Verifies against each of `tokens`: the auth token, its successor during a change, and shared keys' secrets. Errors:
/// [`TwilioSignatureError`] when none matches.
pub fn verify_signature(
    tokens: &[&SecretString],
    signed: &SignedTwilioRequest<'_>,
) -> Result<(), TwilioSignatureError> {
    // With an empty secret anyone could sign.
    let tokens: Vec<&[u8]> =
        tokens.iter().map(|token| token.expose_secret().as_bytes()).filter(|token| !token.is_empty()).collect();
    if tokens.is_empty() {
        return Err(TwilioSignatureError::NoSecret);
    }
    let scheme = parse_scheme(signed.settings)?;
    let given = signed.signature.filter(|given| !given.is_empty()).ok_or(TwilioSignatureError::NoSignature)?;
    // Strict decoding: each signature has one spelling, so comparing bytes is enough.
    let given = STANDARD.decode(given).map_err(|_| TwilioSignatureError::Malformed)?;
    if given.len() != scheme.signature_len() {
        return Err(TwilioSignatureError::Malformed);
    }
    verify_body(signed)?;
    let fields = sort_fields(signed.fields);
    let urls = address::url_variants(signed.url);
    let fits = |token: &[u8]| urls.iter().any(|url| scheme.matches_signature(token, url, &fields, &given));
    if tokens.into_iter().any(fits) { Ok(()) } else { Err(TwilioSignatureError::Mismatch) }
}

/// Errors: [`TwilioSignatureError::Repeated`] on a duplicate pair of name and value.
pub fn check_no_repeats(fields: &[(String, String)]) -> Result<(), TwilioSignatureError> {
    if sort_fields(fields).len() == fields.len() { Ok(()) } else { Err(TwilioSignatureError::Repeated) }
}

/// Scheme of the first non-empty `algorithm=`; HMAC-SHA1 without one. The key id is ignored.
fn parse_scheme(settings: Option<&str>) -> Result<SignatureScheme, TwilioSignatureError> {
    let named = settings.unwrap_or_default().split(',').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        (name.trim() == "algorithm").then(|| value.trim()).filter(|value| !value.is_empty())
    });
    match named.map(str::to_ascii_uppercase).as_deref() {
        None | Some("HMAC_SHA1") => Ok(SignatureScheme::Sha1),
        Some("HMAC_SHA256") => Ok(SignatureScheme::Sha256),
        Some(_) => Err(TwilioSignatureError::UnknownScheme),
    }
}

impl SignatureScheme {
    const fn signature_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// Constant time per address and token; which of them matches is no secret.
    fn matches_signature(self, token: &[u8], url: &str, fields: &[&(String, String)], given: &[u8]) -> bool {
        match self {
            Self::Sha1 => matches_hmac::<Hmac<Sha1>>(token, url, fields, given),
            Self::Sha256 => matches_hmac::<Hmac<Sha256>>(token, url, fields, given),
        }
    }
}

fn matches_hmac<M: Mac + KeyInit>(token: &[u8], url: &str, fields: &[&(String, String)], given: &[u8]) -> bool {
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(token) else { return false };
    mac.update(url.as_bytes());
    for (name, value) in fields {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
    }
    mac.verify_slice(given).is_ok()
}

/// By name, then value, without duplicates. UTF-8 bytes sort like code points.
fn sort_fields(fields: &[(String, String)]) -> Vec<&(String, String)> {
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort();
    sorted.dedup();
    sorted
}

/// Form fields are signed one by one; any other body by its digest in the address.
fn verify_body(signed: &SignedTwilioRequest<'_>) -> Result<(), TwilioSignatureError> {
    if !signed.fields.is_empty() {
        return Ok(());
    }
    match body_digest(signed.url) {
        Some(digest) if digest.as_bytes() == encode_hex(&Sha256::digest(signed.body)).as_bytes() => Ok(()),
        Some(_) => Err(TwilioSignatureError::BodyChanged),
        None if signed.body.is_empty() => Ok(()),
        None => Err(TwilioSignatureError::BodyNotSigned),
    }
}

/// The first non-empty `bodySHA256` of the query. Not secret: the sender can compute it.
fn body_digest(url: &str) -> Option<Cow<'_, str>> {
    let (_, query) = url.split('#').next()?.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find_map(|(name, value)| (name == "bodySHA256" && !value.is_empty()).then_some(value))
}

fn encode_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|b| [b >> 4, b & 15]).map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One token, HMAC-SHA1, a form: see [`verify_signature`].
    fn is_from_twilio(auth_token: &SecretString, url: &str, fields: &[(String, String)], signature: &str) -> bool {
        verify_signature(
            &[auth_token],
            &SignedTwilioRequest { url, fields, body: &[], signature: Some(signature), settings: None },
        )
        .is_ok()
    }

    /// Example of Twilio's documentation.
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
    fn twilio_documentation_example_passes_and_variations_fail() {
        let (token, other) = (SecretString::from("12345"), SecretString::from("12346"));
        assert!(is_from_twilio(&token, URL, &fields(), SIGNED));
        assert!(!is_from_twilio(&token, "https://example.com/myapp.php?foo=1&bar=3", &fields(), SIGNED));
        assert!(!is_from_twilio(&other, URL, &fields(), SIGNED));
    }

    #[test]
    fn duplicated_signed_field_is_a_repeat_unless_values_differ() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let with = |more| fields().into_iter().chain([more]).collect::<Vec<_>>();
        assert_eq!(check_no_repeats(&fields()), Ok(()));
        assert_eq!(check_no_repeats(&with(pair("Digits", "1235"))), Ok(()));
        assert_eq!(check_no_repeats(&with(pair("Digits", "1234"))), Err(TwilioSignatureError::Repeated));
    }

    #[test]
    fn refusal_states_its_reason() {
        let (token, none, fields) = (SecretString::from("12345"), SecretString::from(""), fields());
        let good =
            SignedTwilioRequest { url: URL, fields: &fields, body: b"", signature: Some(SIGNED), settings: None };
        assert_eq!(verify_signature(&[&token], &good), Ok(()));
        let signature = |text| SignedTwilioRequest { signature: text, ..good };
        for (tokens, request, why) in [
            (&[][..], good, TwilioSignatureError::NoSecret),
            (&[&none], good, TwilioSignatureError::NoSecret),
            (&[&token], signature(None), TwilioSignatureError::NoSignature),
            (&[&token], signature(Some("")), TwilioSignatureError::NoSignature),
            (&[&token], signature(Some("x")), TwilioSignatureError::Malformed),
            (&[&token], signature(Some("AAAA")), TwilioSignatureError::Malformed),
            (
                &[&token],
                SignedTwilioRequest { settings: Some("algorithm=HMAC_SHA3"), ..good },
                TwilioSignatureError::UnknownScheme,
            ),
            (
                &[&token],
                SignedTwilioRequest { settings: Some("algorithm=HMAC_SHA256"), ..good },
                TwilioSignatureError::Malformed,
            ),
            (&[&token], SignedTwilioRequest { fields: &[], body: b"{}", ..good }, TwilioSignatureError::BodyNotSigned),
            (
                &[&token],
                SignedTwilioRequest { fields: &[], url: "https://x/?bodySHA256=00", ..good },
                TwilioSignatureError::BodyChanged,
            ),
            (&[&token], SignedTwilioRequest { fields: &fields[1..], ..good }, TwilioSignatureError::Mismatch),
        ] {
            assert_eq!(verify_signature(tokens, &request), Err(why));
        }
    }
}
