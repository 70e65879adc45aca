//! Reasons inside of a refusal, such as "they said STOP" in "The reminder cannot be sent: they said STOP."
//!
//! They come from the record of decisions, from a message, or from a provider, where they are English. Here each has a
//! code and its Spanish words; a reason that is not in the list stays as it is.

use chrono::NaiveDate;

use self::{
    placeholders::{PLACES, WORDS},
    texts::TEXTS,
};
use crate::{
    conflicts::former_wordings::reword_stored_reason,
    date_format::{format_month_day, short_weekday_name},
    language::Language,
};

mod placeholders;
mod texts;

pub use texts::NestedReason;

/// English and Spanish words between two reasons.
const JOINTS: [(&str, &str); 2] = [(", and ", ", y "), (": ", ": ")];

impl NestedReason {
    pub fn list_all() -> impl Iterator<Item = Self> {
        TEXTS.iter().map(|(code, ..)| *code)
    }

    /// The words, with placeholders unfilled.
    #[must_use]
    pub fn template_in(self, language: Language) -> &'static str {
        let (_, english, spanish) = TEXTS[self as usize];
        match language {
            Language::En => english,
            Language::Es => spanish,
        }
    }
}

/// The code and the Spanish words of an English reason. Of two that are joined the code is that of the first.
pub(super) fn translate_reason(english: &str) -> Option<(NestedReason, String)> {
    let english = english.trim_end_matches('.');
    translate_single(english).or_else(|| JOINTS.iter().find_map(|joint| translate_joined(english, *joint)))
}

/// One reason, also with a capital at its beginning.
fn translate_single(english: &str) -> Option<(NestedReason, String)> {
    translate_words(english).or_else(|| translate_words(&lowercase_first(english)))
}

/// Former words, of a stored reason, are those of today's reason.
fn translate_words(stored: &str) -> Option<(NestedReason, String)> {
    let present = reword_stored_reason(stored);
    let english = present.as_ref();
    let same = TEXTS.iter().find(|(_, template, _)| *template == english);
    let same = same.map(|(code, _, spanish)| (*code, (*spanish).to_owned()));
    same.or_else(|| {
        TEXTS.iter().find_map(|(code, from, to)| Some((*code, fill_placeholders(to, &capture(from, english)?)?)))
    })
}

/// The first part is a single reason, so that a long text of somebody else is not taken apart in every way.
fn translate_joined(english: &str, (joint, spanish): (&str, &str)) -> Option<(NestedReason, String)> {
    english.match_indices(joint).find_map(|(at, _)| {
        let (code, first) = translate_single(&english[..at])?;
        let (_, second) = translate_reason(&english[at + joint.len()..])?;
        Some((code, format!("{first}{spanish}{second}")))
    })
}

/// Values of a template's placeholders; none when the text does not fit it.
fn capture<'a>(template: &'static str, text: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
    let (start, mut template) = template.split_once('{')?;
    let (mut text, mut values) = (text.strip_prefix(start)?, Vec::new());
    loop {
        let (name, after) = template.split_once('}')?;
        let Some((literal, next)) = after.split_once('{') else {
            values.push((name, text.strip_suffix(after)?));
            return Some(values);
        };
        let (value, rest) = text.split_once(literal)?;
        values.push((name, value));
        (text, template) = (rest, next);
    }
}

fn fill_placeholders(template: &str, values: &[(&str, &str)]) -> Option<String> {
    let (mut filled, mut template) = (String::new(), template);
    while let Some((before, (name, after))) =
        template.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        let (_, value) = values.iter().find(|(known, _)| *known == name)?;
        filled.push_str(before);
        filled.push_str(&translate_value(name, value)?);
        template = after;
    }
    Some(filled + template)
}

/// None when the value is none of this placeholder's.
fn translate_value(name: &str, english: &str) -> Option<String> {
    match name {
        "reason" => translate_reason(english).map(|(_, spanish)| spanish),
        "paper" | "invoice" | "things" | "hint" | "weekday" => {
            let found = WORDS.iter().find(|(word, _)| *word == english);
            found.map(|(_, spanish)| (*spanish).to_owned())
        }
        "clock" => {
            english.split_once(" in ").map(|(time, place)| format!("en {} la hora es {time}", name_place(place)))
        }
        "span" => Some(english.replace(" to ", " a ")),
        "place" => english.strip_prefix("in ").map(|place| format!("en {}", name_place(place))),
        "places" => Some(english.split(", ").map(name_place).collect::<Vec<_>>().join(", ")),
        "day" => translate_day(english),
        "on" if english.is_empty() => Some(String::new()),
        "on" => english.strip_prefix(" on ").and_then(translate_day).map(|day| format!(" {day}")),
        "when" => translate_instant(english),
        _ if english.is_empty() => None,
        _ => Some(english.to_owned()),
    }
}

fn name_place(english: &str) -> String {
    let named = PLACES.iter().fold(english.to_owned(), |name, (from, to)| name.replace(from, to));
    // "the Eastern time zone"
    match named.strip_prefix("the ").and_then(|rest| rest.split_once(" zone")) {
        Some((zone, rest)) => format!("la zona de {zone}{rest}"),
        None => named,
    }
}

