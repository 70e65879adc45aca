//! The paged lead list, latest activity first, optionally narrowed to the leads behind a figure.

use std::collections::HashMap;

use super::LeadSummary;
use crate::{
    domain::{
        growth::metrics::{DrilldownFilter, drilldown::facts_behind},
        intake::lead::{
            PipelineStage,
            stored_lead::{StoredLead, photo_url},
        },
        messaging::response_sla,
    },
    platform::{
        count_cache::ListTotal,
        db::{AsConn, cursor::PageCursor, like_anywhere, qb},
        error::Result,
        id::{LeadId, OrgId, PhotoId},
        money::Cents,
    },
};

#[derive(Clone, Debug, Default)]
pub struct LeadListFilter {
    /// Searched in name, service and phone, case-insensitively.
    pub q: Option<String>,
    pub stage: Option<PipelineStage>,
    pub behind: Option<DrilldownFilter>,
    pub promised: Option<LeadPromiseFilter>,
    pub limit: i64,
    pub cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadPromiseFilter {
    Open,
    /// Overdue and unanswered.
    Broken,
    Owed,
}

impl LeadPromiseFilter {
    fn states(self) -> &'static str {
        match self {
            Self::Open => "('open')",
            Self::Broken => "('broken')",
            Self::Owed => "('open', 'broken')",
        }
    }
}

#[derive(Clone, Debug)]
pub struct LeadPage {
    pub leads: Vec<LeadSummary>,
    pub next: Option<String>,
}

/// The leads of a filter, before a search. Facts of a figure and promises are read first, by their dates, then the
/// leads they name (CROSS JOIN makes SQLite keep that order). Scanning leads in list order would read all leads for a
/// week of last year.
macro_rules! leads {
    ($b:ident, $org:expr, $filter:expr) => {
        if let Some(behind) = &$filter.behind {
            $b.push("(SELECT id, SUM(counted) AS counted, SUM(cents) AS cents FROM (");
            facts_behind!($b, $org, behind);
            $b.push(") facts GROUP BY id) behind CROSS JOIN lead l WHERE l.id = behind.id AND l.org_id = ");
        } else if let Some(promised) = $filter.promised {
            $b.push("(SELECT DISTINCT p.lead_id AS id FROM sla p WHERE p.answered_at IS NULL AND p.state IN ");
            $b.push(promised.states()).push(" AND p.org_id = ").push_bind($org).push(
                ") owed CROSS JOIN lead l WHERE l.id = owed.id AND l.held_reason IS NULL
                     AND l.stage IN ('new', 'quoted', 'scheduled') AND l.org_id = ",
            );
        } else {
            $b.push("lead l WHERE l.org_id = ");
        }
        $b.push_bind($org);
        if let Some(stage) = $filter.stage {
            $b.push(" AND l.stage = ").push_bind(stage);
        }
        if let Some(text) = &$filter.q {
            $b.push(" AND l.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
    };
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &LeadListFilter) -> Result<LeadPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as StoredLead, |b| {
        b.push("SELECT l.* FROM ");
        leads!(b, org, filter);
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" AND (l.last_touch_at, l.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY l.last_touch_at DESC, l.id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| PageCursor::encode_after(row.last_touch_at, row.id.0));
    Ok(LeadPage { leads: load_summaries(conn, org, &rows).await?, next })
}

async fn load_summaries(conn: &mut dyn AsConn, org: OrgId, rows: &[StoredLead]) -> Result<Vec<LeadSummary>> {
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
    let ids: Vec<LeadId> = rows.iter().map(|row| row.id).collect();
    let mut promises = response_sla::list_promises_of_leads(&mut *conn, org, &ids).await?;
    let summary = |row: &StoredLead| {
        LeadSummary::from_stored(row, urls.remove(&row.id).unwrap_or_default(), promises.remove(&row.id))
    };
    Ok(rows.iter().map(summary).collect())
}

/// The number of leads that the filter finds on all pages, and the figure's own count in them.
pub async fn load_total(conn: &mut dyn AsConn, org: OrgId, filter: &LeadListFilter) -> Result<ListTotal> {
    let Some(behind) = &filter.behind else {
        let rows = qb!(conn, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*) FROM ");
            leads!(b, org, filter);
        })?;
        return Ok(ListTotal::from_row_count(rows));
    };
    let (rows, counted, cents) = qb!(conn, fetch_one as (i64, i64, Cents), |b| {
        b.push(
            "SELECT COUNT(*), CAST(COALESCE(SUM(behind.counted), 0) AS BIGINT),
                 CAST(COALESCE(SUM(behind.cents), 0) AS BIGINT) FROM ",
        );
        leads!(b, org, filter);
    })?;
    Ok(ListTotal { rows, counted: Some(counted), amount: behind.has_amount().then_some(cents) })
}
