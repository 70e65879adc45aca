//! Processing of untrusted photo uploads: only what decodes as a picture is kept, and only its pixels.
//!
//! The uploaded file itself is never kept or shown. Redrawing drops metadata (EXIF, GPS, XMP) and anything hidden in or
//! after the picture. A form's photos wait for it as uploaded, after a check of their headers ([`validate_photo`],
//! `shared::domain::intake::photo_upload`).

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, Rgba, RgbaImage,
    codecs::jpeg::JpegEncoder, imageops::FilterType,
};

/// Per request.
pub const MAX_PHOTOS: usize = 5;
/// Per uploaded photo.
pub const MAX_PHOTO_BYTES: usize = 5 * 1024 * 1024;

const MAX_PIXELS: u64 = 50_000_000;
const MAX_DECODER_MEMORY: u64 = 256 * 1024 * 1024;
/// Longer side in pixels, and JPEG quality.
const FULL: (u32, u8) = (2048, 82);
const THUMB: (u32, u8) = (320, 78);

/// Two JPEG files, upright and without metadata.
#[derive(Debug, Clone)]
pub struct ProcessedPhoto {
    pub full: Vec<u8>,
    pub thumb: Vec<u8>,
    pub width: u32,
    pub height: u32,
}

/// Each text completes "the file …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhotoError {
    #[error("is not a PNG, JPG or WebP picture")]
    NotAPicture,
    #[error("is larger than 5 MB")]
    TooLarge,
    #[error("has more than 50 million pixels")]
    TooManyPixels,
    #[error("is damaged and cannot be read")]
    Damaged,
}

/// Checks and redraws one photo. Takes up to a second of CPU and some 250 MB: run it off the async threads, and few at
/// a time. Errors: [`PhotoError`], in user-facing words.
pub fn reencode_photo(bytes: &[u8]) -> Result<ProcessedPhoto, PhotoError> {
    let picture = decode(bytes)?;
    let full = resize_to_fit(&picture, FULL.0);
    let thumb = resize_to_fit(&full, THUMB.0);
    Ok(ProcessedPhoto {
        width: full.width(),
        height: full.height(),
        full: encode_jpeg(&full, FULL.1)?,
        thumb: encode_jpeg(&thumb, THUMB.1)?,
    })
}

/// Checks and redraws one picture, its longer side at most `side`. Errors: [`PhotoError`], in user-facing words.
pub fn decode_resized(bytes: &[u8], side: u32) -> Result<DynamicImage, PhotoError> {
    Ok(resize_to_fit(&decode(bytes)?, side))
}

/// Checks without decoding: type, size, completeness, memory need. Takes milliseconds. Errors: [`PhotoError`], in
/// user-facing words.
pub fn validate_photo(bytes: &[u8]) -> Result<(), PhotoError> {
    let (format, _) = open_decoder(bytes)?;
    let is_whole = match format {
        ImageFormat::Png => is_whole_png(bytes),
        ImageFormat::WebP => is_whole_webp(bytes),
        // The JPEG end marker was checked when it was opened.
        _ => true,
    };
    if is_whole { Ok(()) } else { Err(PhotoError::Damaged) }
}

/// Only for pictures redrawn here.
#[must_use]
pub fn jpeg_dimensions(jpeg: &[u8]) -> Option<(u32, u32)> {
    ImageReader::with_format(Cursor::new(jpeg), ImageFormat::Jpeg).into_dimensions().ok()
}

