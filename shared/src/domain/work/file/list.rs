//! Lists of files of a job or lead, with their delivery state.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{AutomationTool, FileCategory, FileMoment, FileType, display_file_name};
use crate::{
    domain::messaging::message::MessageChannel,
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{FileId, JobId, LeadId, OrgId},
    },
};

/// How far a file got on its way to the customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    Sent,
    Delivered,
    Viewed,
    Downloaded,
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FilePaper)]
pub enum FileDocumentKind {
    Estimate,
    /// The copy that the customer signed.
    SignedEstimate,
    ChangeOrder,
    /// The copy of a change order that the customer signed.
    SignedChangeOrder,
    Invoice,
    Receipt,
    /// Somebody added it.
    Upload,
}

/// One photo or document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AutomatedFile)]
pub struct FileView {
    pub id: FileId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: FileType,
    pub category: FileCategory,
    /// Documents only.
    pub paper: Option<FileDocumentKind>,
    /// Opens with a session; `GET /api/files/{id}/address` makes one that opens without.
    pub url: String,
    /// Photos only.
    pub thumb_url: Option<String>,
    pub sent_at: Option<DateTime<Utc>>,
    /// The way it was sent: by email, or by a link in a text.
    pub sent_via: Option<MessageChannel>,
    pub automation_tool: AutomationTool,
    /// In bytes.
    pub size: i64,
    /// Null when it was not sent.
    pub status: Option<FileStatus>,
    pub moment: Option<FileMoment>,
    pub caption: Option<String>,
    /// The photo that was drawn on to make this one. It may have been removed since.
    pub made_from: Option<FileId>,
    pub created_at: DateTime<Utc>,
    /// Who added it; null for what was made by a rule.
    pub by: Option<String>,
}

#[derive(FromRow)]
pub(super) struct FileListRow {
    pub id: FileId,
    pub kind: FileType,
    category: FileCategory,
    paper: Option<FileDocumentKind>,
    moment: Option<FileMoment>,
    tool: AutomationTool,
    pub name: String,
    bytes: i64,
    pub full_key: String,
    caption: Option<String>,
    pub made_from: Option<FileId>,
    pub taken_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
    viewed_at: Option<DateTime<Utc>>,
    downloaded_at: Option<DateTime<Utc>>,
    by_name: Option<String>,
}

/// First time and channel of sending, and whether any of its messages is known to have arrived.
#[derive(Clone, Copy)]
struct FileDelivery {
    at: DateTime<Utc>,
    via: MessageChannel,
    is_delivered: bool,
}

impl FileListRow {
    fn into_view(self, sent: Option<FileDelivery>) -> FileView {
        let reached = sent.map(|sent| if sent.is_delivered { FileStatus::Delivered } else { FileStatus::Sent });
        let status = match (self.downloaded_at, self.viewed_at) {
            (Some(_), _) => Some(FileStatus::Downloaded),
            (None, Some(_)) => Some(FileStatus::Viewed),
            (None, None) => reached,
        };
        let url = file_url(self.id);
        FileView {
            id: self.id,
            thumb_url: (self.kind == FileType::Photo).then(|| format!("{url}?size=thumb")),
            url,
            name: display_file_name(self.kind, self.name),
            kind: self.kind,
            category: self.category,
            paper: self.paper,
            sent_at: sent.map(|sent| sent.at),
            sent_via: sent.map(|sent| sent.via),
            automation_tool: self.tool,
            size: self.bytes,
            status,
            moment: self.moment,
            caption: self.caption,
            made_from: self.made_from,
            created_at: self.created_at,
            by: self.by_name,
        }
    }
}

#[must_use]
pub fn file_url(id: FileId) -> String {
    format!("/api/files/{id}")
}

/// Newest first: the job's own files, and those of its lead that belong to no other job. `only` limits the kind: crews
/// see photos only, since documents show prices.
pub async fn list_job_files(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    lead: LeadId,
    only: Option<FileType>,
) -> Result<Vec<FileView>> {
    load_files(conn, org, lead, Some(job), only).await
}

