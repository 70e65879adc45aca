//! Secret key of the install: signs form tokens and links, encrypts third-party keys, hashes network addresses. From
//! `SECRET_KEY`, or generated at the first start.
//!
//! A key ring: the first key signs and encrypts, all of them verify and decrypt. The others come from `SECRET_KEY_OLD`
//! and `secret.key.old` (`shared::ops::key_rotation` rotates).

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use hmac::Mac;

use crate::{clock::Entropy, config::EnvVars};

pub mod key_file;
mod ring_key;

use key_file::{FileStamp, load_or_create, read_file_stamp, read_generated};
pub use ring_key::TAG_LEN;
use ring_key::{KEY_LEN, KeyBytes, RingKey, hash_to_key};

/// Minimum length in characters.
const MIN_SECRET_CHARS: usize = 32;

/// What a form token proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormOpening {
    pub at: DateTime<Utc>,
    /// The form was shown with the wording of a business that has a number.
    pub promises_texts: bool,
}

/// The current key first. Clones share the ring.
#[derive(Clone, Debug)]
pub struct SecretKey {
    ring: Arc<RwLock<KeyRing>>,
    /// Data folder, when the current key is the generated one: another process may replace it.
    folder: Option<Arc<PathBuf>>,
}

#[derive(Clone, Debug)]
struct KeyRing {
    keys: Vec<RingKey>,
    /// Keys from the environment, kept when the files are read again.
    fixed: Vec<RingKey>,
    seen: Option<FileStamp>,
}

impl SecretKey {
    /// Reads `SECRET_KEY` (any text of at least 32 characters), else the file in the data folder, else creates that
    /// file with mode 0600. Concurrent starts agree: the file is created by a hard link, which fails when it exists.
    /// Keys of `SECRET_KEY_OLD` and retired generated keys verify and decrypt.
    pub fn from_vars(vars: &mut EnvVars, data_dir: &Path, entropy: &Entropy) -> Self {
        let old = parse_old_keys(vars);
        match vars.get("SECRET_KEY") {
            Some(text) if text.len() < MIN_SECRET_CHARS => {
                vars.record_invalid("SECRET_KEY", "must have at least 32 characters");
            }
            Some(text) => {
                let generated = read_generated(data_dir).unwrap_or_default();
                return Self::from_keys([vec![hash_to_key(&text)], old, generated].concat());
            }
            None => match load_or_create(data_dir, entropy) {
                Ok(_) => match Self::load_generated(data_dir, old) {
                    Ok(ring) => return ring,
                    Err(e) => vars.record_invalid("DATA_DIR", format!("cannot hold the generated secret key: {e}")),
                },
                Err(e) => vars.record_invalid("DATA_DIR", format!("cannot hold the generated secret key: {e}")),
            },
        }
        Self::new([0; KEY_LEN])
    }

    #[must_use]
    pub fn new(key: KeyBytes) -> Self {
        Self::from_keys(vec![RingKey::from_bytes(key)])
    }

    /// Adds retired keys, which only verify and decrypt.
    #[must_use]
    pub fn with_old_keys(&self, old: impl IntoIterator<Item = KeyBytes>) -> Self {
        let mut keys = self.all_keys();
        keys.extend(old.into_iter().map(RingKey::from_bytes));
        Self::from_keys(keys)
    }

    fn from_keys(keys: Vec<RingKey>) -> Self {
        Self {
            ring: Arc::new(RwLock::new(KeyRing { keys: dedup_keys(keys), fixed: Vec::new(), seen: None })),
            folder: None,
        }
    }

    /// The generated key, its predecessors, and the keys of the environment.
    fn load_generated(data_dir: &Path, fixed: Vec<RingKey>) -> io::Result<Self> {
        let seen = read_file_stamp(data_dir);
        let keys = dedup_keys([read_generated(data_dir)?, fixed.clone()].concat());
        let ring = KeyRing { keys, fixed, seen };
        Ok(Self { ring: Arc::new(RwLock::new(ring)), folder: Some(Arc::new(data_dir.to_path_buf())) })
    }

