//! Business logo: re-encoded like every uploaded image, and used on documents and pages.

use std::io::Cursor;

use image::ImageFormat;

use super::{Org, find};
use crate::{
    domain::tenancy::storage_quota,
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::{Error, Result},
        id::OrgId,
        photo::{self, PhotoError},
    },
};

/// Longer side in pixels: sharp at two inches in print.
const SIDE: u32 = 600;

/// Re-encodes as PNG, which keeps flat colours and sharp edges. CPU-bound: run off the async threads.
///
/// # Errors
/// [`PhotoError`], readable by the user.
pub fn reencode_logo(bytes: &[u8]) -> Result<Vec<u8>, PhotoError> {
    let picture = photo::decode_resized(bytes, SIDE)?;
    let mut png = Cursor::new(Vec::new());
    picture.to_rgb8().write_to(&mut png, ImageFormat::Png).map_err(|_| PhotoError::Damaged)?;
    Ok(png.into_inner())
}

/// A new file-store key. Each logo has its own, so that caches need no invalidation.
#[must_use]
pub fn new_storage_key(origin: &ClockRng, org: OrgId) -> String {
    format!("{org}/logo-{}.png", origin.random_uuid().simple())
}

#[must_use]
pub fn logo_url(org: &Org) -> Option<String> {
    let name = org.logo_key.as_deref()?.rsplit('/').next()?.strip_suffix(".png")?;
    Some(format!("/api/public/logo/{}?v={name}", org.id))
}

#[derive(Clone, Debug)]
pub struct StoredLogo {
    pub key: String,
    pub bytes: i64,
}

/// Replaces or removes the logo. It counts in the business's file quota of `limit` bytes.
///
/// # Errors
/// [`Error::NotFound`] when there is no such business, [`Error::QuotaFull`] when there is no room.
pub async fn set_logo(tx: &mut Tx, org: OrgId, logo: Option<&StoredLogo>, limit: i64) -> Result<Org> {
    let before = "SELECT logo_bytes FROM org WHERE id = $1";
    let before = q!(&mut *tx, fetch_optional scalar i64, before, org)?.ok_or(Error::NotFound)?;
    let (key, bytes) = (logo.map(|logo| logo.key.as_str()), logo.map_or(0, |logo| logo.bytes));
    let sql = "UPDATE org SET logo_key = $2, logo_bytes = $3 WHERE id = $1";
    q!(&mut *tx, execute, sql, org, key, bytes)?;
    let changed = find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    storage_quota::release_bytes(tx, org, before).await?;
    storage_quota::reserve_bytes(tx, org, bytes, limit).await?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, Rgba, RgbaImage};

    use super::*;

    fn png(width: u32, height: u32, pixel: [u8; 4]) -> Vec<u8> {
        let picture = DynamicImage::ImageRgba8(RgbaImage::from_pixel(width, height, Rgba(pixel)));
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn logo_is_scaled_down_and_transparency_becomes_white() {
        let drawn = image::load_from_memory(&reencode_logo(&png(1200, 400, [0, 0, 0, 0])).unwrap()).unwrap();
        assert_eq!((drawn.width(), drawn.height()), (600, 200));
        assert_eq!(drawn.to_rgb8().get_pixel(300, 100).0, [255, 255, 255]);
        let small = image::load_from_memory(&reencode_logo(&png(40, 20, [200, 10, 10, 255])).unwrap()).unwrap();
        assert_eq!((small.width(), small.to_rgb8().get_pixel(3, 3).0), (40, [200, 10, 10]));
    }

    #[test]
    fn non_image_file_is_refused() {
        assert_eq!(reencode_logo(b"<svg onload=alert(1)>"), Err(PhotoError::NotAPicture));
    }
}
