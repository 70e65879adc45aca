//! What somebody who books a visit says of themselves.

use super::{
    Attribution, Form, NewLead,
    read::{is_filled, parse_email, parse_phone, shown},
};
use crate::platform::{
    error::{FieldErrors, Result},
    text::{line, lines},
};

const MAX_NOTES: usize = 2_000;

/// The booking form as it arrives.
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
    /// A field that people cannot see; robots fill it in.
    pub company: Option<String>,
}

impl NewLead {
    /// # Errors
    /// [`crate::platform::error::Error::Invalid`] with a message per field.
    pub fn from_booking_form(form: &BookingForm) -> Result<Self> {
        let mut errors = FieldErrors::default();
        let name = line("name", form.name.as_deref(), 120).required("Name is required", &mut errors);
        let typed = line("phone", form.phone.as_deref(), 40).required("Phone number is required", &mut errors);
        let phone = parse_phone(&typed, &mut errors);
        let email = parse_email(form.email.as_deref(), &mut errors);
        let address = line("address", form.address.as_deref(), 300).required("Address is required", &mut errors);
        let zip = line("zip", form.zip.as_deref(), 12).required("Zip code is required", &mut errors);
        let service = line("service", form.service.as_deref(), 80).required("Service type is required", &mut errors);
        let notes = lines("notes", form.notes.as_deref(), MAX_NOTES).optional(&mut errors);
        errors.finish()?;
        Ok(Self {
            email,
            zip,
            address: Some(address),
            notes,
            service,
            phone: shown(&typed, phone.as_ref()),
            attribution: Attribution::read(form.page_url.as_deref(), form.referrer.as_deref()),
            marketing_consent: form.marketing_consent,
            form_token: form.form_token.clone(),
            filled_honeypot: is_filled(form.company.as_deref()),
            ..Self::from_afar(Form::Booking, name, phone, None, "Booking page")
        })
    }
}
