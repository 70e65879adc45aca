//! The paged lead list in one of its orders, optionally narrowed to the leads behind a figure.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{
    LeadSummary,
    list_order::{LeadCursor, LeadSort, LeadSortKey},
    waiting::{leads_waiting, load_waiting_since, push_ids},
};
use crate::{
    domain::{
        growth::metrics::{DrilldownFilter, drilldown::facts_behind},
        intake::lead::{
            PipelineStage,
            stored_lead::{StoredLead, photo_url},
        },
        messaging::{
            message::send_budget::{BOOKINGS_USED_UP_PATTERN, USED_UP_PATTERN},
            response_sla,
        },
    },
    platform::{
        count_cache::ListTotal,
        db::{AsConn, like_anywhere, qb},
        error::Result,
        id::{AccountId, LeadId, OrgId, PhotoId},
        money::Cents,
    },
};

/// Longest count of a list: a total above it means that there are more, not how many.
const MAX_COUNTED_LEADS: i64 = 2_000;

#[derive(Clone, Debug, Default)]
pub struct LeadListFilter {
    /// Searched in name, service and phone, case-insensitively.
    pub q: Option<String>,
    pub stage: Option<PipelineStage>,
    /// The lead's own source. That of a figure is a part of `behind`.
    pub source: Option<String>,
    pub owner: Option<LeadOwnerFilter>,
    /// Only leads that wait for a person of the business.
    pub is_waiting: bool,
    /// Who is snoozed until later does not wait.
    pub now: DateTime<Utc>,
    pub behind: Option<DrilldownFilter>,
    pub promised: Option<LeadPromiseFilter>,
    /// Only leads with a text made since then that the day's budget refused, and whose customer has got no text since.
    pub texts_refused_since: Option<DateTime<Utc>>,
    /// [`LeadSort::LongestWaiting`] needs `is_waiting`.
    pub sort: LeadSort,
    pub limit: i64,
    pub cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadOwnerFilter {
    Unassigned,
    Account(AccountId),
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

/// A lead with its time in the order of those that wait longest; null in other orders.
#[derive(FromRow)]
struct ListedLead {
    #[sqlx(flatten)]
    lead: StoredLead,
    waits_since: Option<DateTime<Utc>>,
}

impl ListedLead {
    fn cursor(&self, sort: LeadSort) -> LeadCursor {
        let Self { lead, waits_since } = self;
        let key = match sort {
            LeadSort::LastTouch => LeadSortKey::At(lead.last_touch_at),
            LeadSort::Newest | LeadSort::Oldest => LeadSortKey::At(lead.created_at),
            LeadSort::Value => LeadSortKey::Amount(lead.quoted_cents.or(lead.collected_cents).unwrap_or(Cents::ZERO)),
            LeadSort::LongestWaiting => LeadSortKey::At(waits_since.unwrap_or(lead.last_touch_at)),
        };
        LeadCursor { key, id: lead.id.0 }
    }
}

/// Leads that are owed a promised answer, by the rule of the worklist (`growth/worklist/people.rs`, `list_promised`),
/// without its limit in time and its marks: after the work is done only those who called or texted are owed one, and a
/// conversation in which a person has answered since owes none. DISTINCT names the lead's id, because SQLite would
/// read all promises of the business by lead for that of the promise, instead of the unanswered ones.
macro_rules! promises_owed {
    ($b:ident, $org:expr, $promised:expr) => {
        $b.push(
            "(SELECT DISTINCT o.id FROM sla p CROSS JOIN lead o CROSS JOIN customer c
             WHERE p.answered_at IS NULL AND p.state IN ",
        );
        $b.push($promised.states()).push(" AND p.org_id = ").push_bind($org).push(
            " AND o.org_id = p.org_id AND o.id = p.lead_id AND c.org_id = p.org_id AND c.id = o.customer_id
                 AND (o.stage IN ('new', 'quoted', 'scheduled') OR p.source IN ('missed_call', 'nudge', 'text_reply'))
                 AND o.held_reason IS NULL AND NOT c.is_blocked AND NOT c.is_staff
                 AND NOT EXISTS (SELECT 1 FROM conversation t WHERE t.org_id = p.org_id AND t.customer_id = o.customer_id
                     AND t.last_by_person_at >= p.asked_at))",
        );
    };
}

/// Leads with a text that the day's budget refused; the index of unsent texts finds them.
macro_rules! texts_refused {
    ($b:ident, $org:expr, $since:expr) => {
        $b.push("(SELECT DISTINCT m.lead_id AS id FROM message m WHERE m.status = 'not_sent' AND m.channel = 'sms' AND m.org_id = ");
        $b.push_bind($org).push(" AND m.created_at >= ").push_bind($since);
        $b.push(" AND m.direction = 'out' AND m.lead_id IS NOT NULL AND (m.reason LIKE ").push_bind(USED_UP_PATTERN);
        $b.push(" OR m.reason LIKE ").push_bind(BOOKINGS_USED_UP_PATTERN).push(
            ") AND NOT EXISTS (SELECT 1 FROM message s WHERE s.org_id = m.org_id AND s.customer_id = m.customer_id
                 AND s.created_at >= m.created_at AND s.sent_at >= m.created_at AND s.direction = 'out'
                 AND s.channel = 'sms'))",
        );
    };
}

