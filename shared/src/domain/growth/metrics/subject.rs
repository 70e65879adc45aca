//! What contributes to the figures, and what a transaction has touched of it.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::fact::Contribution;
use crate::platform::{
    id::{CustomerId, EstimateId, InvoiceId, JobId, LeadId, OrgId, PaymentId, ReviewAskId, ReviewId},
    live::Topic,
};

/// What a record is. The order is the one in which their rows are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Kind {
    Lead,
    Estimate,
    Job,
    Invoice,
    Payment,
    /// A customer who is asked for a review.
    Ask,
    Review,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Lead, Self::Estimate, Self::Job, Self::Invoice, Self::Payment, Self::Ask, Self::Review];
}

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub kind: Kind,
    pub id: Uuid,
}

/// What may be touched: a record, or all leads of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Subject(Subject),
    LeadsOf(CustomerId),
}

macro_rules! subjects {
    ($($id:ident = $kind:ident,)*) => {$(
        impl From<$id> for Subject {
            fn from(id: $id) -> Self {
                Self { kind: Kind::$kind, id: id.0 }
            }
        }

        impl From<$id> for Touch {
            fn from(id: $id) -> Self {
                Self::Subject(id.into())
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
    ReviewAskId = Ask,
    ReviewId = Review,
}

impl From<CustomerId> for Touch {
    fn from(id: CustomerId) -> Self {
        Self::LeadsOf(id)
    }
}

impl From<Subject> for Touch {
    fn from(subject: Subject) -> Self {
        Self::Subject(subject)
    }
}

/// What a live event touches. A message, a conversation and a job are told together with their lead, whose answers and
/// visits they change; without one it may be any lead of the customer. So are an estimate and a payment: what brought a
/// request's money is said of its whole story.
#[must_use]
pub fn follows(topic: Topic, subject: Uuid, parent: Option<Uuid>) -> Vec<Touch> {
    let lead = |id: Uuid| Touch::from(LeadId(id));
    match topic {
        Topic::Lead => vec![lead(subject)],
        Topic::Message => parent.map(lead).into_iter().collect(),
        Topic::Thread => vec![parent.map_or(Touch::LeadsOf(CustomerId(subject)), lead)],
        Topic::Customer => vec![Touch::LeadsOf(CustomerId(subject))],
        Topic::Job => with_lead(JobId(subject).into(), parent),
        Topic::Estimate => with_lead(EstimateId(subject).into(), parent),
        Topic::Invoice => vec![InvoiceId(subject).into()],
        Topic::Payment => with_lead(PaymentId(subject).into(), parent),
        Topic::ReviewAsk => vec![ReviewAskId(subject).into()],
        Topic::Review => vec![ReviewId(subject).into()],
        Topic::Settings | Topic::Alert | Topic::Schedule | Topic::Crew | Topic::Price => Vec::new(),
    }
}

fn with_lead(subject: Touch, lead: Option<Uuid>) -> Vec<Touch> {
    [Some(subject), lead.map(|lead| LeadId(lead).into())].into_iter().flatten().collect()
}

/// What a transaction has touched, in the order in which it is settled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched(BTreeMap<OrgId, OfOrg>);

/// What was touched of one business.
#[derive(Clone, Debug, Default)]
pub(super) struct OfOrg {
    pub subjects: BTreeSet<Subject>,
    pub customers: BTreeSet<CustomerId>,
    /// What this very transaction has made and nobody else can see yet, with what it contributes: it need be neither
    /// held nor read.
    pub born: BTreeMap<Subject, Contribution>,
}

impl Touched {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn touch(&mut self, org: OrgId, what: Touch) {
        let of = self.0.entry(org).or_default();
        match what {
            Touch::Subject(subject) => {
                of.born.remove(&subject);
                of.subjects.insert(subject);
            }
            Touch::LeadsOf(customer) => {
                of.customers.insert(customer);
            }
        }
    }

    /// Nothing but its making has happened to it. Touched once more it is read like any other.
    pub fn born(&mut self, org: OrgId, subject: Subject, contribution: Contribution) {
        let of = self.0.entry(org).or_default();
        of.subjects.remove(&subject);
        of.born.insert(subject, contribution);
    }

    /// The leads among it, and the customers all of whose leads are.
    pub fn leads(&self) -> Vec<(OrgId, BTreeSet<LeadId>, BTreeSet<CustomerId>)> {
        let leads = |of: &OfOrg| {
            of.subjects.iter().filter(|subject| subject.kind == Kind::Lead).map(|subject| LeadId(subject.id)).collect()
        };
        self.0.iter().map(|(org, of)| (*org, leads(of), of.customers.clone())).collect()
    }

    pub(super) fn by_org(self) -> impl Iterator<Item = (OrgId, OfOrg)> {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORG: OrgId = OrgId(Uuid::from_u128(1));

    #[test]
    fn what_was_made_here_is_read_again_only_when_more_happened_to_it() {
        let lead = Subject::from(LeadId(Uuid::from_u128(2)));
        let of = |touched: Touched| touched.by_org().next().map(|(_, of)| (of.subjects.len(), of.born.len()));
        let mut touched = Touched::default();
        touched.touch(ORG, lead.into());
        touched.born(ORG, lead, Contribution::default());
        assert_eq!(of(touched.clone()), Some((0, 1)));
        touched.touch(ORG, lead.into());
        assert_eq!(of(touched), Some((1, 0)));
    }

    #[test]
    fn subjects_are_settled_in_one_order_whoever_touched_them_first() {
        let (a, b) = (Uuid::from_u128(3), Uuid::from_u128(4));
        let mut touched = Touched::default();
        for subject in [Touch::from(PaymentId(a)), LeadId(b).into(), JobId(a).into(), LeadId(a).into()] {
            touched.touch(ORG, subject);
        }
        let order: Vec<Subject> = touched.by_org().flat_map(|(_, of)| of.subjects).collect();
        let wanted: [Subject; 4] = [LeadId(a).into(), LeadId(b).into(), JobId(a).into(), PaymentId(a).into()];
        assert_eq!(order, wanted);
    }

    #[test]
    fn every_event_about_work_and_money_touches_what_it_names() {
        let (id, lead) = (Uuid::from_u128(5), Uuid::from_u128(6));
        let touches = |topic| follows(topic, id, Some(lead));
        assert_eq!(touches(Topic::Lead), [LeadId(id).into()]);
        assert_eq!(touches(Topic::Message), [LeadId(lead).into()]);
        assert_eq!(touches(Topic::Job), [JobId(id).into(), LeadId(lead).into()]);
        assert_eq!(touches(Topic::Estimate), [EstimateId(id).into(), LeadId(lead).into()]);
        assert_eq!(touches(Topic::Invoice), [InvoiceId(id).into()]);
        assert_eq!(touches(Topic::Payment), [PaymentId(id).into(), LeadId(lead).into()]);
        assert_eq!(touches(Topic::ReviewAsk), [ReviewAskId(id).into()]);
        assert_eq!(touches(Topic::Review), [ReviewId(id).into()]);
        assert_eq!(touches(Topic::Thread), [LeadId(lead).into()]);
        assert_eq!(follows(Topic::Thread, id, None), [Touch::LeadsOf(CustomerId(id))]);
        assert_eq!(follows(Topic::Message, id, None), []);
        assert_eq!(touches(Topic::Alert), []);
    }
}
