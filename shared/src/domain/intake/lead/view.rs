//! Lead views for staff: list row and detail.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::{Stage, form::Attribution, form::Form, lead_reference};
use crate::{
    domain::{
        intake::contact_point::{CustomerRecipient, proposal::Proposal},
        messaging::{automation::DecisionView, message::MessageView, response_sla::PromiseView},
        work::activity::EventView,
    },
    platform::{
        id::{AccountId, CustomerId, LeadId, PhotoId, TouchId},
        money::Cents,
        phone::Phone,
    },
};

mod detail;
mod list;

pub use detail::{find_photo_keys, get};
pub use list::{LeadListFilter, LeadPage, LeadPromiseFilter, list, load_total};

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
    pub stage: Stage,
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
    pub form: Form,
    /// Addresses of the photos, in the order they were sent.
    pub photos_url: Vec<String>,
    /// How often this person asked while the lead was open.
    pub touch_count: i64,
    /// How often they rang and nobody answered.
    pub missed_calls: i64,
    /// Why it waits for a person instead of having been answered.
    pub held_reason: Option<String>,
    /// A message about it failed or is in doubt.
    pub needs_attention: bool,
    /// By when our words promised them an answer, and what became of it; null where nothing was promised.
    pub promise: Option<PromiseView>,
}

impl LeadSummary {
    pub fn set_recipient(&mut self, to: CustomerRecipient) {
        self.email = to.email;
        if to.phone != self.phone_e164 {
            let phone = to.phone.as_deref().and_then(Phone::parse);
            self.phone = phone.map(|phone| phone.format_display().into_owned()).unwrap_or_default();
            self.phone_e164 = to.phone;
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
    /// They also used these numbers, as people read them.
    pub other_phones: Vec<String>,
    /// What a form also named for this customer: nothing is sent there until somebody uses it.
    pub also_gave: Vec<Proposal>,
    pub address: Option<String>,
    pub timeline_preference: Option<String>,
    pub budget_range: Option<String>,
    /// Whose it is, by name; who is not active any more too.
    pub owner_name: Option<String>,
    pub photos: Vec<Photo>,
    /// Photos that came with a form and are not redrawn yet.
    pub photos_waiting: i64,
    pub messages: Vec<MessageView>,
    pub touches: Vec<Touch>,
    pub decisions: Vec<DecisionView>,
    /// What happened to it and its jobs, oldest first.
    pub events: Vec<EventView>,
    pub attribution: Attribution,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Photo {
    pub id: PhotoId,
    pub url: String,
    pub thumb_url: String,
    pub width: i64,
    pub height: i64,
    /// Size of the full picture.
    pub bytes: i64,
    /// The name the file had on the visitor's device.
    pub name: String,
}

/// One time that the person asked.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Touch {
    pub id: TouchId,
    pub at: DateTime<Utc>,
    pub form: Form,
    /// The name that was typed into a form, where the lead stands under another.
    pub name: Option<String>,
    pub service: String,
    pub notes: Option<String>,
    pub address: Option<String>,
    pub photo_ids: Vec<PhotoId>,
    pub attribution: Attribution,
}

#[derive(FromRow)]
struct StoredLeadRow {
    id: LeadId,
    customer_id: CustomerId,
    name: String,
    phone: String,
    phone_e164: Option<String>,
    email: Option<String>,
    service: String,
    zip: String,
    address: Option<String>,
    notes: Option<String>,
    timeline: Option<String>,
    budget: Option<String>,
    source: String,
    attribution: Json<Attribution>,
    stage: Stage,
    quoted_cents: Option<Cents>,
    collected_cents: Option<Cents>,
    scheduled_at: Option<DateTime<Utc>>,
    paid_at: Option<DateTime<Utc>>,
    owner_account_id: Option<AccountId>,
    held_reason: Option<String>,
    needs_attention: bool,
    touch_count: i64,
    missed_calls: i64,
    photo_count: i64,
    form: Form,
    created_at: DateTime<Utc>,
    last_touch_at: DateTime<Utc>,
}

impl StoredLeadRow {
    fn to_summary(&self, photos_url: Vec<String>, promise: Option<PromiseView>) -> LeadSummary {
        LeadSummary {
            id: self.id,
            reference: lead_reference(self.id),
            name: self.name.clone(),
            phone: self.phone.clone(),
            phone_e164: self.phone_e164.clone(),
            email: self.email.clone(),
            service: self.service.clone(),
            zip: self.zip.clone(),
            notes: self.notes.clone(),
            source: self.source.clone(),
            stage: self.stage,
            quoted_total: self.quoted_cents,
            collected_amount: self.collected_cents,
            scheduled_at: self.scheduled_at,
            created_at: self.created_at,
            last_touch_at: self.last_touch_at,
            paid_at: self.paid_at,
            owner_user_id: self.owner_account_id,
            form: self.form,
            photos_url,
            touch_count: self.touch_count,
            missed_calls: self.missed_calls,
            held_reason: self.held_reason.clone(),
            needs_attention: self.needs_attention,
            promise,
        }
    }
}

fn photo_url(lead: LeadId, photo: PhotoId) -> String {
    format!("/api/leads/{lead}/photos/{photo}")
}
