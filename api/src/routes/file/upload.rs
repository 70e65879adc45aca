//! Files of the business's own people, read off the wire while they are counted, with what is said of them.

use axum::extract::{Multipart, multipart::Field};
use chrono::{DateTime, Utc};
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    domain::work::file::{
        self, Category, Moment, NewFile,
        document::{self, MAX_DOCUMENT_BYTES},
    },
    platform::{
        error::FieldErrors,
        id::FileId,
        photo::{MAX_PHOTO_BYTES, PhotoError},
        text,
    },
};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

use super::{refusal, store::Target};
use crate::{
    auth::OrgMember,
    error::ApiResult,
    openapi::fields,
    routes::lead::upload::{broken, refused_words, reserve, tidy_name},
    state::AppState,
};

/// Files one request may hold.
const MAX_FILES: usize = 5;
const MAX_CAPTION: usize = 200;
/// One text field, in bytes.
const MAX_TEXT: usize = 2_000;

/// The form as the description shows it.
#[derive(ToSchema)]
#[schema(as = FilesForm, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; the form is read field by field")]
pub struct FilesDoc {
    /// PNG, JPG or WebP pictures of at most 5 MB, PDF documents of at most 10 MB.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    files: Vec<u8>,
    /// When photos were taken, seen from the work.
    #[schema(value_type = Moment, required = false)]
    moment: Option<Moment>,
    /// What documents are; estimate when absent.
    #[schema(value_type = Paper, required = false)]
    category: Option<Paper>,
    #[schema(schema_with = fields::lines::<200>)]
    caption: Option<String>,
    /// When photos were taken; now when absent.
    #[schema(value_type = DateTime<Utc>, required = false)]
    taken_at: Option<DateTime<Utc>>,
    /// Of a photo that was drawn on: the one it was made from, a photo of the same lead or job.
    #[schema(value_type = Uuid, required = false)]
    made_from: Option<FileId>,
}

/// What a document that somebody adds can be.
#[derive(ToSchema)]
#[schema(as = PaperCategory, rename_all = "snake_case")]
#[expect(dead_code, reason = "only described")]
enum Paper {
    Estimate,
    Invoice,
}

/// A file as it came in.
pub struct Raw {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Its share of the memory that all uploads together may use.
    pub room: Vec<OwnedSemaphorePermit>,
}

/// Everything that came in, not yet looked at.
#[derive(Default)]
pub struct Sent {
    files: Vec<Raw>,
    texts: Vec<(&'static str, String)>,
    faults: FieldErrors,
    refused: Vec<String>,
}

/// A form that fits, its files not decoded yet.
pub struct Checked {
    pub files: Vec<Raw>,
    moment: Option<Moment>,
    pub category: Category,
    caption: Option<String>,
    pub taken_at: Option<DateTime<Utc>>,
    pub made_from: Option<FileId>,
}

/// Reads the form to its end.
pub async fn read(state: &AppState, mut multipart: Multipart) -> ApiResult<Sent> {
    let mut sent = Sent::default();
    while let Some(field) = multipart.next_field().await.map_err(|e| broken(&e))? {
        match field.name().map(ToOwned::to_owned).as_deref() {
            Some("files") => sent.read_file(state, field).await?,
            Some(name) => sent.read_text(name, field).await?,
            None => {}
        }
    }
    Ok(sent)
}

impl Sent {
    async fn read_file(&mut self, state: &AppState, mut field: Field<'_>) -> ApiResult<()> {
        let number = self.files.len() + self.refused.len() + 1;
        let given = tidy_name(field.file_name().unwrap_or_default(), number);
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            if self.files.len() == MAX_FILES {
                self.refused.push(format!("“{given}” is one too many: at most {MAX_FILES} files"));
                return Ok(());
            }
            room.push(reserve(state, chunk.len())?);
            bytes.extend_from_slice(&chunk);
            if let Some(words) = too_large(&given, &bytes) {
                self.refused.push(words);
                return Ok(());
            }
        }
        // A file field that was left empty comes as a file without a byte.
        if !bytes.is_empty() {
            self.files.push(Raw { name: given, bytes, room });
        }
        Ok(())
    }