    /// Reloads the files if another process has replaced the key. Returns whether it has.
    fn reload_if_replaced(&self) -> bool {
        let Some(folder) = &self.folder else { return false };
        let now = read_file_stamp(folder);
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        if now.is_none() || now == ring.seen {
            return false;
        }
        match read_generated(folder) {
            Ok(keys) if !keys.is_empty() => {
                // Known keys stay: running work may hold values made with an older key.
                ring.keys = dedup_keys([keys, ring.fixed.clone(), ring.keys.clone()].concat());
                ring.seen = now;
                true
            }
            Ok(_) => false,
            Err(e) => {
                tracing::warn!(error = %e, "the replaced secret key cannot be read");
                false
            }
        }
    }

    fn all_keys(&self) -> Vec<RingKey> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).keys.clone()
    }

    fn current_key(&self) -> RingKey {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.keys.first().cloned().unwrap_or_else(|| RingKey::from_bytes([0; KEY_LEN]))
    }

    /// The first key's answer. When no key has one, the files are read again first.
    fn find_with_key<T>(&self, asked: impl Fn(&RingKey) -> Option<T>) -> Option<T> {
        let answer = self.all_keys().iter().find_map(&asked);
        if answer.is_some() || !self.reload_if_replaced() {
            return answer;
        }
        self.all_keys().iter().find_map(asked)
    }

    /// Keyed hash: deterministic, not invertible without the key.
    #[must_use]
    pub fn keyed_hash(&self, purpose: &str, value: &str) -> Vec<u8> {
        self.current_key().keyed_hash(purpose, value)
    }

    /// Hashes under every key, the current one first, to find values stored under older keys.
    #[must_use]
    pub fn keyed_hashes(&self, purpose: &str, value: &str) -> Vec<Vec<u8>> {
        self.reload_if_replaced();
        self.all_keys().iter().map(|key| key.keyed_hash(purpose, value)).collect()
    }

    /// 128-bit MAC over `parts`.
    #[must_use]
    pub fn mac_tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; TAG_LEN] {
        self.current_key().mac_tag(purpose, parts)
    }

    /// MACs under every key, the current one first.
    #[must_use]
    pub fn mac_tags(&self, purpose: &str, parts: &[&[u8]]) -> Vec<[u8; TAG_LEN]> {
        self.reload_if_replaced();
        self.all_keys().iter().map(|key| key.mac_tag(purpose, parts)).collect()
    }

    /// Whether `mac_tag` is [`SecretKey::mac_tag`] of the same under any key. Timing is the same for a wrong tag and
    /// for one of the oldest key.
    #[must_use]
    pub fn verify_tag(&self, purpose: &str, parts: &[&[u8]], tag: &[u8]) -> bool {
        self.find_with_key(|key| key.verify_tag(purpose, parts, tag).then_some(())).is_some()
    }

    /// Encrypts `bytes`; only [`SecretKey::decrypt_bytes`] with the same purpose and parts decrypts them.
    ///
    /// # Panics
    /// Beyond 64 GB.
    #[must_use]
    pub fn encrypt_bytes(&self, entropy: &Entropy, purpose: &str, parts: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
        self.reload_if_replaced();
        self.current_key().encrypt_bytes(entropy, purpose, parts, bytes)
    }

    /// None when it was altered, encrypted for another purpose, or under a key not on the ring.
    #[must_use]
    pub fn decrypt_bytes(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        self.find_with_key(|key| key.decrypt_bytes(purpose, parts, sealed))
    }

    /// Whether the current key alone decrypts it, so that no rotation is due.
    #[must_use]
    pub fn is_current(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> bool {
        self.current_key().decrypt_bytes(purpose, parts, sealed).is_some()
    }

    /// Self-test: encryption round trip, bound to its purpose.
    #[must_use]
    pub fn check_round_trip(&self, entropy: &Entropy) -> bool {
        const WORDS: &[u8] = b"sealed and opened";
        let sealed = self.encrypt_bytes(entropy, "check", &[], WORDS);
        self.decrypt_bytes("check", &[], &sealed).as_deref() == Some(WORDS)
            && self.decrypt_bytes("other", &[], &sealed).is_none()
    }

    #[must_use]
    pub fn issue_form_token(&self, org: &str, now: DateTime<Utc>, promises_texts: bool) -> String {
        let at = now.timestamp_millis();
        let parts: [&[u8]; 2] = [org.as_bytes(), &at.to_le_bytes()];
        let mac = self.current_key().start_mac(form_purpose(promises_texts), &parts).finalize().into_bytes();
        format!("{at}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    #[must_use]
    pub fn verify_form_token(&self, org: &str, token: &str) -> Option<FormOpening> {
        let (at, mac) = token.split_once('.')?;
        let at: i64 = at.parse().ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        let parts: [&[u8]; 2] = [org.as_bytes(), &at.to_le_bytes()];
        let promises_texts = self.find_with_key(|key| {
            [true, false]
                .into_iter()
                .find(|promises| key.start_mac(form_purpose(*promises), &parts).verify_slice(&mac).is_ok())
        })?;
        Some(FormOpening { at: DateTime::from_timestamp_millis(at)?, promises_texts })
    }

    #[must_use]
    pub fn list_old_keys(&self) -> Vec<(String, KeyBytes)> {
        self.all_keys().iter().skip(1).map(|key| (key.key_name(), *key.expose_bytes())).collect()
    }

    #[must_use]
    pub fn has_old_keys(&self) -> bool {
        self.all_keys().len() > 1
    }

    #[must_use]
    pub fn name(&self) -> String {
        self.current_key().key_name()
    }

    /// Names of all keys, the current one first.
    #[must_use]
    pub fn key_names(&self) -> Vec<String> {
        self.all_keys().iter().map(RingKey::key_name).collect()
    }

    /// Whether the current key is the generated one, which is read again when another process replaces it.
    #[must_use]
    pub fn reads_key_file(&self) -> bool {
        self.folder.is_some()
    }

    /// The current key alone, to find values that still need old keys.
    #[must_use]
    pub fn without_old_keys(&self) -> Self {
        Self::from_keys(vec![self.current_key()])
    }
}

/// One form of token for both wordings: a version that knows only the first still accepts its tokens.
fn form_purpose(promises_texts: bool) -> &'static str {
    if promises_texts { "form" } else { "form without texts" }
}

fn dedup_keys(keys: Vec<RingKey>) -> Vec<RingKey> {
    let mut kept: Vec<RingKey> = Vec::with_capacity(keys.len());
    for key in keys {
        if !kept.iter().any(|there| there.expose_bytes() == key.expose_bytes()) {
            kept.push(key);
        }
    }
    kept
}

/// `SECRET_KEY_OLD`: one key or several, separated by commas. A key may contain commas, so the whole text is tried too.
fn parse_old_keys(vars: &mut EnvVars) -> Vec<RingKey> {
    let Some(given) = vars.get("SECRET_KEY_OLD") else { return Vec::new() };
    let whole = std::iter::once(given.as_str());
    let parts = given.split(',').map(str::trim).filter(|_| given.contains(','));
    let keys: Vec<RingKey> =
        whole.chain(parts).filter(|text| text.len() >= MIN_SECRET_CHARS).map(hash_to_key).collect();
    if keys.is_empty() {
        vars.record_invalid("SECRET_KEY_OLD", "must hold keys of at least 32 characters, parted by commas");
    }
    keys
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::seconds(1_900_000_000 + seconds)
    }

    #[test]
    fn form_token_returns_its_creation_time_and_opens_only_for_its_org() {
        let key = SecretKey::new([7; 32]);
        for promises_texts in [true, false] {
            let token = key.issue_form_token("acme", at(0), promises_texts);
            let opened = FormOpening { at: at(0), promises_texts };
            assert_eq!(key.verify_form_token("acme", &token), Some(opened));
        }
        let token = key.issue_form_token("acme", at(0), true);
        assert_eq!(key.verify_form_token("other", &token), None);
        assert_eq!(SecretKey::new([8; 32]).verify_form_token("acme", &token), None);
        for broken in [token.replace('.', ".A"), token.replace('.', "0."), token.replace('.', ""), String::new()] {
            assert_eq!(key.verify_form_token("acme", &broken), None, "{broken}");
        }
    }

    #[test]
    fn tag_verifies_only_with_its_purpose_parts_and_key() {
        let key = SecretKey::new([7; 32]);
        let tag = key.mac_tag("link", &[b"ab", b"c"]);
        assert!(key.verify_tag("link", &[b"ab", b"c"], &tag));
        assert!(!key.verify_tag("link", &[b"a", b"bc"], &tag));
        assert!(!key.verify_tag("file", &[b"ab", b"c"], &tag));
        assert!(!SecretKey::new([8; 32]).verify_tag("link", &[b"ab", b"c"], &tag));
        assert!(!key.verify_tag("link", &[b"ab", b"c"], &tag[..15]), "a shorter one proves less");
        assert!(!key.verify_tag("link", &[b"ab", b"c"], &[]));
        for bit in 0..TAG_LEN * 8 {
            let mut other = tag;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.verify_tag("link", &[b"ab", b"c"], &other), "bit {bit}");
        }
    }

    #[test]
    fn sealed_value_opens_only_with_its_purpose_context_and_key() {
        let (key, entropy) = (SecretKey::new([7; 32]), Entropy::from_seed(1));
        let sealed = key.encrypt_bytes(&entropy, "card", &[b"acme"], b"a key of theirs");
        assert_eq!(key.decrypt_bytes("card", &[b"acme"], &sealed).as_deref(), Some(b"a key of theirs".as_slice()));
        assert_ne!(sealed, key.encrypt_bytes(&entropy, "card", &[b"acme"], b"a key of theirs"), "never twice the same");
        assert!(!sealed.windows(5).any(|part| part == b"a key"));
        assert_eq!(key.decrypt_bytes("card", &[b"other"], &sealed), None);
        assert_eq!(key.decrypt_bytes("mail", &[b"acme"], &sealed), None);
        assert_eq!(SecretKey::new([8; 32]).decrypt_bytes("card", &[b"acme"], &sealed), None);
        assert_eq!(key.decrypt_bytes("card", &[b"acme"], &sealed[..11]), None);
        for bit in 0..sealed.len() * 8 {
            let mut other = sealed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key.decrypt_bytes("card", &[b"acme"], &other), None, "bit {bit}");
        }
    }

    #[test]
    fn old_key_still_verifies_and_opens_but_is_not_used_for_new_proofs() {
        let (before, entropy) = (SecretKey::new([7; 32]), Entropy::from_seed(1));
        let ring = SecretKey::new([8; 32]).with_old_keys([[7; 32]]);
        let (token, tag) = (before.issue_form_token("acme", at(0), true), before.mac_tag("link", &[b"a"]));
        let sealed = before.encrypt_bytes(&entropy, "card", &[b"acme"], b"theirs");
        assert_eq!(ring.verify_form_token("acme", &token).map(|opened| opened.at), Some(at(0)));
        assert!(ring.verify_tag("link", &[b"a"], &tag));
        assert_eq!(ring.decrypt_bytes("card", &[b"acme"], &sealed).as_deref(), Some(b"theirs".as_slice()));
        assert!(!ring.is_current("card", &[b"acme"], &sealed));
        assert!(ring.keyed_hashes("x", "y").contains(&before.keyed_hash("x", "y")));
        let (new_tag, new_sealed) =
            (ring.mac_tag("link", &[b"a"]), ring.encrypt_bytes(&entropy, "card", &[b"acme"], b"theirs"));
        assert!(!before.verify_tag("link", &[b"a"], &new_tag));
        assert_eq!(before.decrypt_bytes("card", &[b"acme"], &new_sealed), None);
        assert!(ring.is_current("card", &[b"acme"], &new_sealed));
        assert!(!ring.without_old_keys().verify_tag("link", &[b"a"], &tag));
    }

    #[test]
    fn old_keys_variable_takes_one_key_or_several() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two, three) = ("1".repeat(32), "2".repeat(32), format!("3,{}", "3".repeat(32)));
        let of = |key: &str, old: &str| {
            let mut vars = EnvVars::from_pairs([("SECRET_KEY", key), ("SECRET_KEY_OLD", old)]);
            let ring = SecretKey::from_vars(&mut vars, folder.path(), &Entropy::System);
            (ring, vars.into_result().is_ok())
        };
        for old in [one.clone(), format!("{two}, {one}"), three.clone()] {
            let wanted = if old == three { &three } else { &one };
            let tag = of(wanted, &one).0.mac_tag("x", &[]);
            let (ring, is_good) = of(&"9".repeat(32), &old);
            assert!(is_good && ring.verify_tag("x", &[], &tag), "{old}");
        }
        assert!(!of(&one, "short").1);
    }
}
