//! The install's secret: signs form tokens and addresses, seals keys of other services, blurs network addresses. From
//! `SECRET_KEY`, or made at first start.
//!
//! It is a ring: the first key makes, all of them read. The others come from `SECRET_KEY_OLD` and from `secret.key.old`
//! ([`crate::ops::key_rotation`] rotates).

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use secrecy::{ExposeSecret, SecretBox};
use sha2::{Digest, Sha256};

use crate::platform::{clock::Entropy, config::Vars, private_file};

const FILE: &str = "secret.key";
/// The keys that were in force before the one in [`FILE`], the newest first, 32 bytes each.
pub const OLD_FILE: &str = "secret.key.old";
/// The length of a tag, in bytes.
pub const TAG: usize = 16;
const LENGTH: usize = 32;
/// Shorter texts are no secrets.
const SHORTEST: usize = 32;

type Bytes = [u8; LENGTH];

/// One key: 32 bytes that leave this type only sealed.
#[derive(Clone, Debug)]
struct Key(Arc<SecretBox<Bytes>>);

/// The keys of an install, the one in force first. Clones share them.
#[derive(Clone, Debug)]
pub struct SecretKey {
    ring: Arc<RwLock<Ring>>,
    /// The data folder, where the key in force is the generated one: another process may replace it.
    folder: Option<Arc<PathBuf>>,
}

#[derive(Clone, Debug)]
struct Ring {
    keys: Vec<Key>,
    /// Keys from the environment: a new look at the files keeps them.
    fixed: Vec<Key>,
    seen: Option<Mark>,
}

/// By which a file that was replaced is known.
type Mark = (std::time::SystemTime, u64);

