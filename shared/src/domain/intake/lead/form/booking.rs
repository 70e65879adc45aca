//! The customer's details on the booking form.

use super::{
    LeadAttribution, LeadFormKind, NewLead,
    read::{display_phone_or_typed, is_honeypot_filled, parse_email, parse_phone},
};
use crate::platform::{
    error::{FieldErrors, Result},
    text::{multi_line, single_line},
};

const MAX_NOTES: usize = 2_000;

#[derive(Clone, Debug, Default)]
pub struct BookingForm {
    pub name: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    pub service: Option<String>,
    pub notes: Option<String>,
    pub page_url: Option<String>,
    pub referrer: Option<String>,
    pub marketing_consent: bool,
    pub form_token: Option<String>,
    /// Honeypot field: invisible to people, filled in by bots.
    pub company: Option<String>,
}

impl NewLead {
    pub fn from_booking_form(form: &BookingForm) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = single_line("name", form.name.as_deref(), 120).parse_required("Name is required", &mut errors);
        let typed =
            single_line("phone", form.phone.as_deref(), 40).parse_required("Phone number is required", &mut errors);
        let phone = parse_phone(&typed, &mut errors);
        let email = parse_email(form.email.as_deref(), &mut errors);
        let address =
            single_line("address", form.address.as_deref(), 300).parse_required("Address is required", &mut errors);
        let zip = single_line("zip", form.zip.as_deref(), 12).parse_required("Zip code is required", &mut errors);
        let service =
            single_line("service", form.service.as_deref(), 80).parse_required("Service type is required", &mut errors);
        let notes = multi_line("notes", form.notes.as_deref(), MAX_NOTES).parse_optional(&mut errors);
        errors.into_result()?;
        Ok(Self {
            email,
            zip,
            address: Some(address),
            notes,
            service,
            phone: display_phone_or_typed(&typed, phone.as_ref()),
            attribution: LeadAttribution::from_page_url(form.page_url.as_deref(), form.referrer.as_deref()),
            marketing_consent: form.marketing_consent,
            form_token: form.form_token.clone(),
            filled_honeypot: is_honeypot_filled(form.company.as_deref()),
            ..Self::from_remote_contact(LeadFormKind::Booking, name, phone, None, "Booking page")
        })
    }
}
