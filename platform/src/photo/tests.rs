//! Generated corpus of valid, broken and malicious files.

use std::time::Instant;

use image::{GenericImageView, Rgb, RgbImage};

use super::*;

fn picture(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |x, _| {
        if x < width / 2 { Rgb([220, 20, 20]) } else { Rgb([20, 20, 220]) }
    }))
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// JPEG with an APP1 segment: orientation `turn`, and a GPS block with a latitude.
fn with_exif(jpeg: &[u8], turn: u8) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    tiff.extend(2_u16.to_le_bytes());
    tiff.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, turn, 0, 0, 0]); // Orientation, SHORT
    tiff.extend([0x25, 0x88, 4, 0, 1, 0, 0, 0, 38, 0, 0, 0]); // GPS block, at 38
    tiff.extend(0_u32.to_le_bytes());
    tiff.extend(1_u16.to_le_bytes());
    tiff.extend([0x02, 0x00, 5, 0, 3, 0, 0, 0, 56, 0, 0, 0]); // GPSLatitude, three RATIONALs at 56
    tiff.extend(0_u32.to_le_bytes());
    for part in [52_u32, 1, 13, 1, 1_234_567, 10_000] {
        tiff.extend(part.to_le_bytes());
    }
    tiff.extend(b"GPS-CANARY");
    let mut segment = b"Exif\0\0".to_vec();
    segment.extend(tiff);
    let length = u16::try_from(segment.len() + 2).unwrap();
    [&jpeg[..2], &[0xFF, 0xE1], &length.to_be_bytes(), &segment, &jpeg[2..]].concat()
}

/// PNG whose header claims `side` x `side` pixels, with 20 KB of packed zeros.
fn bomb(side: u32) -> Vec<u8> {
    let mut png = encoded(&picture(4, 4), ImageFormat::Png);
    png[16..20].copy_from_slice(&side.to_be_bytes());
    png[20..24].copy_from_slice(&side.to_be_bytes());
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    png.resize(20 * 1024, 0);
    png
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |s, _| if s & 1 == 1 { (s >> 1) ^ 0xEDB8_8320 } else { s >> 1 })
    })
}

fn red_at(bytes: &[u8], x: u32, y: u32) -> bool {
    let Rgb([red, _, blue]) = *image::load_from_memory(bytes).unwrap().to_rgb8().get_pixel(x, y);
    red > 128 && blue < 128
}

#[test]
fn every_supported_type_becomes_a_jpeg_with_a_thumbnail() {
    let large = picture(2400, 1200);
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        let done = reencode_photo(&encoded(&large, format)).unwrap();
        assert_eq!((done.width, done.height), (2048, 1024), "{format:?}");
        assert_eq!(image::guess_format(&done.full).unwrap(), ImageFormat::Jpeg);
        assert_eq!(image::load_from_memory(&done.full).unwrap().dimensions(), (2048, 1024));
        assert_eq!(image::load_from_memory(&done.thumb).unwrap().dimensions(), (320, 160));
        assert!(red_at(&done.full, 10, 10) && !red_at(&done.full, 2000, 10));
    }
}

#[test]
fn small_picture_keeps_its_size() {
    let done = reencode_photo(&encoded(&picture(40, 30), ImageFormat::Png)).unwrap();
    assert_eq!((done.width, done.height), (40, 30));
    assert_eq!(image::load_from_memory(&done.thumb).unwrap().dimensions(), (40, 30));
}

#[test]
fn extremely_wide_picture_keeps_a_height_of_one_pixel() {
    let done = reencode_photo(&encoded(&picture(20_000, 2), ImageFormat::Png)).unwrap();
    assert_eq!((done.width, done.height), (2048, 1));
}

#[test]
fn photo_is_rotated_upright_and_stripped_of_exif_and_gps() {
    let taken = with_exif(&encoded(&picture(60, 40), ImageFormat::Jpeg), 6);
    assert!(taken.windows(10).any(|w| w == b"GPS-CANARY"));
    let done = reencode_photo(&taken).unwrap();
    assert_eq!((done.width, done.height), (40, 60), "turned by a quarter");
    assert!(red_at(&done.full, 20, 5) && !red_at(&done.full, 20, 55), "the left side is now on top");
    for bytes in [&done.full, &done.thumb] {
        for trace in [&b"Exif"[..], b"GPS", b"http://ns.adobe.com", b"CANARY"] {
            assert!(!bytes.windows(trace.len()).any(|w| w == trace), "{}", String::from_utf8_lossy(trace));
        }
    }
}

#[test]
fn all_eight_orientations_are_applied() {
    let jpeg = encoded(&picture(60, 40), ImageFormat::Jpeg);
    for turn in 1..=8 {
        let done = reencode_photo(&with_exif(&jpeg, turn)).unwrap();
        assert_eq!(done.width < done.height, turn >= 5, "{turn}");
    }
}

#[test]
fn transparent_areas_become_white() {
    let mut glass = RgbaImage::from_pixel(20, 20, Rgba([0, 0, 0, 0]));
    glass.put_pixel(0, 0, Rgba([0, 0, 0, 255]));
    let grey = image::GrayAlphaImage::from_pixel(20, 20, image::LumaA([0, 0]));
    for glass in [DynamicImage::ImageRgba8(glass), DynamicImage::ImageLumaA8(grey)] {
        let done = reencode_photo(&encoded(&glass, ImageFormat::Png)).unwrap();
        let Rgb(corner) = *image::load_from_memory(&done.full).unwrap().to_rgb8().get_pixel(19, 19);
        assert!(corner.iter().all(|c| *c > 250), "{corner:?}");
    }
}

