//! The codes of an authenticator app: RFC 6238 over HMAC-SHA-1, six digits, thirty seconds, which is what every app
//! makes. Rules only: neither a clock nor a database is asked.

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretBox};
use sha1::Sha1;

use crate::clock::Entropy;

/// The length that RFC 4226 §4 R6 recommends: 160 bits.
const BYTES: usize = 20;
const STEP_SECONDS: i64 = 30;
const DIGITS: usize = 6;
/// How many steps a phone's clock may be off, either way.
const DRIFT: i64 = 1;
/// RFC 4648 §6.
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// What the app and we both know.
#[derive(Debug)]
pub struct Secret(SecretBox<[u8; BYTES]>);

impl Secret {
    #[must_use]
    pub fn new(entropy: &Entropy) -> Self {
        Self::of(entropy.bytes())
    }

    fn of(bytes: [u8; BYTES]) -> Self {
        Self(SecretBox::new(Box::new(bytes)))
    }

    /// From the text that [`Secret::shown`] makes; none when it is not one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        from_base32(text)?.try_into().ok().map(Self::of)
    }

    /// As it is typed into an app: 32 characters of base32.
    #[must_use]
    pub fn shown(&self) -> String {
        base32(self.0.expose_secret())
    }

    /// What an app opens or scans: the key URI that authenticator apps agree on.
    #[must_use]
    pub fn address(&self, issuer: &str, email: &str) -> String {
        let [issuer, email] = [issuer, email].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string());
        let secret = self.shown();
        format!("otpauth://totp/{issuer}:{email}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits=6&period=30")
    }

    /// The code of a time step (RFC 4226 §5.3), as the number its digits are.
    fn number(&self, step: i64) -> u32 {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha1>::new_from_slice(self.0.expose_secret()).expect("HMAC takes any key");
        mac.update(&step.to_be_bytes());
        let hash: [u8; 20] = mac.finalize().into_bytes().into();
        let at = usize::from(hash[19] & 0xf);
        let part = [hash[at], hash[at + 1], hash[at + 2], hash[at + 3]];
        (u32::from_be_bytes(part) & 0x7fff_ffff) % 1_000_000
    }

    /// The six digits an app shows at this instant.
    #[must_use]
    pub fn code(&self, now: DateTime<Utc>) -> String {
        format!("{:06}", self.number(step(now)))
    }

    /// The step whose code this is, if it is one of now, a step before or a step after, and later than `last`: a code
    /// works once. Compared as numbers, so that a nearly right one takes as long as a wrong one.
    #[must_use]
    pub fn step_of(&self, code: &str, now: DateTime<Utc>, last: i64) -> Option<i64> {
        let typed = digits(code)?;
        let mut steps = step(now) - DRIFT..=step(now) + DRIFT;
        steps.rfind(|step| *step > last && self.number(*step) == typed)
    }
}

/// Whether this is typed as a code of an app is, whatever blanks stand in it.
#[must_use]
pub fn is_code(text: &str) -> bool {
    digits(text).is_some()
}

fn digits(text: &str) -> Option<u32> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let fits = bare.len() == DIGITS && bare.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| bare.parse().ok()).flatten()
}

fn step(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(STEP_SECONDS)
}

/// RFC 4648 §6 without padding.
#[must_use]
pub(super) fn base32(bytes: &[u8]) -> String {
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| (byte >> bit) & 1)).collect::<Vec<u8>>();
    let letter = |five: &[u8]| {
        let value = (0..5).fold(0, |value, at| (value << 1) | five.get(at).copied().unwrap_or_default());
        char::from(ALPHABET[usize::from(value)])
    };
    bits.chunks(5).map(letter).collect()
}

/// Back again; none where a character is not of the alphabet.
fn from_base32(text: &str) -> Option<Vec<u8>> {
    let mut bits = Vec::with_capacity(text.len() * 5);
    for c in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == c)?;
        bits.extend((0..5).rev().map(|bit| u8::from((value >> bit) & 1 == 1)));
    }
    Some(bits.chunks_exact(8).map(|eight| eight.iter().fold(0, |byte, bit| (byte << 1) | bit)).collect())
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(seconds)
    }

    /// RFC 6238, appendix B, SHA-1: the last six of its eight digits.
    #[test]
    fn the_codes_are_those_of_the_standard() {
        let secret = Secret::of(*b"12345678901234567890");
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret.code(at(seconds)), code, "{seconds}");
        }
    }

    #[test]
    fn a_code_is_good_one_step_early_and_one_late_and_no_longer() {
        let secret = Secret::of(*b"12345678901234567890");
        let now = at(1_111_111_109);
        let code = secret.code(now);
        for (off, is_good) in [(-60, false), (-30, true), (0, true), (30, true), (60, false)] {
            assert_eq!(secret.step_of(&code, now + Duration::seconds(off), 0).is_some(), is_good, "{off}");
        }
    }

    #[test]
    fn a_code_that_was_taken_and_those_before_it_are_not_taken_again() {
        let secret = Secret::of(*b"12345678901234567890");
        let now = at(1_111_111_109);
        let (before, code) = (secret.code(now - Duration::seconds(30)), secret.code(now));
        let taken = secret.step_of(&code, now, 0).unwrap();
        assert_eq!(secret.step_of(&code, now, taken), None);
        assert_eq!(secret.step_of(&before, now, taken), None);
        assert!(secret.step_of(&secret.code(now + Duration::seconds(30)), now, taken).is_some());
    }

    #[test]
    fn a_code_is_six_digits_however_they_are_parted() {
        let secret = Secret::of(*b"12345678901234567890");
        let now = at(59);
        assert!(secret.step_of(" 287 082 ", now, 0).is_some());
        for bad in ["", "28708", "2870822", "28708a", "+87082", "２８７０８２", "-287082"] {
            assert_eq!(secret.step_of(bad, now, 0), None, "{bad}");
        }
    }

    #[test]
    fn a_secret_reads_back_from_what_is_shown() {
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI", "RFC 4648 §10");
        let secret = Secret::of(*b"12345678901234567890");
        assert_eq!(secret.shown(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(Secret::read(&secret.shown()).unwrap().code(at(59)), "287082");
        let whole = secret.shown();
        for bad in ["", &whole[1..], &format!("{}1", &whole[1..]), &whole.to_lowercase()] {
            assert!(Secret::read(bad).is_none(), "{bad}");
        }
        assert!(!format!("{secret:?}").contains("GEZD") && !format!("{secret:?}").contains("49"), "{secret:?}");
    }

    #[test]
    fn an_app_is_told_whose_code_it_is() {
        let address = Secret::of(*b"12345678901234567890").address("Ann & Co: Roofs", "ann+1@acme.example");
        assert_eq!(
            address,
            "otpauth://totp/Ann%20%26%20Co%3A%20Roofs:ann%2B1%40acme%2Eexample?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=Ann%20%26%20Co%3A%20Roofs&algorithm=SHA1&digits=6&period=30"
        );
    }
}
