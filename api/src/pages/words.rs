//! Texts of the pages in both languages.

use axum::http::HeaderMap;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use shared::{
    documents::{date_format, template::Language},
    domain::money::estimate::EstimateKind,
    platform::error::DEMO_READ_ONLY,
};

use crate::error::preferred_language;

mod change;

#[derive(Debug, Serialize)]
pub(super) struct PageText {
    pub code: &'static str,
    pub estimate: &'static str,
    /// Change order only: the job and the combined total.
    pub job: &'static str,
    pub new_total: &'static str,
    pub for_whom: &'static str,
    pub issued: &'static str,
    pub valid_until: &'static str,
    pub call: &'static str,
    pub powered_by: &'static str,
    pub options: &'static str,
    pub options_hint: &'static str,
    pub recommended: &'static str,
    pub included: &'static str,
    pub add_ons: &'static str,
    pub add_ons_hint: &'static str,
    /// Heading of the add-ons that were ticked at approval.
    pub added: &'static str,
    pub only_with: &'static str,
    pub quantity: &'static str,
    pub discount: &'static str,
    pub subtotal: &'static str,
    pub tax: &'static str,
    pub total: &'static str,
    pub deposit: &'static str,
    pub deposit_paid: &'static str,
    pub deposit_thanks: &'static str,
    pub reckon: &'static str,
    pub notes: &'static str,
    pub terms: &'static str,
    pub open_pdf: &'static str,
    pub approve_title: &'static str,
    pub name: &'static str,
    pub name_hint: &'static str,
    pub draw: &'static str,
    pub draw_hint: &'static str,
    pub undo: &'static str,
    pub clear: &'static str,
    pub approve: &'static str,
    pub sending: &'static str,
    pub ask_title: &'static str,
    pub ask_hint: &'static str,
    pub ask: &'static str,
    pub asked: &'static str,
    pub decline_title: &'static str,
    pub decline_hint: &'static str,
    pub decline: &'static str,
    pub declined: &'static str,
    pub declined_hint: &'static str,
    pub approved_by: &'static str,
    pub deposit_next: &'static str,
    pub signed_copy: &'static str,
    pub signed_copy_soon: &'static str,
    pub expired: &'static str,
    pub expired_hint: &'static str,
    pub withdrawn: &'static str,
    pub withdrawn_hint: &'static str,
    pub replaced: &'static str,
    pub replaced_hint: &'static str,
    pub chosen: &'static str,
    pub office_copy: &'static str,
    pub office_copy_hint: &'static str,
    pub not_valid: &'static str,
    pub not_valid_hint: &'static str,
    pub unknown_business: &'static str,
    pub unknown_business_hint: &'static str,
    pub not_ready: &'static str,
    pub not_ready_hint: &'static str,
    pub later: &'static str,
    pub did_not_work: &'static str,
    #[serde(skip)]
    pub language: Language,
    #[serde(skip)]
    sentences: &'static [(&'static str, &'static str)],
}

