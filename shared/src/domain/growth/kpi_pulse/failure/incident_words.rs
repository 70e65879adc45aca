//! Wording of silent failures, in the report and in the alert.

use super::IncidentKind;
use crate::{
    documents::template::Language::{self, En, Es},
    domain::growth::kpi_pulse::backlog::{SendBacklog, format_minutes},
    platform::money::group_thousands,
};

impl IncidentKind {
    #[must_use]
    pub fn to_sentence(&self, language: Language) -> String {
        match (language, self) {
            (En, Self::NoLeads { days: 1 }) => "No new lead for a whole day, which is not normal for you".to_owned(),
            (Es, Self::NoLeads { days: 1 }) => "Ninguna solicitud en todo un día: no es normal para usted".to_owned(),
            (En, Self::NoLeads { days }) => format!("No new lead in {days} days, which is not normal for you"),
            (Es, Self::NoLeads { days }) => format!("Ninguna solicitud en {days} días: no es normal para usted"),
            (En, Self::Texts { percent }) => format!("Only {percent}% of your texts arrive"),
            (Es, Self::Texts { percent }) => format!("Solo llega el {percent}% de sus mensajes de texto"),
            (En, Self::Emails { percent }) => format!("Only {percent}% of your emails arrive"),
            (Es, Self::Emails { percent }) => format!("Solo llega el {percent}% de sus correos"),
            (En, Self::Worker) => "Nothing is being sent: sending is stopped right now".to_owned(),
            (Es, Self::Worker) => "No se envía nada: el envío está parado".to_owned(),
            (language, Self::Behind(backlog)) => format_backlog(backlog, language),
            (En, Self::Device { label, .. }) => format!("{label}: alerts no longer arrive there"),
            (Es, Self::Device { label, .. }) => format!("{label}: ya no recibe avisos"),
        }
    }

    #[must_use]
    pub fn to_short_text(&self, language: Language) -> String {
        match (language, self) {
            (En, Self::NoLeads { days }) => format!("! no leads {days}d"),
            (Es, Self::NoLeads { days }) => format!("! sin solicitudes {days}d"),
            (En, Self::Texts { percent }) => format!("! texts {percent}% ok"),
            (Es, Self::Texts { percent }) => format!("! textos {percent}% ok"),
            (_, Self::Emails { percent }) => format!("! email {percent}% ok"),
            (En, Self::Worker) => "! sending stopped".to_owned(),
            (Es, Self::Worker) => "! envio parado".to_owned(),
            (En, Self::Behind(_)) => "! messages behind".to_owned(),
            (Es, Self::Behind(_)) => "! mensajes con retraso".to_owned(),
            (En, Self::Device { .. }) => "! a device without push".to_owned(),
            (Es, Self::Device { .. }) => "! un equipo sin avisos".to_owned(),
        }
    }
}

fn format_backlog(backlog: &SendBacklog, language: Language) -> String {
    let waiting = group_thousands(backlog.waiting.unsigned_abs());
    let Some(minutes) = backlog.minutes else {
        return match language {
            En => format!("Messages are behind: {waiting} wait, and none leaves"),
            Es => format!("Mensajes con retraso: {waiting} esperan y no sale ninguno"),
        };
    };
    match (language, backlog.budget_left.map(|left| group_thousands(left.unsigned_abs()))) {
        (En, Some(left)) => {
            format!("Messages are behind: {waiting} wait, and only {left} automatic texts can still leave today")
        }
        (Es, Some(left)) => {
            format!("Mensajes con retraso: {waiting} esperan y hoy solo pueden salir {left} textos automáticos más")
        }
        (En, None) => {
            format!("Messages are behind: {waiting} wait, caught up in about {}", format_minutes(minutes))
        }
        (Es, None) => format!("Mensajes con retraso: {waiting} esperan, unos {minutes} minutos más"),
    }
}

/// Title and text of the alert at the end of a backlog. `refused` counts texts that the day's budget refused meanwhile.
pub(super) fn caught_up_words(refused: i64, language: Language) -> (String, String) {
    let title = match (language, refused) {
        (En, 0) => "Messages have caught up",
        (Es, 0) => "Los mensajes están al día",
        (En, _) => "Messages have caught up, but some texts were not sent",
        (Es, _) => "Los mensajes están al día, pero algunos textos no se enviaron",
    };
    let count = group_thousands(refused.unsigned_abs());
    let body = match (language, refused) {
        (En, 0) => "Messages are no longer late.".to_owned(),
        (Es, 0) => "Ya no hay mensajes con retraso.".to_owned(),
        (En, 1) => {
            "1 text was not sent because today's limit was used up. Open that lead and tap Send again.".to_owned()
        }
        (Es, 1) => {
            "1 texto no se envió porque se agotó el límite de hoy. Abra esa solicitud y toque Send again.".to_owned()
        }
        (En, _) => format!(
            "{count} texts were not sent because today's limit was used up. Open the list of those leads and tap Send again on each."
        ),
        (Es, _) => format!(
            "{count} textos no se enviaron porque se agotó el límite de hoy. Abra la lista de esas solicitudes y toque Send again en cada una."
        ),
    };
    (title.to_owned(), body)
}

/// What the alert says below its title.
pub(super) fn alert_body(what: &IncidentKind, language: Language) -> String {
    let pace = match what {
        IncidentKind::Behind(SendBacklog { budget_left: Some(_), a_minute, .. }) => Some(*a_minute),
        _ => None,
    };
    match (language, pace) {
        (En, Some(a_minute)) => format!(
            "{}After today's limit, customers with an email address are answered by email, and the others get no \
             answer. To text them all, raise the daily limit in Settings before their turn comes.",
            if a_minute > 0 { format!("About {a_minute} leave a minute. ") } else { String::new() }
        ),
        (Es, Some(a_minute)) => format!(
            "{}Después del límite de hoy, los clientes con correo reciben la respuesta por correo y los demás no \
             reciben ninguna. Para enviar todos los textos, suba el límite diario en Ajustes antes de que llegue su turno.",
            if a_minute > 0 { format!("Salen unos {a_minute} por minuto. ") } else { String::new() }
        ),
        (En, None) => "It stays in the report until it is over. System Status shows more.".to_owned(),
        (Es, None) => "Queda en el informe hasta que termine. El estado del sistema dice más.".to_owned(),
    }
}
