//! Signed file addresses: they open without a session for a quarter of an hour, for another app or a messenger.
//!
//! The address holds file, variant and expiry under a keyed hash, so it cannot be extended or redirected. The expiry is
//! rounded, so that a file keeps its address for five minutes.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    id::{FileId, OrgId},
    secret::{SecretKey, TAG_LEN},
};

/// In minutes: longest life of an address, and rounding of its expiry.
const LIFE: i64 = 15;
const STEP: i64 = 5;
/// Org, file, variant, minute of expiry.
const BODY: usize = 16 + 16 + 1 + 4;

/// What of a file is served, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileVariant {
    #[default]
    Full,
    Thumb,
    /// The whole file, to be kept and not shown.
    Download,
}

impl FileVariant {
    const ALL: [Self; 3] = [Self::Full, Self::Thumb, Self::Download];

    fn to_code(self) -> u8 {
        match self {
            Self::Full => 0,
            Self::Thumb => 1,
            Self::Download => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedFileTarget {
    pub org: OrgId,
    pub file: FileId,
    pub variant: FileVariant,
    pub until: DateTime<Utc>,
}

/// Valid for ten to fifteen minutes.
#[must_use]
pub fn sign_file_url(secret: &SecretKey, org: OrgId, file: FileId, variant: FileVariant, now: DateTime<Utc>) -> String {
    let minute = u32::try_from(expiry_minute(now)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(BODY + TAG_LEN);
    bytes.extend_from_slice(org.0.as_bytes());
    bytes.extend_from_slice(file.0.as_bytes());
    bytes.push(variant.to_code());
    bytes.extend_from_slice(&minute.to_be_bytes());
    let tag = secret.mac_tag("file", &[&bytes]);
    bytes.extend_from_slice(&tag);
    format!("/f/{}", URL_SAFE_NO_PAD.encode(bytes))
}

#[must_use]
pub fn signed_url_expiry(now: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp(expiry_minute(now) * 60, 0).unwrap_or(now)
}

/// In minutes since 1970.
fn expiry_minute(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(60 * STEP) * STEP + LIFE
}

/// None when it is forged, altered or expired.
#[must_use]
pub fn verify_file_token(secret: &SecretKey, token: &str, now: DateTime<Utc>) -> Option<SignedFileTarget> {
    // The decoder refuses trailing bits, so a token has one spelling.
    let bytes: [u8; BODY + TAG_LEN] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    let (body, tag) = bytes.split_first_chunk::<BODY>()?;
    if !secret.verify_tag("file", &[body], tag) {
        return None;
    }
    let (org, rest) = body.split_first_chunk::<16>()?;
    let (file, rest) = rest.split_first_chunk::<16>()?;
    let (variant, minute) = rest.split_first()?;
    let variant = FileVariant::ALL.into_iter().find(|candidate| candidate.to_code() == *variant)?;
    let minute = u32::from_be_bytes(minute.try_into().ok()?);
    let until = DateTime::from_timestamp(i64::from(minute) * 60, 0)?;
    let aim =
        SignedFileTarget { org: OrgId(Uuid::from_bytes(*org)), file: FileId(Uuid::from_bytes(*file)), variant, until };
    (now < until).then_some(aim)
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));
    const FILE: FileId = FileId(Uuid::from_u128(2));

    fn at(seconds: i64) -> DateTime<Utc> {
        // A full five minutes.
        DateTime::UNIX_EPOCH + Duration::seconds(1_900_000_200 + seconds)
    }

    fn token(secret: &SecretKey, variant: FileVariant, now: DateTime<Utc>) -> String {
        sign_file_url(secret, ORG, FILE, variant, now).strip_prefix("/f/").unwrap().to_owned()
    }

    #[test]
    fn address_expires_after_ten_to_fifteen_minutes() {
        let secret = SecretKey::new([7; 32]);
        for variant in FileVariant::ALL {
            let early = token(&secret, variant, at(0));
            assert_eq!(early, token(&secret, variant, at(299)), "the same for five minutes");
            assert_ne!(early, token(&secret, variant, at(300)));
            let aim = verify_file_token(&secret, &early, at(899)).unwrap();
            assert_eq!((aim.org, aim.file, aim.variant, aim.until), (ORG, FILE, variant, at(900)));
            assert_eq!((signed_url_expiry(at(0)), signed_url_expiry(at(299))), (at(900), at(900)));
            assert_eq!(verify_file_token(&secret, &early, at(900)), None);
            assert!(verify_file_token(&secret, &token(&secret, variant, at(299)), at(899)).is_some());
        }
    }

    #[test]
    fn forged_or_altered_address_is_rejected() {
        let secret = SecretKey::new([7; 32]);
        let good = token(&secret, FileVariant::Full, at(0));
        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(verify_file_token(&secret, &URL_SAFE_NO_PAD.encode(forged), at(0)), None, "bit {bit}");
        }
        assert_eq!(verify_file_token(&SecretKey::new([8; 32]), &good, at(0)), None);
        for bad in ["", "A", &good[1..], &format!("{good}A"), &format!("{good}=")] {
            assert_eq!(verify_file_token(&secret, bad, at(0)), None, "{bad:?}");
        }
    }

    #[test]
    fn link_proof_is_rejected_as_file_address_proof() {
        let secret = SecretKey::new([7; 32]);
        let body = URL_SAFE_NO_PAD.decode(token(&secret, FileVariant::Full, at(0))).unwrap()[..BODY].to_vec();
        let forged = [body.as_slice(), &secret.mac_tag("link", &[&body])].concat();
        assert_eq!(verify_file_token(&secret, &URL_SAFE_NO_PAD.encode(forged), at(0)), None);
    }
}
