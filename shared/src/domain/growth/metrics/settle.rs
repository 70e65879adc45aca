//! Makes the figures say what the records say, in the transaction that changed them.

use std::collections::BTreeSet;

use super::{
    fact::Contribution,
    load,
    store::{self, Change},
    subject::{OfOrg, Subject},
};
use crate::{
    domain::tenancy::org,
    platform::{db::Tx, error::Result, id::OrgId},
};

/// Settles what the transaction has touched: each subject is held, read anew, and what it contributes now takes the
/// place of what it contributed before. Returns what changed.
pub(crate) async fn settle(tx: &mut Tx) -> Result<Vec<(OrgId, Change)>> {
    let mut all = Vec::new();
    for (org, touched) in tx.take_touched().by_org() {
        let changes = changes(tx, org, touched).await?;
        store::write(tx, org, &changes).await?;
        all.extend(changes.into_iter().map(|change| (org, change)));
    }
    Ok(all)
}

async fn changes(tx: &mut Tx, org: OrgId, touched: OfOrg) -> Result<Vec<Change>> {
    let OfOrg { mut subjects, customers, born } = touched;
    for customer in customers {
        let leads = load::leads_of(&mut *tx, org, customer).await?;
        subjects.extend(leads.into_iter().map(Subject::from));
    }
    subjects.extend(load::versions_of(&mut *tx, org, &subjects).await?.into_iter().map(Subject::from));
    subjects.retain(|subject| !born.contains_key(subject));
    let mut changes = again(tx, org, &subjects).await?;
    changes.extend(born.into_iter().map(|(subject, after)| Change { subject, before: Contribution::default(), after }));
    changes.sort_by_key(|change| change.subject);
    Ok(changes)
}

/// Holds subjects, reads them anew, and says which of them contribute something else now.
async fn again(tx: &mut Tx, org: OrgId, subjects: &BTreeSet<Subject>) -> Result<Vec<Change>> {
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    let held = store::hold(&mut *tx, org, subjects).await?;
    let zone = org::zone_named(held.timezone.as_deref().unwrap_or_default());
    let mut now = load::contributions(tx, org, zone, subjects).await?;
    let mut before = held.before;
    let changes = subjects.iter().map(|subject| Change {
        subject: *subject,
        before: before.remove(subject).unwrap_or_default(),
        after: now.remove(subject).unwrap_or_default(),
    });
    Ok(changes.filter(|change| change.before != change.after).collect())
}
