//! Input of the two public forms and of leads typed by the business.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::documents::template::Language;

mod attribution;
mod booking;
mod new_lead;
mod read;

pub use attribution::Attribution;
pub use booking::BookingForm;
pub use new_lead::NewLead;

/// Values and labels of the lead form's services. The quote form's values are labels already.
pub(crate) const SERVICES: [(&str, &str); 6] = [
    ("plumbing", "Plumbing"),
    ("electrical", "Electrical"),
    ("hvac", "HVAC"),
    ("roofing", "Roofing"),
    ("landscaping", "Landscaping"),
    ("other", "Other"),
];

/// Which form a request came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = LeadFormKind)]
pub enum Form {
    Lead,
    Quote,
    /// A call that nobody answered.
    Call,
    /// A text to the business's number.
    Text,
    /// Typed in by somebody of the business, with a job for them.
    Typed,
    /// A visit that they booked by themselves.
    Booking,
}

#[derive(Clone, Debug, Default)]
pub struct LeadForm {
    pub name: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub service: Option<String>,
    pub zip: Option<String>,
    pub notes: Option<String>,
    pub source: Option<String>,
    pub page_url: Option<String>,
    pub referrer: Option<String>,
    pub marketing_consent: bool,
    pub form_token: Option<String>,
    /// Honeypot field: invisible to people, filled in by bots.
    pub company: Option<String>,
}

/// Somebody whom the business types in, as they arrive.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NewCustomer {
    pub name: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    /// How they came to the business: "Phone call".
    pub source: Option<String>,
    /// What they want done.
    pub service: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuoteForm {
    pub customer_name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub address: Option<String>,
    pub service_type: Option<String>,
    pub project_description: Option<String>,
    pub timeline_preference: Option<String>,
    pub budget_range: Option<String>,
    /// Id or slug of the business; the install's default when absent.
    pub org_id: Option<String>,
    pub page_url: Option<String>,
    pub referrer: Option<String>,
    pub form_token: Option<String>,
    pub company: Option<String>,
    pub marketing_consent: Option<bool>,
}

const SERVICES_IN_SPANISH: [(&str, &str); 6] = [
    ("plumbing", "Plomería"),
    ("electrical", "Electricidad"),
    ("hvac", "Aire acondicionado y calefacción"),
    ("roofing", "Techos"),
    ("landscaping", "Jardinería"),
    ("other", "Otro"),
];

/// The service in the customer's language; services defined by the business stay unchanged.
#[must_use]
pub fn localized_service(language: Language, service: &str) -> &str {
    match language {
        Language::En => service_label(service),
        Language::Es => {
            let spanish = SERVICES_IN_SPANISH.iter().find(|(value, _)| *value == service);
            spanish.map_or(service, |(_, label)| label)
        }
    }
}

#[must_use]
pub fn service_label(service: &str) -> &str {
    SERVICES.iter().find(|(value, _)| *value == service).map_or(service, |(_, label)| label)
}
