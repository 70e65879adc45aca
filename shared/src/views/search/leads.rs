//! Leads of the customers that were found, and the newest by any text.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{
    RECENT_RECORDS, ROWS_READ, RankedHit, SearchHit, SearchHitKind, SearchPathKind, SearchRank,
    customers::FoundCustomer, query::SearchQuery,
};
use crate::{
    domain::intake::lead::{PipelineStage, form::service_label},
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{LeadId, OrgId},
    },
};

#[derive(Clone, Debug, FromRow)]
struct SearchedLeadRow {
    id: LeadId,
    name: String,
    service: String,
    stage: PipelineStage,
    last_touch_at: DateTime<Utc>,
}

impl SearchedLeadRow {
    fn into_ranked_hit(self, rank: SearchRank) -> RankedHit {
        let hit = SearchHit {
            kind: SearchHitKind::Lead,
            path_kind: SearchPathKind::Lead,
            id: self.id.0,
            title: self.name,
            subtitle: format!("{}, {}", service_label(&self.service), self.stage),
        };
        RankedHit { rank, at: self.last_touch_at, hit }
    }
}

pub(super) async fn find_leads(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
    customers: &[FoundCustomer],
) -> Result<Vec<RankedHit>> {
    let mut hits = Vec::new();
    for customer in customers {
        let rows = q!(
            &mut *conn,
            fetch_all as SearchedLeadRow,
            "SELECT l.id, l.name, l.service, l.stage, l.last_touch_at FROM lead l
             WHERE l.org_id = $1 AND l.customer_id = $2 ORDER BY l.created_at DESC LIMIT $3",
            org,
            customer.id,
            ROWS_READ
        )?;
        hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(customer.rank)));
    }
    let recent = q!(
        conn,
        fetch_all as SearchedLeadRow,
        "SELECT recent.id, recent.name, recent.service, recent.stage, recent.last_touch_at
         FROM (SELECT l.id, l.name, l.service, l.stage, l.last_touch_at, l.search FROM lead l WHERE l.org_id = $1
                 ORDER BY l.last_touch_at DESC, l.id DESC LIMIT $2) recent
         WHERE recent.search LIKE $3 ESCAPE '\\' ORDER BY recent.last_touch_at DESC, recent.id DESC LIMIT $4",
        org,
        RECENT_RECORDS,
        query.pattern_anywhere(),
        ROWS_READ
    )?;
    hits.extend(recent.into_iter().map(|row| {
        let rank = query.rank_name(&row.name);
        row.into_ranked_hit(rank)
    }));
    Ok(hits)
}
