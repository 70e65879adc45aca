//! A lead: one request for work. It is stored on arrival; `messaging::lead_response` answers it.
//!
//! The same person (normalised phone or email) asking again while a lead is open adds a touch to that lead.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::platform::{
    clock::ClockRng,
    db::Tx,
    id::{LeadId, OrgId, PhotoId},
    text_enum::display_serialized,
};

pub(crate) mod active_job;
pub mod consent;
pub mod customer;
pub mod form;
mod manual;
pub mod owner;
pub(crate) mod projection;
pub(crate) mod quarantine;
pub(crate) mod store;
pub(crate) mod stored_lead;

pub(crate) use active_job::{find_active_job_lead, find_thank_you_lead};
pub(crate) use consent::{
    build_consent_insert, confirm_by_text, confirm_by_thanks, find_marketing_consent, has_marketing_consent,
    list_typed_person_names, withdraw_adopted_name, withdraw_confirmation,
};
pub use form::{
    BookingForm, LeadAttribution, LeadForm, LeadFormKind, NewCustomer, NewLead, QuoteForm, localized_service,
    service_label,
};
pub(crate) use form::{
    LeadSubmission, SERVICES,
    requested_visit::{RequestedVisit, strip_requested_visits},
};
pub use manual::{create_imported_lead, create_noted_lead, create_typed_lead};
pub(crate) use owner::assign_owner_by_rule;
pub(crate) use projection::{
    add_photos, delete_photo, lock_stage, refresh_attention, store_quoted_amount, store_stage, store_visit_time,
};
pub use quarantine::is_network_over_limit;
pub(crate) use quarantine::{
    FLOOD_REASON, counts_toward_limit, find_quarantine_reason, find_quarantine_reasons, hash_source, is_flood_reason,
};
pub use store::total_photo_bytes;
pub(crate) use store::{
    LeadRequest, OpenLead, build_photo_insert, build_touch_insert, emit_lead_created, undo_last_touch,
};
pub use stored_lead::{LeadPhoto, LeadTouch, find_photo_keys};
pub(crate) use stored_lead::{
    StoredInquiry, StoredLead, find_inquiry, list_lead_ids, list_photos, list_touches, load_stored_lead,
};

/// Stage of a lead between request and payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = LeadStage)]
pub enum PipelineStage {
    New,
    Quoted,
    Scheduled,
    Done,
    Paid,
}

// As in events and in CSV files: `Quoted`.
display_serialized!(PipelineStage);

impl PipelineStage {
    pub const ALL: [Self; 5] = [Self::New, Self::Quoted, Self::Scheduled, Self::Done, Self::Paid];

    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::New | Self::Quoted | Self::Scheduled)
    }
}

/// A new lead was stored; emitted on the storing transaction for the figures.
#[derive(Clone, Debug)]
pub struct LeadCreated {
    pub org: OrgId,
    pub id: LeadId,
    pub at: DateTime<Utc>,
    pub form: LeadFormKind,
    pub source: String,
    pub attribution: LeadAttribution,
    pub is_quarantined: bool,
    /// The business's time zone; it decides the day that is counted.
    pub zone: Tz,
}

/// A request came in that is not held, or a held one was released.
#[derive(Clone, Debug)]
pub struct LeadOpened {
    pub org: OrgId,
    pub lead: LeadId,
    pub origin: ClockRng,
}

impl LeadOpened {
    pub(crate) fn emit(tx: &mut Tx, origin: &ClockRng, org: OrgId, lead: LeadId) {
        tx.emit_event(org, Self { org, lead, origin: origin.clone() });
    }
}

#[derive(Clone, Debug, Default)]
pub struct FormSender {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// Sent from this machine: the hourly limits and the minimum fill-in time do not apply.
    pub is_exempt: bool,
}

#[derive(Clone, Debug)]
pub struct NewPhoto {
    pub id: PhotoId,
    pub original_name: String,
    pub width: u32,
    pub height: u32,
    /// Size of the full picture as stored.
    pub bytes: u64,
    pub full_key: String,
    pub thumb_key: String,
}

/// Message to the visitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Created)]
pub struct LeadReceipt {
    pub id: LeadId,
    /// The first eight characters of the id: short enough to say on the phone.
    pub reference: String,
    /// What became of photos for which there was no room, in words for the visitor; absent when all were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photos_left_out: Option<String>,
    /// Within so many hours a quote is promised; only to a request for one, and in business hours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 168)]
    pub quote_hours: Option<i64>,
    /// When a request is read that is not read at once, in words for the visitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_time: Option<String>,
    /// Whether an email confirms a request for a quote: not where the business sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by_email: Option<bool>,
    /// Page on which the visitor picks a time for this request; absent where none is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times_path: Option<String>,
}

impl LeadReceipt {
    pub(crate) fn from_id(id: LeadId) -> Self {
        Self {
            id,
            reference: lead_reference(id),
            photos_left_out: None,
            quote_hours: None,
            reading_time: None,
            confirmed_by_email: None,
            times_path: None,
        }
    }
}

#[must_use]
pub fn lead_reference(id: LeadId) -> String {
    id.to_string().chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_is_open_until_work_is_done() {
        assert_eq!(PipelineStage::ALL.map(PipelineStage::is_open), [true, true, true, false, false]);
    }
}
