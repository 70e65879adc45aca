//! Estimates with their approvals, and invoices.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::listed;
use crate::{
    domain::{
        growth::metrics::{
            fact::Contribution,
            rules::{
                paper::{Estimate, Invoice},
                source,
            },
        },
        intake::lead::Attribution,
        money::{estimate, invoice},
    },
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{EstimateId, OrgId},
        money::Cents,
    },
};

#[derive(FromRow)]
struct EstimateRow {
    id: Uuid,
    status: estimate::Status,
    issued_on: NaiveDate,
    total_cents: Cents,
    settled_at: Option<DateTime<Utc>>,
    approved_at: Option<DateTime<Utc>>,
    approved_cents: Option<Cents>,
    source: String,
    attribution: Json<Attribution>,
}

pub(super) async fn estimates(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Contribution)>> {
    let rows = qb!(conn, fetch_all as EstimateRow, |b| {
        b.push(
            "SELECT e.id, e.status, e.issued_on, e.total_cents, e.settled_at, a.at AS approved_at,
                 a.total_cents AS approved_cents, l.source, l.attribution
             FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
             LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id WHERE e.org_id = ",
        );
        b.push_bind(org).push(" AND e.id IN ");
        listed!(b, ids);
        // A change order is part of work that was won already: it counts with its job.
        b.push(" AND e.job_id IS NULL");
        // Of a number's versions the approved one stands until another is approved, else the newest.
        b.push(
            " AND NOT EXISTS (SELECT 1 FROM estimate o WHERE o.org_id = e.org_id AND o.number = e.number AND o.id <> e.id
                 AND o.status NOT IN ('preparing', 'replaced', 'superseded')
                 AND (o.status = 'approved' OR (e.status <> 'approved' AND o.version > e.version)))",
        );
    })?;
    let told = rows.into_iter().map(|row| {
        let estimate = Estimate {
            status: row.status,
            issued_on: row.issued_on,
            total: row.total_cents,
            approved: row.approved_at.zip(row.approved_cents),
            settled_at: row.settled_at,
            source: source::named(&row.attribution, &row.source),
        };
        (row.id, estimate.contribution(zone))
    });
    Ok(told.collect())
}

/// The other versions of these estimates' numbers: which of them counts changes with any of them.
pub(in crate::domain::growth::metrics) async fn versions(
    conn: &mut dyn AsConn,
    org: OrgId,
    ids: &[Uuid],
) -> Result<Vec<EstimateId>> {
    Ok(qb!(conn, fetch_all scalar EstimateId, |b| {
        b.push("SELECT o.id FROM estimate e JOIN estimate o ON o.org_id = e.org_id AND o.number = e.number WHERE e.org_id = ");
        b.push_bind(org).push(" AND o.id <> e.id AND e.id IN ");
        listed!(b, ids);
    })?)
}

#[derive(FromRow)]
struct InvoiceRow {
    id: Uuid,
    status: invoice::Status,
    issued_on: Option<NaiveDate>,
    total_cents: Cents,
    paid_cents: Cents,
}

pub(super) async fn invoices(conn: &mut dyn AsConn, org: OrgId, ids: &[Uuid]) -> Result<Vec<(Uuid, Contribution)>> {
    let rows = qb!(conn, fetch_all as InvoiceRow, |b| {
        b.push("SELECT id, status, issued_on, total_cents, paid_cents FROM invoice WHERE org_id = ");
        b.push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    let told = rows.into_iter().map(|row| {
        let invoice =
            Invoice { status: row.status, issued_on: row.issued_on, total: row.total_cents, paid: row.paid_cents };
        (row.id, invoice.contribution())
    });
    Ok(told.collect())
}
