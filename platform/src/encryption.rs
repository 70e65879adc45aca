//! Encryption of stored secrets as column text: AES-256-GCM under a key derived from the install's secret, which is
//! never in the database ([`SecretKey::encrypt_bytes`]). A value opens only for the purpose and owner it was
//! encrypted for.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};

use crate::{
    clock::Entropy,
    error::{Error, Result},
    secret::SecretKey,
};

pub mod renewal;
pub mod retired;

/// Format version: another scheme needs another prefix.
const VERSION_PREFIX: &str = "s1.";

/// `of` holds the ids of the owner.
#[must_use]
pub fn encrypt_secret(key: &SecretKey, entropy: &Entropy, purpose: &str, of: &[&[u8]], plain: &SecretString) -> String {
    let sealed = key.encrypt_bytes(entropy, purpose, of, plain.expose_secret().as_bytes());
    format!("{VERSION_PREFIX}{}", URL_SAFE_NO_PAD.encode(sealed))
}

/// Errors: [`Error::Internal`] when it was altered, belongs to another owner, or was encrypted under another
/// `SECRET_KEY`. The message contains no plaintext.
pub fn decrypt_secret(key: &SecretKey, purpose: &str, of: &[&[u8]], sealed: &str) -> Result<SecretString> {
    let bytes = sealed.strip_prefix(VERSION_PREFIX).and_then(|rest| URL_SAFE_NO_PAD.decode(rest).ok());
    let plain =
        bytes.and_then(|bytes| key.decrypt_bytes(purpose, of, &bytes)).and_then(|plain| String::from_utf8(plain).ok());
    let failed = || Error::Internal(format!("a sealed {purpose} does not open: was SECRET_KEY changed?"));
    plain.map(SecretString::from).ok_or_else(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_value_opens_only_for_its_purpose_and_owner() {
        let (key, entropy) = (SecretKey::new([7; 32]), Entropy::from_seed(1));
        let plain = SecretString::from("JBSWY3DPEHPK3PXP");
        let sealed = encrypt_secret(&key, &entropy, "second factor", &[b"ann"], &plain);
        assert_eq!(
            decrypt_secret(&key, "second factor", &[b"ann"], &sealed).unwrap().expose_secret(),
            plain.expose_secret()
        );
        assert!(!sealed.contains("JBSWY3DP"));
        assert_ne!(sealed, encrypt_secret(&key, &entropy, "second factor", &[b"ann"], &plain), "never twice the same");
        for (purpose, of) in [("second factor", b"bob"), ("webhook", b"ann")] {
            assert!(decrypt_secret(&key, purpose, &[of], &sealed).is_err(), "{purpose}");
        }
        assert!(decrypt_secret(&SecretKey::new([8; 32]), "second factor", &[b"ann"], &sealed).is_err());
        for bad in ["", "s1.", "JBSWY3DPEHPK3PXP", &sealed[..sealed.len() - 1], &sealed[3..]] {
            let message = decrypt_secret(&key, "second factor", &[b"ann"], bad).unwrap_err().to_string();
            assert!(!message.contains("JBSWY3DP"), "{message}");
        }
    }
}
