//! The install's secret: signs form tokens and blurs network addresses. From `SECRET_KEY`, or made at first start.

use std::path::Path;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretBox};
use sha2::{Digest, Sha256};

use crate::{clock::Entropy, config::Vars, private_file};

/// A form token older than this is as good as none: the page was left open too long.
const FORM_TOKEN_LIFE: Duration = Duration::days(2);
const FILE: &str = "secret.key";

/// 32 bytes that never leave this type.
#[derive(Clone, Debug)]
pub struct SecretKey(std::sync::Arc<SecretBox<[u8; 32]>>);

impl SecretKey {
    /// Reads `SECRET_KEY` (any text of at least 32 characters), else the file in the data folder, else makes that file
    /// with mode 0600. Two processes that start together agree: the file is put in place by a link that fails when it
    /// already stands there.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path, entropy: &Entropy) -> Self {
        match vars.get("SECRET_KEY") {
            Some(text) if text.len() < 32 => vars.fault("SECRET_KEY", "must have at least 32 characters"),
            Some(text) => return Self::new(Sha256::digest(text.as_bytes()).into()),
            None => match read_or_make(data_dir, entropy) {
                Ok(key) => return Self::new(key),
                Err(e) => vars.fault("DATA_DIR", format!("cannot hold the generated secret key: {e}")),
            },
        }
        Self::new([0; 32])
    }

    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self(std::sync::Arc::new(SecretBox::new(Box::new(key))))
    }

    fn mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret()).expect("HMAC takes any key");
        for part in [purpose.as_bytes()].iter().chain(parts) {
            // The length before each part keeps ("ab","c") and ("a","bc") apart.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    /// A keyed hash: the same value gives the same bytes, and without the key they cannot be guessed back.
    #[must_use]
    pub fn blur(&self, purpose: &str, value: &str) -> Vec<u8> {
        self.mac(purpose, &[value.as_bytes()]).finalize().into_bytes().to_vec()
    }

    /// A token that says when this org's form was handed out.
    #[must_use]
    pub fn form_token(&self, org: &str, now: DateTime<Utc>) -> String {
        let at = now.timestamp_millis();
        let mac = self.mac("form", &[org.as_bytes(), &at.to_le_bytes()]).finalize().into_bytes();
        format!("{at}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// How long ago the form was handed out, if the token is ours, for this org, and not too old.
    #[must_use]
    pub fn form_age(&self, org: &str, token: &str, now: DateTime<Utc>) -> Option<Duration> {
        let (at, mac) = token.split_once('.')?;
        let at: i64 = at.parse().ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        self.mac("form", &[org.as_bytes(), &at.to_le_bytes()]).verify_slice(&mac).ok()?;
        let age = now - DateTime::from_timestamp_millis(at)?;
        (age >= Duration::zero() && age <= FORM_TOKEN_LIFE).then_some(age)
    }
}

fn read_or_make(data_dir: &Path, entropy: &Entropy) -> std::io::Result<[u8; 32]> {
    let bytes = private_file::read_or_make(data_dir, FILE, entropy, || entropy.bytes::<32>().to_vec())?;
    bytes.try_into().map_err(|_| std::io::Error::other("the secret key file has the wrong length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(1_900_000_000 + seconds)
    }

    #[test]
    fn a_form_token_tells_its_age_and_fits_only_its_org() {
        let key = SecretKey::new([7; 32]);
        let token = key.form_token("acme", at(0));
        assert_eq!(key.form_age("acme", &token, at(5)), Some(Duration::seconds(5)));
        assert_eq!(key.form_age("other", &token, at(5)), None);
        assert_eq!(key.form_age("acme", &token, at(3 * 86_400)), None);
        assert_eq!(key.form_age("acme", &token, at(-1)), None);
        assert_eq!(SecretKey::new([8; 32]).form_age("acme", &token, at(5)), None);
        assert_eq!(key.form_age("acme", &token.replace('.', ".A"), at(5)), None);
    }

    #[test]
    fn the_generated_key_stays_the_same_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let first = read_or_make(folder.path(), &Entropy::System).unwrap();
        assert_eq!(first, read_or_make(folder.path(), &Entropy::System).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
