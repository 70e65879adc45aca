//! Re-encryption under the current key.
//!
//! A value whose key is lost can be marked as abandoned: no rotation waits for it any more, and it still opens for a
//! rotation that gets the lost key after all. Other readers fail on it as on any value under an unknown key.

use crate::{clock::Entropy, encryption, secret::SecretKey};

/// Prefix of an abandoned value. No encryption begins with it: text has a version, and bytes a random nonce.
const ABANDONED_PREFIX: &str = "abandoned:";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReencryptionCount {
    pub renewed: u64,
    /// Already under the current key.
    pub current: u64,
    /// Not decryptable by any key of the ring; left unchanged.
    pub lost: u64,
    /// The same, and marked: it must be entered again.
    pub abandoned: u64,
}

pub enum Reencryption<T> {
    Current,
    Reencrypted(T),
    Lost,
    /// Lost, with the marked value to store.
    NewlyAbandoned(T),
    Abandoned,
}

impl<T> Reencryption<T> {
    /// The value to store in place of the old one.
    #[must_use]
    pub fn into_new_value(self) -> Option<T> {
        match self {
            Self::Reencrypted(new) | Self::NewlyAbandoned(new) => Some(new),
            Self::Current | Self::Lost | Self::Abandoned => None,
        }
    }
}

impl ReencryptionCount {
    pub fn record_result<T>(&mut self, one: &Reencryption<T>) {
        match one {
            Reencryption::Current => self.current += 1,
            Reencryption::Reencrypted(_) => self.renewed += 1,
            Reencryption::Lost => self.lost += 1,
            Reencryption::NewlyAbandoned(_) | Reencryption::Abandoned => self.abandoned += 1,
        }
    }

    pub fn merge_from(&mut self, other: Self) {
        self.renewed += other.renewed;
        self.current += other.current;
        self.lost += other.lost;
        self.abandoned += other.abandoned;
    }
}

/// Renewal of values that a person can enter again.
#[derive(Clone, Copy, Debug)]
pub struct SecretRenewal<'a> {
    pub ring: &'a SecretKey,
    pub entropy: &'a Entropy,
    /// Marks what no key of the ring opens. Without it such a value counts as lost.
    pub abandons_lost: bool,
}

impl SecretRenewal<'_> {
    #[must_use]
    pub fn renew_bytes(&self, about: (&str, &[&[u8]]), sealed: &[u8]) -> Reencryption<Vec<u8>> {
        match reencrypt_bytes(self.ring, self.entropy, about, sealed) {
            Reencryption::Lost if self.abandons_lost => {
                Reencryption::NewlyAbandoned([ABANDONED_PREFIX.as_bytes(), sealed].concat())
            }
            renewed => renewed,
        }
    }

    #[must_use]
    pub fn renew_text(&self, about: (&str, &[&[u8]]), sealed: &str) -> Reencryption<String> {
        match reencrypt_text(self.ring, self.entropy, about, sealed) {
            Reencryption::Lost if self.abandons_lost => {
                Reencryption::NewlyAbandoned(format!("{ABANDONED_PREFIX}{sealed}"))
            }
            renewed => renewed,
        }
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
    let abandoned = sealed.strip_prefix(ABANDONED_PREFIX.as_bytes());
    match ring.decrypt_bytes(purpose, of, abandoned.unwrap_or(sealed)) {
        Some(plain) => Reencryption::Reencrypted(ring.encrypt_bytes(entropy, purpose, of, &plain)),
        None if abandoned.is_some() => Reencryption::Abandoned,
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
    let abandoned = sealed.strip_prefix(ABANDONED_PREFIX);
    match encryption::decrypt_secret(ring, purpose, of, abandoned.unwrap_or(sealed)) {
        Ok(plain) => Reencryption::Reencrypted(encryption::encrypt_secret(ring, entropy, purpose, of, &plain)),
        Err(_) if abandoned.is_some() => Reencryption::Abandoned,
        Err(_) => Reencryption::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: (&str, &[&[u8]]) = ("card", &[b"acme"]);

    fn count(renewed: &Reencryption<Vec<u8>>) -> ReencryptionCount {
        let mut count = ReencryptionCount::default();
        count.record_result(renewed);
        count
    }

    #[test]
    fn abandoned_value_is_not_lost_and_opens_once_its_key_is_found() {
        let (lost, now, entropy) = (SecretKey::new([7; 32]), SecretKey::new([8; 32]), Entropy::from_seed(1));
        let sealed = lost.encrypt_bytes(&entropy, ABOUT.0, ABOUT.1, b"theirs");
        let reports = SecretRenewal { ring: &now, entropy: &entropy, abandons_lost: false };
        assert_eq!(count(&reports.renew_bytes(ABOUT, &sealed)).lost, 1);
        let abandons = SecretRenewal { abandons_lost: true, ..reports };
        let marked = abandons.renew_bytes(ABOUT, &sealed).into_new_value().unwrap();
        assert_eq!(now.decrypt_bytes(ABOUT.0, ABOUT.1, &marked), None);
        for renewal in [reports, abandons] {
            let again = renewal.renew_bytes(ABOUT, &marked);
            assert_eq!((count(&again).lost, count(&again).abandoned), (0, 1));
            assert_eq!(again.into_new_value(), None, "marked once");
        }
        let ring = now.with_old_keys([[7; 32]]);
        let found = SecretRenewal { ring: &ring, ..reports }.renew_bytes(ABOUT, &marked).into_new_value().unwrap();
        assert_eq!(now.decrypt_bytes(ABOUT.0, ABOUT.1, &found).as_deref(), Some(b"theirs".as_slice()));
    }

    #[test]
    fn abandoned_text_is_marked_once_and_opens_once_its_key_is_found() {
        let (lost, now, entropy) = (SecretKey::new([7; 32]), SecretKey::new([8; 32]), Entropy::from_seed(1));
        let sealed = encryption::encrypt_secret(&lost, &entropy, ABOUT.0, ABOUT.1, &"theirs".to_owned().into());
        let abandons = SecretRenewal { ring: &now, entropy: &entropy, abandons_lost: true };
        let marked = abandons.renew_text(ABOUT, &sealed).into_new_value().unwrap();
        assert!(encryption::decrypt_secret(&lost, ABOUT.0, ABOUT.1, &marked).is_err());
        assert!(matches!(abandons.renew_text(ABOUT, &marked), Reencryption::Abandoned));
        let ring = now.with_old_keys([[7; 32]]);
        let found = SecretRenewal { ring: &ring, ..abandons }.renew_text(ABOUT, &marked).into_new_value().unwrap();
        assert!(encryption::decrypt_secret(&now, ABOUT.0, ABOUT.1, &found).is_ok());
    }
}
