//! Input of the two public forms and of leads typed by the business.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{documents::template::Language, platform::field_schemas};

mod attribution;
mod booking;
mod new_lead;
mod read;
pub(crate) mod requested_visit;
mod submission;

pub use attribution::LeadAttribution;
pub use booking::BookingForm;
pub use new_lead::NewLead;
pub(crate) use submission::LeadSubmission;

/// Values and labels of the lead form's services. The quote form's values are labels already.
pub(crate) const SERVICES: [(&str, &str); 6] = [
    ("plumbing", "Plumbing"),
    ("electrical", "Electrical"),
    ("hvac", "HVAC"),
    ("roofing", "Roofing"),
    ("landscaping", "Landscaping"),
    ("other", "Other"),
];

/// Longest notes that the office types, in characters.
pub const MAX_TYPED_NOTES: usize = 5_000;

/// Which form a request came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum LeadFormKind {
    Lead,
    Quote,
    /// A missed call.
    Call,
    /// A text to the business's number.
    Text,
    /// Entered by a member, alone or with a job.
    Typed,
    /// A visit that they booked by themselves.
    Booking,
}

/// Text fields of the public lead form, which arrives as multipart/form-data.
#[derive(Clone, Debug, Default, ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct LeadForm {
    #[schema(required, schema_with = field_schemas::required_line::<120>)]
    pub name: Option<String>,
    #[schema(required, schema_with = field_schemas::phone_number)]
    pub phone: Option<String>,
    #[schema(schema_with = field_schemas::email_or_empty)]
    pub email: Option<String>,
    #[schema(required, schema_with = field_schemas::service_name)]
    pub service: Option<String>,
    #[schema(required, schema_with = field_schemas::zip_code)]
    pub zip: Option<String>,
    #[schema(schema_with = field_schemas::optional_text::<5000>)]
    pub notes: Option<String>,
    /// The business, by slug or id; without it, or where there is none such, the install's default.
    #[schema(value_type = String, required = false)]
    pub org_id: Option<String>,
    #[schema(schema_with = field_schemas::optional_line::<60>)]
    pub source: Option<String>,
    /// `true` when the box was ticked.
    #[schema(value_type = String, required = false)]
    pub marketing_consent: bool,
    #[schema(value_type = String, required = false)]
    pub form_token: Option<String>,
    /// Hidden from people; must stay empty.
    #[schema(value_type = String, required = false)]
    pub company: Option<String>,
    #[schema(value_type = String, required = false)]
    pub page_url: Option<String>,
    #[schema(value_type = String, required = false)]
    pub referrer: Option<String>,
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

/// A request for a quote.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QuoteRequest)]
pub struct QuoteForm {
    #[schema(required, schema_with = field_schemas::required_line::<120>)]
    pub customer_name: Option<String>,
    #[schema(required, schema_with = field_schemas::email_address)]
    pub email: Option<String>,
    #[schema(schema_with = field_schemas::nullable_phone)]
    pub phone: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<300>)]
    pub address: Option<String>,
    #[schema(required, schema_with = field_schemas::required_line::<80>)]
    pub service_type: Option<String>,
    #[schema(schema_with = field_schemas::nullable_text::<5000>)]
    pub project_description: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<60>)]
    pub timeline_preference: Option<String>,
    #[schema(schema_with = field_schemas::nullable_line::<60>)]
    pub budget_range: Option<String>,
    /// Id or slug of the business; without it the install's default. One that does not exist is 404.
    pub org_id: Option<String>,
    pub page_url: Option<String>,
    pub referrer: Option<String>,
    pub form_token: Option<String>,
    /// Hidden from people; must stay empty.
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
