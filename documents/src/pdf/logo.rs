//! Logo of a business as a PDF object: decoded, scaled down and deflated once, then cached.

use std::{
    collections::{BTreeMap, VecDeque},
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

use flate2::{Compression, write::ZlibEncoder};
use image::{DynamicImage, ImageReader, Limits, RgbImage, imageops::FilterType};
use printpdf::{DictItem, ExternalStream, ExternalXObject, XObject, XObjectId};
use sha2::{Digest as _, Sha256};

pub(super) struct Logo {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) picture: XObject,
}

const WIDTH: u16 = 156;
const HEIGHT: u16 = 54;
/// Pixels per point: 216 dpi, what a printer can show of a logo.
const PIXELS_PER_POINT: u16 = 3;
const MAX_SIDE: u32 = 8000;
const MAX_MEMORY: u64 = 256 * 1024 * 1024;
/// Cache size: the most recently used logos, keyed by the hash of the file.
const REMEMBERED: usize = 16;

type LogoCache = VecDeque<([u8; 32], Arc<Logo>)>;
static LOGO_CACHE: Mutex<LogoCache> = Mutex::new(VecDeque::new());

pub(super) fn logo_id() -> XObjectId {
    XObjectId("Logo".to_owned())
}

/// None when it cannot be decoded: the paper is then made without a logo.
pub(super) fn load_logo(file: &[u8]) -> Option<Arc<Logo>> {
    let key: [u8; 32] = Sha256::digest(file).into();
    let shelf = || LOGO_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, logo)) = shelf().iter().find(|(known, _)| *known == key) {
        return Some(Arc::clone(logo));
    }
    let logo = Arc::new(Logo::from_image_file(file)?);
    let mut shelf = shelf();
    shelf.truncate(REMEMBERED - 1);
    shelf.push_front((key, Arc::clone(&logo)));
    Some(logo)
}

impl Logo {
    fn from_image_file(file: &[u8]) -> Option<Self> {
        let mut reader = ImageReader::new(std::io::Cursor::new(file)).with_guessed_format().ok()?;
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        limits.max_alloc = Some(MAX_MEMORY);
        reader.limits(limits);
        let picture = reader.decode().ok()?;
        let (across, down) = (u32::from(WIDTH * PIXELS_PER_POINT), u32::from(HEIGHT * PIXELS_PER_POINT));
        let picture = if picture.width() > across || picture.height() > down {
            picture.resize(across, down, FilterType::Triangle)
        } else {
            picture
        };
        let (wide, high) = (u16::try_from(picture.width()).ok()?, u16::try_from(picture.height()).ok()?);
        let scale = (f32::from(WIDTH) / f32::from(wide)).min(f32::from(HEIGHT) / f32::from(high));
        let picture = to_xobject(&flatten_on_white(&picture))?;
        Some(Self { width: f32::from(wide) * scale, height: f32::from(high) * scale, picture })
    }
}

fn flatten_on_white(picture: &DynamicImage) -> RgbImage {
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
fn to_xobject(picture: &RgbImage) -> Option<XObject> {
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
    fn logo_is_scaled_to_fit_with_aspect_ratio_kept() {
        for (wide, high, width, height) in [(3120, 1080, 156.0, 54.0), (100, 100, 54.0, 54.0), (400, 10, 156.0, 3.9)] {
            let logo = load_logo(&file(wide, high, 200)).unwrap();
            assert!((logo.width - width).abs() < 0.5 && (logo.height - height).abs() < 0.5, "{wide} × {high}");
        }
        assert!(load_logo(b"no picture").is_none() && load_logo(b"").is_none());
    }

    #[test]
    fn translucent_pixel_is_blended_with_white() {
        let half = flatten_on_white(&DynamicImage::ImageRgba8(RgbaImage::from_pixel(1, 1, Rgba([0, 100, 255, 128]))));
        assert_eq!(half.get_pixel(0, 0).0, [127, 177, 255]);
    }

    #[test]
    fn logo_is_decoded_once_and_cache_size_is_bounded() {
        let mine = file(10, 10, 1);
        let first = load_logo(&mine).unwrap();
        assert!(Arc::ptr_eq(&first, &load_logo(&mine).unwrap()));
        for shade in 2..=40 {
            load_logo(&file(10, 10, shade)).unwrap();
        }
        assert!(LOGO_CACHE.lock().unwrap().len() <= REMEMBERED);
        assert_eq!(load_logo(&mine).unwrap().picture, first.picture, "made anew, it is the same");
    }
}
