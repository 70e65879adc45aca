//! The logo of a business: drawn anew like every picture that is sent in, and put on its papers and pages.

use std::io::Cursor;

use image::ImageFormat;

use super::{Org, find};
use crate::{
    domain::work::file::quota,
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::{Error, Result},
        id::OrgId,
        photo::{self, PhotoError},
    },
};

/// The longer side of a stored logo: sharp at two inches on paper.
const SIDE: u32 = 600;

/// Checks and redraws a logo, as PNG: flat colours and sharp edges stay what they are. Run it off the async threads.
///
/// # Errors
/// [`PhotoError`], in the words a person reads.
pub fn process(bytes: &[u8]) -> Result<Vec<u8>, PhotoError> {
    let picture = photo::redraw(bytes, SIDE)?;
    let mut png = Cursor::new(Vec::new());
    picture.to_rgb8().write_to(&mut png, ImageFormat::Png).map_err(|_| PhotoError::Damaged)?;
    Ok(png.into_inner())
}

/// A new name for a logo in the file store. Another logo has another name: caches may keep what they have.
#[must_use]
pub fn new_key(origin: &Origin, org: OrgId) -> String {
    format!("{org}/logo-{}.png", origin.random_uuid().simple())
}

/// Where browsers show it from; none without one.
#[must_use]
pub fn address(org: &Org) -> Option<String> {
    let name = org.logo_key.as_deref()?.rsplit('/').next()?.strip_suffix(".png")?;
    Some(format!("/api/public/logo/{}?v={name}", org.id))
}

/// A logo that lies in the file store.
#[derive(Clone, Debug)]
pub struct Stored {
    pub key: String,
    pub bytes: i64,
}

/// Puts a logo in the place of what was there, or takes it away. It counts in the business's file space of `limit` bytes.
///
/// # Errors
/// [`Error::NotFound`] when there is no such org, [`Error::QuotaFull`] when there is no room for it.
pub async fn set(tx: &mut Tx, org: OrgId, logo: Option<&Stored>, limit: i64) -> Result<Org> {
    let before = "SELECT logo_bytes FROM org WHERE id = $1";
    let before = q!(&mut *tx, fetch_optional scalar i64, before, org)?.ok_or(Error::NotFound)?;
    let (key, bytes) = (logo.map(|logo| logo.key.as_str()), logo.map_or(0, |logo| logo.bytes));
    let sql = "UPDATE org SET logo_key = $2, logo_bytes = $3 WHERE id = $1";
    q!(&mut *tx, execute, sql, org, key, bytes)?;
    let changed = find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    quota::give_back(tx, org, before).await?;
    quota::take(tx, org, bytes, limit).await?;
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
    fn a_logo_becomes_small_and_what_is_see_through_white() {
        let drawn = image::load_from_memory(&process(&png(1200, 400, [0, 0, 0, 0])).unwrap()).unwrap();
        assert_eq!((drawn.width(), drawn.height()), (600, 200));
        assert_eq!(drawn.to_rgb8().get_pixel(300, 100).0, [255, 255, 255]);
        let small = image::load_from_memory(&process(&png(40, 20, [200, 10, 10, 255])).unwrap()).unwrap();
        assert_eq!((small.width(), small.to_rgb8().get_pixel(3, 3).0), (40, [200, 10, 10]));
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        assert_eq!(process(b"<svg onload=alert(1)>"), Err(PhotoError::NotAPicture));
    }
}