const ENGLISH: PageText = PageText {
    code: "en",
    estimate: "Estimate",
    job: "Job",
    new_total: "New total",
    for_whom: "For",
    issued: "Issued",
    valid_until: "Valid until",
    call: "Call",
    powered_by: "Powered by Toolbox",
    options: "Choose one",
    options_hint: "You can still change your mind before you approve.",
    recommended: "Recommended",
    included: "What is included",
    add_ons: "Add if you like",
    add_ons_hint: "Each is added to the total when you tick it.",
    added: "What you added",
    only_with: "only with",
    quantity: "Quantity",
    discount: "Discount",
    subtotal: "Subtotal",
    tax: "Tax",
    total: "Total",
    deposit: "Deposit due on approval",
    deposit_paid: "Deposit paid",
    deposit_thanks: "Thank you. We have your payment.",
    reckon: "Show the new total",
    notes: "Notes",
    terms: "Terms",
    open_pdf: "Open as PDF",
    approve_title: "Approve and sign",
    name: "Your full name",
    name_hint: "It counts as your signature if you do not draw one.",
    draw: "Your signature",
    draw_hint: "Sign with your finger or the mouse. You may leave this empty.",
    undo: "Undo",
    clear: "Clear",
    approve: "Approve this estimate",
    sending: "Sending …",
    ask_title: "Have a question?",
    ask_hint: "It goes straight to us. We get back to you.",
    ask: "Send the question",
    asked: "Thank you. We have your question and will answer soon.",
    decline_title: "Not for you?",
    decline_hint: "Why not? It helps us, and you may leave it empty.",
    decline: "Decline this estimate",
    declined: "You declined this estimate",
    declined_hint: "Changed your mind? Ask us for a fresh one below.",
    approved_by: "Approved by",
    deposit_next: "We will contact you about the deposit of",
    signed_copy: "Open the signed copy",
    signed_copy_soon: "Your signed copy is being made. Reload this page in a moment.",
    expired: "This estimate has expired",
    expired_hint: "Prices change. Ask us for a fresh one below.",
    withdrawn: "This estimate was withdrawn",
    withdrawn_hint: "Ask us below if you have a question.",
    replaced: "There is a newer version of this estimate",
    replaced_hint: "We sent you its link. Ask us below if you cannot find it.",
    chosen: "What you approved",
    office_copy: "This is your copy of the customer's link",
    office_copy_hint: "Only the customer can approve, decline or pick a time here, with the link in their message.",
    not_valid: "This link is no longer valid",
    not_valid_hint: "Please check that you opened the whole address, or ask the business for a new one.",
    unknown_business: "No business has this address",
    unknown_business_hint: "Please check the link. If a business gave it to you, ask them for a new one. Nothing was booked.",
    not_ready: "One moment",
    not_ready_hint: "This document is being made right now. Reload this page in a few seconds.",
    later: "We cannot show this right now",
    did_not_work: "That did not work",
    language: Language::En,
    sentences: &[],
};

