//! A corpus of good, bad and malicious files, all made here.

use std::time::Instant;

use image::{GenericImageView, Rgb, RgbImage};

use super::*;

/// Left half red, right half blue.
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

/// A JPEG with an APP1 segment: orientation `turn`, and a GPS block with a latitude.
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

/// A PNG whose header promises `side` x `side` pixels and whose data is 20 KB of packed zeros.
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
fn each_type_becomes_a_jpeg_with_a_thumbnail() {
    let large = picture(2400, 1200);
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        let done = process(&encoded(&large, format)).unwrap();
        assert_eq!((done.width, done.height), (2048, 1024), "{format:?}");
        assert_eq!(image::guess_format(&done.full).unwrap(), ImageFormat::Jpeg);
        assert_eq!(image::load_from_memory(&done.full).unwrap().dimensions(), (2048, 1024));
        assert_eq!(image::load_from_memory(&done.thumb).unwrap().dimensions(), (320, 160));
        assert!(red_at(&done.full, 10, 10) && !red_at(&done.full, 2000, 10));
    }
}

#[test]
fn a_small_picture_keeps_its_size() {
    let done = process(&encoded(&picture(40, 30), ImageFormat::Png)).unwrap();
    assert_eq!((done.width, done.height), (40, 30));
    assert_eq!(image::load_from_memory(&done.thumb).unwrap().dimensions(), (40, 30));
}

#[test]
fn a_very_long_picture_keeps_a_height() {
    let done = process(&encoded(&picture(20_000, 2), ImageFormat::Png)).unwrap();
    assert_eq!((done.width, done.height), (2048, 1));
}

#[test]
fn a_photo_stands_upright_and_forgets_where_it_was_taken() {
    let taken = with_exif(&encoded(&picture(60, 40), ImageFormat::Jpeg), 6);
    assert!(taken.windows(10).any(|w| w == b"GPS-CANARY"));
    let done = process(&taken).unwrap();
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
        let done = process(&with_exif(&jpeg, turn)).unwrap();
        assert_eq!(done.width < done.height, turn >= 5, "{turn}");
    }
}

#[test]
fn see_through_parts_become_white() {
    let mut glass = RgbaImage::from_pixel(20, 20, Rgba([0, 0, 0, 0]));
    glass.put_pixel(0, 0, Rgba([0, 0, 0, 255]));
    let grey = image::GrayAlphaImage::from_pixel(20, 20, image::LumaA([0, 0]));
    for glass in [DynamicImage::ImageRgba8(glass), DynamicImage::ImageLumaA8(grey)] {
        let done = process(&encoded(&glass, ImageFormat::Png)).unwrap();
        let Rgb(corner) = *image::load_from_memory(&done.full).unwrap().to_rgb8().get_pixel(19, 19);
        assert!(corner.iter().all(|c| *c > 250), "{corner:?}");
    }
}

#[test]
fn what_hides_behind_a_picture_does_not_survive() {
    let script = b"<script>alert(1)</script>";
    let jpeg = encoded(&picture(60, 40), ImageFormat::Jpeg);
    let comment = [&[0xFF, 0xFE][..], &27_u16.to_be_bytes(), script].concat();
    for polyglot in [
        [&jpeg[..], script].concat(),
        [&jpeg[..2], &comment, &jpeg[2..]].concat(),
        [&encoded(&picture(60, 40), ImageFormat::Png)[..], script].concat(),
    ] {
        let done = process(&polyglot).unwrap();
        assert!(!done.full.windows(8).any(|w| w == b"<script>"));
    }
}

#[test]
fn what_is_no_picture_is_refused_by_its_content() {
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
        assert_eq!(process(bytes).unwrap_err(), PhotoError::NotAPicture, "{name}");
    }
}

fn encoded_bmp() -> Vec<u8> {
    let mut bmp = b"BM".to_vec();
    bmp.extend([58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]);
    bmp.resize(58, 0);
    bmp
}

