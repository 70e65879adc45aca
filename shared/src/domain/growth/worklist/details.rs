//! What is shown of an item: names, their own words, and whose it is.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    EXCERPT, OpenItem, WorkItem, WorkItemAction, WorkItemAssignee, WorkItemKey, WorkItemKind, WorkItemSource,
    auto_reply::AutoReplies,
};
use crate::{
    domain::{intake::lead::LeadFormKind, messaging::opt_out},
    platform::{
        db::{AsConn, qb},
        error::Result,
        id::{AccountId, CustomerId, EstimateId, InvoiceId, LeadId, OrgId, ReviewId},
        phone::Phone,
    },
};

#[derive(Clone, Debug, FromRow)]
struct ItemLeadRow {
    id: LeadId,
    name: String,
    phone_e164: Option<Phone>,
    service: String,
    notes: Option<String>,
    form: LeadFormKind,
    owner_account_id: Option<AccountId>,
    owner_name: Option<String>,
}

#[derive(Clone, Debug, FromRow)]
struct ItemCustomerRow {
    id: CustomerId,
    name: String,
    phone_e164: Option<Phone>,
    snoozed_until: Option<DateTime<Utc>>,
    called_at: Option<DateTime<Utc>>,
    wrote_at: Option<DateTime<Utc>>,
    wrote: Option<String>,
}

/// The records of some items.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemDetails {
    leads: BTreeMap<LeadId, ItemLeadRow>,
    customers: BTreeMap<CustomerId, ItemCustomerRow>,
    reviews: BTreeMap<Uuid, String>,
    auto_replies: AutoReplies,
    /// Why numbers get no texts.
    refused_numbers: BTreeMap<String, &'static str>,
}

impl ItemDetails {
    pub(super) async fn load_details(
        conn: &mut dyn AsConn,
        org: OrgId,
        leads: &[LeadId],
        customers: &[CustomerId],
        reviews: &[Uuid],
    ) -> Result<Self> {
        let leads = load_leads(&mut *conn, org, leads).await?;
        let customers = load_customers(&mut *conn, org, customers).await?;
        Ok(Self {
            leads: leads.into_iter().map(|row| (row.id, row)).collect(),
            customers: customers.into_iter().map(|row| (row.id, row)).collect(),
            reviews: load_review_bodies(conn, org, reviews).await?.into_iter().collect(),
            auto_replies: AutoReplies::default(),
            refused_numbers: BTreeMap::new(),
        })
    }

    pub(super) async fn load_for(conn: &mut dyn AsConn, org: OrgId, items: &[&OpenItem]) -> Result<Self> {
        let leads: Vec<LeadId> = items.iter().filter_map(|item| item.first_lead()).collect();
        let customers: Vec<CustomerId> = items.iter().filter_map(|item| item.customer).collect();
        let is_review = |item: &&&OpenItem| item.kind == WorkItemKind::ReviewAnswer;
        let reviews: Vec<Uuid> = items.iter().filter(is_review).map(|item| item.subject_id()).collect();
        Self::load_details(conn, org, &leads, &customers, &reviews).await
    }

    /// The same with the numbers that get no texts, and the automatic answers to the items that wait for one.
    pub(super) async fn load_with_replies(conn: &mut dyn AsConn, org: OrgId, items: &[&OpenItem]) -> Result<Self> {
        let details = Self::load_for(&mut *conn, org, items).await?;
        let shown = items.iter().filter_map(|item| details.find_phone(item.first_lead(), item.customer));
        let numbers: Vec<&str> = shown.map(Phone::as_e164).collect();
        let refused_numbers = opt_out::list_refused_numbers(&mut *conn, org, &numbers).await?;
        let details = Self { refused_numbers, ..details };
        let waits = |item: &&&OpenItem| matches!(item.kind, WorkItemKind::Answer | WorkItemKind::CallBack);
        let Some(since) = items.iter().filter(waits).map(|item| item.since).min() else { return Ok(details) };
        let customers: Vec<CustomerId> = items.iter().filter(waits).filter_map(|item| item.customer).collect();
        let auto_replies = AutoReplies::load_replies(conn, org, &customers, since).await?;
        Ok(Self { auto_replies, ..details })
    }

    pub(super) fn find_owner(&self, lead: LeadId) -> Option<AccountId> {
        self.leads.get(&lead)?.owner_account_id
    }

    pub(super) fn thread_snoozed_until(&self, customer: CustomerId) -> Option<DateTime<Utc>> {
        self.customers.get(&customer)?.snoozed_until
    }

    fn find_phone(&self, lead: Option<LeadId>, customer: Option<CustomerId>) -> Option<&Phone> {
        let by_customer = customer.and_then(|id| self.customers.get(&id)).and_then(|row| row.phone_e164.as_ref());
        by_customer.or_else(|| lead.and_then(|id| self.leads.get(&id)).and_then(|row| row.phone_e164.as_ref()))
    }

