//! What the two public forms send, checked and parsed once, here and nowhere else.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use url::Url;
use utoipa::ToSchema;

use super::view::LeadDetail;
use crate::{
    error::{FieldErrors, Result},
    phone::Phone,
    template::Language,
    text::{self, line, lines},
};

mod booking;

pub use booking::BookingForm;

/// The services of the lead form, as its values; the quote form's are sentences of their own.
pub(crate) const SERVICES: [(&str, &str); 6] = [
    ("plumbing", "Plumbing"),
    ("electrical", "Electrical"),
    ("hvac", "HVAC"),
    ("roofing", "Roofing"),
    ("landscaping", "Landscaping"),
    ("other", "Other"),
];
const DEFAULT_SOURCE: &str = "Website";

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

/// The lead form as it arrives.
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
    /// A field that people cannot see; robots fill it in.
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

/// The quote form as it arrives.
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
    /// Id or slug of the business; without it, the install's default.
    pub org_id: Option<String>,
    pub page_url: Option<String>,
    pub referrer: Option<String>,
    pub form_token: Option<String>,
    pub company: Option<String>,
    pub marketing_consent: Option<bool>,
}

/// Where a visitor came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Attribution {
    pub utm_source: Option<String>,
    pub utm_medium: Option<String>,
    pub utm_campaign: Option<String>,
    pub utm_term: Option<String>,
    pub utm_content: Option<String>,
    pub gclid: Option<String>,
    pub referrer: Option<String>,
    pub landing_page: Option<String>,
}

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
    /// # Errors
    /// [`crate::error::Error::Invalid`] with the form's own messages.
    pub fn from_lead_form(form: &LeadForm) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = line("name", form.name.as_deref(), 120).required("Name is required", &mut errors);
        let typed = line("phone", form.phone.as_deref(), 40).required("Phone number is required", &mut errors);
        let phone = parse_phone(&typed, &mut errors);
        let email = parse_email(form.email.as_deref(), &mut errors);
        let service = line("service", form.service.as_deref(), 80).required("Service type is required", &mut errors);
        let zip = line("zip", form.zip.as_deref(), 12).required("Zip code is required", &mut errors);
        if zip.chars().count() < 5 {
            errors.add("zip", "Zip code is required");
        }
        let notes = lines("notes", form.notes.as_deref(), 5000).optional(&mut errors);
        let source = line("source", form.source.as_deref(), 60).optional(&mut errors);
        errors.finish()?;
        Ok(Self {
            form: Form::Lead,
            name,
            phone: shown(&typed, phone.as_ref()),
            phone_e164: phone,
            email,
            service,
            zip,
            address: None,
            notes,
            timeline: None,
            budget: None,
            source: source.unwrap_or_else(|| DEFAULT_SOURCE.to_owned()),
            attribution: Attribution::read(form.page_url.as_deref(), form.referrer.as_deref()),
            marketing_consent: form.marketing_consent,
            form_token: form.form_token.clone(),
            filled_honeypot: is_filled(form.company.as_deref()),
            may_be_opt_out: false,
            happened_at: None,
        })
    }

    /// # Errors
    /// [`crate::error::Error::Invalid`] with a message per field.
    pub fn from_quote_form(form: &QuoteForm) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = line("customerName", form.customer_name.as_deref(), 120).required("Name is required", &mut errors);
        let email = parse_email(form.email.as_deref(), &mut errors);
        if email.is_none() {
            errors.add("email", "Email is required");
        }
        let service =
            line("serviceType", form.service_type.as_deref(), 80).required("Service type is required", &mut errors);
        let typed = line("phone", form.phone.as_deref(), 40).optional(&mut errors).unwrap_or_default();
        let phone = if typed.is_empty() { None } else { parse_phone(&typed, &mut errors) };
        let address = line("address", form.address.as_deref(), 300).optional(&mut errors);
        let notes = lines("projectDescription", form.project_description.as_deref(), 5000).optional(&mut errors);
        let timeline = line("timelinePreference", form.timeline_preference.as_deref(), 60).optional(&mut errors);
        let budget = line("budgetRange", form.budget_range.as_deref(), 60).optional(&mut errors);
        errors.finish()?;
        Ok(Self {
            form: Form::Quote,
            name,
            phone: shown(&typed, phone.as_ref()),
            phone_e164: phone,
            email,
            service,
            zip: String::new(),
            address,
            notes,
            timeline,
            budget,
            source: DEFAULT_SOURCE.to_owned(),
            attribution: Attribution::read(form.page_url.as_deref(), form.referrer.as_deref()),
            marketing_consent: form.marketing_consent.unwrap_or_default(),
            form_token: form.form_token.clone(),
            filled_honeypot: is_filled(form.company.as_deref()),
            may_be_opt_out: false,
            happened_at: None,
        })
    }

    /// Somebody whom the business typed in.
    ///
    /// # Errors
    /// [`crate::error::Error::Invalid`] with a message per field.
    pub fn from_typed(typed: &NewCustomer) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = line("customer.name", typed.name.as_deref(), 120).required("Name is required", &mut errors);
        let number = line("customer.phone", typed.phone.as_deref(), 40).optional(&mut errors).unwrap_or_default();
        let phone = Phone::parse(&number);
        if !number.is_empty() && phone.is_none() {
            errors.add("customer.phone", "Please enter a phone number with its area code");
        }
        let address = line("customer.email", typed.email.as_deref(), 254).optional(&mut errors);
        let email = address.as_deref().and_then(text::email);
        if address.is_some() && email.is_none() {
            errors.add("customer.email", "Invalid email");
        }
        let place = line("customer.address", typed.address.as_deref(), 300).optional(&mut errors);
        let zip = line("customer.zip", typed.zip.as_deref(), 12).optional(&mut errors);
        let source = line("customer.source", typed.source.as_deref(), 60).optional(&mut errors);
        let service = line("customer.service", typed.service.as_deref(), 80).optional(&mut errors);
        errors.finish()?;
        let source = source.unwrap_or_else(|| "Typed in".to_owned());
        Ok(Self {
            email,
            zip: zip.unwrap_or_default(),
            address: place,
            service: service.unwrap_or_else(|| "other".to_owned()),
            ..Self::from_afar(Form::Typed, name, phone, None, &source)
        })
    }

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

    fn from_afar(form: Form, name: String, phone: Option<Phone>, notes: Option<String>, source: &str) -> Self {
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

    /// A stored lead as the rules see it, for one that is let through later.
    pub(super) fn from_stored(lead: &LeadDetail) -> Self {
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
    pub(super) fn submission(&self) -> serde_json::Value {
        json!({
            "name": self.name, "phone": self.phone, "email": self.email, "zip": self.zip, "address": self.address,
            "notes": self.notes, "timelinePreference": self.timeline, "budgetRange": self.budget,
        })
    }

    /// What the list's search looks in: name, service, the phone as shown and as bare digits; in lower case.
    pub(super) fn search_text(&self) -> String {
        let digits: String = self.phone.chars().filter(char::is_ascii_digit).collect();
        format!("{}\n{}\n{}\n{}\n{digits}", self.name, self.service, self.service_label(), self.phone).to_lowercase()
    }

    /// The service as people read it: `HVAC` for `hvac`.
    #[must_use]
    pub fn service_label(&self) -> &str {
        service_label(&self.service)
    }
}

/// A service as people read it: `HVAC` for `hvac`.
#[must_use]
pub fn service_label(service: &str) -> &str {
    SERVICES.iter().find(|(value, _)| *value == service).map_or(service, |(_, label)| label)
}

impl Attribution {
    /// Reads the campaign from the page's own address. Overlong or unreadable parts are left out: a broken tracking
    /// link must not cost a lead.
    fn read(page_url: Option<&str>, referrer: Option<&str>) -> Self {
        let page = page_url.and_then(|p| Url::parse(p.trim()).ok()).filter(|u| matches!(u.scheme(), "http" | "https"));
        let asked = |name: &str| {
            let value = page.as_ref()?.query_pairs().find(|(k, _)| k == name)?.1.into_owned();
            line("pageUrl", Some(&value), 200).optional(&mut FieldErrors::default())
        };
        Self {
            utm_source: asked("utm_source"),
            utm_medium: asked("utm_medium"),
            utm_campaign: asked("utm_campaign"),
            utm_term: asked("utm_term"),
            utm_content: asked("utm_content"),
            gclid: asked("gclid"),
            referrer: line("referrer", referrer, 500).optional(&mut FieldErrors::default()),
            landing_page: page.as_ref().map(|u| u.as_str().chars().take(500).collect()),
        }
    }
}

fn parse_phone(typed: &str, errors: &mut FieldErrors) -> Option<Phone> {
    if typed.chars().count() < 10 {
        errors.add("phone", "Phone number is required");
        return None;
    }
    let phone = Phone::parse(typed);
    if phone.is_none() {
        errors.add("phone", "Please enter a phone number with its area code");
    }
    phone
}

fn parse_email(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    let typed = line("email", typed, 254).optional(errors)?;
    let email = text::email(&typed);
    if email.is_none() {
        errors.add("email", "Invalid email");
    }
    email
}

fn shown(typed: &str, phone: Option<&Phone>) -> String {
    phone.map_or_else(|| typed.to_owned(), |p| p.shown().into_owned())
}

fn is_filled(honeypot: Option<&str>) -> bool {
    honeypot.is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn messages(result: Result<NewLead>) -> Vec<(&'static str, String)> {
        match result {
            Err(Error::Invalid(errors)) => errors.said(),
            other => panic!("expected field errors, got {other:?}"),
        }
    }

    fn good() -> LeadForm {
        LeadForm {
            name: Some("Ann".into()),
            phone: Some("5125550142".into()),
            service: Some("hvac".into()),
            zip: Some("78701".into()),
            ..LeadForm::default()
        }
    }

    #[test]
    fn an_empty_form_is_told_every_field_in_the_products_words() {
        let said = messages(NewLead::from_lead_form(&LeadForm::default()));
        let wanted = [
            ("name", "Name is required"),
            ("phone", "Phone number is required"),
            ("service", "Service type is required"),
            ("zip", "Zip code is required"),
        ];
        assert_eq!(said, wanted.map(|(f, m)| (f, m.to_owned())));
    }

    #[test]
    fn email_may_be_empty_but_not_wrong() {
        assert!(NewLead::from_lead_form(&LeadForm { email: Some(String::new()), ..good() }).is_ok());
        let said = messages(NewLead::from_lead_form(&LeadForm { email: Some("ann@".into()), ..good() }));
        assert_eq!(said, [("email", "Invalid email".to_owned())]);
    }

    #[test]
    fn a_quote_needs_name_email_and_service() {
        let said = messages(NewLead::from_quote_form(&QuoteForm::default()));
        assert_eq!(said.iter().map(|(f, _)| *f).collect::<Vec<_>>(), ["customerName", "email", "serviceType"]);
    }

    #[test]
    fn somebody_who_is_typed_in_needs_a_name_and_nothing_else() {
        let named = NewCustomer { name: Some(" Ann Lee ".into()), ..NewCustomer::default() };
        let lead = NewLead::from_typed(&named).unwrap();
        assert_eq!((lead.form, lead.name.as_str(), lead.source.as_str()), (Form::Typed, "Ann Lee", "Typed in"));
        assert!(!lead.is_form() && !lead.is_hidden(), "no rule answers them");
        let wrong = NewCustomer { phone: Some("pizza".into()), email: Some("ann@".into()), ..NewCustomer::default() };
        let said: Vec<_> = messages(NewLead::from_typed(&wrong)).into_iter().map(|(field, _)| field).collect();
        assert_eq!(said, ["customer.email", "customer.name", "customer.phone"]);
    }

    #[test]
    fn the_campaign_is_read_from_the_pages_address() {
        let page = "https://acme.example/lead?org=acme&utm_source=google&utm_campaign=leaks%20fast&gclid=x1";
        let lead = NewLead::from_lead_form(&LeadForm { page_url: Some(page.into()), ..good() }).unwrap();
        assert_eq!(lead.attribution.utm_source.as_deref(), Some("google"));
        assert_eq!(lead.attribution.utm_campaign.as_deref(), Some("leaks fast"));
        let broken =
            NewLead::from_lead_form(&LeadForm { page_url: Some("javascript:alert(1)".into()), ..good() }).unwrap();
        assert_eq!(broken.attribution, Attribution::default());
    }

    #[test]
    fn the_same_request_has_the_same_hash_and_another_has_not() {
        let ann = NewLead::from_lead_form(&good()).unwrap();
        let again = NewLead::from_lead_form(&LeadForm { form_token: Some("later".into()), ..good() }).unwrap();
        let bob = NewLead::from_lead_form(&LeadForm { name: Some("Bob".into()), ..good() }).unwrap();
        assert_eq!(ann.body_hash(&[[1; 32]]), again.body_hash(&[[1; 32]]));
        assert_ne!(ann.body_hash(&[]), ann.body_hash(&[[1; 32]]));
        assert_ne!(ann.body_hash(&[]), bob.body_hash(&[]));
    }
}
