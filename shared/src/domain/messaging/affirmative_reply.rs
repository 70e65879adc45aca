//! Whether a text says yes: to a time that is held, and to a request that was made in its sender's name.

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

/// First words of a text that says yes to whatever it answers.
const FIRST_YES: &str = "yes y yeah yea yep yup ok okay k kk sure confirm confirmed please perfect great absolutely definitely correct \
    si s\u{ed} claro dale perfecto confirmo confirmado vale acuerdo";

/// Whether an answer affirms with its first word. Stricter than [`is_affirmative`]: an automatic reply of a phone ("I'll
/// see your message later") and a reaction that is sent as text ("Liked ...") have words of agreement in other places.
pub(crate) fn starts_with_yes(text: &str) -> bool {
    let lower = text.trim_start_matches(|c: char| !c.is_alphanumeric() && !SIGNS.contains(&c)).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let begins = lower.starts_with(SIGNS) || FIRST_YES.split_whitespace().any(|listed| listed == first);
    begins && is_affirmative(text)
}

fn contains_any_word(words: &[&str], list: &str) -> bool {
    list.split_whitespace().any(|listed| words.contains(&listed))
}

#[cfg(test)]
mod tests {
    use super::{is_affirmative, starts_with_yes};

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

    #[test]
    fn assent_is_in_the_first_word_and_never_in_an_automatic_reply_or_a_denial() {
        for yes in
            ["YES", "Yes, tomorrow morning works", "ok thanks", "\u{1f44d}", "S\u{ed} gracias", "Sure. Gate code 4711"]
        {
            assert!(starts_with_yes(yes), "{yes}");
        }
        for no in [
            "I'm driving with Focus turned on. I'll see your message when I get where I'm going.",
            "[Auto-reply] I can't talk right now, please text me later",
            "Disliked \u{201c}Acme Plumbing got your request\u{201d}",
            "Liked \u{201c}Acme Plumbing got your request\u{201d}",
            "?",
            "No, I did not.",
            "This is a mistake",
            "I haven't requested anything",
            "Somebody used my number, I need no roof",
            "Is this a scam?",
            "No fui yo",
            "\u{bf}Qui\u{e9}n eres?",
            "Ce n'est pas moi",
            "Who is this?",
            "Yes?",
            "Ok but I never asked for this",
            "",
        ] {
            assert!(!starts_with_yes(no), "{no}");
        }
    }
}
