//! The list of leads, page by page: the one that was last heard of first.

use std::collections::HashMap;

use super::{LeadRow, LeadSummary, photo_url};
use crate::{
    db::{AsConn, cursor::Cursor, like_anywhere, qb},
    error::Result,
    id::{LeadId, OrgId, PhotoId},
    lead::Stage,
};

/// Which leads, and how many.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    /// Searched in name, service and phone, without regard to case.
    pub q: Option<String>,
    pub stage: Option<Stage>,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`LeadPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct LeadPage {
    pub leads: Vec<LeadSummary>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// One page, the lead that was last heard of first.
///
/// # Errors
/// [`crate::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut impl AsConn, org: OrgId, filter: &ListFilter) -> Result<LeadPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as LeadRow, |b| {
        b.push("SELECT * FROM lead WHERE org_id = ").push_bind(org);
        if let Some(stage) = filter.stage {
            b.push(" AND stage = ").push_bind(stage);
        }
        if let Some(text) = &filter.q {
            b.push(" AND search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (last_touch_at, id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY last_touch_at DESC, id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| Cursor::after(row.last_touch_at, row.id.0));
    Ok(LeadPage { leads: summaries(conn, org, &rows).await?, next })
}

async fn summaries(conn: &mut impl AsConn, org: OrgId, rows: &[LeadRow]) -> Result<Vec<LeadSummary>> {
    let with_photos: Vec<LeadId> = rows.iter().filter(|r| r.photo_count > 0).map(|r| r.id).collect();
    let mut urls: HashMap<LeadId, Vec<String>> = HashMap::new();
    for some in with_photos.chunks(500) {
        let found = qb!(&mut *conn, fetch_all as (LeadId, PhotoId), |b| {
            b.push("SELECT lead_id, id FROM photo WHERE org_id = ").push_bind(org).push(" AND lead_id IN (");
            let mut ids = b.separated(", ");
            for id in some {
                ids.push_bind(*id);
            }
            b.push(") ORDER BY created_at, position");
        })?;
        for (lead, photo) in found {
            urls.entry(lead).or_default().push(photo_url(lead, photo));
        }
    }
    Ok(rows.iter().map(|row| row.summary(urls.remove(&row.id).unwrap_or_default())).collect())
}

/// How many leads the filter finds on all its pages.
pub async fn count(conn: &mut impl AsConn, org: OrgId, filter: &ListFilter) -> Result<i64> {
    Ok(qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM lead WHERE org_id = ").push_bind(org);
        if let Some(stage) = filter.stage {
            b.push(" AND stage = ").push_bind(stage);
        }
        if let Some(text) = &filter.q {
            b.push(" AND search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
    })?)
}
