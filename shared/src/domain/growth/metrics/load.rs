//! Reading subjects as their rules want them: some statements for all of a kind, however many they are.

use std::collections::{BTreeMap, BTreeSet};

use chrono_tz::Tz;
use uuid::Uuid;

use super::fact::Contribution;
use crate::platform::{
    db::{AsConn, q},
    dirty::{Entity, EntityKind},
    error::Result,
    id::{CustomerId, EstimateId, LeadId, OrgId},
};

mod job;
mod lead;
mod paper;
mod payment;
mod review;

/// Subjects of one statement.
const CHUNK: usize = 200;

/// What these subjects contribute now. One that is not there (any more) contributes nothing, and is left out.
pub(super) async fn contributions(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    subjects: &BTreeSet<Entity>,
) -> Result<BTreeMap<Entity, Contribution>> {
    let mut found = BTreeMap::new();
    for kind in EntityKind::ALL {
        let ids: Vec<Uuid> = subjects.iter().filter(|subject| subject.kind == kind).map(|subject| subject.id).collect();
        for some in ids.chunks(CHUNK) {
            let loaded = of_kind(&mut *conn, org, zone, kind, some).await?;
            found.extend(loaded.into_iter().map(|(id, contribution)| (Entity { kind, id }, contribution)));
        }
    }
    Ok(found)
}

async fn of_kind(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    kind: EntityKind,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Contribution)>> {
    match kind {
        EntityKind::Lead => lead::load(conn, org, zone, ids).await,
        EntityKind::Estimate => paper::estimates(conn, org, zone, ids).await,
        EntityKind::Job => job::load(conn, org, zone, ids).await,
        EntityKind::Invoice => paper::invoices(conn, org, ids).await,
        EntityKind::Payment => payment::load(conn, org, ids).await,
        EntityKind::Ask => review::asks(conn, org, zone, ids).await,
        EntityKind::Review => review::reviews(conn, org, zone, ids).await,
    }
}

/// The table whose rows are the records of this kind.
pub(super) fn table_of(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Lead => "lead",
        EntityKind::Estimate => "estimate",
        EntityKind::Job => "job",
        EntityKind::Invoice => "invoice",
        EntityKind::Payment => "payment",
        EntityKind::Ask => "review_ask",
        EntityKind::Review => "review",
    }
}

/// All requests of a customer.
pub(super) async fn leads_of(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Vec<LeadId>> {
    let sql = "SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2";
    Ok(q!(conn, fetch_all scalar LeadId, sql, org, customer)?)
}

/// The other versions of the estimates among these.
pub(super) async fn versions_of(
    conn: &mut dyn AsConn,
    org: OrgId,
    subjects: &BTreeSet<Entity>,
) -> Result<Vec<EstimateId>> {
    let estimates = subjects.iter().filter(|subject| subject.kind == EntityKind::Estimate).map(|subject| subject.id);
    let mut found = Vec::new();
    for some in estimates.collect::<Vec<_>>().chunks(CHUNK) {
        found.extend(paper::versions(&mut *conn, org, some).await?);
    }
    Ok(found)
}

/// A list of ids in parentheses.
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
