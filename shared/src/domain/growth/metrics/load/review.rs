//! Who was asked for a review, and what came in.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use uuid::Uuid;

use super::listed;
use crate::{
    domain::growth::metrics::{
        fact::Contribution,
        rules::review::{Ask, Review},
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::OrgId,
    },
};

pub(super) async fn asks(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Contribution)>> {
    let rows = qb!(conn, fetch_all as (Uuid, Option<DateTime<Utc>>), |b| {
        b.push("SELECT id, asked_at FROM review_ask WHERE org_id = ").push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    Ok(rows.into_iter().map(|(id, asked_at)| (id, Ask { asked_at }.contribution(zone))).collect())
}

pub(super) async fn reviews(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Contribution)>> {
    let rows = qb!(conn, fetch_all as (Uuid, DateTime<Utc>, i64), |b| {
        b.push("SELECT id, received_at, stars FROM review WHERE org_id = ").push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    let told = rows.into_iter().map(|(id, received_at, stars)| (id, Review { received_at, stars }.contribution(zone)));
    Ok(told.collect())
}
