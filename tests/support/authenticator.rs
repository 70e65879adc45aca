//! A software authenticator with one ES256 key, like a phone or a security key. It answers the calls of
//! `navigator.credentials`, and can misbehave on request.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Flags of the authenticator data (`WebAuthn`, Level 3, 6.1).
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const ATTESTED: u8 = 0x40;

#[derive(Debug)]
pub struct Authenticator {
    key: EcdsaKeyPair,
    id: Vec<u8>,
    user: Vec<u8>,
    /// Increases with each answer; zero stays zero, as with passkeys that are synchronised between devices.
    pub counter: u32,
    pub counts: bool,
    /// Whether it verifies its user, by a PIN or a finger.
    pub verifies: bool,
    /// The asking page's origin as the browser reports it.
    pub origin: String,
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn bytes(value: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(value.as_str().expect("base64url")).expect("base64url")
}

fn cbor_bytes(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    let head = match u8::try_from(length) {
        Ok(short) if short < 24 => vec![0x40 | short],
        Ok(short) => vec![0x58, short],
        Err(_) => [vec![0x59], u16::try_from(length).expect("a short text").to_be_bytes().to_vec()].concat(),
    };
    [head, bytes.to_vec()].concat()
}

impl Default for Authenticator {
    fn default() -> Self {
        Self::new()
    }
}

impl Authenticator {
    #[must_use]
    pub fn new() -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, made.as_ref(), &random).expect("a key");
        let id = Sha256::digest(key.public_key().as_ref()).to_vec();
        let origin = "https://toolbox.example".to_owned();
        Self { key, id, user: Vec::new(), counter: 0, counts: true, verifies: true, origin }
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
            .into_bytes()
    }

    fn data(&mut self, party: &str, flags: u8) -> Vec<u8> {
        if self.counts {
            self.counter += 1;
        }
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(party.as_bytes()).to_vec();
        data.push(PRESENT | verified | flags);
        data.extend_from_slice(&self.counter.to_be_bytes());
        data
    }

    /// `navigator.credentials.create` with these options, as the `toJSON` of its answer.
    pub fn create(&mut self, options: &Value) -> Value {
        self.user = bytes(&options["user"]["id"]);
        let party = options["rp"]["id"].as_str().expect("the party").to_owned();
        let point = self.key.public_key().as_ref().to_vec();
        let (x, y) = point[1..].split_at(32);
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y}: an EC2 key of ES256 on P-256 (RFC 9053).
        let cose =
            [&[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21][..], &cbor_bytes(x), &[0x22], &cbor_bytes(y)].concat();
        let length = u16::try_from(self.id.len()).expect("a short id").to_be_bytes();
        let mut data = self.data(&party, ATTESTED);
        data.extend([&[0; 16][..], &length, &self.id, &cose].concat());
        // {"fmt": "none", "attStmt": {}, "authData": data}
        let attestation = [b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData".as_slice(), &cbor_bytes(&data)].concat();
        let client = self.client_data("webauthn.create", &options["challenge"]);
        json!({
            "id": text(&self.id),
            "rawId": text(&self.id),
            "type": "public-key",
            "response": {"clientDataJSON": text(&client), "attestationObject": text(&attestation), "transports": ["internal"]},
            "clientExtensionResults": {"credProps": {"rk": true}},
        })
    }

    /// `navigator.credentials.get` with these options, as the `toJSON` of its answer.
    pub fn get(&mut self, options: &Value) -> Value {
        let party = options["rpId"].as_str().expect("the party").to_owned();
        let data = self.data(&party, 0);
        let client = self.client_data("webauthn.get", &options["challenge"]);
        let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).expect("a signature");
        json!({
            "id": text(&self.id),
            "rawId": text(&self.id),
            "type": "public-key",
            "response": {
                "clientDataJSON": text(&client),
                "authenticatorData": text(&data),
                "signature": text(signature.as_ref()),
                "userHandle": text(&self.user),
            },
            "clientExtensionResults": {},
        })
    }

    pub fn claims_to_be(&mut self, account: &[u8]) {
        account.clone_into(&mut self.user);
    }
}
