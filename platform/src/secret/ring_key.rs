//! One key of the ring: what it signs, hashes and encrypts.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use secrecy::{ExposeSecret, SecretBox};
use sha2::{Digest, Sha256};

use crate::clock::Entropy;

/// In bytes.
pub const TAG_LEN: usize = 16;
pub(super) const KEY_LEN: usize = 32;

pub(super) type KeyBytes = [u8; KEY_LEN];

/// 32 bytes, exposed outside this type only encrypted.
#[derive(Clone, Debug)]
pub(super) struct RingKey(Arc<SecretBox<KeyBytes>>);

impl RingKey {
    pub(super) fn from_bytes(key: KeyBytes) -> Self {
        Self(Arc::new(SecretBox::new(Box::new(key))))
    }

    pub(super) fn expose_bytes(&self) -> &KeyBytes {
        self.0.expose_secret()
    }

    pub(super) fn start_mac(&self, purpose: &str, parts: &[&[u8]]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret()).expect("HMAC takes any key");
        for part in [purpose.as_bytes()].iter().chain(parts) {
            // The length prefix distinguishes ("ab","c") from ("a","bc").
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }

    pub(super) fn keyed_hash(&self, purpose: &str, value: &str) -> Vec<u8> {
        self.start_mac(purpose, &[value.as_bytes()]).finalize().into_bytes().to_vec()
    }

    pub(super) fn key_name(&self) -> String {
        let tag = self.mac_tag("key name", &[]);
        tag.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }

    pub(super) fn mac_tag(&self, purpose: &str, parts: &[&[u8]]) -> [u8; TAG_LEN] {
        let whole: [u8; 32] = self.start_mac(purpose, parts).finalize().into_bytes().into();
        std::array::from_fn(|i| whole[i])
    }

    pub(super) fn verify_tag(&self, purpose: &str, parts: &[&[u8]], tag: &[u8]) -> bool {
        tag.len() == TAG_LEN && self.start_mac(purpose, parts).verify_truncated_left(tag).is_ok()
    }

    pub(super) fn encrypt_bytes(&self, entropy: &Entropy, purpose: &str, parts: &[&[u8]], bytes: &[u8]) -> Vec<u8> {
        let nonce = entropy.random_bytes::<NONCE_LEN>();
        let mut sealed = bytes.to_vec();
        let about = Aad::from(self.mac_tag(purpose, parts));
        #[expect(clippy::expect_used, reason = "fails only beyond 64 GB")]
        self.derive_cipher()
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut sealed)
            .expect("what is sealed is short");
        [nonce.as_slice(), &sealed].concat()
    }

    pub(super) fn decrypt_bytes(&self, purpose: &str, parts: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let about = Aad::from(self.mac_tag(purpose, parts));
        let mut rest = rest.to_vec();
        let opened = self.derive_cipher().open_in_place(Nonce::assume_unique_for_key(*nonce), about, &mut rest).ok()?;
        Some(opened.to_vec())
    }

    /// Key for encryption only: one key must not serve two algorithms.
    fn derive_cipher(&self) -> LessSafeKey {
        let key: [u8; 32] = self.start_mac("sealing key", &[]).finalize().into_bytes().into();
        #[expect(clippy::expect_used, reason = "AES-256 takes any 32 bytes")]
        LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).expect("a key of 32 bytes"))
    }
}

pub(super) fn hash_to_key(text: &str) -> RingKey {
    RingKey::from_bytes(Sha256::digest(text.as_bytes()).into())
}
