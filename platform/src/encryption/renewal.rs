//! Re-encryption under the current key.

use crate::{clock::Entropy, encryption, secret::SecretKey};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReencryptionCount {
    pub renewed: u64,
    /// Already under the current key.
    pub current: u64,
    /// Not decryptable by any key of the ring; left unchanged.
    pub lost: u64,
}

pub enum Reencryption<T> {
    Current,
    Reencrypted(T),
    Lost,
}

impl ReencryptionCount {
    pub fn record_result<T>(&mut self, one: &Reencryption<T>) {
        match one {
            Reencryption::Current => self.current += 1,
            Reencryption::Reencrypted(_) => self.renewed += 1,
            Reencryption::Lost => self.lost += 1,
        }
    }

    pub fn merge_from(&mut self, other: Self) {
        self.renewed += other.renewed;
        self.current += other.current;
        self.lost += other.lost;
    }
}

#[must_use]
pub fn reencrypt_bytes(
    ring: &SecretKey,
    entropy: &Entropy,
    about: (&str, &[&[u8]]),
    sealed: &[u8],
) -> Reencryption<Vec<u8>> {
    let (purpose, of) = about;
    if ring.is_current(purpose, of, sealed) {
        return Reencryption::Current;
    }
    match ring.decrypt_bytes(purpose, of, sealed) {
        Some(plain) => Reencryption::Reencrypted(ring.encrypt_bytes(entropy, purpose, of, &plain)),
        None => Reencryption::Lost,
    }
}

#[must_use]
pub fn reencrypt_text(
    ring: &SecretKey,
    entropy: &Entropy,
    about: (&str, &[&[u8]]),
    sealed: &str,
) -> Reencryption<String> {
    let (purpose, of) = about;
    if encryption::decrypt_secret(&ring.without_old_keys(), purpose, of, sealed).is_ok() {
        return Reencryption::Current;
    }
    match encryption::decrypt_secret(ring, purpose, of, sealed) {
        Ok(plain) => Reencryption::Reencrypted(encryption::encrypt_secret(ring, entropy, purpose, of, &plain)),
        Err(_) => Reencryption::Lost,
    }
}
