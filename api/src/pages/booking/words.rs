//! Texts of the booking page in both languages.

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use shared::{
    documents::{date_format, template::Language},
    platform::text,
};

use crate::{error::BUSINESS_UNCONFIRMED, pages::words::translate_with};

#[derive(Debug, Serialize)]
pub(super) struct BookingPageText {
    title: &'static str,
    other_language: &'static str,
    other_code: &'static str,
    what: &'static str,
    choose: &'static str,
    zip: &'static str,
    zip_hint: &'static str,
    show_times: &'static str,
    change: &'static str,
    when: &'static str,
    when_hint: &'static str,
    arrival_hint: &'static str,
    none: &'static str,
    none_hint: &'static str,
    more: &'static str,
    first: &'static str,
    far: &'static str,
    far_hint: &'static str,
    write_us: &'static str,
    off: &'static str,
    off_hint: &'static str,
    /// The owner has not proven their address: anyone may have registered this business.
    unproven: &'static str,
    your_time: &'static str,
    kept_until: &'static str,
    kept_over: &'static str,
    other_time: &'static str,
    name: &'static str,
    phone: &'static str,
    phone_hint: &'static str,
    email: &'static str,
    email_hint: &'static str,
    address: &'static str,
    address_hint: &'static str,
    notes: &'static str,
    notes_hint: &'static str,
    optional: &'static str,
    trap: &'static str,
    book: &'static str,
    waiting: &'static str,
    waiting_hint: &'static str,
    one_tap: &'static str,
    one_tap_hint: &'static str,
    reference: &'static str,
    in_english: &'static str,
    /// Explains the consent where the page is not in its language.
    consent: &'static str,
    /// The same for a business that has no number to text from.
    consent_without_sender: &'static str,
    marketing: &'static str,
    marketing_without_sender: &'static str,
    #[serde(skip)]
    language: Language,
    #[serde(skip)]
    sentences: &'static [(&'static str, &'static str)],
}

static ENGLISH: BookingPageText = BookingPageText {
    title: "Book a visit",
    other_language: "Español",
    other_code: "es",
    what: "What should we do?",
    choose: "Please choose",
    zip: "ZIP code",
    zip_hint: "Where the work is",
    show_times: "Show free times",
    change: "Change",
    when: "When should we come?",
    when_hint: "Local time of the business",
    arrival_hint: "We arrive within the time that is shown.",
    none: "Nothing is free right now",
    none_hint: "Please call us, or write to us: we find a time.",
    more: "Later days",
    first: "First free days",
    far: "We do not work in this area",
    far_hint: "We are sorry. If you think that is a mistake, please call us or write to us.",
    write_us: "Write to us",
    off: "Times cannot be booked here right now",
    off_hint: "Please call us, or write to us: we find a time.",
    unproven: "This business has not confirmed its email address yet.",
    your_time: "Your time",
    kept_until: "We keep it for you until",
    kept_over: "We can't hold this time for you right now. Send your details and we will confirm the time with you.",
    other_time: "Choose another time",
    name: "Your name",
    phone: "Phone number",
    phone_hint: "We text you before we come",
    email: "Email",
    email_hint: "We email you before we come",
    address: "Address of the work",
    address_hint: "Street, number, city",
    notes: "What should we know?",
    notes_hint: "What is broken, how to get in, pets",
    optional: "optional",
    trap: "Leave this empty",
    book: "Book this visit",
    waiting: "Thank you. We have your request.",
    waiting_hint: "We look at it and get back to you to confirm the time.",
    one_tap: "One more tap",
    one_tap_hint: "We sent you a message. Tap the link in it within 15 minutes to keep your time. Until then it is a request.",
    reference: "Reference",
    in_english: "",
    consent: "",
    consent_without_sender: "",
    marketing: "",
    marketing_without_sender: "",
    language: Language::En,
    sentences: &[],
};