impl SecretKey {
    /// Reads `SECRET_KEY` (any text of at least 32 characters), else the file in the data folder, else makes that file
    /// with mode 0600. Two processes that start together agree: the file is put in place by a link that fails when it
    /// already stands there. Keys of `SECRET_KEY_OLD` and former generated keys open what was made with them.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path, entropy: &Entropy) -> Self {
        let old = old_keys(vars);
        match vars.get("SECRET_KEY") {
            Some(text) if text.len() < SHORTEST => vars.fault("SECRET_KEY", "must have at least 32 characters"),
            Some(text) => {
                let generated = read_generated(data_dir).unwrap_or_default();
                return Self::of([vec![hashed(&text)], old, generated].concat());
            }
            None => match read_or_make(data_dir, entropy) {
                Ok(_) => match Self::generated(data_dir, old) {
                    Ok(ring) => return ring,
                    Err(e) => vars.fault("DATA_DIR", format!("cannot hold the generated secret key: {e}")),
                },
                Err(e) => vars.fault("DATA_DIR", format!("cannot hold the generated secret key: {e}")),
            },
        }
        Self::new([0; LENGTH])
    }

    #[must_use]
    pub fn new(key: Bytes) -> Self {
        Self::of(vec![Key::new(key)])
    }

    /// The same with keys that were in force before: they open and prove, and make nothing.
    #[must_use]
    pub fn with_old(&self, old: impl IntoIterator<Item = Bytes>) -> Self {
        let mut keys = self.keys();
        keys.extend(old.into_iter().map(Key::new));
        Self::of(keys)
    }

    fn of(keys: Vec<Key>) -> Self {
        Self { ring: Arc::new(RwLock::new(Ring { keys: distinct(keys), fixed: Vec::new(), seen: None })), folder: None }
    }

    /// The generated key in force, those before it, and those that the environment names.
    fn generated(data_dir: &Path, fixed: Vec<Key>) -> io::Result<Self> {
        let seen = mark(data_dir);
        let keys = distinct([read_generated(data_dir)?, fixed.clone()].concat());
        let ring = Ring { keys, fixed, seen };
        Ok(Self { ring: Arc::new(RwLock::new(ring)), folder: Some(Arc::new(data_dir.to_path_buf())) })
    }

    /// Looks whether another process has replaced the generated key. Whether it has.
    fn refresh(&self) -> bool {
        let Some(folder) = &self.folder else { return false };
        let now = mark(folder);
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        if now.is_none() || now == ring.seen {
            return false;
        }
        match read_generated(folder) {
            Ok(keys) if !keys.is_empty() => {
                // What this process knows it goes on knowing: its sessions of work may hold what an older key made.
                ring.keys = distinct([keys, ring.fixed.clone(), ring.keys.clone()].concat());
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

    fn keys(&self) -> Vec<Key> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).keys.clone()
    }

    fn current(&self) -> Key {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        ring.keys.first().cloned().unwrap_or_else(|| Key::new([0; LENGTH]))
    }

    /// What the first key that knows an answer says; the files are looked at again before nobody does.
    fn first<T>(&self, asked: impl Fn(&Key) -> Option<T>) -> Option<T> {
        let answer = self.keys().iter().find_map(&asked);
        if answer.is_some() || !self.refresh() {
            return answer;
        }
        self.keys().iter().find_map(asked)
    }

    /// A keyed hash: the same value gives the same bytes, and without the key they cannot be guessed back.
    #[must_use]
    pub fn blur(&self, purpose: &str, value: &str) -> Vec<u8> {
        self.current().blur(purpose, value)
    }

    /// The same under every key there is, the one in force first: what was kept under an older one is found too.
    #[must_use]
    pub fn blurs(&self, purpose: &str, value: &str) -> Vec<Vec<u8>> {
        self.refresh();
        self.keys().iter().map(|key| key.blur(purpose, value)).collect()
    }

    /// Proof that we made what `parts` say: 128 bits that nobody finds without the key.
    #[must_use]
    pub fn tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; TAG] {
        self.current().tag(purpose, parts)
    }

    /// The same under every key there is, the one in force first.
    #[must_use]
    pub fn tags(&self, purpose: &str, parts: &[&[u8]]) -> Vec<[u8; TAG]> {
        self.refresh();
        self.keys().iter().map(|key| key.tag(purpose, parts)).collect()
    }

    /// Whether `tag` is [`SecretKey::tag`] of the same, by any key of the ring. Takes as long for a wrong one as for a
    /// right one of the oldest key.
    #[must_use]
    pub fn is_tag(&self, purpose: &str, parts: &[&[u8]], tag: &[u8]) -> bool {
        self.first(|key| key.is_tag(purpose, parts, tag).then_some(())).is_some()
    }

    /// Encrypts `bytes` so that only [`SecretKey::open`] with the same purpose and parts reads them again.
    ///
    /// # Panics
    /// Beyond 64 GB.
    #[must_use]
    pub fn seal(&self, entropy: &Entropy, purpose: &str, parts: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
        self.refresh();
        self.current().seal(entropy, purpose, parts, bytes)
    }

    /// What was sealed; none when it was altered, sealed for something else, or with a key that is not on the ring.
    #[must_use]
    pub fn open(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        self.first(|key| key.open(purpose, parts, sealed))
    }

    /// Whether the key in force alone opens it: then no rotation is due.
    #[must_use]
    pub fn is_current(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> bool {
        self.current().open(purpose, parts, sealed).is_some()
    }

    /// Whether what is sealed now can be opened again, for what it was sealed for and for nothing else.
    #[must_use]
    pub fn seals(&self, entropy: &Entropy) -> bool {
        const WORDS: &[u8] = b"sealed and opened";
        let sealed = self.seal(entropy, "check", &[], WORDS);
        self.open("check", &[], &sealed).as_deref() == Some(WORDS) && self.open("other", &[], &sealed).is_none()
    }

    /// A token that says when this org's form was handed out.
    #[must_use]
    pub fn form_token(&self, org: &str, now: DateTime<Utc>) -> String {
        let at = now.timestamp_millis();
        let mac = self.current().mac("form", &[org.as_bytes(), &at.to_le_bytes()]).finalize().into_bytes();
        format!("{at}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// When the form was handed out, if the token is ours and for this org.
    #[must_use]
    pub fn form_opened(&self, org: &str, token: &str) -> Option<DateTime<Utc>> {
        let (at, mac) = token.split_once('.')?;
        let at: i64 = at.parse().ok()?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok()?;
        let parts: [&[u8]; 2] = [org.as_bytes(), &at.to_le_bytes()];
        self.first(|key| key.mac("form", &parts).verify_slice(&mac).ok())?;
        DateTime::from_timestamp_millis(at)
    }

    /// The keys that are not in force, each with a name from which nobody finds it.
    pub(crate) fn old(&self) -> Vec<(String, Bytes)> {
        self.keys().iter().skip(1).map(|key| (key.name(), *key.0.expose_secret())).collect()
    }

    /// Whether keys of before are on the ring.
    #[must_use]
    pub fn has_old(&self) -> bool {
        self.keys().len() > 1
    }

    /// The name of the key in force.
    #[must_use]
    pub fn name(&self) -> String {
        self.current().name()
    }

    /// The ring without its old keys: what it does not read any more needs them.
    pub(crate) fn alone(&self) -> Self {
        Self::of(vec![self.current()])
    }
}

impl Key {
    fn new(key: Bytes) -> Self {
        Self(Arc::new(SecretBox::new(Box::new(key))))
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

    fn blur(&self, purpose: &str, value: &str) -> Vec<u8> {
        self.mac(purpose, &[value.as_bytes()]).finalize().into_bytes().to_vec()
    }

    fn name(&self) -> String {
        let tag = self.tag("key name", &[]);
        tag.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }

    fn tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; TAG] {
        let whole: [u8; 32] = self.mac(purpose, parts).finalize().into_bytes().into();
        std::array::from_fn(|i| whole[i])
    }

    fn is_tag(&self, purpose: &str, parts: &[&[u8]], tag: &[u8]) -> bool {
        tag.len() == TAG && self.mac(purpose, parts).verify_truncated_left(tag).is_ok()
    }

    fn seal(&self, entropy: &Entropy, purpose: &str, parts: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
        let nonce = entropy.bytes::<NONCE_LEN>();
        let mut sealed = bytes.to_vec();
        let about = Aad::from(self.tag(purpose, parts));
        #[expect(clippy::expect_used, reason = "fails only beyond 64 GB")]
        self.sealer()
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut sealed)
            .expect("what is sealed is short");
        [nonce.as_slice(), &sealed].concat()
    }

    fn open(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let about = Aad::from(self.tag(purpose, parts));
        let mut rest = rest.to_vec();
        let opened = self.sealer().open_in_place(Nonce::assume_unique_for_key(*nonce), about, &mut rest).ok()?;
        Some(opened.to_vec())
    }

    /// A key for sealing only: the same bytes must not serve two algorithms.
    fn sealer(&self) -> LessSafeKey {
        let key: [u8; 32] = self.mac("sealing key", &[]).finalize().into_bytes().into();
        #[expect(clippy::expect_used, reason = "AES-256 takes any 32 bytes")]
        LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).expect("a key of 32 bytes"))
    }
}