#[test]
fn a_broken_upload_is_refused_wherever_it_broke() {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        let whole = encoded(&picture(300, 200), format);
        for part in [whole.len() / 10, whole.len() / 2, whole.len() - 20, whole.len() - 2] {
            // PNG's last 12 bytes are an empty closing chunk: without them the picture is still whole.
            if format == ImageFormat::Png && part > whole.len() - 12 {
                continue;
            }
            assert_eq!(process(&whole[..part]).unwrap_err(), PhotoError::Damaged, "{format:?} {part}/{}", whole.len());
        }
    }
    assert_eq!(process(b"\xFF\xD8\xFFjunk").unwrap_err(), PhotoError::Damaged);
    assert_eq!(process(b"\x89PNG\r\n\x1a\njunk").unwrap_err(), PhotoError::Damaged);
}

#[test]
fn inspect_takes_what_can_be_redrawn_and_says_of_the_rest_what_redrawing_would() {
    for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
        let whole = encoded(&picture(300, 200), format);
        assert_eq!(inspect(&whole), Ok(()), "{format:?}");
        for part in [whole.len() / 10, whole.len() / 2, whole.len() - 20] {
            assert_eq!(inspect(&whole[..part]), Err(PhotoError::Damaged), "{format:?} {part}/{}", whole.len());
        }
    }
    for bytes in [&b""[..], b"\xFF", b"GIF89a=1;alert(1)//", b"%PDF-1.7\n1 0 obj", b"PK\x03\x04\x14\0\0\0\0\0"] {
        assert_eq!(inspect(bytes), Err(PhotoError::NotAPicture));
    }
    assert_eq!(inspect(&vec![0xFF; MAX_PHOTO_BYTES + 1]), Err(PhotoError::TooLarge));
    assert_eq!(inspect(&bomb(30_000)), Err(PhotoError::TooManyPixels));
}

#[test]
fn inspect_of_random_png_lengths_never_reads_beyond_the_file() {
    let mut png = encoded(&picture(4, 4), ImageFormat::Png);
    for length in [0_u32, 1, 13, 1 << 20, u32::MAX - 11, u32::MAX] {
        png[33..37].copy_from_slice(&length.to_be_bytes());
        is_whole_png(&png);
    }
    assert!(!is_whole_png(&png));
}

#[test]
fn size_of_a_redrawn_photo_is_that_of_its_picture() {
    let done = process(&encoded(&picture(60, 40), ImageFormat::Png)).unwrap();
    assert_eq!(size(&done.full), Some((60, 40)));
    assert_eq!(size(b"no picture"), None);
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let bomb = bomb(30_000);
    let started = Instant::now();
    assert_eq!(process(&bomb).unwrap_err(), PhotoError::TooManyPixels);
    assert!(started.elapsed().as_millis() < 100, "{:?}", started.elapsed());
    let mut jpeg = encoded(&picture(16, 16), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(process(&jpeg).unwrap_err(), PhotoError::TooManyPixels);
}

#[test]
fn a_picture_that_is_deep_as_well_as_large_stays_within_the_memory() {
    let mut png = bomb(6000);
    png[24..26].copy_from_slice(&[16, 6]); // 16 bits each of red, green, blue and alpha: 288 MB
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    assert_eq!(process(&png).unwrap_err(), PhotoError::TooManyPixels);
}

#[test]
fn a_progressive_photo_needs_more_memory_per_pixel() {
    let mut jpeg = encoded(&picture(16, 16), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
    jpeg[frame + 1] = 0xC2;
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x17, 0x70, 0x17, 0x70]); // 6000 x 6000
    assert_eq!(process(&jpeg).unwrap_err(), PhotoError::TooManyPixels);
}

#[test]
fn the_largest_file_is_five_megabytes() {
    assert_eq!(process(&vec![0xFF; MAX_PHOTO_BYTES + 1]).unwrap_err(), PhotoError::TooLarge);
}