    async fn read_text(&mut self, name: &str, mut field: Field<'_>) -> ApiResult<()> {
        // A field that is not ours is passed over; the next call to the form skips what is left of it.
        let known = ["moment", "category", "caption", "takenAt", "madeFrom"];
        let Some(known) = known.into_iter().find(|known| *known == name) else { return Ok(()) };
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|e| broken(&e))? {
            if bytes.len() + chunk.len() > MAX_TEXT {
                self.faults.add(known, "This is too long");
                return Ok(());
            }
            bytes.extend_from_slice(&chunk);
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.texts.push((known, text)),
            Err(_) => self.faults.add(known, "This contains characters that cannot be used"),
        }
        Ok(())
    }

    /// # Errors
    /// 422 with every fault at once.
    pub fn check(mut self, may_add_documents: bool) -> ApiResult<Checked> {
        let said = |name| self.texts.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| text.trim());
        let filled = |name| said(name).filter(|text| !text.is_empty());
        let mut faults = std::mem::take(&mut self.faults);
        let moment = filled("moment").and_then(|word| choice::<Moment>("moment", word, &mut faults));
        let category = filled("category").and_then(|word| choice::<Category>("category", word, &mut faults));
        if category.is_some_and(|category| !matches!(category, Category::Estimate | Category::Invoice)) {
            faults.add("category", "A document is an estimate or an invoice");
        }
        let taken_at = filled("takenAt").and_then(|at| {
            let read = DateTime::parse_from_rfc3339(at).map(|at| at.to_utc());
            read.map_err(|_| faults.add("takenAt", "This is not a time such as 2026-11-21T15:04:05Z")).ok()
        });
        let made_from = filled("madeFrom").and_then(|id| {
            id.parse().map(FileId).map_err(|_| faults.add("madeFrom", "This is not the id of a photo")).ok()
        });
        if made_from.is_some() && self.files.iter().any(|file| document::is_pdf(&file.bytes)) {
            faults.add("madeFrom", "Only a photo is made from another");
        }
        let caption = text::lines("caption", said("caption"), MAX_CAPTION).optional(&mut faults);
        let mut refused = std::mem::take(&mut self.refused);
        for file in self.files.iter().filter(|file| !may_add_documents && document::is_pdf(&file.bytes)) {
            refused.push(format!("“{}” is a document: the office adds those", file.name));
        }
        if self.files.is_empty() && refused.is_empty() {
            faults.add("files", "Choose at least one file");
        }
        match (faults.0.is_empty(), refused.is_empty()) {
            (true, true) => {}
            (true, false) => return Err(refusal(&refused)),
            (false, _) => {
                if !refused.is_empty() {
                    faults.add("files", refused.join("; "));
                }
                return Err(faults.into());
            }
        }
        let category = category.unwrap_or(Category::Estimate);
        Ok(Checked { files: self.files, moment, category, caption, taken_at, made_from })
    }
}

/// Why a file that is still coming in is refused already: a picture ends sooner than a document.
fn too_large(name: &str, bytes: &[u8]) -> Option<String> {
    if document::is_pdf(bytes) {
        let fault = document::DocumentError::TooLarge;
        (bytes.len() > MAX_DOCUMENT_BYTES).then(|| format!("“{name}” {fault}"))
    } else {
        (bytes.len() > MAX_PHOTO_BYTES).then(|| refused_words(name, PhotoError::TooLarge))
    }
}

fn choice<T: serde::de::DeserializeOwned>(name: &'static str, word: &str, faults: &mut FieldErrors) -> Option<T> {
    let known = serde_json::from_value(serde_json::Value::String(word.to_owned()));
    known.map_err(|_| faults.add(name, "This is not one of the possible values")).ok()
}

impl Checked {
    /// What was asked, without transport detail.
    pub fn hash(&self, target: Target) -> [u8; 32] {
        let mut hash = Sha256::new();
        let said = json!([target.lead, target.job, self.moment, self.category, self.caption, self.taken_at]);
        hash.update(said.to_string());
        if let Some(original) = self.made_from {
            hash.update(original.0.as_bytes());
        }
        for file in &self.files {
            hash.update((file.name.len() as u64).to_le_bytes());
            hash.update(&file.name);
            hash.update(Sha256::digest(&file.bytes));
        }
        hash.finalize().into()
    }

    /// Says of a file what the form says of it.
    pub fn describe(&self, new: &mut NewFile, target: Target, member: &OrgMember, now: DateTime<Utc>) {
        if new.kind == file::Kind::Photo {
            new.moment = self.moment;
            new.category = self.moment.map_or(Category::ProgressPhoto, Moment::category);
            new.made_from = self.made_from;
        }
        new.job = target.job;
        new.caption.clone_from(&self.caption);
        new.account = Some(member.account());
        new.taken_at = self.taken_at.map_or(now, |at| at.min(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(texts: &[(&'static str, &str)], files: &[(&str, &[u8])]) -> Sent {
        let raw = |(name, bytes): &(&str, &[u8])| Raw { name: (*name).into(), bytes: bytes.to_vec(), room: vec![] };
        Sent {
            texts: texts.iter().map(|(name, text)| (*name, (*text).to_owned())).collect(),
            files: files.iter().map(raw).collect(),
            ..Sent::default()
        }
    }

    #[test]
    fn all_faults_are_told_together() {
        let texts = [
            ("moment", "later"),
            ("category", "review_request"),
            ("takenAt", "noon"),
            ("caption", "a\u{0}"),
            ("madeFrom", "the other"),
        ];
        let error = sent(&texts, &[]).check(true).err().unwrap();
        let named: Vec<&str> = error.errors.keys().map(String::as_str).collect();
        assert_eq!(named, ["caption", "category", "files", "madeFrom", "moment", "takenAt"]);
    }

    #[test]
    fn a_document_is_made_from_nothing() {
        let original = ("madeFrom", "0192f5e0-0000-7000-8000-000000000001");
        let of = |bytes: &[u8]| sent(&[original], &[("a", bytes)]).check(true);
        assert!(of(b"x").is_ok_and(|checked| checked.made_from.is_some()));
        assert_eq!(of(b"%PDF-1.4").err().unwrap().errors["madeFrom"], "Only a photo is made from another");
    }

    #[test]
    fn a_crew_adds_photos_only() {
        let pdf: (&str, &[u8]) = ("permit.pdf", b"%PDF-1.4");
        let error = sent(&[], &[pdf]).check(false).err().unwrap();
        assert_eq!(error.errors["files"], "“permit.pdf” is a document: the office adds those");
        assert!(sent(&[], &[pdf]).check(true).is_ok());
        assert!(sent(&[("moment", "after")], &[("a.jpg", b"x")]).check(false).is_ok());
    }
}
