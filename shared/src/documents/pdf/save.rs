//! From drawn pages to the bytes of the file, the same each time.

use chrono::{NaiveDate, NaiveTime};
use printpdf::{Op, PdfDocument, PdfFont, PdfPage, PdfSaveOptions, Pt, Rect, date::OffsetDateTime};

use super::{
    fonts::Weight,
    logo::{self, Logo},
    sheet::{HEIGHT, WIDTH},
};

/// What viewers and archives show of a file without opening it.
pub(super) struct About<'a> {
    pub(super) title: String,
    pub(super) author: &'a str,
    pub(super) issued_on: NaiveDate,
}

/// The file.
pub(super) fn bytes(pages: Vec<Vec<Op>>, logo: Option<&Logo>, about: &About<'_>) -> Vec<u8> {
    let mut document = PdfDocument::new(&about.title);
    describe(&mut document, about);
    // Under names of our own: printpdf numbers what is handed to it, and a second file of a process would differ.
    for weight in Weight::ALL {
        document.resources.fonts.map.insert(weight.id(), PdfFont::new(weight.face().parsed.clone()));
    }
    if let Some(logo) = logo {
        document.resources.xobjects.map.insert(logo::id(), logo.picture.clone());
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
