//! From drawn pages to the bytes of the file, the same each time.

use chrono::{NaiveDate, NaiveTime};
use image::{DynamicImage, ImageReader, Limits, RgbImage, imageops::FilterType};
use printpdf::{
    Op, PdfDocument, PdfFont, PdfPage, PdfSaveOptions, Pt, RawImage, RawImageData, RawImageFormat, Rect, XObject,
    XObjectId, date::OffsetDateTime,
};

use super::{
    fonts::Weight,
    sheet::{HEIGHT, WIDTH},
};

/// By which name a page calls the logo.
pub(super) fn logo_id() -> XObjectId {
    XObjectId("Logo".to_owned())
}

/// What viewers and archives show of a file without opening it.
pub(super) struct About<'a> {
    pub(super) title: String,
    pub(super) author: &'a str,
    pub(super) issued_on: NaiveDate,
}

/// The logo as it is drawn, in points, and its picture.
pub(super) struct Logo {
    pub(super) width: f32,
    pub(super) height: f32,
    picture: RawImage,
}

const LOGO_WIDTH: u16 = 156;
const LOGO_HEIGHT: u16 = 54;
/// Pixels to a point: 216 to an inch, what a printer shows of a logo.
const FINENESS: u16 = 3;
const MAX_SIDE: u32 = 8000;
const MAX_MEMORY: u64 = 256 * 1024 * 1024;

impl Logo {
    /// None when it cannot be read: a paper without a logo is better than none.
    pub(super) fn read(file: &[u8]) -> Option<Self> {
        let mut reader = ImageReader::new(std::io::Cursor::new(file)).with_guessed_format().ok()?;
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        limits.max_alloc = Some(MAX_MEMORY);
        reader.limits(limits);
        let picture = reader.decode().ok()?;
        let (across, down) = (u32::from(LOGO_WIDTH * FINENESS), u32::from(LOGO_HEIGHT * FINENESS));
        let picture = if picture.width() > across || picture.height() > down {
            picture.resize(across, down, FilterType::Triangle)
        } else {
            picture
        };
        let (wide, high) = (u16::try_from(picture.width()).ok()?, u16::try_from(picture.height()).ok()?);
        let scale = (f32::from(LOGO_WIDTH) / f32::from(wide)).min(f32::from(LOGO_HEIGHT) / f32::from(high));
        let (width, height) = (f32::from(wide) * scale, f32::from(high) * scale);
        Some(Self { width, height, picture: raw(&picture) })
    }
}

/// The picture on white, as the paper is.
fn raw(picture: &DynamicImage) -> RawImage {
    let seen = picture.to_rgba8();
    let on_white = RgbImage::from_fn(seen.width(), seen.height(), |x, y| {
        let [red, green, blue, alpha] = seen.get_pixel(x, y).0;
        let mixed = |channel: u8| {
            let all = u32::from(channel) * u32::from(alpha) + 255 * (255 - u32::from(alpha));
            u8::try_from((all + 127) / 255).unwrap_or(u8::MAX)
        };
        image::Rgb([mixed(red), mixed(green), mixed(blue)])
    });
    RawImage {
        width: on_white.width() as usize,
        height: on_white.height() as usize,
        pixels: RawImageData::U8(on_white.into_raw()),
        data_format: RawImageFormat::RGB8,
        tag: Vec::new(),
    }
}

/// The file.
pub(super) fn bytes(pages: Vec<Vec<Op>>, logo: Option<Logo>, about: &About<'_>) -> Vec<u8> {
    let mut document = PdfDocument::new(&about.title);
    describe(&mut document, about);
    // Under names of our own: printpdf numbers what is handed to it, and a second file of a process would differ.
    for weight in Weight::ALL {
        document.resources.fonts.map.insert(weight.id(), PdfFont::new(weight.face().parsed.clone()));
    }
    if let Some(logo) = logo {
        document.resources.xobjects.map.insert(logo_id(), XObject::Image(logo.picture));
    }
    document.pages = pages.into_iter().map(page).collect();
    let mut file = printpdf::to_lopdf_doc(&document, &PdfSaveOptions::default(), &mut Vec::new());
    "1.7".clone_into(&mut file.version);
    // Counted up over the life of the process as well, and a file that is not encrypted needs none.
    file.trailer.remove(b"ID");
    for object in file.objects.values_mut() {
        let Ok(stream) = object.as_stream_mut() else { continue };
        let face = Weight::ALL.map(Weight::face).into_iter().find(|face| face.parsed.original_bytes == stream.content);
        if let Some(face) = face {
            let packed = face.packed(|| {
                let mut copy = stream.clone();
                copy.compress().ok().filter(|()| copy.dict.has(b"Filter")).map(|()| copy.content)
            });
            if let Some(packed) = packed {
                stream.set_content(packed.to_vec());
                stream.dict.set("Filter", "FlateDecode");
            }
        }
    }
    file.compress();
    let mut bytes = Vec::new();
    file.save_to(&mut bytes).expect("a vector takes whatever is written to it");
    bytes
}

fn page(ops: Vec<Op>) -> PdfPage {
    let letter = Rect::from_wh(Pt(WIDTH), Pt(HEIGHT));
    PdfPage { media_box: letter.clone(), trim_box: letter.clone(), crop_box: letter, ops }
}

fn describe(document: &mut PdfDocument, about: &About<'_>) {
    let issued = about.issued_on.and_time(NaiveTime::MIN).and_utc().timestamp();
    let info = &mut document.metadata.info;
    about.author.clone_into(&mut info.author);
    "Toolbox".clone_into(&mut info.creator);
    "Toolbox".clone_into(&mut info.producer);
    if let Ok(issued) = OffsetDateTime::from_unix_timestamp(issued) {
        info.creation_date = issued;
        info.modification_date = issued;
        info.metadata_date = issued;
    }
}
