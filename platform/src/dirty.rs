//! Changed and created records of a transaction. Commit hooks update what is derived from them.
//!
//! A live event names the changed record ([`invalidated_by`]), so most code marks nothing itself.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::{
    id::{CustomerId, EstimateId, InvoiceId, JobId, LeadId, OrgId, PaymentId, ReviewId, ReviewRequestId},
    live::Topic,
};

/// The order is the locking order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum EntityKind {
    Lead,
    Estimate,
    Job,
    Invoice,
    Payment,
    Ask,
    Review,
}

impl EntityKind {
    pub const ALL: [Self; 7] =
        [Self::Lead, Self::Estimate, Self::Job, Self::Invoice, Self::Payment, Self::Ask, Self::Review];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity {
    pub kind: EntityKind,
    pub id: Uuid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalidation {
    One(Entity),
    LeadsOf(CustomerId),
}

macro_rules! subjects {
    ($($id:ident = $kind:ident,)*) => {$(
        impl From<$id> for Entity {
            fn from(id: $id) -> Self {
                Self { kind: EntityKind::$kind, id: id.0 }
            }
        }

        impl From<$id> for Invalidation {
            fn from(id: $id) -> Self {
                Self::One(id.into())
            }
        }
    )*};
}

subjects! {
    LeadId = Lead,
    EstimateId = Estimate,
    JobId = Job,
    InvoiceId = Invoice,
    PaymentId = Payment,
    ReviewRequestId = Ask,
    ReviewId = Review,
}

impl From<CustomerId> for Invalidation {
    fn from(id: CustomerId) -> Self {
        Self::LeadsOf(id)
    }
}

impl From<Entity> for Invalidation {
    fn from(subject: Entity) -> Self {
        Self::One(subject)
    }
}

/// Invalidation by a live event. Messages, conversations and jobs concern their lead (replies, visits); without a lead,
/// all leads of the customer. Estimates and payments do too, because revenue is attributed to the request's whole
/// history.
#[must_use]
pub fn invalidated_by(topic: Topic, subject: Uuid, parent: Option<Uuid>) -> Vec<Invalidation> {
    let lead = |id: Uuid| Invalidation::from(LeadId(id));
    match topic {
        Topic::Lead => vec![lead(subject)],
        Topic::Message => parent.map(lead).into_iter().collect(),
        Topic::Conversation => vec![parent.map_or(Invalidation::LeadsOf(CustomerId(subject)), lead)],
        Topic::Customer => vec![Invalidation::LeadsOf(CustomerId(subject))],
        Topic::Job => with_lead(JobId(subject).into(), parent),
        Topic::Estimate => with_lead(EstimateId(subject).into(), parent),
        Topic::Invoice => vec![InvoiceId(subject).into()],
        Topic::Payment => with_lead(PaymentId(subject).into(), parent),
        Topic::ReviewRequest => vec![ReviewRequestId(subject).into()],
        Topic::Review => vec![ReviewId(subject).into()],
        Topic::Settings
        | Topic::Alert
        | Topic::Schedule
        | Topic::Crew
        | Topic::Price
        | Topic::Worklist
        | Topic::ProviderCall => Vec::new(),
    }
}

fn with_lead(subject: Invalidation, lead: Option<Uuid>) -> Vec<Invalidation> {
    [Some(subject), lead.map(|lead| LeadId(lead).into())].into_iter().flatten().collect()
}

#[derive(Clone, Debug, Default)]
pub struct DirtySet(BTreeMap<OrgId, DirtyOrg>);

#[derive(Clone, Debug, Default)]
pub struct DirtyOrg {
    pub changed: BTreeSet<Entity>,
    pub customers: BTreeSet<CustomerId>,
    /// Created in this transaction and invisible to others: need be neither locked nor read.
    pub created: BTreeSet<Entity>,
}

impl DirtySet {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A record marked after creation is read like any other.
    pub fn mark_dirty(&mut self, org: OrgId, what: Invalidation) {
        let of = self.0.entry(org).or_default();
        match what {
            Invalidation::One(entity) => {
                of.created.remove(&entity);
                of.changed.insert(entity);
            }
            Invalidation::LeadsOf(customer) => {
                of.customers.insert(customer);
            }
        }
    }

    pub fn record_new(&mut self, org: OrgId, entity: Entity) {
        let of = self.0.entry(org).or_default();
        of.changed.remove(&entity);
        of.created.insert(entity);
    }

    #[must_use]
    pub fn changed_leads(&self) -> Vec<(OrgId, BTreeSet<LeadId>, BTreeSet<CustomerId>)> {
        let leads = |of: &DirtyOrg| {
            of.changed.iter().filter(|one| one.kind == EntityKind::Lead).map(|one| LeadId(one.id)).collect()
        };
        self.0.iter().map(|(org, of)| (*org, leads(of), of.customers.clone())).collect()
    }

    pub fn by_org(self) -> impl Iterator<Item = (OrgId, DirtyOrg)> {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));

    #[test]
    fn created_entity_is_read_again_only_after_a_change() {
        let lead = Entity::from(LeadId(Uuid::from_u128(2)));
        let of = |dirty: DirtySet| dirty.by_org().next().map(|(_, of)| (of.changed.len(), of.created.len()));
        let mut dirty = DirtySet::default();
        dirty.mark_dirty(ORG, lead.into());
        dirty.record_new(ORG, lead);
        assert_eq!(of(dirty.clone()), Some((0, 1)));
        dirty.mark_dirty(ORG, lead.into());
        assert_eq!(of(dirty), Some((1, 0)));
    }

    #[test]
    fn changed_entities_have_fixed_order_regardless_of_marking_order() {
        let (a, b) = (Uuid::from_u128(3), Uuid::from_u128(4));
        let mut dirty = DirtySet::default();
        for entity in [Invalidation::from(PaymentId(a)), LeadId(b).into(), JobId(a).into(), LeadId(a).into()] {
            dirty.mark_dirty(ORG, entity);
        }
        let order: Vec<Entity> = dirty.by_org().flat_map(|(_, of)| of.changed).collect();
        let wanted: [Entity; 4] = [LeadId(a).into(), LeadId(b).into(), JobId(a).into(), PaymentId(a).into()];
        assert_eq!(order, wanted);
    }

    #[test]
    fn topic_invalidates_the_entities_it_names() {
        let (id, lead) = (Uuid::from_u128(5), Uuid::from_u128(6));
        let dirty = |topic| invalidated_by(topic, id, Some(lead));
        assert_eq!(dirty(Topic::Lead), [LeadId(id).into()]);
        assert_eq!(dirty(Topic::Message), [LeadId(lead).into()]);
        assert_eq!(dirty(Topic::Job), [JobId(id).into(), LeadId(lead).into()]);
        assert_eq!(dirty(Topic::Estimate), [EstimateId(id).into(), LeadId(lead).into()]);
        assert_eq!(dirty(Topic::Invoice), [InvoiceId(id).into()]);
        assert_eq!(dirty(Topic::Payment), [PaymentId(id).into(), LeadId(lead).into()]);
        assert_eq!(dirty(Topic::ReviewRequest), [ReviewRequestId(id).into()]);
        assert_eq!(dirty(Topic::Review), [ReviewId(id).into()]);
        assert_eq!(dirty(Topic::Conversation), [LeadId(lead).into()]);
        assert_eq!(invalidated_by(Topic::Conversation, id, None), [Invalidation::LeadsOf(CustomerId(id))]);
        assert_eq!(invalidated_by(Topic::Message, id, None), []);
        assert_eq!(dirty(Topic::Alert), []);
    }
}
