//! A request for work that passed every check, however it came: by form, by phone, or typed in.

use chrono::{DateTime, Utc};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{Attribution, Form, service_label};
use crate::{documents::template::Language, domain::intake::lead::view::LeadDetail, platform::phone::Phone};

/// A request that passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLead {
    pub form: Form,
    pub name: String,
    /// As a person writes it; empty when the quote form left it out.
    pub phone: String,
    pub phone_e164: Option<Phone>,
    pub email: Option<String>,
    pub service: String,
    pub zip: String,
    pub address: Option<String>,
    pub notes: Option<String>,
    pub timeline: Option<String>,
    pub budget: Option<String>,
    pub source: String,
    pub attribution: Attribution,
    pub marketing_consent: bool,
    pub form_token: Option<String>,
    pub filled_honeypot: bool,
    /// A text that may mean "no more texts".
    pub may_be_opt_out: bool,
    /// When they rang or wrote, if we may have heard of it late.
    pub happened_at: Option<DateTime<Utc>>,
}

impl NewLead {
    /// Somebody who rang and was not answered. Without a name the number stands for it.
    #[must_use]
    pub fn from_call(phone: Phone, name: Option<&str>) -> Self {
        Self::from_phone(Form::Call, phone, name, None, "Phone call")
    }

    /// Somebody who texted the business's number.
    #[must_use]
    pub fn from_text(phone: Phone, name: Option<&str>, body: &str) -> Self {
        let notes = Some(body.trim().to_owned()).filter(|text| !text.is_empty());
        Self::from_phone(Form::Text, phone, name, notes, "Text message")
    }

    /// Somebody who rang without showing their number, and was not answered.
    #[must_use]
    pub fn from_hidden_call() -> Self {
        Self::from_afar(Form::Call, "Hidden number".to_owned(), None, None, "Phone call")
    }

    /// Whether nobody can know who it was.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.form == Form::Call && self.phone_e164.is_none() && self.email.is_none()
    }

    fn from_phone(form: Form, phone: Phone, name: Option<&str>, notes: Option<String>, source: &str) -> Self {
        let name = name.map_or_else(|| phone.shown().into_owned(), ToOwned::to_owned);
        Self::from_afar(form, name, Some(phone), notes, source)
    }

    pub(super) fn from_afar(
        form: Form,
        name: String,
        phone: Option<Phone>,
        notes: Option<String>,
        source: &str,
    ) -> Self {
        Self {
            form,
            name,
            phone: phone.as_ref().map(|phone| phone.shown().into_owned()).unwrap_or_default(),
            phone_e164: phone,
            email: None,
            service: "other".to_owned(),
            zip: String::new(),
            address: None,
            notes,
            timeline: None,
            budget: None,
            source: source.to_owned(),
            attribution: Attribution::default(),
            marketing_consent: false,
            form_token: None,
            filled_honeypot: false,
            may_be_opt_out: false,
            happened_at: None,
        }
    }

    /// The language they write in, if they write enough to tell.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        Language::of_customer(self.notes.as_slice())
    }

    /// Whether it came by one of the two public forms.
    #[must_use]
    pub fn is_form(&self) -> bool {
        matches!(self.form, Form::Lead | Form::Quote)
    }

    /// Whether anybody can have sent it, naming whomever they like.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.is_form() || self.form == Form::Booking
    }

    /// A stored lead as the rules see it, for one that is let through later.
    pub(in crate::domain::intake::lead) fn from_stored(lead: &LeadDetail) -> Self {
        let s = &lead.summary;
        Self {
            form: s.form,
            name: s.name.clone(),
            phone: s.phone.clone(),
            phone_e164: s.phone_e164.as_deref().and_then(Phone::parse),
            email: s.email.clone(),
            service: s.service.clone(),
            zip: s.zip.clone(),
            address: lead.address.clone(),
            notes: s.notes.clone(),
            timeline: lead.timeline_preference.clone(),
            budget: lead.budget_range.clone(),
            source: s.source.clone(),
            attribution: lead.attribution.clone(),
            marketing_consent: false,
            form_token: None,
            filled_honeypot: false,
            may_be_opt_out: false,
            happened_at: None,
        }
    }

    /// What was asked, without transport detail: the same request sent again has the same hash.
    #[must_use]
    pub fn body_hash(&self, photo_hashes: &[[u8; 32]]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(json!([self.submission(), self.service, self.source, self.marketing_consent]).to_string());
        for hash in photo_hashes {
            hasher.update(hash);
        }
        hasher.finalize().into()
    }

    /// What the person wrote, kept with the touch.
    pub(in crate::domain::intake::lead) fn submission(&self) -> serde_json::Value {
        json!({
            "name": self.name, "phone": self.phone, "email": self.email, "zip": self.zip, "address": self.address,
            "notes": self.notes, "timelinePreference": self.timeline, "budgetRange": self.budget,
        })
    }

    /// What the list's search looks in: name, service, the phone as shown and as bare digits; in lower case.
    pub(in crate::domain::intake::lead) fn search_text(&self) -> String {
        let digits: String = self.phone.chars().filter(char::is_ascii_digit).collect();
        format!("{}\n{}\n{}\n{}\n{digits}", self.name, self.service, self.service_label(), self.phone).to_lowercase()
    }

    /// The service as people read it: `HVAC` for `hvac`.
    #[must_use]
    pub fn service_label(&self) -> &str {
        service_label(&self.service)
    }
}
