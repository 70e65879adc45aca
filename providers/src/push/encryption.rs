//! Encryption for one device: aes128gcm (RFC 8188) with the key agreement of Web Push (RFC 8291).

use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
    error::Unspecified,
    hkdf::{HKDF_SHA256, KeyType, Salt},
    rand::{SystemRandom, generate},
};

const KEY_LEN: usize = 16;
const NONCE_LEN: usize = 12;
const SALT_LEN: usize = 16;
/// One record holds every payload (`payload::MOST_BYTES`).
const RECORD_SIZE: u32 = 4_096;
/// Ends the payload of the last record; zeros may follow.
const LAST_RECORD: u8 = 2;
/// The length of the message reveals no more than the number of such blocks.
const PADDING_BLOCK: usize = 128;

/// `device_point` and `auth_secret` are `p256dh` and `auth` of the subscription. Errors: the point is not on the curve.
pub(super) fn encrypt_payload(device_point: &[u8], auth_secret: &[u8], payload: &[u8]) -> Result<Vec<u8>, Unspecified> {
    let random = SystemRandom::new();
    let private = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let public = private.compute_public_key()?;
    let salt: [u8; SALT_LEN] = generate(&random)?.expose();
    let device = UnparsedPublicKey::new(&ECDH_P256, device_point);
    let points = [device_point, public.as_ref()];
    let keys = agree_ephemeral(private, &device, |agreed| derive_keys(agreed, auth_secret, points, &salt))?;
    let (key, nonce) = keys?;

    let mut record = payload.to_vec();
    record.push(LAST_RECORD);
    record.resize(record.len().next_multiple_of(PADDING_BLOCK), 0);
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)?;

    let point_len = u8::try_from(public.as_ref().len()).map_err(|_| Unspecified)?;
    Ok([&salt[..], &RECORD_SIZE.to_be_bytes(), &[point_len], public.as_ref(), &record].concat())
}

/// RFC 8291 §3.4. `points`: of the device and of the sender.
fn derive_keys(
    agreed: &[u8],
    auth_secret: &[u8],
    points: [&[u8]; 2],
    salt: &[u8],
) -> Result<([u8; KEY_LEN], [u8; NONCE_LEN]), Unspecified> {
    let mut input = [0; 32];
    let info = [&b"WebPush: info\0"[..], points[0], points[1]];
    Salt::new(HKDF_SHA256, auth_secret).extract(agreed).expand(&info, HKDF_SHA256)?.fill(&mut input)?;
    let derived = Salt::new(HKDF_SHA256, salt).extract(&input);
    let (mut key, mut nonce) = ([0; KEY_LEN], [0; NONCE_LEN]);
    derived.expand(&[b"Content-Encoding: aes128gcm\0"], OutputLen(KEY_LEN))?.fill(&mut key)?;
    derived.expand(&[b"Content-Encoding: nonce\0"], OutputLen(NONCE_LEN))?.fill(&mut nonce)?;
    Ok((key, nonce))
}

struct OutputLen(usize);

impl KeyType for OutputLen {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;

    /// RFC 8291 §5 and appendix A.
    #[test]
    fn derived_keys_match_rfc_8291_example() {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let device = bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4");
        let sender = bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let agreed = bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let (auth, salt) = (bytes("BTBZMqHH6r4Tts7J_aSIgg"), bytes("DGv6ra1nlYgDCS1FRnbzlw"));
        let (key, nonce) = derive_keys(&agreed, &auth, [&device, &sender], &salt).unwrap();
        assert_eq!(
            (URL_SAFE_NO_PAD.encode(key), URL_SAFE_NO_PAD.encode(nonce)),
            ("oIhVW04MRdy2XN9CiKLxTg".to_owned(), "4h_95klXJ5E_qnoN".to_owned())
        );
    }

    #[test]
    fn message_length_reveals_only_the_number_of_blocks() {
        let device = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()).unwrap();
        let point = device.compute_public_key().unwrap();
        let len = |payload: &[u8]| encrypt_payload(point.as_ref(), &[0; 16], payload).unwrap().len();
        assert_eq!(len(b"a"), len(&[b'a'; 127]));
        assert_eq!(len(&[b'a'; 127]) + PADDING_BLOCK, len(&[b'a'; 128]));
        assert!(len(&[b'a'; 3_000]) < 4_096);
    }
}
