//! Reading subjects as their rules want them: some statements for all of a kind, however many they are.

use std::collections::{BTreeMap, BTreeSet};

use chrono_tz::Tz;
use uuid::Uuid;

use super::{
    fact::Contribution,
    subject::{Kind, Subject},
};
use crate::platform::{
    db::{AsConn, q},
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
    subjects: &BTreeSet<Subject>,
) -> Result<BTreeMap<Subject, Contribution>> {
    let mut found = BTreeMap::new();
    for kind in Kind::ALL {
        let ids: Vec<Uuid> = subjects.iter().filter(|subject| subject.kind == kind).map(|subject| subject.id).collect();
        for some in ids.chunks(CHUNK) {
            let loaded = of_kind(&mut *conn, org, zone, kind, some).await?;
            found.extend(loaded.into_iter().map(|(id, contribution)| (Subject { kind, id }, contribution)));
        }
    }
    Ok(found)
}

async fn of_kind(
    conn: &mut dyn AsConn,
    org: OrgId,
    zone: Tz,
    kind: Kind,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Contribution)>> {
    match kind {
        Kind::Lead => lead::load(conn, org, zone, ids).await,
        Kind::Estimate => paper::estimates(conn, org, zone, ids).await,
        Kind::Job => job::load(conn, org, zone, ids).await,
        Kind::Invoice => paper::invoices(conn, org, ids).await,
        Kind::Payment => payment::load(conn, org, ids).await,
        Kind::Ask => review::asks(conn, org, zone, ids).await,
        Kind::Review => review::reviews(conn, org, zone, ids).await,
    }
}

impl Kind {
    /// The table whose rows are the subjects of this kind.
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Estimate => "estimate",
            Self::Job => "job",
            Self::Invoice => "invoice",
            Self::Payment => "payment",
            Self::Ask => "review_ask",
            Self::Review => "review",
        }
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
    subjects: &BTreeSet<Subject>,
) -> Result<Vec<EstimateId>> {
    let estimates = subjects.iter().filter(|subject| subject.kind == Kind::Estimate).map(|subject| subject.id);
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
