//! Validation and parsing of form input.

use super::{LeadAttribution, LeadForm, LeadFormKind, NewCustomer, NewLead, QuoteForm};
use crate::platform::{
    email_address::EmailAddress,
    error::{FieldErrors, Result},
    phone::Phone,
    text::{self, multi_line, single_line},
};

const DEFAULT_SOURCE: &str = "Website";

impl NewLead {
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`] with the form's own messages.
    pub fn from_lead_form(form: &LeadForm) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = single_line("name", form.name.as_deref(), 120).parse_required("Name is required", &mut errors);
        let typed =
            single_line("phone", form.phone.as_deref(), 40).parse_required("Phone number is required", &mut errors);
        let phone = parse_phone(&typed, &mut errors);
        let email = parse_email(form.email.as_deref(), &mut errors);
        let service =
            single_line("service", form.service.as_deref(), 80).parse_required("Service type is required", &mut errors);
        let zip = single_line("zip", form.zip.as_deref(), 12).parse_required("Zip code is required", &mut errors);
        if zip.chars().count() < 5 {
            errors.add("zip", "Zip code is required");
        }
        let notes = multi_line("notes", form.notes.as_deref(), 5000).parse_optional(&mut errors);
        let source = single_line("source", form.source.as_deref(), 60).parse_optional(&mut errors);
        errors.into_result()?;
        Ok(Self {
            form: LeadFormKind::Lead,
            name,
            phone: display_phone_or_typed(&typed, phone.as_ref()),
            phone_e164: phone,
            email,
            service,
            zip,
            address: None,
            notes,
            timeline: None,
            budget: None,
            source: source.unwrap_or_else(|| DEFAULT_SOURCE.to_owned()),
            attribution: LeadAttribution::from_page_url(form.page_url.as_deref(), form.referrer.as_deref()),
            marketing_consent: form.marketing_consent,
            form_token: form.form_token.clone(),
            filled_honeypot: is_honeypot_filled(form.company.as_deref()),
            may_be_opt_out: false,
            happened_at: None,
            requested_visit: None,
        })
    }

    pub fn from_quote_form(form: &QuoteForm) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = single_line("customerName", form.customer_name.as_deref(), 120)
            .parse_required("Name is required", &mut errors);
        let email = parse_email(form.email.as_deref(), &mut errors);
        if email.is_none() {
            errors.add("email", "Email is required");
        }
        let service = single_line("serviceType", form.service_type.as_deref(), 80)
            .parse_required("Service type is required", &mut errors);
        let typed = single_line("phone", form.phone.as_deref(), 40).parse_optional(&mut errors).unwrap_or_default();
        let phone = if typed.is_empty() { None } else { parse_phone(&typed, &mut errors) };
        let address = single_line("address", form.address.as_deref(), 300).parse_optional(&mut errors);
        let notes =
            multi_line("projectDescription", form.project_description.as_deref(), 5000).parse_optional(&mut errors);
        let timeline =
            single_line("timelinePreference", form.timeline_preference.as_deref(), 60).parse_optional(&mut errors);
        let budget = single_line("budgetRange", form.budget_range.as_deref(), 60).parse_optional(&mut errors);
        errors.into_result()?;
        Ok(Self {
            form: LeadFormKind::Quote,
            name,
            phone: display_phone_or_typed(&typed, phone.as_ref()),
            phone_e164: phone,
            email,
            service,
            zip: String::new(),
            address,
            notes,
            timeline,
            budget,
            source: DEFAULT_SOURCE.to_owned(),
            attribution: LeadAttribution::from_page_url(form.page_url.as_deref(), form.referrer.as_deref()),
            marketing_consent: form.marketing_consent.unwrap_or_default(),
            form_token: form.form_token.clone(),
            filled_honeypot: is_honeypot_filled(form.company.as_deref()),
            may_be_opt_out: false,
            happened_at: None,
            requested_visit: None,
        })
    }

    pub fn from_typed(typed: &NewCustomer) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name =
            single_line("customer.name", typed.name.as_deref(), 120).parse_required("Name is required", &mut errors);
        let number =
            single_line("customer.phone", typed.phone.as_deref(), 40).parse_optional(&mut errors).unwrap_or_default();
        let phone = Phone::parse(&number);
        if !number.is_empty() && phone.is_none() {
            errors.add("customer.phone", "Please enter a phone number with its area code");
        }
        let address = single_line("customer.email", typed.email.as_deref(), 254).parse_optional(&mut errors);
        let email = address.as_deref().and_then(EmailAddress::parse);
        if let Some(typed) = address.as_deref().filter(|_| email.is_none()) {
            errors.add("customer.email", text::invalid_email_reason(typed));
        }
        let place = single_line("customer.address", typed.address.as_deref(), 300).parse_optional(&mut errors);
        let zip = single_line("customer.zip", typed.zip.as_deref(), 12).parse_optional(&mut errors);
        let source = single_line("customer.source", typed.source.as_deref(), 60).parse_optional(&mut errors);
        let service = single_line("customer.service", typed.service.as_deref(), 80).parse_optional(&mut errors);
        errors.into_result()?;
        let source = source.unwrap_or_else(|| "Typed in".to_owned());
        Ok(Self {
            email,
            zip: zip.unwrap_or_default(),
            address: place,
            service: service.unwrap_or_else(|| "other".to_owned()),
            ..Self::from_remote_contact(LeadFormKind::Typed, name, phone, None, &source)
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

pub(super) fn parse_email(typed: Option<&str>, errors: &mut FieldErrors) -> Option<EmailAddress> {
    let typed = single_line("email", typed, 254).parse_optional(errors)?;
    let email = EmailAddress::parse(&typed);
    if email.is_none() {
        errors.add("email", text::invalid_email_reason(&typed));
    }
    email
}

pub(super) fn display_phone_or_typed(typed: &str, phone: Option<&Phone>) -> String {
    phone.map_or_else(|| typed.to_owned(), |p| p.format_display().into_owned())
}

pub(super) fn is_honeypot_filled(honeypot: Option<&str>) -> bool {
    honeypot.is_some_and(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{platform::error::Error, tests::IntoMessages};

    fn messages(result: Result<NewLead>) -> Vec<(&'static str, String)> {
        match result {
            Err(Error::Invalid(errors)) => errors.into_messages(),
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
    fn empty_form_reports_every_required_field() {
        let faults = messages(NewLead::from_lead_form(&LeadForm::default()));
        let wanted = [
            ("name", "Name is required"),
            ("phone", "Phone number is required"),
            ("service", "Service type is required"),
            ("zip", "Zip code is required"),
        ];
        assert_eq!(faults, wanted.map(|(f, m)| (f, m.to_owned())));
    }

    #[test]
    fn email_may_be_empty_but_not_wrong() {
        assert!(NewLead::from_lead_form(&LeadForm { email: Some(String::new()), ..good() }).is_ok());
        let faults = messages(NewLead::from_lead_form(&LeadForm { email: Some("ann@".into()), ..good() }));
        assert_eq!(faults, [("email", "Invalid email".to_owned())]);
    }

    #[test]
    fn quote_form_requires_name_email_and_service() {
        let faults = messages(NewLead::from_quote_form(&QuoteForm::default()));
        assert_eq!(faults.iter().map(|(f, _)| *f).collect::<Vec<_>>(), ["customerName", "email", "serviceType"]);
    }

    #[test]
    fn typed_in_customer_requires_only_name() {
        let named = NewCustomer { name: Some(" Ann Lee ".into()), ..NewCustomer::default() };
        let lead = NewLead::from_typed(&named).unwrap();
        assert_eq!((lead.form, lead.name.as_str(), lead.source.as_str()), (LeadFormKind::Typed, "Ann Lee", "Typed in"));
        assert!(!lead.is_form() && !lead.is_anonymous_call(), "no rule answers them");
        let wrong = NewCustomer { phone: Some("pizza".into()), email: Some("ann@".into()), ..NewCustomer::default() };
        let fields: Vec<_> = messages(NewLead::from_typed(&wrong)).into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["customer.email", "customer.name", "customer.phone"]);
    }

    #[test]
    fn campaign_is_read_from_page_url() {
        let page = "https://acme.example/lead?org=acme&utm_source=google&utm_campaign=leaks%20fast&gclid=x1";
        let lead = NewLead::from_lead_form(&LeadForm { page_url: Some(page.into()), ..good() }).unwrap();
        assert_eq!(lead.attribution.utm_source.as_deref(), Some("google"));
        assert_eq!(lead.attribution.utm_campaign.as_deref(), Some("leaks fast"));
        let broken =
            NewLead::from_lead_form(&LeadForm { page_url: Some("javascript:alert(1)".into()), ..good() }).unwrap();
        assert_eq!(broken.attribution, LeadAttribution::default());
    }

    #[test]
    fn body_hash_is_equal_for_same_request_and_differs_otherwise() {
        let ann = NewLead::from_lead_form(&good()).unwrap();
        let again = NewLead::from_lead_form(&LeadForm { form_token: Some("later".into()), ..good() }).unwrap();
        let bob = NewLead::from_lead_form(&LeadForm { name: Some("Bob".into()), ..good() }).unwrap();
        assert_eq!(ann.body_hash(&[[1; 32]]), again.body_hash(&[[1; 32]]));
        assert_ne!(ann.body_hash(&[]), ann.body_hash(&[[1; 32]]));
        assert_ne!(ann.body_hash(&[]), bob.body_hash(&[]));
    }
}