fn hashed(text: &str) -> Key {
    Key::new(Sha256::digest(text.as_bytes()).into())
}

fn distinct(keys: Vec<Key>) -> Vec<Key> {
    let mut kept: Vec<Key> = Vec::with_capacity(keys.len());
    for key in keys {
        if !kept.iter().any(|there| there.0.expose_secret() == key.0.expose_secret()) {
            kept.push(key);
        }
    }
    kept
}

/// `SECRET_KEY_OLD`: one key or several, parted by commas. A key may hold commas itself, so the whole is tried too.
fn old_keys(vars: &mut Vars) -> Vec<Key> {
    let Some(given) = vars.get("SECRET_KEY_OLD") else { return Vec::new() };
    let whole = std::iter::once(given.as_str());
    let parts = given.split(',').map(str::trim).filter(|_| given.contains(','));
    let keys: Vec<Key> = whole.chain(parts).filter(|text| text.len() >= SHORTEST).map(hashed).collect();
    if keys.is_empty() {
        vars.fault("SECRET_KEY_OLD", "must hold keys of at least 32 characters, parted by commas");
    }
    keys
}

/// Where the generated key lies, if `SECRET_KEY` is not set.
#[must_use]
pub fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

fn mark(data_dir: &Path) -> Option<Mark> {
    let found = std::fs::metadata(file(data_dir)).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok()?, number))
}

