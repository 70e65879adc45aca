//! What was encrypted under an old key, encrypted anew under the key in force.

use crate::platform::{clock::Entropy, encryption, secret::SecretKey};

/// What became of one kind of sealed things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Sealed anew.
    pub renewed: u64,
    /// Sealed with the key in force before.
    pub current: u64,
    /// No key of the ring opens it. It stays as it is.
    pub lost: u64,
}

/// One sealed thing under the key in force.
pub enum Renewed<T> {
    Current,
    Anew(T),
    Lost,
}

impl Count {
    pub fn add<T>(&mut self, one: &Renewed<T>) {
        match one {
            Renewed::Current => self.current += 1,
            Renewed::Anew(_) => self.renewed += 1,
            Renewed::Lost => self.lost += 1,
        }
    }

    pub fn and(&mut self, other: Self) {
        self.renewed += other.renewed;
        self.current += other.current;
        self.lost += other.lost;
    }
}

/// Bytes that were sealed, under the key in force.
#[must_use]
pub fn renew(ring: &SecretKey, entropy: &Entropy, about: (&str, &[&[u8]]), sealed: &[u8]) -> Renewed<Vec<u8>> {
    let (purpose, of) = about;
    if ring.is_current(purpose, of, sealed) {
        return Renewed::Current;
    }
    match ring.open(purpose, of, sealed) {
        Some(plain) => Renewed::Anew(ring.seal(entropy, purpose, of, &plain)),
        None => Renewed::Lost,
    }
}

/// The same for what stands as text.
#[must_use]
pub fn renew_text(ring: &SecretKey, entropy: &Entropy, about: (&str, &[&[u8]]), sealed: &str) -> Renewed<String> {
    let (purpose, of) = about;
    if encryption::open(&ring.alone(), purpose, of, sealed).is_ok() {
        return Renewed::Current;
    }
    match encryption::open(ring, purpose, of, sealed) {
        Ok(plain) => Renewed::Anew(encryption::seal(ring, entropy, purpose, of, &plain)),
        Err(_) => Renewed::Lost,
    }
}