static SPANISH: BookingPageText = BookingPageText {
    title: "Reserve una visita",
    other_language: "English",
    other_code: "en",
    what: "¿Qué debemos hacer?",
    choose: "Elija por favor",
    zip: "Código postal (ZIP)",
    zip_hint: "Donde es el trabajo",
    show_times: "Mostrar horas libres",
    change: "Cambiar",
    when: "¿Cuándo debemos ir?",
    when_hint: "Hora local del negocio",
    arrival_hint: "Llegamos dentro del horario que se muestra.",
    none: "Ahora no hay nada libre",
    none_hint: "Llámenos o escríbanos: encontramos una hora.",
    more: "Días siguientes",
    first: "Primeros días libres",
    far: "No trabajamos en esta zona",
    far_hint: "Lo sentimos. Si cree que es un error, llámenos o escríbanos por favor.",
    write_us: "Escríbanos",
    off: "Ahora no se puede reservar aquí",
    off_hint: "Llámenos o escríbanos: encontramos una hora.",
    unproven: "Esta empresa todavía no ha confirmado su correo electrónico.",
    your_time: "Su hora",
    kept_until: "La guardamos para usted hasta las",
    kept_over: "Ahora no podemos guardarle esta hora. Envíe sus datos y confirmamos la hora con usted.",
    other_time: "Elegir otra hora",
    name: "Su nombre",
    phone: "Número de teléfono",
    phone_hint: "Le enviamos un mensaje de texto antes de llegar",
    email: "Correo electrónico",
    email_hint: "Le escribimos por correo antes de llegar",
    address: "Dirección del trabajo",
    address_hint: "Calle, número, ciudad",
    notes: "¿Qué debemos saber?",
    notes_hint: "Qué está roto, cómo entrar, mascotas",
    optional: "opcional",
    trap: "Deje esto vacío",
    book: "Reservar esta visita",
    waiting: "Gracias. Tenemos su solicitud.",
    waiting_hint: "La revisamos y le respondemos para confirmar la hora.",
    one_tap: "Un toque más",
    one_tap_hint: "Le enviamos un mensaje. Toque el enlace en los próximos 15 minutos para confirmar su hora. Hasta entonces \
        es una solicitud.",
    reference: "Referencia",
    in_english: "El texto en inglés es el que vale:",
    consent: "Al enviar, acepta que le contactemos sobre su solicitud por teléfono, mensaje y correo. Pueden aplicarse \
        tarifas de mensajes y datos. Responda STOP para no recibir mensajes.",
    consent_without_sender: "Al enviar, acepta que le contactemos sobre su solicitud por teléfono y correo, y por mensaje \
        si le enviamos mensajes. Pueden aplicarse tarifas de mensajes y datos. Responda STOP para no recibir mensajes.",
    marketing: "También acepto recibir por mensaje solicitudes de reseñas y ofertas. No es necesario para reservar. \
        Responda STOP para darse de baja.",
    marketing_without_sender: "También acepto recibir por mensaje solicitudes de reseñas y ofertas, si la empresa me \
        envía mensajes. No es necesario para reservar. Responda STOP para darse de baja.",
    language: Language::Es,
    sentences: &[
        ("Please choose what should be done", "Elija qué debemos hacer"),
        ("Please enter a ZIP code of five digits", "Escriba un código postal de cinco dígitos"),
        ("Name is required", "Escriba su nombre"),
        ("Phone number is required", "Escriba su número de teléfono"),
        ("Please enter a phone number with its area code", "Escriba el número con su código de área"),
        ("Invalid email", "Este correo no es válido"),
        (text::IP_EMAIL, "Use un correo que termine en un dominio, como example.com, y no en una dirección IP"),
        ("Address is required", "Escriba la dirección"),
        (
            BUSINESS_UNCONFIRMED,
            "Esta empresa todavía no ha confirmado su correo electrónico y hoy ya no recibe más solicitudes.",
        ),
        ("This contains characters that cannot be used", "Contiene caracteres que no se pueden usar"),
    ],
};

impl BookingPageText {
    pub(super) fn for_language(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    /// Translates a message of the booking rules; unknown ones stay as they are.
    pub(super) fn translate(&self, english: &str) -> String {
        translate_with(self.sentences, english)
    }

    /// "Tuesday, November 24", "martes 24 de noviembre".
    pub(super) fn format_day(&self, day: NaiveDate) -> String {
        let (name, month) =
            (date_format::weekday_name(day, self.language), date_format::month_name(day, self.language));
        match self.language {
            Language::En => format!("{name}, {month} {}", day.day()),
            Language::Es => format!("{name} {} de {month}", day.day()),
        }
    }

    /// "Eastern Time", "hora del Este"; the place where a zone has no common name.
    pub(super) fn zone_name(&self, zone: Tz) -> String {
        let (en, es) = match zone {
            Tz::America__New_York | Tz::America__Detroit => ("Eastern Time", "hora del Este"),
            Tz::America__Chicago => ("Central Time", "hora del Centro"),
            Tz::America__Denver | Tz::America__Boise => ("Mountain Time", "hora de la Montaña"),
            Tz::America__Phoenix => ("Arizona Time", "hora de Arizona"),
            Tz::America__Los_Angeles => ("Pacific Time", "hora del Pacífico"),
            Tz::America__Anchorage => ("Alaska Time", "hora de Alaska"),
            Tz::Pacific__Honolulu => ("Hawaii Time", "hora de Hawái"),
            other => return other.name().rsplit('/').next().unwrap_or_default().replace('_', " "),
        };
        if self.language == Language::En { en.to_owned() } else { es.to_owned() }
    }

    /// "10:05 AM".
    pub(super) fn format_hour(at: DateTime<Utc>, zone: Tz) -> String {
        date_format::format_time(&at.with_timezone(&zone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zone_has_a_common_name_in_both_languages() {
        let zone_name = |language, zone| BookingPageText::for_language(language).zone_name(zone);
        assert_eq!(zone_name(Language::En, Tz::America__New_York), "Eastern Time");
        assert_eq!(zone_name(Language::Es, Tz::America__Chicago), "hora del Centro");
        assert_eq!(zone_name(Language::En, Tz::America__St_Johns), "St Johns");
    }

    #[test]
    fn day_is_written_in_full_in_both_languages() {
        let day = "2026-11-24".parse().unwrap();
        assert_eq!(ENGLISH.format_day(day), "Tuesday, November 24");
        assert_eq!(SPANISH.format_day(day), "martes 24 de noviembre");
    }
}
