//! TOTP codes: RFC 6238 over HMAC-SHA-1, six digits, 30-second steps, one step of drift either way, as all
//! authenticator apps use. Pure functions without clock or database.

use chrono::{DateTime, Utc};
use totp_rs::{Builder, Totp};

use crate::platform::{
    clock::Entropy,
    error::{Error, Result},
};

/// Length recommended by RFC 4226 §4 R6: 160 bits.
const BYTES: usize = 20;
const DIGITS: usize = 6;

/// The shared secret. Its debug text is redacted.
#[derive(Debug)]
pub struct TotpSecret(totp_rs::Secret);

impl TotpSecret {
    #[must_use]
    pub fn new(entropy: &Entropy) -> Self {
        Self::from_bytes(entropy.random_bytes())
    }

    fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(totp_rs::Secret::new_stack(bytes))
    }

    #[must_use]
    pub fn from_base32(text: &str) -> Option<Self> {
        let secret = totp_rs::Secret::try_from_base32(text).ok()?;
        secret.as_bytes().try_into().ok().map(Self::from_bytes).filter(|read| read.to_base32() == text)
    }

    /// Text for manual entry: 32 characters of base32.
    #[must_use]
    pub fn to_base32(&self) -> String {
        self.0.to_base32()
    }

    /// The key URI that authenticator apps scan or open.
    ///
    /// # Errors
    /// [`Error::Internal`] when the account name is empty.
    pub fn key_uri(&self, issuer: &str, email: &str) -> Result<String> {
        // The URI separates issuer and account by a colon.
        let [issuer, email] = [issuer, email].map(|text| text.replace(':', " "));
        let named = self.builder().with_issuer(Some(issuer)).with_account_name(email);
        named.build_noncompliant().to_url().map_err(|e| Error::Internal(e.to_string()))
    }

    fn builder(&self) -> Builder {
        Builder::new().with_secret(self.0.clone())
    }

    /// Built without an account name, which codes do not need; with one it would be validated.
    fn totp(&self) -> Totp {
        self.builder().build_noncompliant()
    }

    #[must_use]
    pub fn code_at(&self, now: DateTime<Utc>) -> String {
        self.totp().generate(unix_seconds(now)).to_string()
    }

    /// The step of this code if it is the current one or one step off, and later than `last`: a code works once.
    #[must_use]
    pub fn matching_step(&self, code: &str, now: DateTime<Utc>, last: i64) -> Option<i64> {
        let step = self.totp().check(&parse_digits(code)?, unix_seconds(now))?;
        i64::try_from(step).ok().filter(|step| *step > last)
    }
}

#[must_use]
pub fn is_code(text: &str) -> bool {
    parse_digits(text).is_some()
}

fn parse_digits(text: &str) -> Option<String> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let fits = bare.len() == DIGITS && bare.bytes().all(|b| b.is_ascii_digit());
    fits.then_some(bare)
}

/// Zero before 1970: such a clock yields no valid code.
fn unix_seconds(now: DateTime<Utc>) -> u64 {
    u64::try_from(now.timestamp()).unwrap_or_default()
}

/// RFC 4648 §6 without padding.
#[must_use]
pub(super) fn encode_base32(bytes: &[u8]) -> String {
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
    fn codes_match_rfc_6238_test_vectors() {
        let secret = TotpSecret::from_bytes(*b"12345678901234567890");
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret.code_at(at(seconds)), code, "{seconds}");
        }
    }

    #[test]
    fn code_is_valid_within_one_step_of_its_time_only() {
        let secret = TotpSecret::from_bytes(*b"12345678901234567890");
        let now = at(1_111_111_109);
        let code = secret.code_at(now);
        for (off, is_good) in [(-60, false), (-30, true), (0, true), (30, true), (60, false)] {
            assert_eq!(secret.matching_step(&code, now + Duration::seconds(off), 0).is_some(), is_good, "{off}");
        }
    }

    #[test]
    fn used_code_and_older_codes_are_not_accepted_again() {
        let secret = TotpSecret::from_bytes(*b"12345678901234567890");
        let now = at(1_111_111_109);
        let (before, code) = (secret.code_at(now - Duration::seconds(30)), secret.code_at(now));
        let taken = secret.matching_step(&code, now, 0).unwrap();
        assert_eq!(secret.matching_step(&code, now, taken), None);
        assert_eq!(secret.matching_step(&before, now, taken), None);
        assert!(secret.matching_step(&secret.code_at(now + Duration::seconds(30)), now, taken).is_some());
    }

    #[test]
    fn code_must_be_six_ascii_digits_ignoring_spaces() {
        let secret = TotpSecret::from_bytes(*b"12345678901234567890");
        let now = at(59);
        assert!(secret.matching_step(" 287 082 ", now, 0).is_some());
        for bad in ["", "28708", "2870822", "28708a", "+87082", "２８７０８２", "-287082"] {
            assert_eq!(secret.matching_step(bad, now, 0), None, "{bad}");
        }
    }

    #[test]
    fn shown_secret_reads_back_and_malformed_one_is_refused() {
        assert_eq!(encode_base32(b"foobar"), "MZXW6YTBOI", "RFC 4648 §10");
        let secret = TotpSecret::from_bytes(*b"12345678901234567890");
        assert_eq!(secret.to_base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(TotpSecret::from_base32(&secret.to_base32()).unwrap().code_at(at(59)), "287082");
        let whole = secret.to_base32();
        for bad in ["", &whole[1..], &format!("{}1", &whole[1..]), &whole.to_lowercase()] {
            assert!(TotpSecret::from_base32(bad).is_none(), "{bad}");
        }
        assert!(!format!("{secret:?}").contains("GEZD") && !format!("{secret:?}").contains("49"), "{secret:?}");
    }

    #[test]
    fn otpauth_address_names_issuer_and_account() {
        let address =
            TotpSecret::from_bytes(*b"12345678901234567890").key_uri("Ann & Co: Roofs", "ann+1@acme.example").unwrap();
        let (label, rest) = address.split_once('?').unwrap();
        assert_eq!(label, "otpauth://totp/Ann%20%26%20Co%20%20Roofs:ann%2B1%40acme.example");
        assert_eq!(rest, "secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ann%20%26%20Co%20%20Roofs");
    }
}