#[test]
fn script_hidden_in_picture_is_removed() {
    let script = b"<script>alert(1)</script>";
    let jpeg = encoded(&picture(60, 40), ImageFormat::Jpeg);
    let comment = [&[0xFF, 0xFE][..], &27_u16.to_be_bytes(), script].concat();
    for polyglot in [
        [&jpeg[..], script].concat(),
        [&jpeg[..2], &comment, &jpeg[2..]].concat(),
        [&encoded(&picture(60, 40), ImageFormat::Png)[..], script].concat(),
    ] {
        let done = reencode_photo(&polyglot).unwrap();
        assert!(!done.full.windows(8).any(|w| w == b"<script>"));
    }
}

#[test]
fn non_pictures_are_refused_by_content() {
    let gif = [&b"GIF89a\x01\0\x01\0\x80\0\0"[..], &[0; 6], b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"].concat();
    let bmp = encoded_bmp();
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("one byte", b"\xFF"),
        ("svg", br#"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>"#),
        ("html named .jpg", b"<!doctype html><html><script>alert(1)</script></html>"),
        ("pdf", b"%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\n%%EOF"),
        ("gif", &gif),
        ("bmp", &bmp),
        ("zip", b"PK\x03\x04\x14\0\0\0\0\0"),
        ("heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
        ("avif", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"),
        ("tiff", b"II*\0\x08\0\0\0\0\0"),
        ("text", b"hello"),
        ("gif with a script", b"GIF89a=1;alert(1)//"),
    ] {
        assert_eq!(reencode_photo(bytes).unwrap_err(), PhotoError::NotAPicture, "{name}");
    }
}

fn encoded_bmp() -> Vec<u8> {
    let mut bmp = b"BM".to_vec();
    bmp.extend([58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]);
    bmp.resize(58, 0);
    bmp
}

#[test]
fn truncated_upload_is_refused_as_damaged() {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        let whole = encoded(&picture(300, 200), format);
        for part in [whole.len() / 10, whole.len() / 2, whole.len() - 20, whole.len() - 2] {
            // PNG's last 12 bytes are an empty closing chunk; without them the picture is complete.
            if format == ImageFormat::Png && part > whole.len() - 12 {
                continue;
            }
            assert_eq!(
                reencode_photo(&whole[..part]).unwrap_err(),
                PhotoError::Damaged,
                "{format:?} {part}/{}",
                whole.len()
            );
        }
    }
    assert_eq!(reencode_photo(b"\xFF\xD8\xFFjunk").unwrap_err(), PhotoError::Damaged);
    assert_eq!(reencode_photo(b"\x89PNG\r\n\x1a\njunk").unwrap_err(), PhotoError::Damaged);
}

#[test]
fn inspect_accepts_readable_photos_and_reports_the_fault_of_others() {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        let whole = encoded(&picture(300, 200), format);
        assert_eq!(validate_photo(&whole), Ok(()), "{format:?}");
        for part in [whole.len() / 10, whole.len() / 2, whole.len() - 20] {
            assert_eq!(validate_photo(&whole[..part]), Err(PhotoError::Damaged), "{format:?} {part}/{}", whole.len());
        }
    }
    for bytes in [&b""[..], b"\xFF", b"GIF89a=1;alert(1)//", b"%PDF-1.7\n1 0 obj", b"PK\x03\x04\x14\0\0\0\0\0"] {
        assert_eq!(validate_photo(bytes), Err(PhotoError::NotAPicture));
    }
    assert_eq!(validate_photo(&vec![0xFF; MAX_PHOTO_BYTES + 1]), Err(PhotoError::TooLarge));
    assert_eq!(validate_photo(&bomb(30_000)), Err(PhotoError::TooManyPixels));
}

#[test]
fn inspect_of_corrupt_png_lengths_never_reads_beyond_the_file() {
    let mut png = encoded(&picture(4, 4), ImageFormat::Png);
    for length in [0_u32, 1, 13, 1 << 20, u32::MAX - 11, u32::MAX] {
        png[33..37].copy_from_slice(&length.to_be_bytes());
        is_whole_png(&png);
    }
    assert!(!is_whole_png(&png));
}

#[test]
fn size_of_processed_photo_equals_the_source_dimensions() {
    let done = reencode_photo(&encoded(&picture(60, 40), ImageFormat::Png)).unwrap();
    assert_eq!(jpeg_dimensions(&done.full), Some((60, 40)));
    assert_eq!(jpeg_dimensions(b"no picture"), None);
}

#[test]
fn decompression_bomb_is_refused_before_decoding() {
    let bomb = bomb(30_000);
    let started = Instant::now();
    assert_eq!(reencode_photo(&bomb).unwrap_err(), PhotoError::TooManyPixels);
    assert!(started.elapsed().as_millis() < 100, "{:?}", started.elapsed());
    let mut jpeg = encoded(&picture(16, 16), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(reencode_photo(&jpeg).unwrap_err(), PhotoError::TooManyPixels);
}

#[test]
fn large_picture_with_16_bit_channels_is_refused_for_its_memory() {
    let mut png = bomb(6000);
    png[24..26].copy_from_slice(&[16, 6]); // 16 bits each of red, green, blue and alpha: 288 MB
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    assert_eq!(reencode_photo(&png).unwrap_err(), PhotoError::TooManyPixels);
}

#[test]
fn large_progressive_jpeg_is_refused_for_its_memory() {
    let mut jpeg = encoded(&picture(16, 16), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 1] = 0xC2;
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x17, 0x70, 0x17, 0x70]); // 6000 x 6000
    assert_eq!(reencode_photo(&jpeg).unwrap_err(), PhotoError::TooManyPixels);
}

#[test]
fn file_over_five_megabytes_is_too_large() {
    assert_eq!(reencode_photo(&vec![0xFF; MAX_PHOTO_BYTES + 1]).unwrap_err(), PhotoError::TooLarge);
}