/// The generated key, and those that were generated before it; none where there is none. The one in force is read first:
/// whoever replaces it has written it among the old ones before.
fn read_generated(data_dir: &Path) -> io::Result<Vec<Key>> {
    let mut keys = Vec::new();
    for name in [FILE, OLD_FILE] {
        match std::fs::read(data_dir.join(name)) {
            Ok(bytes) => keys.extend(split(&bytes)?.into_iter().map(Key::new)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
    }
    Ok(keys)
}

/// The keys that a file holds.
pub(crate) fn split(bytes: &[u8]) -> io::Result<Vec<Bytes>> {
    let (keys, rest) = bytes.as_chunks::<LENGTH>();
    if keys.is_empty() || !rest.is_empty() {
        return Err(io::Error::other("a secret key file has the wrong length"));
    }
    Ok(keys.to_vec())
}

/// Puts a new generated key in the place of the one in force, which stays among the old ones. Processes at work take it up
/// by themselves.
///
/// # Errors
/// When there is no generated key, or the files cannot be written.
pub fn replace_generated(data_dir: &Path, entropy: &Entropy) -> io::Result<SecretKey> {
    let old: Vec<u8> = read_generated(data_dir)?.iter().flat_map(|key| *key.0.expose_secret()).collect();
    if old.is_empty() {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    private_file::put(data_dir, OLD_FILE, &old, entropy)?;
    private_file::put(data_dir, FILE, &entropy.bytes::<LENGTH>(), entropy)?;
    SecretKey::generated(data_dir, Vec::new())
}

/// Removes the old generated keys. Whether there were any.
///
/// # Errors
/// When the file cannot be removed.
pub fn forget_generated(data_dir: &Path) -> io::Result<bool> {
    match std::fs::remove_file(data_dir.join(OLD_FILE)) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

fn read_or_make(data_dir: &Path, entropy: &Entropy) -> io::Result<Bytes> {
    let bytes = private_file::read_or_make(data_dir, FILE, entropy, || entropy.bytes::<LENGTH>().to_vec())?;
    bytes.try_into().map_err(|_| io::Error::other("the secret key file has the wrong length"))
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

    #[test]
    fn what_an_old_key_made_stays_good_and_nothing_new_is_made_with_it() {
        let (before, entropy) = (SecretKey::new([7; 32]), Entropy::seeded(1));
        let ring = SecretKey::new([8; 32]).with_old([[7; 32]]);
        let (token, tag) = (before.form_token("acme", at(0)), before.tag("link", &[b"a"]));
        let sealed = before.seal(&entropy, "card", &[b"acme"], b"theirs");
        assert_eq!(ring.form_opened("acme", &token), Some(at(0)));
        assert!(ring.is_tag("link", &[b"a"], &tag));
        assert_eq!(ring.open("card", &[b"acme"], &sealed).as_deref(), Some(b"theirs".as_slice()));
        assert!(!ring.is_current("card", &[b"acme"], &sealed));
        assert!(ring.blurs("x", "y").contains(&before.blur("x", "y")));
        let (new_tag, new_sealed) = (ring.tag("link", &[b"a"]), ring.seal(&entropy, "card", &[b"acme"], b"theirs"));
        assert!(!before.is_tag("link", &[b"a"], &new_tag));
        assert_eq!(before.open("card", &[b"acme"], &new_sealed), None);
        assert!(ring.is_current("card", &[b"acme"], &new_sealed));
        assert!(!ring.alone().is_tag("link", &[b"a"], &tag));
    }

    #[test]
    fn a_generated_key_that_another_process_replaces_is_taken_up_while_this_one_works() {
        let (folder, entropy) = (tempfile::tempdir().unwrap(), Entropy::System);
        let mut vars = Vars::from_pairs::<&str, &str>([]);
        let at_work = SecretKey::from_vars(&mut vars, folder.path(), &entropy);
        let (tag, name) = (at_work.tag("link", &[b"a"]), at_work.name());
        let idle = SecretKey::from_vars(&mut vars, folder.path(), &entropy);
        let replaced = replace_generated(folder.path(), &entropy).unwrap();
        assert_ne!(replaced.name(), name);
        assert!(idle.blurs("x", "y").contains(&replaced.blur("x", "y")), "proofs of the other process are known");
        let sealed = replaced.seal(&entropy, "card", &[], b"new");
        assert_eq!(at_work.open("card", &[], &sealed).as_deref(), Some(b"new".as_slice()));
        assert_eq!(at_work.name(), replaced.name());
        for ring in [&at_work, &replaced, &SecretKey::from_vars(&mut vars, folder.path(), &entropy)] {
            assert!(ring.is_tag("link", &[b"a"], &tag), "links of before stay good");
        }
        let twice = replace_generated(folder.path(), &entropy).unwrap();
        assert!(twice.is_tag("link", &[b"a"], &tag));
        assert!(forget_generated(folder.path()).unwrap());
        assert!(!SecretKey::from_vars(&mut vars, folder.path(), &entropy).is_tag("link", &[b"a"], &tag));
    }

    #[test]
    fn old_keys_are_read_from_the_environment_one_or_several() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two, three) = ("1".repeat(32), "2".repeat(32), format!("3,{}", "3".repeat(32)));
        let of = |key: &str, old: &str| {
            let mut vars = Vars::from_pairs([("SECRET_KEY", key), ("SECRET_KEY_OLD", old)]);
            let ring = SecretKey::from_vars(&mut vars, folder.path(), &Entropy::System);
            (ring, vars.finish().is_ok())
        };
        for old in [one.clone(), format!("{two}, {one}"), three.clone()] {
            let wanted = if old == three { &three } else { &one };
            let tag = of(wanted, &one).0.tag("x", &[]);
            let (ring, is_good) = of(&"9".repeat(32), &old);
            assert!(is_good && ring.is_tag("x", &[], &tag), "{old}");
        }
        assert!(!of(&one, "short").1);
    }
}
