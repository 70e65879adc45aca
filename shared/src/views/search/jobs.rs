//! Jobs by their number, those of the customers that were found, and the newest by any text.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{
    RECENT_RECORDS, ROWS_READ, RankedHit, SearchHit, SearchHitKind, SearchPathKind, SearchRank,
    customers::FoundCustomer,
    query::{SearchNumber, SearchQuery, SearchSeries},
};
use crate::{
    domain::intake::lead::form::service_label,
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{AccountId, CrewId, JobId, OrgId},
    },
};

/// Crews of one person whose jobs are searched.
const MOST_CREWS: i64 = 10;

#[derive(Clone, Debug, FromRow)]
struct SearchedJobRow {
    id: JobId,
    number: i64,
    customer: String,
    service: String,
    address: Option<String>,
    listed_at: DateTime<Utc>,
}

impl SearchedJobRow {
    fn into_ranked_hit(self, rank: SearchRank) -> RankedHit {
        let service = service_label(&self.service);
        let subtitle = match self.address.as_deref().filter(|address| !address.is_empty()) {
            Some(address) => format!("{service}, {address}"),
            None => service.to_owned(),
        };
        let hit = SearchHit {
            kind: SearchHitKind::Job,
            path_kind: SearchPathKind::Job,
            id: self.id.0,
            title: format!("Job {}: {}", self.number, self.customer),
            subtitle,
        };
        RankedHit { rank, at: self.listed_at, hit }
    }

    fn into_named_hit(self, query: &SearchQuery) -> RankedHit {
        let rank = query.rank_name(&self.customer);
        self.into_ranked_hit(rank)
    }
}

fn asked_number(query: &SearchQuery) -> Option<SearchNumber> {
    query.number.filter(|asked| asked.series.includes_series(SearchSeries::Jobs))
}

pub(super) async fn find_jobs(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
    customers: &[FoundCustomer],
) -> Result<Vec<RankedHit>> {
    let mut hits = Vec::new();
    if let Some(asked) = asked_number(query) {
        for (rank, first, last) in asked.number_ranges() {
            let rows = list_jobs_by_number(&mut *conn, org, (first, last)).await?;
            hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(rank)));
        }
    }
    for customer in customers {
        let rows = list_jobs_of_customer(&mut *conn, org, customer).await?;
        hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(customer.rank)));
    }
    let recent = list_recent_jobs(conn, org, query).await?;
    hits.extend(recent.into_iter().map(|row| row.into_named_hit(query)));
    Ok(hits)
}

/// Jobs of the crews of a person: by number, and the newest of each crew by any text.
pub(super) async fn find_crew_jobs(
    conn: &mut dyn AsConn,
    org: OrgId,
    account: AccountId,
    query: &SearchQuery,
) -> Result<Vec<RankedHit>> {
    let mut hits = Vec::new();
    let sql = "SELECT crew_id FROM crew_member WHERE org_id = $1 AND account_id = $2 LIMIT $3";
    let crews = q!(&mut *conn, fetch_all scalar CrewId, sql, org, account, MOST_CREWS)?;
    for crew in crews {
        if let Some(asked) = asked_number(query) {
            for (rank, first, last) in asked.number_ranges() {
                let rows = list_crew_jobs_by_number(&mut *conn, org, crew, (first, last)).await?;
                hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(rank)));
            }
        }
        let recent = list_recent_crew_jobs(&mut *conn, org, crew, query).await?;
        hits.extend(recent.into_iter().map(|row| row.into_named_hit(query)));
    }
    Ok(hits)
}

async fn list_jobs_by_number(
    conn: &mut dyn AsConn,
    org: OrgId,
    (first, last): (i64, i64),
) -> Result<Vec<SearchedJobRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedJobRow,
        "SELECT j.id, j.number, l.name AS customer, j.service, j.address, j.listed_at
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.number >= $2 AND j.number <= $3 ORDER BY j.number DESC LIMIT $4",
        org,
        first,
        last,
        ROWS_READ
    )?)
}

/// At most a hundred numbers are in a range.
async fn list_crew_jobs_by_number(
    conn: &mut dyn AsConn,
    org: OrgId,
    crew: CrewId,
    (first, last): (i64, i64),
) -> Result<Vec<SearchedJobRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedJobRow,
        "SELECT j.id, j.number, l.name AS customer, j.service, j.address, j.listed_at
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.number >= $2 AND j.number <= $3 AND j.crew_id = $4
         ORDER BY j.number DESC LIMIT $5",
        org,
        first,
        last,
        crew,
        ROWS_READ
    )?)
}

async fn list_jobs_of_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: &FoundCustomer,
) -> Result<Vec<SearchedJobRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedJobRow,
        "SELECT j.id, j.number, l.name AS customer, j.service, j.address, j.listed_at
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.customer_id = $2 ORDER BY j.listed_at DESC LIMIT $3",
        org,
        customer.id,
        ROWS_READ
    )?)
}

/// CROSS JOIN makes SQLite read the newest jobs first.
async fn list_recent_jobs(conn: &mut dyn AsConn, org: OrgId, query: &SearchQuery) -> Result<Vec<SearchedJobRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedJobRow,
        "SELECT recent.id, recent.number, recent.service, recent.address, recent.listed_at, l.name AS customer
         FROM (SELECT j.id, j.number, j.lead_id, j.service, j.address, j.listed_at, j.search FROM job j
                 WHERE j.org_id = $1 ORDER BY j.listed_at DESC, j.id DESC LIMIT $2) recent
             CROSS JOIN lead l
         WHERE l.org_id = $1 AND l.id = recent.lead_id AND recent.search LIKE $3 ESCAPE '\\'
         ORDER BY recent.listed_at DESC, recent.id DESC LIMIT $4",
        org,
        RECENT_RECORDS,
        query.pattern_anywhere(),
        ROWS_READ
    )?)
}

async fn list_recent_crew_jobs(
    conn: &mut dyn AsConn,
    org: OrgId,
    crew: CrewId,
    query: &SearchQuery,
) -> Result<Vec<SearchedJobRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedJobRow,
        "SELECT recent.id, recent.number, recent.service, recent.address, recent.listed_at, l.name AS customer
         FROM (SELECT j.id, j.number, j.lead_id, j.service, j.address, j.listed_at, j.search FROM job j
                 WHERE j.org_id = $1 AND j.crew_id = $2 ORDER BY j.listed_at DESC, j.id DESC LIMIT $3) recent
             CROSS JOIN lead l
         WHERE l.org_id = $1 AND l.id = recent.lead_id AND recent.search LIKE $4 ESCAPE '\\'
         ORDER BY recent.listed_at DESC, recent.id DESC LIMIT $5",
        org,
        crew,
        RECENT_RECORDS,
        query.pattern_anywhere(),
        ROWS_READ
    )?)
}
