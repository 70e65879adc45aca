//! Global search: customers by name or phone, their leads, papers and jobs, and papers and jobs by number.
//!
//! Its cost does not grow with the business. Indexes find the beginning of a name, of its last word and of a phone, the
//! last digits of a phone, and the number of a paper or job. Other words are found in the newest records only.

use std::{cmp::Reverse, collections::HashSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::work::job::JobScope,
    platform::{db::AsConn, error::Result, id::OrgId},
};

mod customers;
mod jobs;
mod leads;
mod papers;
mod query;

pub use query::MAX_SEARCH_TEXT;
use query::SearchQuery;

/// Hits of one group.
pub const GROUP_SIZE: usize = 5;
/// Rows that one statement reads for a group: more than are shown, because several ways find the same record.
const ROWS_READ: i64 = 20;
/// Newest records whose whole text is searched.
const RECENT_RECORDS: i64 = 1_000;

/// What was found, at most five of each group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchResults {
    #[schema(max_items = 5)]
    pub customers: Vec<SearchHit>,
    #[schema(max_items = 5)]
    pub leads: Vec<SearchHit>,
    /// Estimates, change orders and invoices.
    #[schema(max_items = 5)]
    pub papers: Vec<SearchHit>,
    #[schema(max_items = 5)]
    pub jobs: Vec<SearchHit>,
}

/// One record that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    pub kind: SearchHitKind,
    /// The page that shows it.
    pub path_kind: SearchPathKind,
    /// The record of that page: of an estimate its lead, of a change order its job.
    pub id: Uuid,
    pub title: String,
    /// Empty where there is nothing to add.
    pub subtitle: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchHitKind {
    Customer,
    Lead,
    Estimate,
    ChangeOrder,
    Invoice,
    Job,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchPathKind {
    Customer,
    Lead,
    Job,
    Invoice,
}

/// How well a record fits, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SearchRank {
    Exact,
    Prefix,
    Contained,
}

struct RankedHit {
    rank: SearchRank,
    at: DateTime<Utc>,
    hit: SearchHit,
}

/// The best hits, then the newest; each title of a page once.
fn select_best(mut found: Vec<RankedHit>) -> Vec<SearchHit> {
    found.sort_by_key(|one| (one.rank, Reverse(one.at)));
    let mut seen = HashSet::new();
    let hits = found.into_iter().map(|one| one.hit);
    hits.filter(|hit| seen.insert((hit.id, hit.title.clone()))).take(GROUP_SIZE).collect()
}

/// Crew members find the jobs of their crews and nothing else. A text that is too short finds nothing.
pub async fn load_search_results(
    conn: &mut dyn AsConn,
    org: OrgId,
    scope: JobScope,
    text: &str,
) -> Result<SearchResults> {
    let Some(query) = SearchQuery::parse_text(text) else { return Ok(SearchResults::default()) };
    let account = match scope {
        JobScope::Office => return load_office_results(conn, org, &query).await,
        JobScope::Crew(account) => account,
    };
    let jobs = jobs::find_crew_jobs(conn, org, account, &query).await?;
    Ok(SearchResults { jobs: select_best(jobs), ..SearchResults::default() })
}

async fn load_office_results(conn: &mut dyn AsConn, org: OrgId, query: &SearchQuery) -> Result<SearchResults> {
    let customers = customers::find_customers(&mut *conn, org, query).await?;
    let leads = leads::find_leads(&mut *conn, org, query, &customers).await?;
    let papers = papers::find_papers(&mut *conn, org, query, &customers).await?;
    let jobs = jobs::find_jobs(conn, org, query, &customers).await?;
    let customers = customers.into_iter().map(customers::FoundCustomer::into_hit).collect();
    Ok(SearchResults { customers, leads: select_best(leads), papers: select_best(papers), jobs: select_best(jobs) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(rank: SearchRank, seconds: i64, id: u128, title: &str) -> RankedHit {
        let hit = SearchHit {
            kind: SearchHitKind::Lead,
            path_kind: SearchPathKind::Lead,
            id: Uuid::from_u128(id),
            title: title.to_owned(),
            subtitle: String::new(),
        };
        RankedHit { rank, at: DateTime::UNIX_EPOCH + chrono::Duration::seconds(seconds), hit }
    }

    #[test]
    fn exact_hits_come_before_prefixes_and_newest_first_within_a_rank() {
        let found = vec![
            ranked(SearchRank::Contained, 90, 1, "contained"),
            ranked(SearchRank::Prefix, 10, 2, "old prefix"),
            ranked(SearchRank::Prefix, 20, 3, "new prefix"),
            ranked(SearchRank::Exact, 5, 4, "exact"),
            ranked(SearchRank::Contained, 95, 4, "exact"),
        ];
        let titles: Vec<String> = select_best(found).into_iter().map(|hit| hit.title).collect();
        assert_eq!(titles, ["exact", "new prefix", "old prefix", "contained"]);
    }

    #[test]
    fn group_has_at_most_five_hits() {
        let found = (0..9).map(|n| ranked(SearchRank::Prefix, n, 7, &format!("EST-{n}"))).collect();
        assert_eq!(select_best(found).len(), GROUP_SIZE);
    }
}
