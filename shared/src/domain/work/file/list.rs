//! The files of a job or a lead as people see them: what they are, whose, and how far they got.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Category, Kind, Moment, Tool, shown_name};
use crate::{
    domain::messaging::message::Channel,
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{FileId, JobId, LeadId, OrgId},
    },
};

/// How far a file got on its way to the customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FileStatus)]
pub enum Status {
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
pub enum Paper {
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
pub struct AutomatedFile {
    pub id: FileId,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: Kind,
    pub category: Category,
    /// Documents only.
    pub paper: Option<Paper>,
    /// Opens with a session; `GET /api/files/{id}/address` makes one that opens without.
    pub url: String,
    /// Photos only.
    pub thumb_url: Option<String>,
    pub sent_at: Option<DateTime<Utc>>,
    /// The way it was sent: by email, or by a link in a text.
    pub sent_via: Option<Channel>,
    pub automation_tool: Tool,
    /// In bytes.
    pub size: i64,
    /// Null when it was not sent.
    pub status: Option<Status>,
    pub moment: Option<Moment>,
    pub caption: Option<String>,
    /// The photo that was drawn on to make this one. It may have been removed since.
    pub made_from: Option<FileId>,
    pub created_at: DateTime<Utc>,
    /// Who added it; null for what was made by a rule.
    pub by: Option<String>,
}

#[derive(FromRow)]
pub(super) struct Row {
    pub id: FileId,
    pub kind: Kind,
    category: Category,
    paper: Option<Paper>,
    moment: Option<Moment>,
    tool: Tool,
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

/// When and by which way a file was first sent, and whether any of its messages is known to have arrived.
#[derive(Clone, Copy)]
struct Sent {
    at: DateTime<Utc>,
    via: Channel,
    is_delivered: bool,
}

impl Row {
    fn view(self, sent: Option<Sent>) -> AutomatedFile {
        let reached = sent.map(|sent| if sent.is_delivered { Status::Delivered } else { Status::Sent });
        let status = match (self.downloaded_at, self.viewed_at) {
            (Some(_), _) => Some(Status::Downloaded),
            (None, Some(_)) => Some(Status::Viewed),
            (None, None) => reached,
        };
        let url = url(self.id);
        AutomatedFile {
            id: self.id,
            thumb_url: (self.kind == Kind::Photo).then(|| format!("{url}?size=thumb")),
            url,
            name: shown_name(self.kind, self.name),
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

/// The address of a file for somebody who is signed in.
#[must_use]
pub fn url(id: FileId) -> String {
    format!("/api/files/{id}")
}

/// The files of a job, newest first: its own, and those of its lead that belong to no other job. With `only`, of that
/// kind: a crew sees photos only, for documents name prices.
pub async fn of_job(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    lead: LeadId,
    only: Option<Kind>,
) -> Result<Vec<AutomatedFile>> {
    shown(conn, org, lead, Some(job), only).await
}

/// All files of a lead, newest first, those of its jobs too.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<Vec<AutomatedFile>> {
    shown(conn, org, lead, None, None).await
}

/// These files of a lead, in the order they are asked for.
pub async fn with_ids(conn: &mut dyn AsConn, org: OrgId, lead: LeadId, ids: &[FileId]) -> Result<Vec<AutomatedFile>> {
    let mut all: HashMap<FileId, AutomatedFile> =
        of_lead(conn, org, lead).await?.into_iter().map(|file| (file.id, file)).collect();
    Ok(ids.iter().filter_map(|id| all.remove(id)).collect())
}

async fn shown(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
    only: Option<Kind>,
) -> Result<Vec<AutomatedFile>> {
    let rows = rows(&mut *conn, org, lead, job, only).await?;
    let sent = sent(conn, org, lead).await?;
    let view = |row: Row| {
        let sent = sent.get(&row.id).copied();
        row.view(sent)
    };
    Ok(rows.into_iter().map(view).collect())
}

/// The rows behind a list, newest first.
pub(super) async fn rows(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
    only: Option<Kind>,
) -> Result<Vec<Row>> {
    Ok(qb!(conn, fetch_all as Row, |b| {
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
        if only != Some(Kind::Document) {
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

async fn sent(conn: &mut dyn AsConn, org: OrgId, lead: LeadId) -> Result<HashMap<FileId, Sent>> {
    let rows = qb!(conn, fetch_all as (FileId, Channel, DateTime<Utc>, bool), |b| {
        b.push(
            "SELECT f.id, m.channel, m.sent_at, m.status = 'delivered' FROM file f
             JOIN message_file x ON x.org_id = f.org_id AND x.file_id = f.id
             JOIN message m ON m.org_id = x.org_id AND m.id = x.message_id
             WHERE m.status IN ('sent', 'delivered') AND m.sent_at IS NOT NULL AND f.org_id = ",
        );
        b.push_bind(org).push(" AND f.lead_id = ").push_bind(lead).push(" ORDER BY m.sent_at, m.id");
    })?;
    let mut found: HashMap<FileId, Sent> = HashMap::new();
    for (file, via, at, is_delivered) in rows {
        found.entry(file).or_insert(Sent { at, via, is_delivered }).is_delivered |= is_delivered;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn row(viewed: bool, downloaded: bool) -> Row {
        let at = DateTime::UNIX_EPOCH;
        Row {
            id: FileId(Uuid::from_u128(1)),
            kind: Kind::Document,
            category: Category::Estimate,
            paper: Some(Paper::Estimate),
            moment: None,
            tool: Tool::JobTracker,
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
    fn the_furthest_a_file_got_is_what_it_shows() {
        let sent = |is_delivered| Some(Sent { at: DateTime::UNIX_EPOCH, via: Channel::Email, is_delivered });
        let table = [
            (false, false, None, None),
            (false, false, sent(false), Some(Status::Sent)),
            (false, false, sent(true), Some(Status::Delivered)),
            (true, false, sent(false), Some(Status::Viewed)),
            (true, true, sent(true), Some(Status::Downloaded)),
            (false, true, None, Some(Status::Downloaded)),
        ];
        for (viewed, downloaded, sent, wanted) in table {
            assert_eq!(row(viewed, downloaded).view(sent).status, wanted);
        }
    }

    #[test]
    fn the_names_are_those_of_the_product() {
        let shown = serde_json::to_value(row(false, false).view(None)).unwrap();
        assert_eq!((shown["type"].as_str(), shown["category"].as_str()), (Some("document"), Some("estimate")));
        assert_eq!((shown["automationTool"].as_str(), shown["size"].as_i64()), (Some("job_tracker"), Some(5)));
        assert_eq!((&shown["thumbUrl"], &shown["status"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    }
}
