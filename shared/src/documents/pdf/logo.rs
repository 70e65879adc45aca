//! The logo of a business as a PDF holds it: read, made small and deflated once, not anew for each of its papers.

use std::{
    collections::{BTreeMap, VecDeque},
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

use flate2::{Compression, write::ZlibEncoder};
use image::{DynamicImage, ImageReader, Limits, RgbImage, imageops::FilterType};
use printpdf::{DictItem, ExternalStream, ExternalXObject, XObject, XObjectId};
use sha2::{Digest as _, Sha256};

/// How large it is drawn, in points, and its picture.
pub(super) struct Logo {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) picture: XObject,
}

const WIDTH: u16 = 156;
const HEIGHT: u16 = 54;
/// Pixels to a point: 216 to an inch, what a printer shows of a logo.
const FINENESS: u16 = 3;
const MAX_SIDE: u32 = 8000;
const MAX_MEMORY: u64 = 256 * 1024 * 1024;
/// So many are remembered, by the hash of their file, the last ones asked for.
const REMEMBERED: usize = 16;

type Shelf = VecDeque<([u8; 32], Arc<Logo>)>;
static SHELF: Mutex<Shelf> = Mutex::new(VecDeque::new());

/// By which name a page calls it.
pub(super) fn id() -> XObjectId {
    XObjectId("Logo".to_owned())
}

/// None when it cannot be read: a paper without a logo is better than none.
pub(super) fn read(file: &[u8]) -> Option<Arc<Logo>> {
    let key: [u8; 32] = Sha256::digest(file).into();
    let shelf = || SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, logo)) = shelf().iter().find(|(known, _)| *known == key) {
        return Some(Arc::clone(logo));
    }
    let logo = Arc::new(Logo::made_of(file)?);
    let mut shelf = shelf();
    shelf.truncate(REMEMBERED - 1);
    shelf.push_front((key, Arc::clone(&logo)));
    Some(logo)
}

impl Logo {
    fn made_of(file: &[u8]) -> Option<Self> {
        let mut reader = ImageReader::new(std::io::Cursor::new(file)).with_guessed_format().ok()?;
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        limits.max_alloc = Some(MAX_MEMORY);
        reader.limits(limits);
        let picture = reader.decode().ok()?;
        let (across, down) = (u32::from(WIDTH * FINENESS), u32::from(HEIGHT * FINENESS));
        let picture = if picture.width() > across || picture.height() > down {
            picture.resize(across, down, FilterType::Triangle)
        } else {
            picture
        };
        let (wide, high) = (u16::try_from(picture.width()).ok()?, u16::try_from(picture.height()).ok()?);
        let scale = (f32::from(WIDTH) / f32::from(wide)).min(f32::from(HEIGHT) / f32::from(high));
        let picture = packed(&on_white(&picture))?;
        Some(Self { width: f32::from(wide) * scale, height: f32::from(high) * scale, picture })
    }
}

/// The picture on white, as the paper is.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let seen = picture.to_rgba8();
    RgbImage::from_fn(seen.width(), seen.height(), |x, y| {
        let [red, green, blue, alpha] = seen.get_pixel(x, y).0;
        let mixed = |channel: u8| {
            let all = u32::from(channel) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
            u8::try_from((all + 127) / 255).unwrap_or(u8::MAX)
        };
        image::Rgb([mixed(red), mixed(green), mixed(blue)])
    })
}

/// ISO 32000-1, 8.9.5: an image is a stream of its pixels.
fn packed(picture: &RgbImage) -> Option<XObject> {
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
    deflated.write_all(picture.as_raw()).ok()?;
    let name = |name: &str| DictItem::Name(name.as_bytes().to_vec());
    let entries = [
        ("Type", name("XObject")),
        ("Subtype", name("Image")),
        ("Width", DictItem::Int(picture.width().into())),
        ("Height", DictItem::Int(picture.height().into())),
        ("BitsPerComponent", DictItem::Int(8)),
        ("ColorSpace", name("DeviceRGB")),
        ("Filter", name("FlateDecode")),
    ];
    let dict: BTreeMap<String, DictItem> = entries.into_iter().map(|(key, item)| (key.to_owned(), item)).collect();
    let stream = ExternalStream { dict, content: deflated.finish().ok()?, compress: false };
    Some(XObject::External(ExternalXObject { stream, width: None, height: None, dpi: None }))
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgba, RgbaImage};

    use super::*;

    fn file(width: u32, height: u32, shade: u8) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let picture = RgbaImage::from_pixel(width, height, Rgba([shade, 0, 0, 128]));
        DynamicImage::ImageRgba8(picture).write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_logo_fits_its_room_in_its_own_proportions() {
        for (wide, high, width, height) in [(3120, 1080, 156.0, 54.0), (100, 100, 54.0, 54.0), (400, 10, 156.0, 3.9)] {
            let logo = read(&file(wide, high, 200)).unwrap();
            assert!((logo.width - width).abs() < 0.5 && (logo.height - height).abs() < 0.5, "{wide} × {high}");
        }
        assert!(read(b"no picture").is_none() && read(b"").is_none());
    }

    #[test]
    fn what_is_half_seen_is_mixed_with_white() {
        let half = on_white(&DynamicImage::ImageRgba8(RgbaImage::from_pixel(1, 1, Rgba([0, 100, 255, 128]))));
        assert_eq!(half.get_pixel(0, 0).0, [127, 177, 255]);
    }

    #[test]
    fn a_logo_is_read_once_and_the_last_ones_are_kept() {
        let mine = file(10, 10, 1);
        let first = read(&mine).unwrap();
        assert!(Arc::ptr_eq(&first, &read(&mine).unwrap()));
        for shade in 2..=40 {
            read(&file(10, 10, shade)).unwrap();
        }
        assert!(SHELF.lock().unwrap().len() <= REMEMBERED);
        assert_eq!(read(&mine).unwrap().picture, first.picture, "made anew, it is the same");
    }
}
