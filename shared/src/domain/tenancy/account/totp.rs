//! The codes of an authenticator app: RFC 6238 over HMAC-SHA-1, six digits, thirty seconds, one step of drift either way,
//! which is what every app makes. Rules only: neither a clock nor a database is asked.

use chrono::{DateTime, Utc};
use totp_rs::{Builder, Totp};

use crate::platform::{
    clock::Entropy,
    error::{Error, Result},
};

/// The length that RFC 4226 §4 R6 recommends: 160 bits.
const BYTES: usize = 20;
const DIGITS: usize = 6;

/// What the app and we both know. Its text form is redacted.
#[derive(Debug)]
pub struct Secret(totp_rs::Secret);

impl Secret {
    #[must_use]
    pub fn new(entropy: &Entropy) -> Self {
        Self::of(entropy.bytes())
    }

    fn of(bytes: [u8; BYTES]) -> Self {
        Self(totp_rs::Secret::new_stack(bytes))
    }

    /// From the text that [`Secret::shown`] makes; none when it is not one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let secret = totp_rs::Secret::try_from_base32(text).ok()?;
        secret.as_bytes().try_into().ok().map(Self::of).filter(|read| read.shown() == text)
    }

    /// As it is typed into an app: 32 characters of base32.
    #[must_use]
    pub fn shown(&self) -> String {
        self.0.to_base32()
    }

    /// What an app opens or scans: the key URI that authenticator apps agree on.
    ///
    /// # Errors
    /// [`Error::Internal`] where the account has no name.
    pub fn address(&self, issuer: &str, email: &str) -> Result<String> {
        // A colon parts the two for an app.
        let [issuer, email] = [issuer, email].map(|text| text.replace(':', " "));
        let named = self.builder().with_issuer(Some(issuer)).with_account_name(email);
        named.build_noncompliant().to_url().map_err(|e| Error::Internal(e.to_string()))
    }

    fn builder(&self) -> Builder {
        Builder::new().with_secret(self.0.clone())
    }

    /// With a name it would be checked for one, which its codes do not need.
    fn totp(&self) -> Totp {
        self.builder().build_noncompliant()
    }

    /// The six digits an app shows at this instant.
    #[must_use]
    pub fn code(&self, now: DateTime<Utc>) -> String {
        self.totp().generate(seconds(now)).to_string()
    }

    /// The step whose code this is, if it is one of now, a step before or a step after, and later than `last`: a code
    /// works once.
    #[must_use]
    pub fn step_of(&self, code: &str, now: DateTime<Utc>, last: i64) -> Option<i64> {
        let step = self.totp().check(&digits(code)?, seconds(now))?;
        i64::try_from(step).ok().filter(|step| *step > last)
    }
}

/// Whether this is typed as a code of an app is, whatever blanks stand in it.
#[must_use]
pub fn is_code(text: &str) -> bool {
    digits(text).is_some()
}

fn digits(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let fits = bare.len() == DIGITS && bare.bytes().all(|b| b.is_ascii_digit());
    fits.then_some(bare)
}

/// A clock before 1970 shows no code that anybody has.
fn seconds(now: DateTime<Utc>) -> u64 {
    u64::try_from(now.timestamp()).unwrap_or_default()
}

/// RFC 4648 §6 without padding.
#[must_use]
pub(super) fn base32(bytes: &[u8]) -> String {
    totp_rs::Secret::from(bytes).to_base32()
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
        let address = Secret::of(*b"12345678901234567890").address("Ann & Co: Roofs", "ann+1@acme.example").unwrap();
        let (label, rest) = address.split_once('?').unwrap();
        assert_eq!(label, "otpauth://totp/Ann%20%26%20Co%20%20Roofs:ann%2B1%40acme.example");
        assert_eq!(rest, "secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ann%20%26%20Co%20%20Roofs");
    }
}
