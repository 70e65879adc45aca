//! VAPID key, to which every device subscription is bound: from `VAPID_PRIVATE_KEY`, or generated at first start.

use std::{fmt, path::Path};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use p256::ecdsa::{Signature, SigningKey, signature::Signer};
use platform::{clock::Entropy, config::EnvVars, private_file};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

const FILE: &str = "vapid.key";
/// The longest that RFC 8292 allows is 24 hours.
const TOKEN_LIFETIME: Duration = Duration::hours(12);

/// A P-256 key. Losing it ends every subscription, so it must survive restarts and upgrades.
#[derive(Clone)]
pub struct VapidKey {
    private: SecretString,
    public: String,
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VapidKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl VapidKey {
    /// Reads `VAPID_PRIVATE_KEY`, else the file in the data folder, else creates that file with mode 0600. Concurrent
    /// starts agree: the file is created by a hard link, which fails when it exists.
    pub fn from_vars(vars: &mut EnvVars, data_dir: &Path, entropy: &Entropy) -> Self {
        let read = match vars.get("VAPID_PRIVATE_KEY") {
            Some(text) => Self::parse(&text)
                .ok_or(("VAPID_PRIVATE_KEY", "must be a private key of the curve P-256: 32 bytes in base64url".into())),
            None => load_or_generate(data_dir, entropy)
                .map_err(|e| ("DATA_DIR", format!("cannot hold the generated key for push alerts: {e}"))),
        };
        read.unwrap_or_else(|(variable, problem)| {
            vars.record_invalid(variable, problem);
            // Placeholder: the recorded fault prevents the start.
            Self { private: SecretString::default(), public: String::new() }
        })
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let scalar: [u8; 32] = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()?;
        let private = URL_SAFE_NO_PAD.encode(scalar);
        let public = SigningKey::from_slice(&scalar).ok()?.verifying_key().to_sec1_point(false);
        Some(Self { private: private.into(), public: URL_SAFE_NO_PAD.encode(public.as_bytes()) })
    }

    #[must_use]
    pub fn public_key(&self) -> &str {
        &self.public
    }

    /// Value of the header `Authorization` for the push service at `origin` (RFC 8292).
    pub(super) fn sign_token(&self, origin: &str, contact: &str, now: DateTime<Utc>) -> Option<String> {
        let key = SigningKey::from_slice(&URL_SAFE_NO_PAD.decode(self.private.expose_secret()).ok()?).ok()?;
        let claims = json!({ "aud": origin, "exp": (now + TOKEN_LIFETIME).timestamp(), "sub": contact });
        let encode = |part: serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(json!({ "typ": "JWT", "alg": "ES256" })), encode(claims));
        let signature: Signature = key.sign(signed.as_bytes());
        Some(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature.to_bytes()), self.public))
    }
}

/// The file has the same content as the variable, so that an install can be moved with either.
fn load_or_generate(data_dir: &Path, entropy: &Entropy) -> std::io::Result<VapidKey> {
    let kept = private_file::read_or_create(data_dir, FILE, entropy, || {
        generate_key(entropy).private.expose_secret().as_bytes().to_vec()
    })?;
    String::from_utf8(kept)
        .ok()
        .and_then(|text| VapidKey::parse(text.trim()))
        .ok_or_else(|| std::io::Error::other(format!("the file {FILE} does not hold a key")))
}

/// Nearly every 32 bytes are a valid key: about one draw in 2^32 is not.
fn generate_key(entropy: &Entropy) -> VapidKey {
    loop {
        if let Some(key) = VapidKey::parse(&URL_SAFE_NO_PAD.encode(entropy.random_bytes::<32>())) {
            return key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key pair made by OpenSSL.
    const PRIVATE: &str = "fPViCaP_7RIh07IFI9exXT5PJuswO0WSeJ51u4CvZmo";
    const PUBLIC: &str = "BK8IFQMs00RfJDGpzaQwUV4sAhjH5T9G7DcW1WEsDvR24dAIPzFixPKL42uHh2XPEAQgGeu8vFaqSut9akVWNOo";

    fn read(pairs: &[(&str, &str)], data_dir: &Path) -> (VapidKey, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let key = VapidKey::from_vars(&mut vars, data_dir, &Entropy::System);
        (key, vars.into_result().err().map(|e| e.0.iter().map(ToString::to_string).collect()).unwrap_or_default())
    }

    #[test]
    fn given_key_is_used_with_or_without_padding_and_writes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for given in [PRIVATE.to_owned(), format!("{PRIVATE}=")] {
            let (key, faults) = read(&[("VAPID_PRIVATE_KEY", &given)], folder.path());
            assert_eq!((key.public_key(), faults.len()), (PUBLIC, 0));
            assert!(!format!("{key:?}").contains(PRIVATE));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn invalid_key_is_a_fault_that_does_not_reveal_it() {
        let folder = tempfile::tempdir().unwrap();
        let beyond_the_order = URL_SAFE_NO_PAD.encode([0xff; 32]);
        let zero = URL_SAFE_NO_PAD.encode([0; 32]);
        for bad in ["canary", &PRIVATE[1..], &format!("{PRIVATE}AAAA"), PUBLIC, &zero, &beyond_the_order, "§§"] {
            let (key, faults) = read(&[("VAPID_PRIVATE_KEY", bad)], folder.path());
            assert!(faults.concat().starts_with("VAPID_PRIVATE_KEY must be"), "{bad}: {faults:?}");
            assert!(key.public_key().is_empty() && !faults.concat().contains(bad), "{bad}");
        }
    }

    #[test]
    fn generated_key_is_stable_and_its_file_is_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let (first, faults) = read(&[], folder.path());
        assert_eq!((URL_SAFE_NO_PAD.decode(first.public_key()).unwrap().len(), faults.len()), (65, 0));
        assert_eq!(read(&[], folder.path()).0.public_key(), first.public_key());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn processes_starting_together_agree_on_one_key_and_leave_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(8);
        let keys: std::collections::BTreeSet<String> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        load_or_generate(folder.path(), &Entropy::System).unwrap().public_key().to_owned()
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(keys.len(), 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn damaged_key_file_is_a_fault_and_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "half a k").unwrap();
        assert!(read(&[], folder.path()).1.concat().starts_with("DATA_DIR cannot hold"));
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap(), "half a k");
    }
}
