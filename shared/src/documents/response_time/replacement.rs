//! The same words with another time for the answer, so that the text and the email of one request name one.

use chrono::Duration;

use super::{beginning, capital, ours, time::Length, tokens::Token};

const HOUR: i64 = 60;
/// Begins a time: without one it is a bare length, as in "response time: 2 hours".
const BEGINS: &str = "within in inside under less later more at maximum no en dentro antes tardar menos máximo";
/// Ends the name of a time: "a 2-hour turnaround".
const NAMES: &str = "turnaround response reply callback answer";
const SPANISH: &str = "en dentro antes tardar menos máximo minuto minutos hora horas día días dia dias semana semanas";

/// `text` with the time `within` wherever it promises an answer within the time `own`. Other times stand, as that of the
/// quote which follows the answer.
#[must_use]
pub fn promising(text: &str, own: Duration, within: Duration) -> String {
    let tokens = beginning(text);
    let mut times = ours(&tokens);
    times.retain(|found| found.length == Length::Minutes(own.num_minutes()));
    times.sort_by_key(|found| found.from);
    let mut said = text.to_owned();
    // From the end on, so that what stands before stays where it is.
    for found in times.iter().rev() {
        let range = tokens[found.from].from..tokens[found.to - 1].to;
        let begins_sentence = text[range.clone()].starts_with(char::is_uppercase);
        let words = instead(text, &tokens[found.from..found.to], within.num_minutes());
        said.replace_range(range, &if begins_sentence { capital(&words) } else { words });
    }
    said
}

fn instead(text: &str, time: &[Token], minutes: i64) -> String {
    let is_spanish = time.iter().any(|token| token.is(SPANISH));
    let (n, unit) = if minutes % HOUR == 0 { (minutes / HOUR, "hour") } else { (minutes, "minute") };
    let plural = if n == 1 { "" } else { "s" };
    let length = match (is_spanish, unit) {
        (true, "hour") => format!("{n} hora{plural}"),
        (true, _) => format!("{n} minuto{plural}"),
        (false, unit) => format!("{n} {unit}{plural}"),
    };
    let name = time.iter().position(|token| token.is(NAMES));
    match (name, time) {
        (Some(name), [.., last]) => format!("{n}-{unit} {}", &text[time[name].from..last.to]),
        (None, [first, ..]) if !first.is(BEGINS) => length,
        _ if is_spanish => format!("en {length}"),
        _ => format!("within {length}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::response_time::read;

    fn said(text: &str, minutes: i64) -> String {
        let own = read(text).unwrap_or_else(|| panic!("{text} promises nothing"));
        promising(text, own.within, Duration::minutes(minutes))
    }

    #[test]
    fn the_shortest_time_is_named_as_another() {
        for (text, minutes, wanted) in [
            ("We will get back to you within 2 hours.", 60, "We will get back to you within 1 hour."),
            ("We reply within 1 hour.", 120, "We reply within 2 hours."),
            ("Within 24 hours we call you back.", 90, "Within 90 minutes we call you back."),
            ("You hear from us in the next two hours!", 30, "You hear from us within 30 minutes!"),
            ("Fast response: 24-hour turnaround", 60, "Fast response: 1-hour turnaround"),
            ("Our response time: 2 hours", 60, "Our response time: 1 hour"),
            ("Le responderemos en menos de 2 horas.", 60, "Le responderemos en 1 hora."),
            ("Le contestamos en media hora.", 120, "Le contestamos en 2 horas."),
        ] {
            assert_eq!(said(text, minutes), wanted);
        }
    }

    #[test]
    fn a_later_time_and_other_hours_stand() {
        let text = "We are open 24 hours. We reply within 2 hours, and your quote follows within 24 hours.";
        let wanted = "We are open 24 hours. We reply within 1 hour, and your quote follows within 24 hours.";
        assert_eq!(said(text, 60), wanted);
    }

    #[test]
    fn what_is_named_is_read_as_that_time() {
        for text in ["We reply within 3 hours.", "We call back in 45 minutes.", "Le llamamos en 3 horas."] {
            for minutes in [1, 30, 60, 90, 1_440, 2_880] {
                let named = said(text, minutes);
                assert_eq!(read(&named).unwrap().within, Duration::minutes(minutes), "{named}");
            }
        }
    }
}
