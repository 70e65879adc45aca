//! Secrets at rest, as text for a column: AES-256-GCM under a key that is made from the install's secret and never stands
//! in the database ([`SecretKey::seal`]). What was sealed for one purpose and one owner opens for no other.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};

use crate::platform::{
    clock::Entropy,
    error::{Error, Result},
    secret::SecretKey,
};

pub mod renewal;
pub mod retired;

/// Which way of sealing: another one gets another mark, and what was sealed before can still be told apart.
const MARK: &str = "s1.";

/// Seals `plain` for `purpose` and for whom `of` names: the ids of its owner.
#[must_use]
pub fn seal(key: &SecretKey, entropy: &Entropy, purpose: &str, of: &[&[u8]], plain: &SecretString) -> String {
    let sealed = key.seal(entropy, purpose, of, plain.expose_secret().as_bytes());
    format!("{MARK}{}", URL_SAFE_NO_PAD.encode(sealed))
}

/// What was sealed.
///
/// # Errors
/// [`Error::Internal`] when it was altered, is another's, or was sealed under another `SECRET_KEY`. Says nothing of it.
pub fn open(key: &SecretKey, purpose: &str, of: &[&[u8]], sealed: &str) -> Result<SecretString> {
    let bytes = sealed.strip_prefix(MARK).and_then(|rest| URL_SAFE_NO_PAD.decode(rest).ok());
    let plain = bytes.and_then(|bytes| key.open(purpose, of, &bytes)).and_then(|plain| String::from_utf8(plain).ok());
    let failed = || Error::Internal(format!("a sealed {purpose} does not open: was SECRET_KEY changed?"));
    plain.map(SecretString::from).ok_or_else(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_for_its_purpose_and_its_owner_alone() {
        let (key, entropy) = (SecretKey::new([7; 32]), Entropy::seeded(1));
        let plain = SecretString::from("JBSWY3DPEHPK3PXP");
        let sealed = seal(&key, &entropy, "second factor", &[b"ann"], &plain);
        assert_eq!(open(&key, "second factor", &[b"ann"], &sealed).unwrap().expose_secret(), plain.expose_secret());
        assert!(!sealed.contains("JBSWY3DP"));
        assert_ne!(sealed, seal(&key, &entropy, "second factor", &[b"ann"], &plain), "never twice the same");
        for (purpose, of) in [("second factor", b"bob"), ("webhook", b"ann")] {
            assert!(open(&key, purpose, &[of], &sealed).is_err(), "{purpose}");
        }
        assert!(open(&SecretKey::new([8; 32]), "second factor", &[b"ann"], &sealed).is_err());
        for bad in ["", "s1.", "JBSWY3DPEHPK3PXP", &sealed[..sealed.len() - 1], &sealed[3..]] {
            let said = open(&key, "second factor", &[b"ann"], bad).unwrap_err().to_string();
            assert!(!said.contains("JBSWY3DP"), "{said}");
        }
    }
}
