//! Review requests and reviews.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

use super::listed;
use crate::{
    domain::growth::metrics::{
        fact::MetricContribution,
        rules::review::{ReviewMetricInput, ReviewRequestMetricInput},
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
    },
};

pub(super) async fn load_review_requests(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(conn, fetch_all as (Uuid, Option<DateTime<Utc>>), |b| {
        b.push("SELECT id, asked_at FROM review_request WHERE org_id = ").push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    Ok(rows
        .into_iter()
        .map(|(id, asked_at)| (id, ReviewRequestMetricInput { asked_at }.build_contribution(zone)))
        .collect())
}

pub(super) async fn load_reviews(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(conn, fetch_all as (Uuid, DateTime<Utc>, i64), |b| {
        b.push("SELECT id, received_at, stars FROM review WHERE org_id = ").push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    let reviews = rows
        .into_iter()
        .map(|(id, received_at, stars)| (id, ReviewMetricInput { received_at, stars }.build_contribution(zone)));
    Ok(reviews.collect())
}
