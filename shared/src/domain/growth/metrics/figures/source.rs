//! Figures by source of the lead.

use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::rows;
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
    money::Cents,
    period::Period,
};

/// One source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceFigures {
    pub source: String,
    pub leads: i64,
    /// Requests that got a visit.
    pub booked: i64,
    /// Estimates that were approved.
    pub won: i64,
    /// US dollars: what came in, less what went back.
    pub paid: Cents,
    /// Where its rows are.
    pub rows: String,
}

#[derive(FromRow)]
struct SourceFiguresRow {
    source: String,
    leads: i64,
    booked: i64,
    won: i64,
    paid: Cents,
}

pub async fn load_sources(conn: &mut dyn AsConn, org: OrgId, period: Period) -> Result<Vec<SourceFigures>> {
    let rows = q!(
        conn,
        fetch_all as SourceFiguresRow,
        "SELECT source, CAST(SUM(leads) AS BIGINT) AS leads, CAST(SUM(booked) AS BIGINT) AS booked,
             CAST(SUM(won) AS BIGINT) AS won, CAST(SUM(paid_cents) AS BIGINT) AS paid
         FROM metric_source_day WHERE org_id = $1 AND day >= $2 AND day <= $3 GROUP BY source
         ORDER BY paid DESC, leads DESC, source",
        org,
        period.from,
        period.to
    )?;
    let some = rows.into_iter().filter(|row| (row.leads, row.booked, row.won, row.paid.0) != (0, 0, 0, 0));
    let figures = some.map(|row| SourceFigures {
        rows: rows::leads_path_by_source(period, &row.source),
        source: row.source,
        leads: row.leads,
        booked: row.booked,
        won: row.won,
        paid: row.paid,
    });
    Ok(figures.collect())
}
