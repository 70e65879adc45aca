//! Leads as the office sees them: list row and detail.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        intake::{
            contact_point::{ContactPointProof, CustomerRecipient},
            customer::duplicate::CustomerDuplicate,
            lead::{
                LeadAttribution, LeadFormKind, LeadPhoto, LeadTouch, PipelineStage, lead_reference,
                stored_lead::StoredLead,
            },
        },
        messaging::{automation::DecisionView, message::MessageView, response_sla::PromiseView},
        work::{activity::EventView, booking::HeldVisit},
    },
    platform::{
        email_address::EmailAddress,
        id::{AccountId, CustomerId, LeadId},
        money::Cents,
        phone::Phone,
    },
    views::contact_proposal::ContactProposal,
};

mod detail;
pub mod export;
mod list;
mod list_order;
mod waiting;

pub use detail::get;
pub use list::{LeadListFilter, LeadOwnerFilter, LeadPage, LeadPromiseFilter, list, load_total};
pub use list_order::LeadSort;

/// A lead as a row of the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeadSummary {
    pub id: LeadId,
    pub reference: String,
    pub name: String,
    /// As a person writes it; empty when the quote form left it out.
    pub phone: String,
    #[serde(rename = "phoneE164")]
    pub phone_e164: Option<String>,
    pub email: Option<String>,
    pub service: String,
    pub zip: String,
    pub notes: Option<String>,
    pub source: String,
    pub stage: PipelineStage,
    /// US dollars.
    pub quoted_total: Option<Cents>,
    /// US dollars.
    pub collected_amount: Option<Cents>,
    pub scheduled_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub last_touch_at: DateTime<Utc>,
    pub paid_at: Option<DateTime<Utc>>,
    /// Whose it is.
    pub owner_user_id: Option<AccountId>,
    pub form: LeadFormKind,
    /// Addresses of the photos, in the order they were sent.
    pub photos_url: Vec<String>,
    /// Number of their requests, texts and missed calls while the lead was open.
    pub touch_count: i64,
    /// Number of their missed calls.
    pub missed_calls: i64,
    /// Why it waits for a person instead of having been answered.
    pub held_reason: Option<String>,
    /// A message about it failed or is in doubt.
    pub needs_attention: bool,
    /// By when our words promised them an answer, and what became of it; null where nothing was promised.
    pub promise: Option<PromiseView>,
    /// Since when they wait for a person's answer; null while nobody waits.
    pub waiting_since: Option<DateTime<Utc>>,
}

impl LeadSummary {
    pub fn set_recipient(&mut self, to: CustomerRecipient) {
        self.email = to.email.map(EmailAddress::into_string);
        if to.phone.as_ref().map(Phone::as_e164) != self.phone_e164.as_deref() {
            self.phone = to.phone.as_ref().map(|phone| phone.format_display().into_owned()).unwrap_or_default();
            self.phone_e164 = to.phone.map(Phone::into_e164);
        }
    }
}

/// One lead with everything that belongs to it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeadRecord)]
pub struct LeadDetail {
    #[serde(flatten)]
    pub summary: LeadSummary,
    /// Whose conversation this is part of.
    pub customer_id: CustomerId,
    /// What proves the phone and the email that messages go to; `form` where another record is known by it, null
    /// without one.
    pub phone_proof: Option<ContactPointProof>,
    pub email_proof: Option<ContactPointProof>,
    /// They also used these numbers, as people read them.
    pub other_phones: Vec<String>,
    /// Those of the numbers above that get nothing until a member uses them.
    pub other_set_aside: Vec<String>,
    /// What a form also named for this customer: nothing is sent there until a member uses it.
    pub also_gave: Vec<ContactProposal>,
    /// Records whose form typed the phone from which this customer called or texted.
    pub duplicates: Vec<CustomerDuplicate>,
    /// The visit that they asked for online and that is not booked.
    pub held_visit: Option<HeldVisit>,
    pub address: Option<String>,
    pub timeline_preference: Option<String>,
    pub budget_range: Option<String>,
    /// Whose it is, by name; who is not active any more too.
    pub owner_name: Option<String>,
    pub photos: Vec<LeadPhoto>,
    /// Photos that came with a form and are not redrawn yet.
    pub photos_waiting: i64,
    pub messages: Vec<MessageView>,
    pub touches: Vec<LeadTouch>,
    pub decisions: Vec<DecisionView>,
    /// What happened to it and its jobs, oldest first.
    pub events: Vec<EventView>,
    pub attribution: LeadAttribution,
}

impl LeadDetail {
    /// For a program that may not read customers.
    pub fn hide_other_customers(&mut self) {
        self.duplicates.clear();
        for proposal in &mut self.also_gave {
            (proposal.belongs_to, proposal.belongs_to_id) = (None, None);
        }
    }
}

impl LeadSummary {
    fn from_stored(
        row: &StoredLead,
        photos_url: Vec<String>,
        promise: Option<PromiseView>,
        waiting_since: Option<DateTime<Utc>>,
    ) -> Self {
        Self {
            id: row.id,
            reference: lead_reference(row.id),
            name: row.name.clone(),
            phone: row.phone.clone(),
            phone_e164: row.phone_e164.clone().map(Phone::into_e164),
            email: row.email.clone().map(EmailAddress::into_string),
            service: row.service.clone(),
            zip: row.zip.clone(),
            notes: row.notes.clone(),
            source: row.source.clone(),
            stage: row.stage,
            quoted_total: row.quoted_cents,
            collected_amount: row.collected_cents,
            scheduled_at: row.scheduled_at,
            created_at: row.created_at,
            last_touch_at: row.last_touch_at,
            paid_at: row.paid_at,
            owner_user_id: row.owner_account_id,
            form: row.form,
            photos_url,
            touch_count: row.touch_count,
            missed_calls: row.missed_calls,
            held_reason: row.held_reason.clone(),
            needs_attention: row.needs_attention,
            promise,
            waiting_since,
        }
    }
}
