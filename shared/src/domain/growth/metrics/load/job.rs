//! Jobs with their costs.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;
use uuid::Uuid;

use super::listed;
use crate::{
    domain::{
        growth::metrics::{fact::MetricContribution, rules::job::JobMetricInput},
        work::job::JobState,
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
        money::Cents,
    },
};

#[derive(FromRow)]
struct JobMetricRow {
    id: Uuid,
    status: JobState,
    completed_at: Option<DateTime<Utc>>,
    value_cents: Option<Cents>,
    cost: Option<i64>,
}

pub(super) async fn load_jobs(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(conn, fetch_all as JobMetricRow, |b| {
        b.push(
            "SELECT j.id, j.status, j.completed_at, j.value_cents + j.changes_cents AS value_cents, (SELECT CAST(SUM(c.amount_cents) AS BIGINT)
                 FROM job_cost c WHERE c.org_id = j.org_id AND c.job_id = j.id) AS cost
             FROM job j WHERE j.org_id = ",
        );
        b.push_bind(org).push(" AND j.id IN ");
        listed!(b, ids);
    })?;
    let jobs = rows.into_iter().map(|row| {
        let job = JobMetricInput {
            status: row.status,
            completed_at: row.completed_at,
            value: row.value_cents,
            cost: row.cost.map(Cents),
        };
        (row.id, job.build_contribution(zone))
    });
    Ok(jobs.collect())
}
