//! A validated request for work from any channel: form, phone, or typed in.

use chrono::{DateTime, Utc};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{LeadAttribution, LeadFormKind, LeadSubmission, requested_visit::RequestedVisit, service_label};
use crate::{
    documents::template::Language,
    domain::intake::lead::stored_lead::StoredLead,
    platform::{email_address::EmailAddress, phone::Phone},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLead {
    pub form: LeadFormKind,
    pub name: String,
    /// As typed; empty when omitted on the quote form.
    pub phone: String,
    pub phone_e164: Option<Phone>,
    pub email: Option<EmailAddress>,
    pub service: String,
    pub zip: String,
    pub address: Option<String>,
    pub notes: Option<String>,
    pub timeline: Option<String>,
    pub budget: Option<String>,
    pub source: String,
    pub attribution: LeadAttribution,
    pub marketing_consent: bool,
    pub form_token: Option<String>,
    pub filled_honeypot: bool,
    pub may_be_opt_out: bool,
    /// Time of the call or text, when it may have reached us late.
    pub happened_at: Option<DateTime<Utc>>,
    /// The time that a held booking asked for.
    pub requested_visit: Option<RequestedVisit>,
}

impl NewLead {
    /// A missed call. Without a name the number is the name.
    #[must_use]
    pub fn from_call(phone: Phone, name: Option<&str>) -> Self {
        Self::from_phone(LeadFormKind::Call, phone, name, None, "Phone call")
    }

    #[must_use]
    pub fn from_text(phone: Phone, name: Option<&str>, body: &str) -> Self {
        let notes = Some(body.trim().to_owned()).filter(|text| !text.is_empty());
        Self::from_phone(LeadFormKind::Text, phone, name, notes, "Text message")
    }

    #[must_use]
    pub fn from_hidden_call() -> Self {
        Self::from_remote_contact(LeadFormKind::Call, "Hidden number".to_owned(), None, None, "Phone call")
    }

    #[must_use]
    pub fn is_anonymous_call(&self) -> bool {
        self.form == LeadFormKind::Call && self.phone_e164.is_none() && self.email.is_none()
    }

    fn from_phone(form: LeadFormKind, phone: Phone, name: Option<&str>, notes: Option<String>, source: &str) -> Self {
        let name = name.map_or_else(|| phone.format_display().into_owned(), ToOwned::to_owned);
        Self::from_remote_contact(form, name, Some(phone), notes, source)
    }

    pub(super) fn from_remote_contact(
        form: LeadFormKind,
        name: String,
        phone: Option<Phone>,
        notes: Option<String>,
        source: &str,
    ) -> Self {
        Self {
            form,
            name,
            phone: phone.as_ref().map(|phone| phone.format_display().into_owned()).unwrap_or_default(),
            phone_e164: phone,
            email: None,
            service: "other".to_owned(),
            zip: String::new(),
            address: None,
            notes,
            timeline: None,
            budget: None,
            source: source.to_owned(),
            attribution: LeadAttribution::default(),
            marketing_consent: false,
            form_token: None,
            filled_honeypot: false,
            may_be_opt_out: false,
            happened_at: None,
            requested_visit: None,
        }
    }

    /// The language of the notes, if they are long enough to tell.
    #[must_use]
    pub fn detect_language(&self) -> Option<Language> {
        Language::detect_from_texts(self.notes.as_slice())
    }

    #[must_use]
    pub fn is_form(&self) -> bool {
        matches!(self.form, LeadFormKind::Lead | LeadFormKind::Quote)
    }

    /// Their words, or the label of the service where they wrote none.
    pub(crate) fn request_words(&self) -> &str {
        self.notes.as_deref().filter(|notes| !notes.trim().is_empty()).unwrap_or_else(|| self.service_label())
    }

    /// Whether anyone can have sent it, with any name and address.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.is_form() || self.form == LeadFormKind::Booking
    }

    /// Rebuilds the request of a stored lead for the rules, when a held one is released.
    pub(crate) fn from_stored(lead: &StoredLead) -> Self {
        Self {
            form: lead.form,
            name: lead.name.clone(),
            phone: lead.phone.clone(),
            phone_e164: lead.phone_e164.clone(),
            email: lead.email.clone(),
            service: lead.service.clone(),
            zip: lead.zip.clone(),
            address: lead.address.clone(),
            notes: lead.notes.clone(),
            timeline: lead.timeline.clone(),
            budget: lead.budget.clone(),
            source: lead.source.clone(),
            attribution: lead.attribution.0.clone(),
            marketing_consent: false,
            form_token: None,
            filled_honeypot: false,
            may_be_opt_out: false,
            happened_at: None,
            requested_visit: None,
        }
    }

    /// Hash of the content without transport detail: a resent request has the same hash.
    #[must_use]
    pub fn body_hash(&self, photo_hashes: &[[u8; 32]]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        let submission = LeadSubmission::from(self);
        hasher.update(json!([submission, self.service, self.source, self.marketing_consent]).to_string());
        for hash in photo_hashes {
            hasher.update(hash);
        }
        hasher.finalize().into()
    }

    /// Search text in lower case: name, service, phone as displayed and as digits.
    pub(in crate::domain::intake::lead) fn build_search_text(&self) -> String {
        let digits: String = self.phone.chars().filter(char::is_ascii_digit).collect();
        format!("{}\n{}\n{}\n{}\n{digits}", self.name, self.service, self.service_label(), self.phone).to_lowercase()
    }

    #[must_use]
    pub fn service_label(&self) -> &str {
        service_label(&self.service)
    }

    /// Label of the service; none of a call or a text, which names no service.
    #[must_use]
    pub fn chosen_service_label(&self) -> Option<&str> {
        let names_none = matches!(self.form, LeadFormKind::Call | LeadFormKind::Text) && self.service == "other";
        (!names_none).then(|| self.service_label())
    }
}
