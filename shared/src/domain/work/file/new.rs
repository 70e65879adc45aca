//! New file rows.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::{AutomationTool, FileCategory, FileMoment, FileType, sanitize_file_name};
use crate::platform::{
    clock::ClockRng,
    db::{batch::Insert, batch_row},
    id::{AccountId, FileId, JobId, LeadId, OrgId},
    photo::ProcessedPhoto,
};

/// A file whose bytes already lie in the store, under `full_key` (and `thumb_key`).
#[derive(Clone, Debug)]
pub struct NewFile {
    pub id: FileId,
    pub lead: LeadId,
    pub job: Option<JobId>,
    pub kind: FileType,
    pub category: FileCategory,
    pub moment: Option<FileMoment>,
    pub tool: AutomationTool,
    pub name: String,
    pub content_type: &'static str,
    /// Without the thumbnail.
    pub bytes: i64,
    pub sha256: [u8; 32],
    /// Width and height; photos only.
    pub size: Option<(u32, u32)>,
    pub full_key: String,
    pub thumb_key: Option<String>,
    pub caption: Option<String>,
    /// The photo that was annotated to make it.
    pub made_from: Option<FileId>,
    pub account: Option<AccountId>,
    pub taken_at: DateTime<Utc>,
}

impl NewFile {
    /// The PDF is to be stored under its `full_key`.
    #[must_use]
    pub fn from_pdf(
        origin: &ClockRng,
        org: OrgId,
        lead: LeadId,
        category: FileCategory,
        name: &str,
        pdf: &[u8],
    ) -> Self {
        let id = FileId(origin.random_uuid());
        Self {
            id,
            lead,
            job: None,
            kind: FileType::Document,
            category,
            moment: None,
            tool: AutomationTool::JobTracker,
            name: sanitize_file_name(name, "pdf", "document"),
            content_type: "application/pdf",
            bytes: byte_length(pdf),
            sha256: Sha256::digest(pdf).into(),
            size: None,
            full_key: format!("{org}/{id}.pdf"),
            thumb_key: None,
            caption: None,
            made_from: None,
            account: None,
            taken_at: origin.now(),
        }
    }

    /// A re-encoded photo; both pictures are to be stored under its keys.
    #[must_use]
    pub fn from_photo(origin: &ClockRng, org: OrgId, lead: LeadId, name: &str, picture: &ProcessedPhoto) -> Self {
        let id = FileId(origin.random_uuid());
        Self {
            id,
            lead,
            job: None,
            kind: FileType::Photo,
            category: FileCategory::ProgressPhoto,
            moment: None,
            tool: AutomationTool::JobTracker,
            name: sanitize_file_name(name, "jpg", "photo"),
            content_type: "image/jpeg",
            bytes: byte_length(&picture.full),
            sha256: Sha256::digest(&picture.full).into(),
            size: Some((picture.width, picture.height)),
            full_key: format!("{org}/{id}.jpg"),
            thumb_key: Some(format!("{org}/{id}-thumb.jpg")),
            caption: None,
            made_from: None,
            account: None,
            taken_at: origin.now(),
        }
    }

    pub fn storage_keys(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.full_key.as_str()).chain(self.thumb_key.as_deref())
    }

    pub(super) fn build_insert<'a>(&self, origin: &ClockRng, org: OrgId) -> Insert<'a> {
        batch_row!(file {
            org_id: org,
            id: self.id,
            lead_id: self.lead,
            job_id: self.job,
            kind: self.kind,
            category: self.category,
            moment: self.moment,
            tool: self.tool,
            name: self.name.clone(),
            content_type: self.content_type,
            bytes: self.bytes,
            sha256: self.sha256.to_vec(),
            width: self.size.map(|(width, _)| i64::from(width)),
            height: self.size.map(|(_, height)| i64::from(height)),
            full_key: self.full_key.clone(),
            thumb_key: self.thumb_key.clone(),
            caption: self.caption.clone(),
            made_from: self.made_from,
            account_id: self.account,
            taken_at: self.taken_at,
            created_at: origin.now(),
        })
    }
}

fn byte_length(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}
