//! Serialisation of drawn pages into deterministic PDF bytes.

use chrono::{NaiveDate, NaiveTime};
use printpdf::{Op, PdfDocument, PdfFont, PdfPage, PdfSaveOptions, Pt, Rect, date::OffsetDateTime};

use super::{
    fonts::FontWeight,
    logo::{self, Logo},
    sheet::{HEIGHT, WIDTH},
};

pub(super) struct PdfMetadata<'a> {
    pub(super) title: String,
    pub(super) author: &'a str,
    pub(super) issued_on: NaiveDate,
}

pub(super) fn save_document(pages: Vec<Vec<Op>>, logo: Option<&Logo>, about: &PdfMetadata<'_>) -> Vec<u8> {
    let mut document = PdfDocument::new(&about.title);
    set_metadata(&mut document, about);
    // Fixed resource names: printpdf numbers resources per process, so a second file would differ.
    for weight in FontWeight::ALL {
        document.resources.fonts.map.insert(weight.font_id(), PdfFont::new(weight.font_face().parsed.clone()));
    }
    if let Some(logo) = logo {
        document.resources.xobjects.map.insert(logo::logo_id(), logo.picture.clone());
    }
    document.pages = pages.into_iter().map(to_pdf_page).collect();
    let mut file = printpdf::to_lopdf_doc(&document, &PdfSaveOptions::default(), &mut Vec::new());
    "1.7".clone_into(&mut file.version);
    // printpdf derives the ID from a process-wide counter; an unencrypted file needs none.
    file.trailer.remove(b"ID");
    for object in file.objects.values_mut() {
        let Ok(stream) = object.as_stream_mut() else { continue };
        let face = FontWeight::ALL
            .map(FontWeight::font_face)
            .into_iter()
            .find(|face| face.parsed.original_bytes == stream.content);
        if let Some(face) = face {
            let packed = face.deflated_file(|| {
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

fn to_pdf_page(ops: Vec<Op>) -> PdfPage {
    let letter = Rect::from_wh(Pt(WIDTH), Pt(HEIGHT));
    PdfPage { media_box: letter.clone(), trim_box: letter.clone(), crop_box: letter, ops }
}

fn set_metadata(document: &mut PdfDocument, about: &PdfMetadata<'_>) {
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
