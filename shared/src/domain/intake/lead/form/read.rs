//! Checks and parses what was typed, once, here and nowhere else.

use super::{Attribution, Form, LeadForm, NewCustomer, NewLead, QuoteForm};
use crate::platform::{
    error::{FieldErrors, Result},
    phone::Phone,
    text::{self, line, lines},
};

const DEFAULT_SOURCE: &str = "Website";

impl NewLead {
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`] with the form's own messages.
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
    /// [`crate::platform::error::Error::Invalid`] with a message per field.
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
    /// [`crate::platform::error::Error::Invalid`] with a message per field.
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
        if let Some(typed) = address.as_deref().filter(|_| email.is_none()) {
            errors.add("customer.email", text::why_no_email(typed));
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
}

pub(super) fn parse_phone(typed: &str, errors: &mut FieldErrors) -> Option<Phone> {
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

pub(super) fn parse_email(typed: Option<&str>, errors: &mut FieldErrors) -> Option<String> {
    let typed = line("email", typed, 254).optional(errors)?;
    let email = text::email(&typed);
    if email.is_none() {
        errors.add("email", text::why_no_email(&typed));
    }
    email
}

pub(super) fn shown(typed: &str, phone: Option<&Phone>) -> String {
    phone.map_or_else(|| typed.to_owned(), |p| p.shown().into_owned())
}

pub(super) fn is_filled(honeypot: Option<&str>) -> bool {
    honeypot.is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::error::Error;

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
