//! Multipart reading of users' files, with limits and descriptions.

use axum::extract::{Multipart, multipart::Field};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use shared::{
    domain::work::file::{
        self, FileCategory, FileMoment, NewFile,
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

use super::{LIMIT, refused_files_error, store::UploadTarget};
use crate::{
    auth::OrgMember,
    error::ApiResult,
    openapi::fields,
    routes::intake::lead::upload::{broken_form_error, refusal_message, reserve_memory, sanitize_file_name},
    state::AppState,
};

/// Files per request.
const MAX_FILES: usize = 5;
const MAX_CAPTION: usize = 200;
/// Limit of a text field, in bytes.
const MAX_TEXT: usize = 2_000;

/// File types of an added document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PaperCategory)]
pub enum DocumentCategory {
    Estimate,
    Invoice,
}

impl From<DocumentCategory> for FileCategory {
    fn from(category: DocumentCategory) -> Self {
        match category {
            DocumentCategory::Estimate => Self::Estimate,
            DocumentCategory::Invoice => Self::Invoice,
        }
    }
}

pub struct RawFile {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Its share of the memory limit of all uploads.
    pub room: Vec<OwnedSemaphorePermit>,
}

#[derive(Default)]
pub struct ReceivedFiles {
    files: Vec<RawFile>,
    texts: Vec<(&'static str, String)>,
    faults: FieldErrors,
    refused: Vec<String>,
}

/// Files with their shared fields.
#[derive(ToSchema)]
#[schema(as = FilesForm, rename_all = "camelCase")]
pub struct ValidatedFiles {
    /// PNG, JPG or WebP pictures of at most 5 MB, PDF documents of at most 10 MB.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    pub files: Vec<RawFile>,
    /// When photos were taken, seen from the work.
    #[schema(value_type = FileMoment, required = false)]
    moment: Option<FileMoment>,
    /// What documents are; estimate when absent.
    #[schema(required = false)]
    pub category: DocumentCategory,
    #[schema(schema_with = fields::optional_text::<200>)]
    caption: Option<String>,
    /// When photos were taken; now when absent.
    #[schema(value_type = DateTime<Utc>, required = false)]
    pub taken_at: Option<DateTime<Utc>>,
    /// Of a photo that was drawn on: the one it was made from, a photo of the same lead or job.
    #[schema(value_type = Uuid, required = false)]
    pub made_from: Option<FileId>,
}

pub async fn read_form(state: &AppState, mut multipart: Multipart) -> ApiResult<ReceivedFiles> {
    let mut sent = ReceivedFiles::default();
    while let Some(field) = multipart.next_field().await.map_err(|e| broken_form_error(&e, LIMIT))? {
        match field.name().map(ToOwned::to_owned).as_deref() {
            Some("files") => sent.read_file(state, field).await?,
            Some(name) => sent.read_text(name, field).await?,
            None => {}
        }
    }
    Ok(sent)
}

impl ReceivedFiles {
    async fn read_file(&mut self, state: &AppState, mut field: Field<'_>) -> ApiResult<()> {
        let number = self.files.len() + self.refused.len() + 1;
        let given = sanitize_file_name(field.file_name().unwrap_or_default(), number);
        let (mut bytes, mut room) = (Vec::new(), Vec::new());
        while let Some(chunk) = field.chunk().await.map_err(|e| broken_form_error(&e, LIMIT))? {
            if self.files.len() == MAX_FILES {
                self.refused.push(format!("“{given}” is one too many: at most {MAX_FILES} files"));
                return Ok(());
            }
            room.push(reserve_memory(state, chunk.len())?);
            bytes.extend_from_slice(&chunk);
            if let Some(words) = too_large_message(&given, &bytes) {
                self.refused.push(words);
                return Ok(());
            }
        }
        // An empty file field arrives as a file of zero bytes.
        if !bytes.is_empty() {
            self.files.push(RawFile { name: given, bytes, room });
        }
        Ok(())
    }

    async fn read_text(&mut self, name: &str, mut field: Field<'_>) -> ApiResult<()> {
        // An unknown field is ignored; the next call to the form skips the rest of it.
        let names = ["moment", "category", "caption", "takenAt", "madeFrom"];
        let Some(part) = names.into_iter().find(|part| *part == name) else { return Ok(()) };
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|e| broken_form_error(&e, LIMIT))? {
            if bytes.len() + chunk.len() > MAX_TEXT {
                self.faults.add(part, "This is too long");
                return Ok(());
            }
            bytes.extend_from_slice(&chunk);
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.texts.push((part, text)),
            Err(_) => self.faults.add(part, "This contains characters that cannot be used"),
        }
        Ok(())
    }

    /// Errors: 422 with every fault at once.
    pub fn validate_form(mut self, may_add_documents: bool) -> ApiResult<ValidatedFiles> {
        let text_of = |name| self.texts.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| text.trim());
        let filled = |name| text_of(name).filter(|text| !text.is_empty());
        let mut faults = std::mem::take(&mut self.faults);
        let moment = filled("moment").and_then(|word| parse_choice::<FileMoment>("moment", word, &mut faults));
        let category = filled("category").and_then(|word| parse_category(word, &mut faults));
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
        let caption = text::multi_line("caption", text_of("caption"), MAX_CAPTION).parse_optional(&mut faults);
        let mut refused = std::mem::take(&mut self.refused);
        for file in self.files.iter().filter(|file| !may_add_documents && document::is_pdf(&file.bytes)) {
            refused.push(format!("“{}” is a document: the office adds those", file.name));
        }
        if self.files.is_empty() && refused.is_empty() {
            faults.add("files", "Choose at least one file");
        }
        match (faults.0.is_empty(), refused.is_empty()) {
            (true, true) => {}
            (true, false) => return Err(refused_files_error(&refused)),
            (false, _) => {
                if !refused.is_empty() {
                    faults.add("files", refused.join("; "));
                }
                return Err(faults.into());
            }
        }
        let category = category.unwrap_or(DocumentCategory::Estimate);
        Ok(ValidatedFiles { files: self.files, moment, category, caption, taken_at, made_from })
    }
}

/// Early refusal of a file that is still arriving: the limit of pictures is below that of documents.
fn too_large_message(name: &str, bytes: &[u8]) -> Option<String> {
    if document::is_pdf(bytes) {
        let fault = document::DocumentError::TooLarge;
        (bytes.len() > MAX_DOCUMENT_BYTES).then(|| format!("“{name}” {fault}"))
    } else {
        (bytes.len() > MAX_PHOTO_BYTES).then(|| refusal_message(name, PhotoError::TooLarge))
    }
}

fn parse_category(word: &str, faults: &mut FieldErrors) -> Option<DocumentCategory> {
    match parse_choice("category", word, faults)? {
        FileCategory::Estimate => Some(DocumentCategory::Estimate),
        FileCategory::Invoice => Some(DocumentCategory::Invoice),
        _ => {
            faults.add("category", "A document is an estimate or an invoice");
            None
        }
    }
}

fn parse_choice<T: serde::de::DeserializeOwned>(name: &'static str, word: &str, faults: &mut FieldErrors) -> Option<T> {
    let known = serde_json::from_value(serde_json::Value::String(word.to_owned()));
    known.map_err(|_| faults.add(name, "This is not one of the possible values")).ok()
}

impl ValidatedFiles {
    /// Hash of the request's content, for idempotency.
    pub fn request_hash(&self, target: UploadTarget) -> [u8; 32] {
        let mut hash = Sha256::new();
        let fields = json!([target.lead, target.job, self.moment, self.category, self.caption, self.taken_at]);
        hash.update(fields.to_string());
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

    /// Copies the form's description to a file.
    pub fn describe_file(&self, new: &mut NewFile, target: UploadTarget, member: &OrgMember, now: DateTime<Utc>) {
        if new.kind == file::FileType::Photo {
            new.moment = self.moment;
            new.category = self.moment.map_or(FileCategory::ProgressPhoto, FileMoment::photo_category);
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

    fn sent(texts: &[(&'static str, &str)], files: &[(&str, &[u8])]) -> ReceivedFiles {
        let raw = |(name, bytes): &(&str, &[u8])| RawFile { name: (*name).into(), bytes: bytes.to_vec(), room: vec![] };
        ReceivedFiles {
            texts: texts.iter().map(|(name, text)| (*name, (*text).to_owned())).collect(),
            files: files.iter().map(raw).collect(),
            ..ReceivedFiles::default()
        }
    }

    #[test]
    fn upload_faults_are_reported_together() {
        let texts = [
            ("moment", "later"),
            ("category", "review_request"),
            ("takenAt", "noon"),
            ("caption", "a\u{0}"),
            ("madeFrom", "the other"),
        ];
        let error = sent(&texts, &[]).validate_form(true).err().unwrap();
        let named: Vec<&str> = error.errors.keys().map(String::as_str).collect();
        assert_eq!(named, ["caption", "category", "files", "madeFrom", "moment", "takenAt"]);
    }

    #[test]
    fn document_with_made_from_is_refused() {
        let original = ("madeFrom", "0192f5e0-0000-7000-8000-000000000001");
        let of = |bytes: &[u8]| sent(&[original], &[("a", bytes)]).validate_form(true);
        assert!(of(b"x").is_ok_and(|checked| checked.made_from.is_some()));
        assert_eq!(of(b"%PDF-1.4").err().unwrap().errors["madeFrom"], "Only a photo is made from another");
    }

    #[test]
    fn crew_may_add_photos_only() {
        let pdf: (&str, &[u8]) = ("permit.pdf", b"%PDF-1.4");
        let error = sent(&[], &[pdf]).validate_form(false).err().unwrap();
        assert_eq!(error.errors["files"], "“permit.pdf” is a document: the office adds those");
        assert!(sent(&[], &[pdf]).validate_form(true).is_ok());
        assert!(sent(&[("moment", "after")], &[("a.jpg", b"x")]).validate_form(false).is_ok());
    }
}
