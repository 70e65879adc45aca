//! The install's secret: signs form tokens and addresses, seals keys of other services, blurs network addresses. From
//! `SECRET_KEY`, or made at first start.

use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use secrecy::{ExposeSecret, SecretBox};
use sha2::{Digest, Sha256};

use crate::{clock::Entropy, config::Vars, private_file};

const FILE: &str = "secret.key";
/// The length of a tag, in bytes.
pub const TAG: usize = 16;

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

    /// Proof that we made what `parts` say: 128 bits that nobody finds without the key.
    #[must_use]
    pub fn tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; TAG] {
        let whole: [u8; 32] = self.mac(purpose, parts).finalize().into_bytes().into();
        std::array::from_fn(|i| whole[i])
    }

    /// Whether `tag` is [`SecretKey::tag`] of the same. Takes as long for a wrong one as for a right one.
    #[must_use]
    pub fn is_tag(&self, purpose: &str, parts: &[&[u8]], tag: &[u8]) -> bool {
        tag.len() == TAG && self.mac(purpose, parts).verify_truncated_left(tag).is_ok()
    }

    /// Encrypts `bytes` so that only [`SecretKey::open`] with the same purpose and parts reads them again.
    ///
    /// # Panics
    /// Beyond 64 GB.
    #[must_use]
    pub fn seal(&self, entropy: &Entropy, purpose: &str, parts: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
        let nonce = entropy.bytes::<NONCE_LEN>();
        let mut sealed = bytes.to_vec();
        let about = Aad::from(self.tag(purpose, parts));
        #[expect(clippy::expect_used, reason = "fails only beyond 64 GB")]
        self.sealer()
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut sealed)
            .expect("what is sealed is short");
        [nonce.as_slice(), &sealed].concat()
    }

    /// What was sealed; none when it was altered, sealed for something else, or with another key.
    #[must_use]
    pub fn open(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let about = Aad::from(self.tag(purpose, parts));
        let mut rest = rest.to_vec();
        let opened = self.sealer().open_in_place(Nonce::assume_unique_for_key(*nonce), about, &mut rest).ok()?;
        Some(opened.to_vec())
    }

    /// Whether what is sealed now can be opened again, for what it was sealed for and for nothing else.
    #[must_use]
    pub fn seals(&self, entropy: &Entropy) -> bool {
        const WORDS: &[u8] = b"sealed and opened";
        let sealed = self.seal(entropy, "check", &[], WORDS);
        self.open("check", &[], &sealed).as_deref() == Some(WORDS) && self.open("other", &[], &sealed).is_none()
    }

    /// A key for sealing only: the same bytes must not serve two algorithms.
    fn sealer(&self) -> LessSafeKey {
        let key: [u8; 32] = self.mac("sealing key", &[]).finalize().into_bytes().into();
        #[expect(clippy::expect_used, reason = "AES-256 takes any 32 bytes")]
        LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).expect("a key of 32 bytes"))
    }

    /// A token that says when this org's form was handed out.
    #[must_use]
    pub fn form_token(&self, org: &str, now: DateTime<Utc>) -> String {
        let at = now.timestamp_millis();
        let mac = self.mac("form", &[org.as_bytes(), &at.to_le_bytes()]).finalize().into_bytes();
        format!("{at}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// When the form was handed out, if the token is ours and for this org.
    #[must_use]
    pub fn form_opened(&self, org: &str, token: &str) -> Option<DateTime<Utc>> {
        let (at, mac) = token.split_once('.')?;
        let at: i64 = at.parse().ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        self.mac("form", &[org.as_bytes(), &at.to_le_bytes()]).verify_slice(&mac).ok()?;
        DateTime::from_timestamp_millis(at)
    }
}

/// Where the generated key lies, if `SECRET_KEY` is not set.
#[must_use]
pub fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

fn read_or_make(data_dir: &Path, entropy: &Entropy) -> std::io::Result<[u8; 32]> {
    let bytes = private_file::read_or_make(data_dir, FILE, entropy, || entropy.bytes::<32>().to_vec())?;
    bytes.try_into().map_err(|_| std::io::Error::other("the secret key file has the wrong length"))
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(1_900_000_000 + seconds)
    }

    #[test]
    fn a_form_token_tells_when_it_was_made_and_fits_only_its_org() {
        let key = SecretKey::new([7; 32]);
        let token = key.form_token("acme", at(0));
        assert_eq!(key.form_opened("acme", &token), Some(at(0)));
        assert_eq!(key.form_opened("other", &token), None);
        assert_eq!(SecretKey::new([8; 32]).form_opened("acme", &token), None);
        for broken in [token.replace('.', ".A"), token.replace('.', "0."), token.replace('.', ""), String::new()] {
            assert_eq!(key.form_opened("acme", &broken), None, "{broken}");
        }
    }

    #[test]
    fn a_tag_fits_only_its_purpose_its_parts_and_its_key() {
        let key = SecretKey::new([7; 32]);
        let tag = key.tag("link", &[b"ab", b"c"]);
        assert!(key.is_tag("link", &[b"ab", b"c"], &tag));
        assert!(!key.is_tag("link", &[b"a", b"bc"], &tag));
        assert!(!key.is_tag("file", &[b"ab", b"c"], &tag));
        assert!(!SecretKey::new([8; 32]).is_tag("link", &[b"ab", b"c"], &tag));
        assert!(!key.is_tag("link", &[b"ab", b"c"], &tag[..15]), "a shorter one proves less");
        assert!(!key.is_tag("link", &[b"ab", b"c"], &[]));
        for bit in 0..TAG * 8 {
            let mut other = tag;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.is_tag("link", &[b"ab", b"c"], &other), "bit {bit}");
        }
    }

    #[test]
    fn what_is_sealed_opens_only_as_what_it_was_sealed_for() {
        let (key, entropy) = (SecretKey::new([7; 32]), Entropy::seeded(1));
        let sealed = key.seal(&entropy, "card", &[b"acme"], b"a key of theirs");
        assert_eq!(key.open("card", &[b"acme"], &sealed).as_deref(), Some(b"a key of theirs".as_slice()));
        assert_ne!(sealed, key.seal(&entropy, "card", &[b"acme"], b"a key of theirs"), "never twice the same");
        assert!(!sealed.windows(5).any(|part| part == b"a key"));
        assert_eq!(key.open("card", &[b"other"], &sealed), None);
        assert_eq!(key.open("mail", &[b"acme"], &sealed), None);
        assert_eq!(SecretKey::new([8; 32]).open("card", &[b"acme"], &sealed), None);
        assert_eq!(key.open("card", &[b"acme"], &sealed[..11]), None);
        for bit in 0..sealed.len() * 8 {
            let mut other = sealed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.open("card", &[b"acme"], &other), None, "bit {bit}");
        }
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
