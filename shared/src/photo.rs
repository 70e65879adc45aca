//! Photos from strangers: only what decodes as a picture is kept, and only its pixels.
//!
//! Nothing of the file that came in is ever stored. Drawing the picture anew drops where and with what it was taken
//! (EXIF, GPS, XMP) and whatever else was hidden in or behind it.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, Rgba, RgbaImage,
    codecs::jpeg::JpegEncoder, imageops::FilterType,
};

/// Photos one request may hold.
pub const MAX_PHOTOS: usize = 5;
/// The size of one photo as it comes in.
pub const MAX_PHOTO_BYTES: usize = 5 * 1024 * 1024;

const MAX_PIXELS: u64 = 50_000_000;
const MAX_DECODER_MEMORY: u64 = 256 * 1024 * 1024;
/// The longer side of the stored picture, and the JPEG quality.
const FULL: (u32, u8) = (2048, 82);
const THUMB: (u32, u8) = (320, 78);

/// A photo as it is stored: two JPEG files, upright and without a word about their origin.
#[derive(Debug, Clone)]
pub struct Processed {
    pub full: Vec<u8>,
    pub thumb: Vec<u8>,
    /// Of `full`.
    pub width: u32,
    pub height: u32,
}

/// Why a photo is refused; each completes "the file …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhotoError {
    #[error("is not a PNG, JPG or WebP picture")]
    NotAPicture,
    #[error("is larger than 5 MB")]
    TooLarge,
    #[error("has too many pixels")]
    TooManyPixels,
    #[error("is damaged and cannot be read")]
    Damaged,
}

/// Checks and redraws one photo. Takes up to a second of a core and some 250 MB: run it off the async threads, and few
/// at a time.
///
/// # Errors
/// [`PhotoError`], in the words the visitor reads.
pub fn process(bytes: &[u8]) -> Result<Processed, PhotoError> {
    let picture = decode(bytes)?;
    let full = fit(&picture, FULL.0);
    let thumb = fit(&full, THUMB.0);
    Ok(Processed {
        width: full.width(),
        height: full.height(),
        full: jpeg(&full, FULL.1)?,
        thumb: jpeg(&thumb, THUMB.1)?,
    })
}

/// Checks and redraws one picture, its longer side at most `side`.
///
/// # Errors
/// [`PhotoError`], in the words a person reads.
pub(crate) fn redraw(bytes: &[u8], side: u32) -> Result<DynamicImage, PhotoError> {
    Ok(fit(&decode(bytes)?, side))
}

/// The upright picture on white ground, at most twice as large as it will be stored.
fn decode(bytes: &[u8]) -> Result<DynamicImage, PhotoError> {
    if bytes.len() > MAX_PHOTO_BYTES {
        return Err(PhotoError::TooLarge);
    }
    let format = sniff(bytes).ok_or(PhotoError::NotAPicture)?;
    let mut decoder = ImageReader::with_format(Cursor::new(bytes), format).into_decoder().map_err(|e| fault(&e))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(PhotoError::TooManyPixels);
    }
    let progressive = format == ImageFormat::Jpeg && walk_jpeg(bytes).ok_or(PhotoError::Damaged)?;
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_MEMORY);
    // The limit counts what the decoder needs beside the picture itself, and of a JPEG it counts nothing: progressive
    // ones are held whole as two-byte coefficients before the first pixel exists. So both are counted here.
    let copies = if progressive { 3 } else { 1 };
    limits.reserve(decoder.total_bytes().saturating_mul(copies)).map_err(|e| fault(&e))?;
    decoder.set_limits(limits).map_err(|e| fault(&e))?;
    let orientation = decoder.orientation().map_err(|e| fault(&e))?;
    let mut picture = on_white(DynamicImage::from_decoder(decoder).map_err(|e| fault(&e))?);
    // Turned after it has become small: turning needs a second copy.
    if picture.width().max(picture.height()) > 2 * FULL.0 {
        picture = picture.thumbnail(2 * FULL.0, 2 * FULL.0);
    }
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// The type by the first bytes. The name and the type that were sent along are never asked.
fn sniff(bytes: &[u8]) -> Option<ImageFormat> {
    match infer::get(bytes)?.mime_type() {
        "image/jpeg" => Some(ImageFormat::Jpeg),
        "image/png" => Some(ImageFormat::Png),
        "image/webp" => Some(ImageFormat::WebP),
        _ => None,
    }
}

fn fault(error: &ImageError) -> PhotoError {
    match error {
        ImageError::Limits(_) => PhotoError::TooManyPixels,
        _ => PhotoError::Damaged,
    }
}

/// Whether a JPEG is progressive, or `None` if it breaks off before its end marker: the decoder would fill what a
/// broken upload lacks with grey and say nothing.
///
/// Before the picture data every segment tells its length, so an end marker inside one (a thumbnail's) is stepped over;
/// within the data a marker is a 0xFF not followed by 0x00 or by one of the eight restart marks (ITU T.81 §B.1.1).
fn walk_jpeg(bytes: &[u8]) -> Option<bool> {
    let (mut at, mut progressive) = (2, false);
    loop {
        match next_marker(bytes, &mut at)? {
            0xD9 => return Some(progressive),
            0x01 | 0xD8 => {}
            marker => {
                progressive |= marker == 0xC2;
                let length = bytes.get(at..at + 2)?;
                at += usize::from(u16::from_be_bytes([length[0], length[1]]));
            }
        }
    }
}

fn next_marker(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        let pair = bytes.get(*at..*at + 2)?;
        match pair {
            [0xFF, 0x00 | 0xD0..=0xD7] => *at += 2,
            [0xFF, marker] if *marker != 0xFF => {
                *at += 2;
                return Some(*marker);
            }
            _ => *at += 1,
        }
    }
}

/// JPEG has no transparency, and what is behind a see-through part is white as on the page it came from.
fn on_white(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture;
    }
    // In place for the usual kind: a picture of the largest size allowed is 200 MB, and two would be too many.
    let mut pixels: RgbaImage = picture.into_rgba8();
    for Rgba([red, green, blue, alpha]) in pixels.pixels_mut() {
        for channel in [red, green, blue] {
            let mixed = (u32::from(*channel) * u32::from(*alpha) + 255 * (255 - u32::from(*alpha)) + 127) / 255;
            *channel = u8::try_from(mixed).unwrap_or(u8::MAX);
        }
        *alpha = u8::MAX;
    }
    DynamicImage::ImageRgba8(pixels)
}

fn fit(picture: &DynamicImage, side: u32) -> DynamicImage {
    if picture.width().max(picture.height()) > side {
        picture.resize(side, side, FilterType::Triangle)
    } else {
        picture.clone()
    }
}

fn jpeg(picture: &DynamicImage, quality: u8) -> Result<Vec<u8>, PhotoError> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
    picture.to_rgb8().write_with_encoder(encoder).map_err(|e| fault(&e))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
