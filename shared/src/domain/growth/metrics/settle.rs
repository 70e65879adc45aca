//! Makes the figures say what the records say, in the transaction that changed them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    fact::Contribution,
    load,
    rules::{lead::Lead, source},
    store::{self, Change},
};
use crate::{
    domain::{intake::lead::LeadCreated, tenancy::org},
    platform::{
        db::Tx,
        dirty::{DirtyOrg, Entity},
        error::Result,
        id::OrgId,
    },
};

/// Contributions of records that the transaction has created itself.
type Created = BTreeMap<(OrgId, Entity), Contribution>;

/// Settles what the transaction has changed: each record is held, read anew, and what it contributes now takes the place
/// of what it contributed before. Returns what changed.
pub(crate) async fn settle(tx: &mut Tx) -> Result<Vec<(OrgId, Change)>> {
    let created = created(tx);
    let mut all = Vec::new();
    for (org, dirty) in tx.take_dirty().by_org() {
        let changes = changes(tx, org, dirty, &created).await?;
        store::write(tx, org, &changes).await?;
        all.extend(changes.into_iter().map(|change| (org, change)));
    }
    Ok(all)
}

/// A request of its own counts at once, without being read again.
fn created(tx: &mut Tx) -> Created {
    let leads = tx.take_events::<LeadCreated>().into_iter().map(|new| {
        let source = source::named(&new.attribution, &new.source);
        let counted = Lead { is_held: new.is_held, ..Lead::new(new.at, new.form, source) };
        ((new.org, new.id.into()), counted.contribution(new.zone))
    });
    leads.collect()
}

async fn changes(tx: &mut Tx, org: OrgId, dirty: DirtyOrg, contributions: &Created) -> Result<Vec<Change>> {
    let DirtyOrg { changed: mut subjects, customers, created } = dirty;
    for customer in customers {
        let leads = load::leads_of(&mut *tx, org, customer).await?;
        subjects.extend(leads.into_iter().map(Entity::from));
    }
    subjects.extend(load::versions_of(&mut *tx, org, &subjects).await?.into_iter().map(Entity::from));
    let known: BTreeMap<Entity, &Contribution> = created
        .iter()
        .filter_map(|one| contributions.get(&(org, *one)).map(|contribution| (*one, contribution)))
        .collect();
    subjects.extend(created);
    subjects.retain(|subject| !known.contains_key(subject));
    let mut changes = again(tx, org, &subjects).await?;
    changes.extend(known.into_iter().map(|(subject, after)| Change {
        subject,
        before: Contribution::default(),
        after: after.clone(),
    }));
    changes.sort_by_key(|change| change.subject);
    Ok(changes)
}

/// Holds subjects, reads them anew, and says which of them contribute something else now.
async fn again(tx: &mut Tx, org: OrgId, subjects: &BTreeSet<Entity>) -> Result<Vec<Change>> {
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