/// The leads of a filter, before a search. Facts of a figure, promises and those that wait are read first, then the
/// leads they name (CROSS JOIN makes SQLite keep that order). Scanning leads in list order would read all leads for a
/// week of last year.
macro_rules! leads {
    ($b:ident, $org:expr, $filter:expr) => {
        if let Some(behind) = &$filter.behind {
            $b.push("(SELECT id, SUM(counted) AS counted, SUM(cents) AS cents FROM (");
            facts_behind!($b, $org, behind);
            $b.push(") facts GROUP BY id) behind CROSS JOIN ");
        } else if let Some(promised) = $filter.promised {
            promises_owed!($b, $org, promised);
            $b.push(" owed CROSS JOIN ");
        }
        if let Some(since) = $filter.texts_refused_since {
            texts_refused!($b, $org, since);
            $b.push(" refused CROSS JOIN ");
        }
        if $filter.is_waiting {
            $b.push("(SELECT each_wait.id, MIN(each_wait.since) AS since FROM (");
            leads_waiting!($b, $org, $filter.now);
            $b.push(") each_wait GROUP BY each_wait.id) waits CROSS JOIN ");
        }
        $b.push("lead l WHERE l.org_id = ").push_bind($org);
        if $filter.behind.is_some() {
            $b.push(" AND l.id = behind.id");
            $b.push(if $filter.is_waiting { " AND waits.id = behind.id" } else { "" });
        } else if $filter.promised.is_some() {
            $b.push(" AND l.id = owed.id");
            $b.push(if $filter.is_waiting { " AND waits.id = owed.id" } else { "" });
        }
        if $filter.texts_refused_since.is_some() {
            $b.push(" AND l.id = refused.id");
        }
        if $filter.is_waiting {
            $b.push(" AND l.id = waits.id AND l.held_reason IS NULL");
        }
        if let Some(stage) = $filter.stage {
            $b.push(" AND l.stage = ").push_bind(stage);
        }
        if let Some(source) = &$filter.source {
            $b.push(" AND l.source = ").push_bind(source.as_str());
        }
        match $filter.owner {
            None => {}
            Some(LeadOwnerFilter::Unassigned) => {
                $b.push(" AND l.owner_account_id IS NULL");
            }
            Some(LeadOwnerFilter::Account(owner)) => {
                $b.push(" AND l.owner_account_id = ").push_bind(owner);
            }
        }
        if let Some(text) = &$filter.q {
            $b.push(" AND l.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
    };
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &LeadListFilter) -> Result<LeadPage> {
    let sort = filter.sort;
    let cursor = filter.cursor.as_deref().map(|text| LeadCursor::parse_param(text, sort)).transpose()?;
    let (after, direction) = if sort.is_descending() { ("<", " DESC") } else { (">", "") };
    let mut rows = qb!(&mut *conn, fetch_all as ListedLead, |b| {
        b.push("SELECT l.*, ");
        b.push(if filter.is_waiting { "waits.since" } else { "CAST(NULL AS TIMESTAMPTZ)" })
            .push(" AS waits_since FROM ");
        leads!(b, org, filter);
        if let Some(LeadCursor { key, id }) = cursor {
            b.push(" AND (").push(sort.key_sql()).push(", l.id) ").push(after).push(" (");
            match key {
                LeadSortKey::At(at) => b.push_bind(at),
                LeadSortKey::Amount(amount) => b.push_bind(amount),
            };
            b.push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY ").push(sort.key_sql()).push(direction).push(", l.id").push(direction);
        b.push(" LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| row.cursor(sort).to_param(sort));
    let rows: Vec<StoredLead> = rows.into_iter().map(|row| row.lead).collect();
    Ok(LeadPage { leads: load_summaries(conn, org, &rows, filter.now).await?, next })
}

async fn load_summaries(
    conn: &mut dyn AsConn,
    org: OrgId,
    rows: &[StoredLead],
    now: DateTime<Utc>,
) -> Result<Vec<LeadSummary>> {
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
    let waiting = load_waiting_since(conn, org, &ids, now).await?;
    let summary = |row: &StoredLead| {
        let photos = urls.remove(&row.id).unwrap_or_default();
        LeadSummary::from_stored(row, photos, promises.remove(&row.id), waiting.get(&row.id).copied())
    };
    Ok(rows.iter().map(summary).collect())
}

/// The number of leads that the filter finds on all pages, and the figure's own count in them. Without a figure it ends
/// one above `MAX_COUNTED_LEADS`.
pub async fn load_total(conn: &mut dyn AsConn, org: OrgId, filter: &LeadListFilter) -> Result<ListTotal> {
    let Some(behind) = &filter.behind else {
        let rows = qb!(conn, fetch_one scalar i64, |b| {
            b.push("SELECT COUNT(*) FROM (SELECT 1 FROM ");
            leads!(b, org, filter);
            b.push(" LIMIT ").push_bind(MAX_COUNTED_LEADS + 1).push(") found");
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
