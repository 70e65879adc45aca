//! The key every device is bound to when it subscribes: from `VAPID_PRIVATE_KEY`, or made at first start.

use std::{fmt, path::Path};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret, SecretString};
use web_push::VapidSignatureBuilder;

use crate::platform::{clock::Entropy, config::Vars, private_file};

const FILE: &str = "vapid.key";

/// A key on the curve P-256. To lose it ends every subscription, so it outlives restarts and upgrades.
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
    /// Reads `VAPID_PRIVATE_KEY`, else the file in the data folder, else makes that file with mode 0600. Two processes
    /// that start together agree: the file is put in place by a link that fails when it already stands there.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path, entropy: &Entropy) -> Self {
        let read = match vars.get("VAPID_PRIVATE_KEY") {
            Some(text) => Self::parse(&text)
                .ok_or(("VAPID_PRIVATE_KEY", "must be a private key of the curve P-256: 32 bytes in base64url".into())),
            None => read_or_make(data_dir, entropy)
                .map_err(|e| ("DATA_DIR", format!("cannot hold the generated key for push alerts: {e}"))),
        };
        read.unwrap_or_else(|(variable, problem)| {
            vars.fault(variable, problem);
            // It signs nothing; with the fault above no process starts.
            Self { private: SecretString::default(), public: String::new() }
        })
    }

    /// The 32 bytes of a private key in base64url, if they are one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let scalar: [u8; 32] = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?.try_into().ok()?;
        let private = URL_SAFE_NO_PAD.encode(scalar);
        let public = VapidSignatureBuilder::from_base64_no_sub(&private).ok()?.get_public_key();
        Some(Self { private: private.into(), public: URL_SAFE_NO_PAD.encode(public) })
    }

    /// The public point, uncompressed, in base64url.
    #[must_use]
    pub fn public(&self) -> &str {
        &self.public
    }

    pub(super) fn private(&self) -> &str {
        self.private.expose_secret()
    }
}

/// The file holds what the variable would, so that an install which moves can take it along as either.
fn read_or_make(data_dir: &Path, entropy: &Entropy) -> std::io::Result<VapidKey> {
    let kept = private_file::read_or_make(data_dir, FILE, entropy, || fresh(entropy).private().as_bytes().to_vec())?;
    String::from_utf8(kept)
        .ok()
        .and_then(|text| VapidKey::parse(text.trim()))
        .ok_or_else(|| std::io::Error::other(format!("the file {FILE} does not hold a key")))
}

/// Nearly every 32 bytes are a key: one draw in four thousand million is not.
fn fresh(entropy: &Entropy) -> VapidKey {
    loop {
        if let Some(key) = VapidKey::parse(&URL_SAFE_NO_PAD.encode(entropy.bytes::<32>())) {
            return key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair made by another program (OpenSSL).
    const PRIVATE: &str = "fPViCaP_7RIh07IFI9exXT5PJuswO0WSeJ51u4CvZmo";
    const PUBLIC: &str = "BK8IFQMs00RfJDGpzaQwUV4sAhjH5T9G7DcW1WEsDvR24dAIPzFixPKL42uHh2XPEAQgGeu8vFaqSut9akVWNOo";

    fn read(pairs: &[(&str, &str)], data_dir: &Path) -> (VapidKey, Vec<String>) {
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let key = VapidKey::from_vars(&mut vars, data_dir, &Entropy::System);
        (key, vars.finish().err().map(|e| e.0.iter().map(ToString::to_string).collect()).unwrap_or_default())
    }

    #[test]
    fn a_given_key_is_used_padded_or_not_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        for given in [PRIVATE.to_owned(), format!("{PRIVATE}=")] {
            let (key, faults) = read(&[("VAPID_PRIVATE_KEY", &given)], folder.path());
            assert_eq!((key.public(), faults.len()), (PUBLIC, 0));
            assert!(!format!("{key:?}").contains(PRIVATE));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_text_that_is_no_key_is_a_fault_that_does_not_show_it() {
        let folder = tempfile::tempdir().unwrap();
        let beyond_the_order = URL_SAFE_NO_PAD.encode([0xff; 32]);
        let zero = URL_SAFE_NO_PAD.encode([0; 32]);
        for bad in ["canary", &PRIVATE[1..], &format!("{PRIVATE}AAAA"), PUBLIC, &zero, &beyond_the_order, "§§"] {
            let (key, faults) = read(&[("VAPID_PRIVATE_KEY", bad)], folder.path());
            assert!(faults.concat().starts_with("VAPID_PRIVATE_KEY must be"), "{bad}: {faults:?}");
            assert!(key.public().is_empty() && !faults.concat().contains(bad), "{bad}");
        }
    }

    #[test]
    fn the_generated_key_stays_the_same_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let (first, faults) = read(&[], folder.path());
        assert_eq!((URL_SAFE_NO_PAD.decode(first.public()).unwrap().len(), faults.len()), (65, 0));
        assert_eq!(read(&[], folder.path()).0.public(), first.public());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn processes_that_start_together_agree_and_leave_no_draft() {
        let folder = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(8);
        let keys: std::collections::BTreeSet<String> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        read_or_make(folder.path(), &Entropy::System).unwrap().public().to_owned()
                    })
                })
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(keys.len(), 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_file_is_a_fault_and_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "half a k").unwrap();
        assert!(read(&[], folder.path()).1.concat().starts_with("DATA_DIR cannot hold"));
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).unwrap(), "half a k");
    }
}
