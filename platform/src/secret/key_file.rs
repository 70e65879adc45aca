//! Files of the generated key and of its predecessors in the data folder.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    SecretKey,
    ring_key::{KEY_LEN, KeyBytes, RingKey},
};
use crate::{clock::Entropy, private_file};

const KEY_FILE: &str = "secret.key";
/// Retired keys of `KEY_FILE`, newest first, 32 bytes each.
pub const OLD_KEY_FILE: &str = "secret.key.old";

/// Modification time and size, to detect a replaced file.
pub(super) type FileStamp = (std::time::SystemTime, u64);

/// Path of the generated key, used when `SECRET_KEY` is not set.
#[must_use]
pub fn key_file_path(data_dir: &Path) -> PathBuf {
    data_dir.join(KEY_FILE)
}

pub(super) fn read_file_stamp(data_dir: &Path) -> Option<FileStamp> {
    let found = std::fs::metadata(key_file_path(data_dir)).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok()?, number))
}

/// The generated key and its predecessors; empty when there is none. The current one is read first: a replacement
/// writes it to the old keys beforehand, so no key is missed.
pub(super) fn read_generated(data_dir: &Path) -> io::Result<Vec<RingKey>> {
    let mut keys = Vec::new();
    for name in [KEY_FILE, OLD_KEY_FILE] {
        match std::fs::read(data_dir.join(name)) {
            Ok(bytes) => keys.extend(split_keys(&bytes)?.into_iter().map(RingKey::from_bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
    }
    Ok(keys)
}

fn split_keys(bytes: &[u8]) -> io::Result<Vec<KeyBytes>> {
    let (keys, rest) = bytes.as_chunks::<KEY_LEN>();
    if keys.is_empty() || !rest.is_empty() {
        return Err(io::Error::other("a secret key file has the wrong length"));
    }
    Ok(keys.to_vec())
}

/// Replaces the generated key, which moves to the old ones. Running processes pick it up by themselves. Errors: when
/// there is no generated key, or the files cannot be written.
pub fn replace_generated(data_dir: &Path, entropy: &Entropy) -> io::Result<SecretKey> {
    let old: Vec<u8> = read_generated(data_dir)?.iter().flat_map(|key| *key.expose_bytes()).collect();
    if old.is_empty() {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    }
    private_file::write_atomic(data_dir, OLD_KEY_FILE, &old, entropy)?;
    private_file::write_atomic(data_dir, KEY_FILE, &entropy.random_bytes::<KEY_LEN>(), entropy)?;
    SecretKey::load_generated(data_dir, Vec::new())
}

/// Removes the old generated keys, also those in drafts of their file. Returns whether there were any.
pub fn delete_old_generated(data_dir: &Path) -> io::Result<bool> {
    let had_drafts = private_file::delete_leftover_drafts(data_dir, OLD_KEY_FILE)?;
    match std::fs::remove_file(data_dir.join(OLD_KEY_FILE)) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(had_drafts),
        Err(e) => Err(e),
    }
}

pub(super) fn load_or_create(data_dir: &Path, entropy: &Entropy) -> io::Result<KeyBytes> {
    let bytes =
        private_file::read_or_create(data_dir, KEY_FILE, entropy, || entropy.random_bytes::<KEY_LEN>().to_vec())?;
    bytes.try_into().map_err(|_| io::Error::other("the secret key file has the wrong length"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EnvVars;

    #[test]
    fn generated_key_is_stable_and_its_file_is_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let first = load_or_create(folder.path(), &Entropy::System).unwrap();
        assert_eq!(first, load_or_create(folder.path(), &Entropy::System).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(KEY_FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn failed_replacement_leaves_no_draft_and_killed_one_is_removed_with_old_keys() {
        let (folder, entropy) = (tempfile::tempdir().unwrap(), Entropy::System);
        load_or_create(folder.path(), &entropy).unwrap();
        let list = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        // No file can take the name of a folder.
        std::fs::create_dir(folder.path().join(OLD_KEY_FILE)).unwrap();
        let bytes = [1_u8; KEY_LEN];
        private_file::write_atomic(folder.path(), OLD_KEY_FILE, &bytes, &entropy).unwrap_err();
        assert_eq!(list(), [KEY_FILE, OLD_KEY_FILE]);
        std::fs::remove_dir(folder.path().join(OLD_KEY_FILE)).unwrap();
        for name in ["secret.key.old.7.0123456789abcdef", "secret.key.old.replaced-20260101T000000Z"] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        assert!(delete_old_generated(folder.path()).unwrap());
        assert_eq!(list(), [KEY_FILE, "secret.key.old.replaced-20260101T000000Z"]);
        assert!(!delete_old_generated(folder.path()).unwrap());
    }

    #[test]
    fn generated_key_replaced_by_other_process_is_picked_up_while_running() {
        let (folder, entropy) = (tempfile::tempdir().unwrap(), Entropy::System);
        let mut vars = EnvVars::from_pairs::<&str, &str>([]);
        let at_work = SecretKey::from_vars(&mut vars, folder.path(), &entropy);
        let (tag, name) = (at_work.mac_tag("link", &[b"a"]), at_work.name());
        let idle = SecretKey::from_vars(&mut vars, folder.path(), &entropy);
        let replaced = replace_generated(folder.path(), &entropy).unwrap();
        assert_ne!(replaced.name(), name);
        assert!(
            idle.keyed_hashes("x", "y").contains(&replaced.keyed_hash("x", "y")),
            "proofs of the other process are known"
        );
        let sealed = replaced.encrypt_bytes(&entropy, "card", &[], b"new");
        assert_eq!(at_work.decrypt_bytes("card", &[], &sealed).as_deref(), Some(b"new".as_slice()));
        assert_eq!(at_work.name(), replaced.name());
        for ring in [&at_work, &replaced, &SecretKey::from_vars(&mut vars, folder.path(), &entropy)] {
            assert!(ring.verify_tag("link", &[b"a"], &tag), "links of before stay good");
        }
        let twice = replace_generated(folder.path(), &entropy).unwrap();
        assert!(twice.verify_tag("link", &[b"a"], &tag));
        assert!(delete_old_generated(folder.path()).unwrap());
        assert!(!SecretKey::from_vars(&mut vars, folder.path(), &entropy).verify_tag("link", &[b"a"], &tag));
    }
}