/// Upright picture on white, at most twice its stored size.
fn decode(bytes: &[u8]) -> Result<DynamicImage, PhotoError> {
    let (_, mut decoder) = open_decoder(bytes)?;
    let orientation = decoder.orientation().map_err(|e| to_photo_error(&e))?;
    let mut picture = flatten_on_white(DynamicImage::from_decoder(decoder).map_err(|e| to_photo_error(&e))?);
    // Rotated after shrinking: rotation needs a second copy.
    if picture.width().max(picture.height()) > 2 * FULL.0 {
        picture = picture.thumbnail(2 * FULL.0, 2 * FULL.0);
    }
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn open_decoder(bytes: &[u8]) -> Result<(ImageFormat, impl ImageDecoder), PhotoError> {
    if bytes.len() > MAX_PHOTO_BYTES {
        return Err(PhotoError::TooLarge);
    }
    let format = detect_format(bytes).ok_or(PhotoError::NotAPicture)?;
    let mut decoder =
        ImageReader::with_format(Cursor::new(bytes), format).into_decoder().map_err(|e| to_photo_error(&e))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(PhotoError::TooManyPixels);
    }
    let progressive = format == ImageFormat::Jpeg && scan_jpeg_markers(bytes).ok_or(PhotoError::Damaged)?;
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_MEMORY);
    // The limit covers only what the decoder needs besides the picture, and nothing for JPEG: progressive ones are held
    // as two-byte coefficients before the first pixel exists. So both are counted here.
    let copies = if progressive { 3 } else { 1 };
    limits.reserve(decoder.total_bytes().saturating_mul(copies)).map_err(|e| to_photo_error(&e))?;
    decoder.set_limits(limits).map_err(|e| to_photo_error(&e))?;
    Ok((format, decoder))
}

/// Type by magic bytes. The uploaded name and content type are ignored.
fn detect_format(bytes: &[u8]) -> Option<ImageFormat> {
    match infer::get(bytes)?.mime_type() {
        "image/jpeg" => Some(ImageFormat::Jpeg),
        "image/png" => Some(ImageFormat::Png),
        "image/webp" => Some(ImageFormat::WebP),
        _ => None,
    }
}

fn to_photo_error(error: &ImageError) -> PhotoError {
    match error {
        ImageError::Limits(_) => PhotoError::TooManyPixels,
        _ => PhotoError::Damaged,
    }
}

/// Whether a JPEG is progressive, or `None` if it lacks its end marker: the decoder would silently fill missing parts
/// with grey.
///
/// Header segments state their length, so an end marker inside one (a thumbnail's) is skipped; within the data a marker
/// is a 0xFF not followed by 0x00 or by one of the eight restart marks (ITU T.81 §B.1.1).
fn scan_jpeg_markers(bytes: &[u8]) -> Option<bool> {
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

/// Whether all picture data chunks of a PNG are complete. The empty closing chunk may be missing.
fn is_whole_png(bytes: &[u8]) -> bool {
    const SIGNATURE: usize = 8;
    // Length and name before the data, checksum after it.
    const AROUND: usize = 12;
    let (mut at, mut has_data) = (SIGNATURE, false);
    while let Some(head) = bytes.get(at..at + 8) {
        let name = &head[4..];
        if name == b"IEND" {
            return has_data;
        }
        has_data |= name == b"IDAT";
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        let Some(next) = usize::try_from(length).ok().and_then(|length| at.checked_add(length)?.checked_add(AROUND))
        else {
            return false;
        };
        if next > bytes.len() {
            return false;
        }
        at = next;
    }
    has_data && at == bytes.len()
}

/// Whether a WebP has the length given in its header.
fn is_whole_webp(bytes: &[u8]) -> bool {
    let length = bytes.get(4..8).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    length.is_some_and(|length| bytes.len() as u64 >= u64::from(length) + 8)
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

/// JPEG has no transparency; transparent parts become white.
fn flatten_on_white(picture: DynamicImage) -> DynamicImage {
    if !picture.color().has_alpha() {
        return picture;
    }
    // In place for the usual format: the largest allowed picture takes 200 MB, and two copies would be too much.
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

fn resize_to_fit(picture: &DynamicImage, side: u32) -> DynamicImage {
    if picture.width().max(picture.height()) > side {
        picture.resize(side, side, FilterType::Triangle)
    } else {
        picture.clone()
    }
}

fn encode_jpeg(picture: &DynamicImage, quality: u8) -> Result<Vec<u8>, PhotoError> {
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
    picture.to_rgb8().write_with_encoder(encoder).map_err(|e| to_photo_error(&e))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
