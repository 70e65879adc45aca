//! A lead: one request for work. Comes in by a public form, is stored, and sets the rules going.
//!
//! The same person (normalised phone or email) asking again while a lead is open adds a touch to that lead.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    domain::{messaging::message::send_policy::SetUp, tenancy::org::Profile},
    platform::{
        clock::Origin,
        db::Tx,
        id::{LeadId, OrgId, PhotoId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
};

mod accept;
pub(crate) mod booked;
pub mod consent;
pub mod customer;
mod decide;
pub mod export;
pub mod form;
pub(crate) mod of_job;
pub mod owner;
mod quarantine;
pub mod release;
mod store;
pub mod view;

pub use accept::{Foreseen, accept, accept_foreseen, foresee, listed, typed};
pub use form::{Attribution, Form, LeadForm, NewCustomer, NewLead, QuoteForm};
pub(crate) use quarantine::FLOODED;
pub use quarantine::sends_too_many;
pub use release::{hold_again, release};
pub use store::photo_bytes;
pub(crate) use store::{photo_rows, take_back_touch};

/// Where a lead stands on its way from request to payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = LeadStage)]
pub enum Stage {
    New,
    Quoted,
    Scheduled,
    Done,
    Paid,
}

impl Stage {
    pub const ALL: [Self; 5] = [Self::New, Self::Quoted, Self::Scheduled, Self::Done, Self::Paid];

    /// Whether the same person asking again belongs to this lead.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::New | Self::Quoted | Self::Scheduled)
    }
}

/// A request of its own was taken in, as the transaction that stores it tells the figures.
#[derive(Clone, Debug)]
pub struct LeadCreated {
    pub org: OrgId,
    pub id: LeadId,
    pub at: DateTime<Utc>,
    pub form: Form,
    pub source: String,
    pub attribution: Attribution,
    pub is_held: bool,
    /// The zone of the business, whose days count.
    pub zone: Tz,
}

/// A request came in that is not held, or one that was held was let through.
#[derive(Clone, Debug)]
pub struct LeadOpened {
    pub org: OrgId,
    pub lead: LeadId,
    /// The clock and entropy of the change.
    pub origin: Origin,
}

impl LeadOpened {
    /// Tells it on the transaction that opens the lead.
    pub(crate) fn emit(tx: &mut Tx, origin: &Origin, org: OrgId, lead: LeadId) {
        tx.emit(org, Self { org, lead, origin: origin.clone() });
    }
}

/// Who sent a form, as far as we know.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    pub ip: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// A request straight from this machine: the hourly limits and the fastest-person rule do not apply.
    pub is_exempt: bool,
}

/// A photo that already lies in the file store.
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

/// What taking in a lead needs to know about the house.
#[derive(Clone, Copy, Debug)]
pub struct Intake<'a> {
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    pub profile: &'a Profile,
    /// What this install can send.
    pub set_up: SetUp,
}

/// What the visitor is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Created)]
pub struct Receipt {
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
    /// When a request is read that came out of business hours, in words for the visitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading_time: Option<String>,
    /// Whether an email confirms a request for a quote: not where the business sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by_email: Option<bool>,
}

impl Receipt {
    fn of(id: LeadId) -> Self {
        Self {
            id,
            reference: reference(id),
            photos_left_out: None,
            quote_hours: None,
            reading_time: None,
            confirmed_by_email: None,
        }
    }
}

/// `Lead #1a2b3c4d`.
#[must_use]
pub fn reference(id: LeadId) -> String {
    id.to_string().chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_open_until_the_work_is_done() {
        assert_eq!(Stage::ALL.map(Stage::is_open), [true, true, true, false, false]);
    }
}
