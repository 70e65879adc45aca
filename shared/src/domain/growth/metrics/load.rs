//! Reads subjects for the rules in batches, some statements per kind.

use std::collections::{BTreeMap, BTreeSet};

use chrono_tz::Tz;
use uuid::Uuid;

use super::fact::MetricContribution;
use crate::platform::{
    db::{AsConn, q},
    dirty::{Entity, EntityKind},
    error::Result,
    id::{CustomerId, EstimateId, LeadId, OrgId},
};

mod billing_document;
mod job;
mod lead;
mod payment;
mod review;

const CHUNK: usize = 200;

/// Subjects that do not exist (any more) are left out.
pub(super) async fn load_contributions(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    subjects: &BTreeSet<Entity>,
) -> Result<BTreeMap<Entity, MetricContribution>> {
    let mut found = BTreeMap::new();
    for kind in EntityKind::ALL {
        let ids: Vec<Uuid> = subjects.iter().filter(|subject| subject.kind == kind).map(|subject| subject.id).collect();
        for some in ids.chunks(CHUNK) {
            let loaded = load_kind(&mut *conn, org, zone, kind, some).await?;
            found.extend(loaded.into_iter().map(|(id, contribution)| (Entity { kind, id }, contribution)));
        }
    }
    Ok(found)
}

async fn load_kind(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    kind: EntityKind,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, MetricContribution)>> {
    match kind {
        EntityKind::Lead => lead::load_leads(conn, org, zone, ids).await,
        EntityKind::Estimate => billing_document::load_estimates(conn, org, zone, ids).await,
        EntityKind::Job => job::load_jobs(conn, org, zone, ids).await,
        EntityKind::Invoice => billing_document::load_invoices(conn, org, ids).await,
        EntityKind::Payment => payment::load_payments(conn, org, ids).await,
        EntityKind::Ask => review::load_review_requests(conn, org, zone, ids).await,
        EntityKind::Review => review::load_reviews(conn, org, zone, ids).await,
    }
}

pub(super) fn table_name(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Lead => "lead",
        EntityKind::Estimate => "estimate",
        EntityKind::Job => "job",
        EntityKind::Invoice => "invoice",
        EntityKind::Payment => "payment",
        EntityKind::Ask => "review_request",
        EntityKind::Review => "review",
    }
}

pub(super) async fn list_customer_leads(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<Vec<LeadId>> {
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_all scalar LeadId, sql, org, customer)?)
}

pub(super) async fn list_sibling_versions(
    conn: &mut dyn AsConn,
    org: OrgId,
    subjects: &BTreeSet<Entity>,
) -> Result<Vec<EstimateId>> {
    let estimates = subjects.iter().filter(|subject| subject.kind == EntityKind::Estimate).map(|subject| subject.id);
    let mut found = Vec::new();
    for some in estimates.collect::<Vec<_>>().chunks(CHUNK) {
        found.extend(billing_document::list_other_versions(&mut *conn, org, some).await?);
    }
    Ok(found)
}

macro_rules! listed {
    ($b:ident, $ids:expr) => {
        $b.push("(");
        let mut list = $b.separated(", ");
        for id in $ids {
            list.push_bind(*id);
        }
        $b.push(")");
    };
}
use listed;
