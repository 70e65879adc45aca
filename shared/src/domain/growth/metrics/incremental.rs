//! Figures kept up to date in the transaction that changed the records.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    fact::MetricContribution,
    load,
    rules::{lead::LeadMetricInput, source},
    store::{self, ContributionDelta},
};
use crate::{
    domain::{
        intake::lead::LeadCreated,
        tenancy::{audit, org},
    },
    platform::{
        db::{
            Tx,
            batch::{Insert, insert_all},
        },
        dirty::{DirtyOrg, Entity},
        error::Result,
        id::OrgId,
    },
};

type CreatedContributions = BTreeMap<(OrgId, Entity), MetricContribution>;

/// Locks each changed record, reads it again and replaces its contribution. Returns what changed.
pub(crate) async fn apply_dirty_records(tx: &mut Tx) -> Result<Vec<(OrgId, ContributionDelta)>> {
    let (changes, rows) = collect_dirty_records(&mut *tx).await?;
    insert_all(tx, &rows).await?;
    Ok(changes)
}

/// As [`apply_dirty_records`], but the rows that no later statement reads are written with those of the audit log.
pub(crate) async fn apply_at_commit(tx: &mut Tx) -> Result<()> {
    let (_, rows) = collect_dirty_records(&mut *tx).await?;
    tx.insert_at_commit(rows);
    Ok(())
}

type CollectedChanges = (Vec<(OrgId, ContributionDelta)>, Vec<Insert<'static>>);

/// The returned rows, those of the last business with its days, are still to be written.
async fn collect_dirty_records(tx: &mut Tx) -> Result<CollectedChanges> {
    let created = take_created_leads(tx);
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    for (nth, (org, dirty)) in tx.take_dirty().by_org().enumerate() {
        if nth > 0 {
            audit::lock_chain_heads(&mut *tx).await?;
        }
        let changes = compute_deltas(tx, org, dirty, &created).await?;
        insert_all(&mut *tx, &rows).await?;
        rows = store::store_deltas(&mut *tx, org, &changes).await?;
        all.extend(changes.into_iter().map(|change| (org, change)));
    }
    Ok((all, rows))
}

/// A lead created by this transaction counts without being read again.
fn take_created_leads(tx: &mut Tx) -> CreatedContributions {
    let leads = tx.take_events::<LeadCreated>().into_iter().map(|new| {
        let source = source::resolve_source(&new.attribution, &new.source);
        let counted = LeadMetricInput { is_held: new.is_quarantined, ..LeadMetricInput::new(new.at, new.form, source) };
        ((new.org, new.id.into()), counted.build_contribution(new.zone))
    });
    leads.collect()
}

async fn compute_deltas(
    tx: &mut Tx,
    org: OrgId,
    dirty: DirtyOrg,
    contributions: &CreatedContributions,
) -> Result<Vec<ContributionDelta>> {
    let DirtyOrg { changed: mut subjects, customers, created } = dirty;
    for customer in customers {
        let leads = load::list_customer_leads(&mut *tx, org, customer).await?;
        subjects.extend(leads.into_iter().map(Entity::from));
    }
    subjects.extend(load::list_sibling_versions(&mut *tx, org, &subjects).await?.into_iter().map(Entity::from));
    let added: BTreeMap<Entity, &MetricContribution> = created
        .iter()
        .filter_map(|one| contributions.get(&(org, *one)).map(|contribution| (*one, contribution)))
        .collect();
    subjects.extend(created);
    subjects.retain(|subject| !added.contains_key(subject));
    let mut changes = recompute_deltas(tx, org, &subjects).await?;
    changes.extend(added.into_iter().map(|(subject, after)| ContributionDelta {
        subject,
        before: MetricContribution::default(),
        after: after.clone(),
    }));
    changes.sort_by_key(|change| change.subject);
    Ok(changes)
}

async fn recompute_deltas(tx: &mut Tx, org: OrgId, subjects: &BTreeSet<Entity>) -> Result<Vec<ContributionDelta>> {
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    let held = store::lock_contributions(&mut *tx, org, subjects).await?;
    let zone = org::zone_named(held.timezone.as_deref().unwrap_or_default());
    let mut now = load::load_contributions(tx, org, zone, subjects).await?;
    let mut before = held.before;
    let changes = subjects.iter().map(|subject| ContributionDelta {
        subject: *subject,
        before: before.remove(subject).unwrap_or_default(),
        after: now.remove(subject).unwrap_or_default(),
    });
    Ok(changes.filter(|change| change.before != change.after).collect())
}
