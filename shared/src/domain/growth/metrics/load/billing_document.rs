//! Estimates with their approvals, and invoices.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use sqlx::{FromRow, types::Json};
use uuid::Uuid;

use super::listed;
use crate::{
    domain::{
        growth::metrics::{
            fact::MetricContribution,
            rules::{
                billing_document::{EstimateMetricInput, InvoiceMetricInput},
                source,
            },
        },
        intake::lead::LeadAttribution,
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
struct EstimateMetricRow {
    id: Uuid,
    status: estimate::EstimateStatus,
    issued_on: NaiveDate,
    total_cents: Cents,
    settled_at: Option<DateTime<Utc>>,
    approved_at: Option<DateTime<Utc>>,
    approved_cents: Option<Cents>,
    source: String,
    attribution: Json<LeadAttribution>,
}

pub(super) async fn load_estimates(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(conn, fetch_all as EstimateMetricRow, |b| {
        b.push(
            "SELECT e.id, e.status, e.issued_on, e.total_cents, e.settled_at, a.at AS approved_at,
                 a.total_cents AS approved_cents, l.source, l.attribution
             FROM estimate e JOIN lead l ON l.org_id = e.org_id AND l.id = e.lead_id
             LEFT JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id WHERE e.org_id = ",
        );
        b.push_bind(org).push(" AND e.id IN ");
        listed!(b, ids);
        // A change order belongs to work already won and counts with its job.
        b.push(" AND e.job_id IS NULL");
        // Of a number's versions the last approved one counts, else the newest.
        b.push(
            " AND NOT EXISTS (SELECT 1 FROM estimate o WHERE o.org_id = e.org_id AND o.number = e.number AND o.id <> e.id
                 AND o.status NOT IN ('preparing', 'replaced', 'superseded')
                 AND (o.status = 'approved' OR (e.status <> 'approved' AND o.version > e.version)))",
        );
    })?;
    let contributions = rows.into_iter().map(|row| {
        let estimate = EstimateMetricInput {
            status: row.status,
            issued_on: row.issued_on,
            total: row.total_cents,
            approved: row.approved_at.zip(row.approved_cents),
            settled_at: row.settled_at,
            source: source::resolve_source(&row.attribution, &row.source),
        };
        (row.id, estimate.build_contribution(zone))
    });
    Ok(contributions.collect())
}

/// A change of any of these versions can change which one counts.
pub(in crate::domain::growth::metrics) async fn list_other_versions(
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
struct InvoiceMetricRow {
    id: Uuid,
    status: invoice::InvoiceStatus,
    issued_on: Option<NaiveDate>,
    total_cents: Cents,
    paid_cents: Cents,
}

pub(super) async fn load_invoices(
    conn: &mut dyn AsConn,
    org: OrgId,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    let rows = qb!(conn, fetch_all as InvoiceMetricRow, |b| {
        b.push("SELECT id, status, issued_on, total_cents, paid_cents FROM invoice WHERE org_id = ");
        b.push_bind(org).push(" AND id IN ");
        listed!(b, ids);
    })?;
    let contributions = rows.into_iter().map(|row| {
        let invoice = InvoiceMetricInput {
            status: row.status,
            issued_on: row.issued_on,
            total: row.total_cents,
            paid: row.paid_cents,
        };
        (row.id, invoice.build_contribution())
    });
    Ok(contributions.collect())
}
