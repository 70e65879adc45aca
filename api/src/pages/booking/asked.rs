//! Page after a request that one tap books: its address carries the time, the end of the hold, and where the question
//! went, all of which the visitor has just chosen.

use chrono::{DateTime, Utc};
use shared::{
    documents::{date_format, template::Language},
    domain::{tenancy::org::OrgProfile, work::visit},
};

use crate::routes::work::booking::BookingReceipt;

/// The year 2100: no later time is shown.
const LAST_SECOND: i64 = 4_102_444_800;

pub(super) fn build_page_fields(booked: &BookingReceipt) -> Vec<(&'static str, String)> {
    let mut fields = vec![("waiting", booked.reference.clone())];
    let Some(until) = booked.confirm_until else { return fields };
    fields.push(("confirm", "1".to_owned()));
    if let Some(asked) = booked.asked {
        let by = match (asked.by_text, asked.by_email) {
            (true, true) => "both",
            (false, true) => "email",
            (_, false) => "text",
        };
        fields.push(("by", by.to_owned()));
        fields.push(("at", asked.starts_at.timestamp().to_string()));
        fields.push(("until", until.timestamp().to_string()));
    }
    fields
}

/// Address of the page for a business.
pub(in crate::pages) fn waiting_page_path(slug: &str, booked: &BookingReceipt) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(build_page_fields(booked));
    format!("/book/{slug}?{}", query.finish())
}

/// None where the address does not say it.
pub(super) fn describe_question(
    profile: &OrgProfile,
    language: Language,
    by: &str,
    [at, until]: [&str; 2],
) -> Option<String> {
    let (arrival, zone) = (profile.settings.jobs.arrival_minutes, profile.org.zone());
    let when = visit::words::format_arrival_window(parse_instant(at)?, arrival, zone, language);
    let until = date_format::format_time(&parse_instant(until)?.with_timezone(&zone));
    let (sent, link) = match (by, language) {
        ("text", Language::En) => ("We sent a text to the number you typed.", "the link in it"),
        ("email", Language::En) => ("We sent an email to the address you typed.", "the link in it"),
        ("both", Language::En) => {
            ("We sent a text to the number and an email to the address you typed.", "the link in one of them")
        }
        ("text", Language::Es) => ("Le enviamos un mensaje de texto al número que escribió.", "el enlace"),
        ("email", Language::Es) => ("Le enviamos un correo a la dirección que escribió.", "el enlace"),
        ("both", Language::Es) => {
            ("Le enviamos un mensaje de texto y un correo a los datos que escribió.", "uno de los enlaces")
        }
        _ => return None,
    };
    Some(match language {
        Language::En => format!("{sent} Tap {link} by {until} to keep {when}. Until then it is a request."),
        Language::Es => {
            let hint = format!("{sent} Toque {link} hasta las {until} para confirmar su hora: {when}.");
            format!("{hint} Hasta entonces es una solicitud.")
        }
    })
}

fn parse_instant(seconds: &str) -> Option<DateTime<Utc>> {
    let seconds: i64 = seconds.parse().ok()?;
    (0..LAST_SECOND).contains(&seconds).then(|| DateTime::from_timestamp(seconds, 0)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::work::booking::AskedVisit;

    #[test]
    fn page_fields_carry_time_and_channel_of_a_question_only() {
        let now = DateTime::from_timestamp(1_758_205_000, 0).unwrap();
        let booked = |asked, confirm_until| BookingReceipt {
            reference: "1a2b3c4d".to_owned(),
            path: None,
            confirm_until,
            asked,
        };
        let asked = AskedVisit { starts_at: now, by_text: false, by_email: true };
        let names =
            |booked: &BookingReceipt| build_page_fields(booked).iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(names(&booked(None, None)), ["waiting"]);
        assert_eq!(names(&booked(None, Some(now))), ["waiting", "confirm"]);
        let fields = build_page_fields(&booked(Some(asked), Some(now)));
        assert_eq!(
            fields[2..],
            [("by", "email"), ("at", "1758205000"), ("until", "1758205000")].map(|(n, v)| (n, v.to_owned()))
        );
    }

    #[test]
    fn instant_of_another_century_is_not_read() {
        assert!(parse_instant("1758205000").is_some());
        for other in ["", "x", "-1", "9223372036854775807", "4102444800"] {
            assert_eq!(parse_instant(other), None, "{other}");
        }
    }
}
