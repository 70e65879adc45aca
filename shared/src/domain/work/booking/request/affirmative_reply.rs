//! Whether an answer to the question accepts the time.

/// Words that accept a time: short answers in both languages, as texted.
const YES: &str = "yes y yeah yea yep yup ok okay k kk sure confirm confirmed confirming 1 please perfect great good fine works \
    absolutely definitely correct right deal see si s\u{ed} claro dale bueno perfecto confirmo confirmado confirmar vale listo acuerdo";
/// Words that refuse, cancel or move a time, with anything else in the answer.
const NO: &str = "no not nope nah never dont don't didnt didn't wasnt wasn't cant can't wont won't wrong incorrect who what stop \
    cancel different instead unsubscribe already hired else found later another sorry but reschedule change move nevermind quit \
    cancela cancelar quien qui\u{e9}n equivocado otro otra ya";
/// Thumbs up, check marks, folded hands.
const SIGNS: [char; 5] = ['\u{1f44d}', '\u{2705}', '\u{2714}', '\u{1f44c}', '\u{1f64f}'];

/// Whether an answer accepts the time: it affirms, asks nothing and refuses nothing. Any other answer stays with the
/// office; the link still works. `automation::thanks` differs: it permits only words of its list, and there a person
/// reads "yes".
pub(crate) fn is_affirmative(text: &str) -> bool {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let affirms = lower.contains(SIGNS) || contains_any_word(&words, YES);
    affirms && !lower.contains(['?', '\u{bf}']) && !contains_any_word(&words, NO)
}

fn contains_any_word(words: &[&str], list: &str) -> bool {
    list.split_whitespace().any(|listed| words.contains(&listed))
}

#[cfg(test)]
mod tests {
    use super::is_affirmative;

    #[test]
    fn reply_counts_as_yes_only_without_refusal_or_question() {
        for yes in ["YES", "yes please", "Ok", "1", "\u{1f44d}", "See you Friday", "sí", "Si gracias"] {
            assert!(is_affirmative(yes), "{yes}");
        }
        for no in [
            "No",
            "wrong number",
            "Who is this",
            "who?",
            "I didn’t ask for this",
            "Can it be later?",
            "cancel",
            " ",
            "Already hired somebody",
            "We found someone else",
            "You have the incorrect number",
            "I am at work",
            "ok but another day please",
            "Yes, but later",
            "ya no, gracias",
            "Hello",
        ] {
            assert!(!is_affirmative(no), "{no}");
        }
    }
}
