//! New file rows.

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::{AutomationTool, FileCategory, FileMoment, FileType, sanitize_file_name};
use crate::platform::{
    clock::ClockRng,
    db::batch::{Insert, values},
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
        Insert::into(
            "file (org_id, id, lead_id, job_id, kind, category, moment, tool, name, content_type, bytes, sha256, width,
                 height, full_key, thumb_key, caption, made_from, account_id, taken_at, created_at)",
        )
        .with_row(values![
            org,
            self.id,
            self.lead,
            self.job,
            self.kind,
            self.category,
            self.moment,
            self.tool,
            self.name.clone(),
            self.content_type,
            self.bytes,
            self.sha256.to_vec(),
            self.size.map(|(width, _)| i64::from(width)),
            self.size.map(|(_, height)| i64::from(height)),
            self.full_key.clone(),
            self.thumb_key.clone(),
            self.caption.clone(),
            self.made_from,
            self.account,
            self.taken_at,
            origin.now()
        ])
    }
}

fn byte_length(bytes: &[u8]) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}