const SPANISH: PageText = PageText {
    code: "es",
    estimate: "Presupuesto",
    job: "Trabajo",
    new_total: "Nuevo total",
    for_whom: "Para",
    issued: "Fecha",
    valid_until: "Válido hasta",
    call: "Llamar al",
    powered_by: "Con tecnología de Toolbox",
    options: "Elija una opción",
    options_hint: "Puede cambiar de idea antes de aprobar.",
    recommended: "Recomendada",
    included: "Qué incluye",
    add_ons: "Agregue si quiere",
    add_ons_hint: "Cada uno se suma al total cuando lo marca.",
    added: "Lo que agregó",
    only_with: "solo con",
    quantity: "Cantidad",
    discount: "Descuento",
    subtotal: "Subtotal",
    tax: "Impuesto",
    total: "Total",
    deposit: "Anticipo al aprobar",
    deposit_paid: "Anticipo pagado",
    deposit_thanks: "Gracias. Recibimos su pago.",
    reckon: "Mostrar el nuevo total",
    notes: "Notas",
    terms: "Condiciones",
    open_pdf: "Abrir en PDF",
    approve_title: "Aprobar y firmar",
    name: "Su nombre completo",
    name_hint: "Vale como su firma si no dibuja una.",
    draw: "Su firma",
    draw_hint: "Firme con el dedo o el ratón. Puede dejarlo vacío.",
    undo: "Deshacer",
    clear: "Borrar",
    approve: "Aprobar este presupuesto",
    sending: "Enviando …",
    ask_title: "¿Tiene una pregunta?",
    ask_hint: "Nos llega directamente. Le respondemos.",
    ask: "Enviar la pregunta",
    asked: "Gracias. Tenemos su pregunta y responderemos pronto.",
    decline_title: "¿No le conviene?",
    decline_hint: "¿Por qué no? Nos ayuda, y puede dejarlo vacío.",
    decline: "Rechazar este presupuesto",
    declined: "Usted rechazó este presupuesto",
    declined_hint: "¿Cambió de idea? Pídanos uno nuevo abajo.",
    approved_by: "Aprobado por",
    deposit_next: "Le contactaremos por el anticipo de",
    signed_copy: "Abrir la copia firmada",
    signed_copy_soon: "Estamos preparando su copia firmada. Recargue esta página en un momento.",
    expired: "Este presupuesto venció",
    expired_hint: "Los precios cambian. Pídanos uno nuevo abajo.",
    withdrawn: "Este presupuesto fue retirado",
    withdrawn_hint: "Escríbanos abajo si tiene una pregunta.",
    replaced: "Hay una versión más nueva de este presupuesto",
    replaced_hint: "Le enviamos su enlace. Escríbanos abajo si no lo encuentra.",
    chosen: "Lo que aprobó",
    office_copy: "Esta es su copia del enlace del cliente",
    office_copy_hint: "Solo el cliente puede aprobar, rechazar o elegir una hora aquí, con el enlace de su mensaje.",
    not_valid: "Este enlace ya no es válido",
    not_valid_hint: "Revise que abrió la dirección completa, o pida una nueva a la empresa.",
    unknown_business: "Ninguna empresa tiene esta dirección",
    unknown_business_hint: "Revise el enlace. Si se lo dio una empresa, pídale uno nuevo. No se reservó nada.",
    not_ready: "Un momento",
    not_ready_hint: "Estamos preparando este documento. Recargue esta página en unos segundos.",
    later: "No podemos mostrar esto ahora",
    did_not_work: "Eso no funcionó",
    language: Language::Es,
    sentences: &[
        (DEMO_READ_ONLY, "Esto es una demostración: aquí no se envía ni se cambia nada."),
        ("Please type your name", "Escriba su nombre"),
        ("Please choose one of the options", "Elija una de las opciones"),
        ("One of these add-ons is not offered with this option", "Uno de estos extras no se ofrece con esta opción"),
        ("Please tick that you agree", "Marque que está de acuerdo"),
        ("Please clear the signature and draw it again", "Borre la firma y dibújela otra vez"),
        ("Please write your question", "Escriba su pregunta"),
        ("Please check the marked fields.", "Revise los campos marcados."),
        (
            "Too many tries. Please wait a moment and try again.",
            "Demasiados intentos. Espere un momento y pruebe otra vez.",
        ),
        (
            "This is too large. You can send at most 64 KB at a time.",
            "Esto ocupa más de 64 KB, lo máximo que se puede enviar a la vez.",
        ),
        ("This contains characters that cannot be used", "Contiene caracteres que no se pueden usar"),
        (
            "We cannot do this right now. Please try again in a moment.",
            "No podemos hacerlo ahora. Pruebe otra vez en un momento.",
        ),
    ],
};

impl PageText {
    pub(super) fn for_estimate_kind(sort: EstimateKind, language: Language) -> &'static Self {
        match sort {
            EstimateKind::Estimate => Self::for_language(language),
            EstimateKind::ChangeOrder => change::change_order_text(language),
        }
    }

    pub(super) fn for_language(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    /// Translates a message of the business rules; unknown ones stay as they are.
    pub(super) fn translate(&self, english: &str) -> String {
        translate_with(self.sentences, english)
    }

    /// "Nov 21, 2026", "21 nov 2026".
    pub(super) fn format_day(&self, day: NaiveDate) -> String {
        date_format::format_date(day, self.language)
    }

    /// Date and time in the business's time zone.
    pub(super) fn format_moment(&self, at: DateTime<Utc>, zone: Tz) -> String {
        let local = at.with_timezone(&zone);
        format!("{}, {}", self.format_day(local.date_naive()), date_format::format_time(&local))
    }
}

/// Translation from a page's list; unknown messages stay as they are.
pub(super) fn translate_with(sentences: &[(&'static str, &'static str)], english: &str) -> String {
    let known = sentences.iter().find(|(sentence, _)| *sentence == english);
    known.map_or(english, |(_, translation)| translation).to_owned()
}

/// In the language that the browser prefers.
pub(super) fn text_for_browser(headers: Option<&HeaderMap>) -> &'static PageText {
    PageText::for_language(headers.map(preferred_language).unwrap_or_default())
}