    pub(super) fn find_name(&self, lead: Option<LeadId>, customer: Option<CustomerId>) -> Option<String> {
        let by_customer = customer.and_then(|id| self.customers.get(&id)).map(|row| row.name.clone());
        let by_lead = lead.and_then(|id| self.leads.get(&id)).map(|row| row.name.clone());
        by_lead.or(by_customer).filter(|name| !name.is_empty())
    }

    /// The kind and the source, now that the last word is known.
    fn resolve(&self, item: &OpenItem) -> (WorkItemKind, WorkItemSource) {
        let customer = item.customer.and_then(|id| self.customers.get(&id));
        if item.kind == WorkItemKind::Answer && item.source == WorkItemSource::Text {
            let is_call = customer.is_some_and(|row| row.called_at > row.wrote_at);
            return if is_call {
                (WorkItemKind::CallBack, WorkItemSource::Call)
            } else {
                (item.kind, WorkItemSource::Text)
            };
        }
        if item.source != WorkItemSource::Form {
            return (item.kind, item.source);
        }
        let form = item.first_lead().and_then(|id| self.leads.get(&id)).map(|row| row.form);
        let source = match form {
            Some(LeadFormKind::Call) => WorkItemSource::Call,
            Some(LeadFormKind::Text) => WorkItemSource::Text,
            Some(LeadFormKind::Booking) => WorkItemSource::Booking,
            _ => WorkItemSource::Form,
        };
        (item.kind, source)
    }

    pub(super) fn build_item(&self, item: &OpenItem, now: DateTime<Utc>) -> WorkItem {
        let (kind, source) = self.resolve(item);
        let key = WorkItemKey { kind, subject: item.subject_id() };
        let mut shown = self.build_shell(key, source, item.first_lead(), item.customer);
        shown.job_id = item.job;
        shown.service = item.label.clone().filter(|_| kind != WorkItemKind::ReviewAnswer).or(shown.service);
        if kind == WorkItemKind::ReviewAnswer {
            shown.customer_name = shown.customer_name.or_else(|| item.label.clone());
        }
        if matches!(kind, WorkItemKind::Answer | WorkItemKind::CallBack) {
            let replied = |customer| self.auto_replies.outcome_since(customer, item.since);
            shown.auto_reply = item.customer.and_then(replied);
        }
        shown.since = item.since;
        shown.answer_by = item.answer_by;
        shown.is_late = item.is_late(now);
        shown.amount_cents = item.amount.map(|amount| amount.0);
        shown
    }

    /// An item without times and amounts.
    pub(super) fn build_shell(
        &self,
        key: WorkItemKey,
        source: WorkItemSource,
        lead: Option<LeadId>,
        customer: Option<CustomerId>,
    ) -> WorkItem {
        let (lead_row, customer_row) =
            (lead.and_then(|id| self.leads.get(&id)), customer.and_then(|id| self.customers.get(&id)));
        let phone = self.find_phone(lead, customer).cloned().map(Phone::into_e164);
        let owner = lead_row.and_then(|row| row.owner_account_id.zip(row.owner_name.clone()));
        let is = |wanted: WorkItemSource| (source == wanted).then_some(key.subject);
        WorkItem {
            key: key.to_string(),
            kind: key.kind,
            source,
            action: choose_action(key.kind, phone.is_some()),
            customer_id: customer,
            lead_id: lead,
            job_id: None,
            estimate_id: is(WorkItemSource::Estimate).map(EstimateId),
            invoice_id: is(WorkItemSource::Invoice).map(InvoiceId),
            review_id: is(WorkItemSource::Review).map(ReviewId),
            customer_name: self.find_name(lead, customer),
            no_text: phone.as_ref().and_then(|phone| self.refused_numbers.get(phone)).copied(),
            phone,
            service: lead_row.map(|row| row.service.clone()).filter(|service| !service.is_empty()),
            excerpt: self.excerpt(key, source, lead_row, customer_row),
            since: DateTime::UNIX_EPOCH,
            answer_by: None,
            is_late: false,
            amount_cents: None,
            assignee: owner.map(|(id, name)| WorkItemAssignee { id, name }),
            auto_reply: None,
            snoozed_until: None,
            done_at: None,
            done_by: None,
        }
    }

    fn excerpt(
        &self,
        key: WorkItemKey,
        source: WorkItemSource,
        lead: Option<&ItemLeadRow>,
        customer: Option<&ItemCustomerRow>,
    ) -> Option<String> {
        let notes = || lead.and_then(|row| row.notes.as_deref());
        let words = match source {
            WorkItemSource::Text => customer.and_then(|row| row.wrote.as_deref()).or_else(notes),
            WorkItemSource::Review => self.reviews.get(&key.subject).map(String::as_str),
            WorkItemSource::Form | WorkItemSource::Booking => notes(),
            _ => None,
        };
        words.map(shorten).filter(|words| !words.is_empty())
    }
}

/// One line of at most [`EXCERPT`] characters.
fn shorten(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(EXCERPT).collect()
}

