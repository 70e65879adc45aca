//! Replacement of a promised response time, so that the text and the email of one request state the same time.

use chrono::Duration;

use super::{capitalize_first, find_our_times, time::TimeLength, tokenize_start, tokens::MessageToken};

const HOUR: i64 = 60;
/// Words that begin a time; without one it is a bare length: "response time: 2 hours".
const BEGINS: &str = "within in inside under less later more at maximum no en dentro antes tardar menos máximo";
/// Words that follow a time used as a name: "a 2-hour turnaround".
const NAMES: &str = "turnaround response reply callback answer";
const SPANISH: &str = "en dentro antes tardar menos máximo minuto minutos hora horas día días dia dias semana semanas";

/// Replaces promises of the time `own` by `within`. Other times stay, such as that of the quote after the answer.
#[must_use]
pub fn replace_promised_time(text: &str, own: Duration, within: Duration) -> String {
    let tokens = tokenize_start(text);
    let mut times = find_our_times(&tokens);
    times.retain(|found| found.length == TimeLength::Minutes(own.num_minutes()));
    times.sort_by_key(|found| found.from);
    let mut replaced = text.to_owned();
    // Back to front, so that earlier offsets stay valid.
    for found in times.iter().rev() {
        let range = tokens[found.from].from..tokens[found.to - 1].to;
        let begins_sentence = text[range.clone()].starts_with(char::is_uppercase);
        let words = replacement_words(text, &tokens[found.from..found.to], within.num_minutes());
        replaced.replace_range(range, &if begins_sentence { capitalize_first(&words) } else { words });
    }
    replaced
}

fn replacement_words(text: &str, time: &[MessageToken], minutes: i64) -> String {
    let is_spanish = time.iter().any(|token| token.is_one_of(SPANISH));
    let (n, unit) = if minutes % HOUR == 0 { (minutes / HOUR, "hour") } else { (minutes, "minute") };
    let plural = if n == 1 { "" } else { "s" };
    let length = match (is_spanish, unit) {
        (true, "hour") => format!("{n} hora{plural}"),
        (true, _) => format!("{n} minuto{plural}"),
        (false, unit) => format!("{n} {unit}{plural}"),
    };
    let name = time.iter().position(|token| token.is_one_of(NAMES));
    match (name, time) {
        (Some(name), [.., last]) => format!("{n}-{unit} {}", &text[time[name].from..last.to]),
        (None, [first, ..]) if !first.is_one_of(BEGINS) => length,
        _ if is_spanish => format!("en {length}"),
        _ => format!("within {length}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response_time::find_promised_time;

    fn replaced_text(text: &str, minutes: i64) -> String {
        let own = find_promised_time(text).unwrap_or_else(|| panic!("{text} promises nothing"));
        replace_promised_time(text, own.within, Duration::minutes(minutes))
    }

    #[test]
    fn shortest_promised_time_is_replaced() {
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
            assert_eq!(replaced_text(text, minutes), wanted);
        }
    }

    #[test]
    fn later_promise_and_opening_hours_are_kept() {
        let text = "We are open 24 hours. We reply within 2 hours, and your quote follows within 24 hours.";
        let wanted = "We are open 24 hours. We reply within 1 hour, and your quote follows within 24 hours.";
        assert_eq!(replaced_text(text, 60), wanted);
    }

    #[test]
    fn replaced_time_is_parsed_back_as_same_duration() {
        for text in ["We reply within 3 hours.", "We call back in 45 minutes.", "Le llamamos en 3 horas."] {
            for minutes in [1, 30, 60, 90, 1_440, 2_880] {
                let named = replaced_text(text, minutes);
                assert_eq!(find_promised_time(&named).unwrap().within, Duration::minutes(minutes), "{named}");
            }
        }
    }
}
