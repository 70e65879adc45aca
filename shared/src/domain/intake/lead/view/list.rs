//! The list of leads, page by page: the one that was last heard of first. It may be narrowed to those behind a figure.

use std::collections::HashMap;

use super::{LeadRow, LeadSummary, photo_url};
use crate::{
    domain::{
        growth::metrics::{Behind, drilldown::facts_behind},
        intake::lead::Stage,
        messaging::response_sla,
    },
    platform::{
        count_cache::Total,
        db::{AsConn, cursor::Cursor, like_anywhere, qb},
        error::Result,
        id::{LeadId, OrgId, PhotoId},
        money::Cents,
    },
};

/// Which leads, and how many.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    /// Searched in name, service and phone, without regard to case.
    pub q: Option<String>,
    pub stage: Option<Stage>,
    /// Only those that a figure counts.
    pub behind: Option<Behind>,
    /// Only those with a promise that stands so.
    pub promised: Option<Promised>,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`LeadPage::next`].
    pub cursor: Option<String>,
}

/// Leads by where their promise stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promised {
    /// There is time left.
    Open,
    /// The time is over, and nobody has answered yet.
    Broken,
    /// Either: somebody waits for what was promised.
    Owed,
}

impl Promised {
    /// Which states of a promise that nobody has answered.
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
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// Of which leads: those of the filter, before a search. The facts of a figure, and promises, are read first, by their days, and then
/// the leads that they name (CROSS JOIN has SQLite keep to that order): walking through all leads in the order of the list
/// until enough of them are found would be a walk through the whole firm for a week of last year.
macro_rules! leads {
    ($b:ident, $org:expr, $filter:expr) => {
        if let Some(behind) = &$filter.behind {
            $b.push("(SELECT id, SUM(counted) AS counted, SUM(cents) AS cents FROM (");
            facts_behind!($b, $org, behind);
            $b.push(") facts GROUP BY id) behind CROSS JOIN lead l WHERE l.id = behind.id AND l.org_id = ");
        } else if let Some(promised) = $filter.promised {
            $b.push("(SELECT DISTINCT p.lead_id AS id FROM promise p WHERE p.answered_at IS NULL AND p.state IN ");
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

/// One page, the lead that was last heard of first.
///
/// # Errors
/// [`crate::platform::error::Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<LeadPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as LeadRow, |b| {
        b.push("SELECT l.* FROM ");
        leads!(b, org, filter);
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (l.last_touch_at, l.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY l.last_touch_at DESC, l.id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| Cursor::after(row.last_touch_at, row.id.0));
    Ok(LeadPage { leads: summaries(conn, org, &rows).await?, next })
}

async fn summaries(conn: &mut dyn AsConn, org: OrgId, rows: &[LeadRow]) -> Result<Vec<LeadSummary>> {
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
    let mut promises = response_sla::of_leads(&mut *conn, org, &ids).await?;
    let summary = |row: &LeadRow| row.summary(urls.remove(&row.id).unwrap_or_default(), promises.remove(&row.id));
    Ok(rows.iter().map(summary).collect())
}

/// How many leads the filter finds on all its pages, and what the figure behind which they are counts in them.
pub async fn total(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Total> {
    let Some(behind) = &filter.behind else {
        let rows = qb!(conn, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*) FROM ");
            leads!(b, org, filter);
        })?;
        return Ok(Total::of(rows));
    };
    let (rows, counted, cents) = qb!(conn, fetch_one as (i64, i64, Cents), |b| {
        b.push(
            "SELECT COUNT(*), CAST(COALESCE(SUM(behind.counted), 0) AS BIGINT),
                 CAST(COALESCE(SUM(behind.cents), 0) AS BIGINT) FROM ",
        );
        leads!(b, org, filter);
    })?;
    Ok(Total { rows, counted: Some(counted), amount: behind.has_amount().then_some(cents) })
}