/// "Nov 24" to "el 24 nov".
fn translate_day(english: &str) -> Option<String> {
    days_named(english).next().map(|day| format_month_day(day, Language::Es))
}

/// "8:00 AM" stays; "Tue, Nov 24 8:00 AM" to "mar, el 24 nov 8:00 AM".
fn translate_instant(english: &str) -> Option<String> {
    let Some((weekday, rest)) = english.split_once(", ") else { return Some(english.to_owned()) };
    let (at, _) = rest.match_indices(' ').nth(1)?;
    let (day, hour) = rest.split_at(at);
    let fits = |date: &NaiveDate| short_weekday_name(*date, Language::En) == weekday;
    let date = days_named(day).find(fits)?;
    let weekday = short_weekday_name(date, Language::Es);
    Some(format!("{weekday}, {}{hour}", format_month_day(date, Language::Es)))
}

/// "Nov 24" of the years of one cycle: each date is there with each weekday.
fn days_named(english: &str) -> impl Iterator<Item = NaiveDate> {
    (2024..2052).filter_map(move |year| NaiveDate::parse_from_str(&format!("{year} {english}"), "%Y %b %d").ok())
}

fn lowercase_first(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn placeholders(template: &str) -> BTreeSet<&str> {
        template.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()).collect()
    }

    #[test]
    fn every_nested_reason_has_own_words_in_both_languages() {
        for (at, code) in NestedReason::list_all().enumerate() {
            let [english, spanish] = [Language::En, Language::Es].map(|language| code.template_in(language));
            assert_eq!(code as usize, at);
            assert!(!spanish.ends_with('.') && english != spanish, "{english}");
            assert!(placeholders(spanish).is_subset(&placeholders(english)), "{english}");
            if !english.contains('{') {
                assert_eq!(translate_reason(english), Some((code, spanish.to_owned())), "{english}");
            }
        }
        for language in [Language::En, Language::Es] {
            let words: BTreeSet<_> = NestedReason::list_all().map(|code| code.template_in(language)).collect();
            assert_eq!(words.len(), TEXTS.len(), "two say the same");
        }
    }

    #[test]
    fn values_and_joined_reasons_are_translated() {
        for (english, code, spanish) in [
            ("They said STOP", NestedReason::Stopped, "envió STOP"),
            (
                "they said STOP, and no email address is known",
                NestedReason::Stopped,
                "envió STOP, y no se conoce ningún correo",
            ),
            (
                "No way to reach them is open: SMS is not set up, and no email address is known",
                NestedReason::NoOpenWay,
                "no hay ninguna vía abierta para contactarle: los mensajes de texto no están configurados, y no se \
                 conoce ningún correo",
            ),
            ("this estimate was approved on May 3", NestedReason::PaperApproved, "se aprobó este presupuesto el 3 may"),
            ("the change order was approved", NestedReason::PaperApproved, "se aprobó la orden de cambio"),
            (
                "it's 7:12 AM in Florida; texts go out 8 AM to 8 PM",
                NestedReason::OutsideTextHours,
                "en Florida la hora es 7:12 AM; los mensajes de texto salen de 8 AM a 8 PM",
            ),
            (
                "it's 7:12 AM in the Eastern time zone, where this number may be; texts go out 8 AM to 9 PM, and after \
                 that it would be of no use",
                NestedReason::UselessLater,
                "en la zona de hora del Este, donde puede estar este número la hora es 7:12 AM; los mensajes de texto \
                 salen de 8 AM a 9 PM, y después ya no serviría",
            ),
            (
                "it is Sunday in Rhode Island; texts of this kind may not go there on Sundays",
                NestedReason::WeekdayClosed,
                "es domingo en Rhode Island; ese día no se permiten allí mensajes de este tipo",
            ),
            (
                "EST-1001 has not left yet: held until Tue, Nov 24 8:00 AM: they got 1 such texts within 24 hours",
                NestedReason::NotLeftYet,
                "EST-1001 todavía no salió: retenido hasta: mar, el 24 nov 8:00 AM (recibió 1 mensajes así en 24 horas)",
            ),
            ("refused it (card_declined)", NestedReason::StripeRefusedIt, "lo rechazó (card_declined)"),
            ("the visit was planned anew", NestedReason::VisitReplanned, "la visita se planificó de nuevo"),
            ("Somebody had them asked now", NestedReason::AskedNow, "alguien hizo que se le pidiera ahora"),
            (
                "it could not be sent in time to be of use (they said STOP)",
                NestedReason::NotInTime,
                "no se pudo enviar a tiempo (envió STOP)",
            ),
            (
                "This is a demonstration: nothing is sent and nothing is changed here.",
                NestedReason::Demonstration,
                "esto es una demostración: aquí no se envía ni se cambia nada",
            ),
        ] {
            assert_eq!(translate_reason(english), Some((code, spanish.to_owned())), "{english}");
        }
    }

    #[test]
    fn words_of_others_are_not_translated() {
        let long = "they said STOP, and ".repeat(200);
        for foreign in
            [long.as_str(), "", "the dog was approved", "mailbox full: try later", "they said STOP, and so on"]
        {
            assert_eq!(translate_reason(foreign), None, "{foreign}");
        }
    }
}