fn choose_action(kind: WorkItemKind, has_phone: bool) -> WorkItemAction {
    match kind {
        WorkItemKind::Emergency | WorkItemKind::CallBack if has_phone => WorkItemAction::Call,
        WorkItemKind::Emergency | WorkItemKind::CallBack | WorkItemKind::Answer | WorkItemKind::ReviewAnswer => {
            WorkItemAction::Answer
        }
        WorkItemKind::ConfirmRequest | WorkItemKind::Schedule => WorkItemAction::Book,
        WorkItemKind::SendEstimate => WorkItemAction::SendEstimate,
        WorkItemKind::AssignCrew => WorkItemAction::AssignCrew,
        WorkItemKind::SendInvoice => WorkItemAction::SendInvoice,
        WorkItemKind::Collect => WorkItemAction::Collect,
        WorkItemKind::HeldRequest => WorkItemAction::Open,
    }
}

/// Names of the customers of some items, in their order.
pub(crate) async fn load_names(conn: &mut dyn AsConn, org: OrgId, items: &[&OpenItem]) -> Result<Vec<Option<String>>> {
    let details = ItemDetails::load_for(conn, org, items).await?;
    Ok(items
        .iter()
        .map(|item| details.find_name(item.first_lead(), item.customer).or_else(|| item.label.clone()))
        .collect())
}

async fn load_leads(conn: &mut dyn AsConn, org: OrgId, ids: &[LeadId]) -> Result<Vec<ItemLeadRow>> {
    let mut rows = Vec::with_capacity(ids.len());
    for some in ids.chunks(500) {
        rows.extend(qb!(&mut *conn, fetch_all as ItemLeadRow, |b| {
            b.push(
                "SELECT l.id, l.name, l.phone_e164, l.service, l.notes, l.form, l.owner_account_id, a.name AS owner_name
                 FROM lead l LEFT JOIN account a ON a.org_id = l.org_id AND a.id = l.owner_account_id
                 WHERE l.org_id = ",
            );
            b.push_bind(org).push(" AND l.id IN (");
            let mut list = b.separated(", ");
            for id in some {
                list.push_bind(*id);
            }
            b.push(")");
        })?);
    }
    Ok(rows)
}

async fn load_customers(conn: &mut dyn AsConn, org: OrgId, ids: &[CustomerId]) -> Result<Vec<ItemCustomerRow>> {
    let mut rows = Vec::with_capacity(ids.len());
    for some in ids.chunks(500) {
        rows.extend(qb!(&mut *conn, fetch_all as ItemCustomerRow, |b| {
            b.push(
                "SELECT c.id, c.name, c.phone_e164, t.snoozed_until,
                     (SELECT MAX(k.started_at) FROM call k WHERE k.org_id = c.org_id AND k.customer_id = c.id
                         AND k.status = 'missed') AS called_at,
                     (SELECT MAX(m.created_at) FROM message m WHERE m.org_id = c.org_id AND m.customer_id = c.id
                         AND m.direction = 'in' AND (t.last_in_at IS NULL OR t.last_at = t.last_in_at OR m.created_at <= t.last_in_at)) AS wrote_at,
                     (SELECT m.body FROM message m WHERE m.org_id = c.org_id AND m.customer_id = c.id
                         AND m.direction = 'in' AND (t.last_in_at IS NULL OR t.last_at = t.last_in_at OR m.created_at <= t.last_in_at)
                         ORDER BY m.created_at DESC LIMIT 1) AS wrote
                 FROM customer c LEFT JOIN conversation t ON t.org_id = c.org_id AND t.customer_id = c.id
                 WHERE c.org_id = ",
            );
            b.push_bind(org).push(" AND c.id IN (");
            let mut list = b.separated(", ");
            for id in some {
                list.push_bind(*id);
            }
            b.push(")");
        })?);
    }
    Ok(rows)
}

async fn load_review_bodies(conn: &mut dyn AsConn, org: OrgId, ids: &[Uuid]) -> Result<Vec<(Uuid, String)>> {
    let mut rows = Vec::with_capacity(ids.len());
    for some in ids.chunks(500) {
        rows.extend(qb!(&mut *conn, fetch_all as (Uuid, String), |b| {
            b.push("SELECT r.id, COALESCE(r.body, '') AS body FROM review r WHERE r.org_id = ").push_bind(org);
            b.push(" AND r.id IN (");
            let mut list = b.separated(", ");
            for id in some {
                list.push_bind(*id);
            }
            b.push(")");
        })?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_one_line_of_at_most_140_characters() {
        assert_eq!(shorten("  The sink\n is  leaking "), "The sink is leaking");
        assert_eq!(shorten(&"á".repeat(300)).chars().count(), 140);
    }

    #[test]
    fn action_without_a_phone_is_to_write() {
        assert_eq!(choose_action(WorkItemKind::CallBack, true), WorkItemAction::Call);
        assert_eq!(choose_action(WorkItemKind::CallBack, false), WorkItemAction::Answer);
        assert_eq!(choose_action(WorkItemKind::Answer, true), WorkItemAction::Answer);
    }
}
