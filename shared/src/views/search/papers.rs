//! Estimates, change orders and invoices by their number, and those of the customers that were found.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::{
    ROWS_READ, RankedHit, SearchHit, SearchHitKind, SearchPathKind, SearchRank,
    customers::FoundCustomer,
    query::{SearchNumber, SearchQuery, SearchSeries},
};
use crate::{
    domain::money::checkout::DocumentName,
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{InvoiceId, JobId, LeadId, OrgId},
    },
};

#[derive(FromRow)]
struct SearchedEstimateRow {
    lead_id: LeadId,
    job_id: Option<JobId>,
    /// Negative for a change order.
    number: i64,
    content: Json<DocumentName>,
    customer: String,
    created_at: DateTime<Utc>,
}

impl SearchedEstimateRow {
    fn into_ranked_hit(self, rank: SearchRank) -> RankedHit {
        let (path_kind, id): (SearchPathKind, Uuid) =
            self.job_id.map_or((SearchPathKind::Lead, self.lead_id.0), |job| (SearchPathKind::Job, job.0));
        let hit = SearchHit {
            kind: if self.number < 0 { SearchHitKind::ChangeOrder } else { SearchHitKind::Estimate },
            path_kind,
            id,
            title: self.content.display_number(None),
            subtitle: self.customer,
        };
        RankedHit { rank, at: self.created_at, hit }
    }
}

#[derive(FromRow)]
struct SearchedInvoiceRow {
    id: InvoiceId,
    number: Option<i64>,
    content: Json<DocumentName>,
    customer: String,
    created_at: DateTime<Utc>,
}

impl SearchedInvoiceRow {
    fn into_ranked_hit(self, rank: SearchRank) -> RankedHit {
        let title = match self.number {
            Some(_) => self.content.display_number(self.number),
            None => "Draft invoice".to_owned(),
        };
        let hit = SearchHit {
            kind: SearchHitKind::Invoice,
            path_kind: SearchPathKind::Invoice,
            id: self.id.0,
            title,
            subtitle: self.customer,
        };
        RankedHit { rank, at: self.created_at, hit }
    }
}

pub(super) async fn find_papers(
    conn: &mut dyn AsConn,
    org: OrgId,
    query: &SearchQuery,
    customers: &[FoundCustomer],
) -> Result<Vec<RankedHit>> {
    let mut hits = Vec::new();
    if let Some(number) = query.number {
        hits.extend(find_by_paper_number(&mut *conn, org, number).await?);
    }
    for customer in customers {
        hits.extend(find_papers_of_customer(&mut *conn, org, customer).await?);
    }
    Ok(hits)
}

async fn find_by_paper_number(conn: &mut dyn AsConn, org: OrgId, asked: SearchNumber) -> Result<Vec<RankedHit>> {
    let mut hits = Vec::new();
    for (rank, first, last) in asked.number_ranges() {
        if asked.series.includes_series(SearchSeries::Estimates) {
            let rows = list_estimates_by_number(&mut *conn, org, (first, last)).await?;
            hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(rank)));
        }
        if asked.series.includes_series(SearchSeries::ChangeOrders) {
            let rows = list_estimates_by_number(&mut *conn, org, (-last, -first)).await?;
            hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(rank)));
        }
        if asked.series.includes_series(SearchSeries::Invoices) {
            let rows = list_invoices_by_number(&mut *conn, org, (first, last)).await?;
            hits.extend(rows.into_iter().map(|row| row.into_ranked_hit(rank)));
        }
    }
    Ok(hits)
}

async fn list_estimates_by_number(
    conn: &mut dyn AsConn,
    org: OrgId,
    (first, last): (i64, i64),
) -> Result<Vec<SearchedEstimateRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedEstimateRow,
        "SELECT e.lead_id, e.job_id, e.number, e.content, c.name AS customer, e.created_at
         FROM estimate e JOIN customer c ON c.org_id = e.org_id AND c.id = e.customer_id
         WHERE e.org_id = $1 AND e.number >= $2 AND e.number <= $3 ORDER BY e.number DESC, e.version DESC LIMIT $4",
        org,
        first,
        last,
        ROWS_READ
    )?)
}

async fn list_invoices_by_number(
    conn: &mut dyn AsConn,
    org: OrgId,
    (first, last): (i64, i64),
) -> Result<Vec<SearchedInvoiceRow>> {
    Ok(q!(
        conn,
        fetch_all as SearchedInvoiceRow,
        "SELECT i.id, i.number, i.content, c.name AS customer, i.created_at
         FROM invoice i JOIN customer c ON c.org_id = i.org_id AND c.id = i.customer_id
         WHERE i.org_id = $1 AND i.number IS NOT NULL AND i.number >= $2 AND i.number <= $3
         ORDER BY i.number DESC LIMIT $4",
        org,
        first,
        last,
        ROWS_READ
    )?)
}

/// CROSS JOIN makes SQLite read the customer's leads first.
async fn find_papers_of_customer(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: &FoundCustomer,
) -> Result<Vec<RankedHit>> {
    let estimates = q!(
        &mut *conn,
        fetch_all as SearchedEstimateRow,
        "SELECT e.lead_id, e.job_id, e.number, e.content, l.name AS customer, e.created_at
         FROM lead l CROSS JOIN estimate e
         WHERE l.org_id = $1 AND l.customer_id = $2 AND e.org_id = $1 AND e.lead_id = l.id
         ORDER BY e.created_at DESC, e.version DESC LIMIT $3",
        org,
        customer.id,
        ROWS_READ
    )?;
    let invoices = q!(
        conn,
        fetch_all as SearchedInvoiceRow,
        "SELECT i.id, i.number, i.content, l.name AS customer, i.created_at
         FROM lead l CROSS JOIN invoice i
         WHERE l.org_id = $1 AND l.customer_id = $2 AND i.org_id = $1 AND i.lead_id = l.id
         ORDER BY i.created_at DESC LIMIT $3",
        org,
        customer.id,
        ROWS_READ
    )?;
    let rank = customer.rank;
    let estimates = estimates.into_iter().map(|row| row.into_ranked_hit(rank));
    Ok(estimates.chain(invoices.into_iter().map(|row| row.into_ranked_hit(rank))).collect())
}