/// Newest first, with those of its jobs.
pub async fn list_lead_files(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<FileView>> {
    load_files(conn, org, lead, None, None).await
}

pub async fn list_files_by_ids(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    ids: &[FileId],
) -> Result<Vec<FileView>> {
    let mut all: HashMap<FileId, FileView> =
        list_lead_files(conn, org, lead).await?.into_iter().map(|file| (file.id, file)).collect();
    Ok(ids.iter().filter_map(|id| all.remove(id)).collect())
}

async fn load_files(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
    only: Option<FileType>,
) -> Result<Vec<FileView>> {
    let rows = load_file_rows(&mut *conn, org, lead, job, only).await?;
    let sent = load_deliveries(conn, org, lead).await?;
    let view = |row: FileListRow| {
        let sent = sent.get(&row.id).copied();
        row.into_view(sent)
    };
    Ok(rows.into_iter().map(view).collect())
}

pub(super) async fn load_file_rows(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
    only: Option<FileType>,
) -> Result<Vec<FileListRow>> {
    Ok(qb!(conn, fetch_all as FileListRow, |b| {
        b.push(
            "SELECT f.id AS id, f.kind, f.category,
                 CASE WHEN f.kind <> 'document' THEN NULL
                     WHEN EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = f.org_id AND e.lead_id = f.lead_id
                         AND e.file_id = f.id AND e.job_id IS NULL) THEN 'estimate'
                     WHEN EXISTS (SELECT 1 FROM estimate e WHERE e.org_id = f.org_id AND e.lead_id = f.lead_id
                         AND e.file_id = f.id) THEN 'change_order'
                     WHEN EXISTS (SELECT 1 FROM approval s JOIN estimate e ON e.org_id = s.org_id
                             AND e.id = s.estimate_id
                         WHERE s.org_id = f.org_id AND e.lead_id = f.lead_id AND s.file_id = f.id
                             AND e.job_id IS NULL) THEN 'signed_estimate'
                     WHEN EXISTS (SELECT 1 FROM approval s JOIN estimate e ON e.org_id = s.org_id
                             AND e.id = s.estimate_id
                         WHERE s.org_id = f.org_id AND e.lead_id = f.lead_id AND s.file_id = f.id)
                         THEN 'signed_change_order'
                     WHEN EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = f.org_id AND i.lead_id = f.lead_id
                         AND i.file_id = f.id) THEN 'invoice'
                     WHEN EXISTS (SELECT 1 FROM message m JOIN message_file x ON x.org_id = m.org_id
                             AND x.message_id = m.id
                         WHERE m.org_id = f.org_id AND m.lead_id = f.lead_id AND m.kind = 'receipt'
                             AND x.file_id = f.id) THEN 'receipt'
                     ELSE 'upload' END AS paper,
                 f.moment, f.tool, f.name, f.bytes, f.full_key, f.caption, f.made_from, f.taken_at,
                 f.created_at AS created_at, f.viewed_at, f.downloaded_at, a.name AS by_name
             FROM file f LEFT JOIN account a ON a.id = f.account_id AND a.org_id = f.org_id WHERE f.org_id = ",
        );
        b.push_bind(org).push(" AND f.lead_id = ").push_bind(lead).push(" AND f.removed_at IS NULL");
        if let Some(job) = job {
            b.push(" AND (f.job_id IS NULL OR f.job_id = ").push_bind(job).push(")");
        }
        if let Some(kind) = only {
            b.push(" AND f.kind = ").push_bind(kind);
        }
        if only != Some(FileType::Document) {
            b.push(
                " UNION ALL SELECT p.id, 'photo', 'progress_photo', NULL, NULL, 'lead_intake', p.original_name, p.bytes,
                     p.full_key, NULL, NULL, p.created_at, p.created_at, NULL, NULL, l.name
                 FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id WHERE p.org_id = ",
            );
            b.push_bind(org).push(" AND p.lead_id = ").push_bind(lead);
        }
        b.push(" ORDER BY created_at DESC, id DESC");
    })?)
}

async fn load_deliveries(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<HashMap<FileId, FileDelivery>> {
    let rows = qb!(conn, fetch_all as (FileId, MessageChannel, DateTime<Utc>, bool), |b| {
        b.push(
            "SELECT f.id, m.channel, m.sent_at, m.status = 'delivered' FROM file f
             JOIN message_file x ON x.org_id = f.org_id AND x.file_id = f.id
             JOIN message m ON m.org_id = x.org_id AND m.id = x.message_id
             WHERE m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND f.org_id = ",
        );
        b.push_bind(org).push(" AND f.lead_id = ").push_bind(lead).push(" ORDER BY m.sent_at, m.id");
    })?;
    let mut found: HashMap<FileId, FileDelivery> = HashMap::new();
    for (file, via, at, is_delivered) in rows {
        found.entry(file).or_insert(FileDelivery { at, via, is_delivered }).is_delivered |= is_delivered;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn row(viewed: bool, downloaded: bool) -> FileListRow {
        let at = DateTime::UNIX_EPOCH;
        FileListRow {
            id: FileId(Uuid::from_u128(1)),
            kind: FileType::Document,
            category: FileCategory::Estimate,
            paper: Some(FileDocumentKind::Estimate),
            moment: None,
            tool: AutomationTool::JobTracker,
            name: "Ann Lee - Estimate EST-1001.pdf".into(),
            bytes: 5,
            full_key: "a/b.pdf".into(),
            caption: None,
            made_from: None,
            taken_at: at,
            created_at: at,
            viewed_at: viewed.then_some(at),
            downloaded_at: downloaded.then_some(at),
            by_name: None,
        }
    }

    #[test]
    fn file_status_shows_the_furthest_stage_reached() {
        let sent =
            |is_delivered| Some(FileDelivery { at: DateTime::UNIX_EPOCH, via: MessageChannel::Email, is_delivered });
        let table = [
            (false, false, None, None),
            (false, false, sent(false), Some(FileStatus::Sent)),
            (false, false, sent(true), Some(FileStatus::Delivered)),
            (true, false, sent(false), Some(FileStatus::Viewed)),
            (true, true, sent(true), Some(FileStatus::Downloaded)),
            (false, true, None, Some(FileStatus::Downloaded)),
        ];
        for (viewed, downloaded, sent, wanted) in table {
            assert_eq!(row(viewed, downloaded).into_view(sent).status, wanted);
        }
    }

    #[test]
    fn file_view_json_uses_product_field_names() {
        let shown = serde_json::to_value(row(false, false).into_view(None)).unwrap();
        assert_eq!((shown["type"].as_str(), shown["category"].as_str()), (Some("document"), Some("estimate")));
        assert_eq!((shown["automationTool"].as_str(), shown["size"].as_i64()), (Some("job_tracker"), Some(5)));
        assert_eq!((&shown["thumbUrl"], &shown["status"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    }
}
