//! Signed addresses: for a quarter of an hour a file opens without a session, for another app or a messenger.
//!
//! The address says which file, which variant and until when, and a keyed hash covers all of it: it cannot be prolonged
//! or aimed at another file. Its end is rounded, so that the same file has the same address for five minutes.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::platform::{
    id::{FileId, OrgId},
    secret::{SecretKey, TAG},
};

/// In minutes: how long an address lives at most, and how its end is rounded.
const LIFE: i64 = 15;
const STEP: i64 = 5;
/// The org, the file, the variant, the minute of its end.
const BODY: usize = 16 + 16 + 1 + 4;

/// What of a file is served, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FileVariant)]
pub enum Variant {
    #[default]
    Full,
    Thumb,
    /// The whole file, to be kept and not shown.
    Download,
}

impl Variant {
    const ALL: [Self; 3] = [Self::Full, Self::Thumb, Self::Download];

    fn code(self) -> u8 {
        match self {
            Self::Full => 0,
            Self::Thumb => 1,
            Self::Download => 2,
        }
    }
}

/// What an address that holds opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    pub org: OrgId,
    pub file: FileId,
    pub variant: Variant,
    pub until: DateTime<Utc>,
}

/// An address of this file, good for ten to fifteen minutes.
#[must_use]
pub fn address(secret: &SecretKey, org: OrgId, file: FileId, variant: Variant, now: DateTime<Utc>) -> String {
    let minute = u32::try_from(end(now)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(BODY + TAG);
    bytes.extend_from_slice(org.0.as_bytes());
    bytes.extend_from_slice(file.0.as_bytes());
    bytes.push(variant.code());
    bytes.extend_from_slice(&minute.to_be_bytes());
    let tag = secret.tag("file", &[&bytes]);
    bytes.extend_from_slice(&tag);
    format!("/f/{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// Until when an address that is made now opens its file.
#[must_use]
pub fn until(now: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp(end(now) * 60, 0).unwrap_or(now)
}

/// In minutes since 1970.
fn end(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(60 * STEP) * STEP + LIFE
}

/// What the last part of such an address opens now; none when it is forged, altered or over.
#[must_use]
pub fn read(secret: &SecretKey, token: &str, now: DateTime<Utc>) -> Option<Aim> {
    // The decoder refuses loose bits at the end, so no token has a second spelling.
    let bytes: [u8; BODY + TAG] = URL_SAFE_NO_PAD.decode(token).ok()?.try_into().ok()?;
    let (body, tag) = bytes.split_first_chunk::<BODY>()?;
    if !secret.is_tag("file", &[body], tag) {
        return None;
    }
    let (org, rest) = body.split_first_chunk::<16>()?;
    let (file, rest) = rest.split_first_chunk::<16>()?;
    let (variant, minute) = rest.split_first()?;
    let variant = Variant::ALL.into_iter().find(|known| known.code() == *variant)?;
    let minute = u32::from_be_bytes(minute.try_into().ok()?);
    let until = DateTime::from_timestamp(i64::from(minute) * 60, 0)?;
    let aim = Aim { org: OrgId(Uuid::from_bytes(*org)), file: FileId(Uuid::from_bytes(*file)), variant, until };
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

    fn token(secret: &SecretKey, variant: Variant, now: DateTime<Utc>) -> String {
        address(secret, ORG, FILE, variant, now).strip_prefix("/f/").unwrap().to_owned()
    }

    #[test]
    fn an_address_lives_ten_to_fifteen_minutes_and_no_moment_longer() {
        let secret = SecretKey::new([7; 32]);
        for variant in Variant::ALL {
            let early = token(&secret, variant, at(0));
            assert_eq!(early, token(&secret, variant, at(299)), "the same for five minutes");
            assert_ne!(early, token(&secret, variant, at(300)));
            let aim = read(&secret, &early, at(899)).unwrap();
            assert_eq!((aim.org, aim.file, aim.variant, aim.until), (ORG, FILE, variant, at(900)));
            assert_eq!((until(at(0)), until(at(299))), (at(900), at(900)));
            assert_eq!(read(&secret, &early, at(900)), None);
            assert!(read(&secret, &token(&secret, variant, at(299)), at(899)).is_some());
        }
    }

    #[test]
    fn an_address_cannot_be_aimed_anew() {
        let secret = SecretKey::new([7; 32]);
        let good = token(&secret, Variant::Full, at(0));
        let bytes = URL_SAFE_NO_PAD.decode(&good).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&secret, &URL_SAFE_NO_PAD.encode(forged), at(0)), None, "bit {bit}");
        }
        assert_eq!(read(&SecretKey::new([8; 32]), &good, at(0)), None);
        for bad in ["", "A", &good[1..], &format!("{good}A"), &format!("{good}=")] {
            assert_eq!(read(&secret, bad, at(0)), None, "{bad:?}");
        }
    }

    #[test]
    fn the_proof_of_a_link_is_none_of_a_file() {
        let secret = SecretKey::new([7; 32]);
        let body = URL_SAFE_NO_PAD.decode(token(&secret, Variant::Full, at(0))).unwrap()[..BODY].to_vec();
        let forged = [body.as_slice(), &secret.tag("link", &[&body])].concat();
        assert_eq!(read(&secret, &URL_SAFE_NO_PAD.encode(forged), at(0)), None);
    }
}
