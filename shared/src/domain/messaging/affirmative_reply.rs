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
    affirms && !lower.contains(['?', '\u{bf}']) && !contains_any_word(&words, NO) && !is_mocking(&words)
}

/// First words of a text that says yes to a request.
const FIRST_YES: &str = "yes y yeah yea yep yup ok okay k kk sure confirm confirmed perfect great absolutely definitely correct \
    si s\u{ed} claro dale perfecto confirmo confirmado vale acuerdo";
/// What else a plain yes may have: courtesy, confirmation, and when to come.
const BESIDE_YES: &str = "please pls plz thanks thank thankyou thx ty you u so much very that that's thats this it it's its was is \
    i i'm im me my request did do asked requested right good works fine sounds awesome excellent wonderful appreciated go ahead come \
    by book booked schedule we we'll i'll will be home here see today tonight tomorrow next week morning afternoon evening noon on in \
    at around the and a am p pm m o'clock oclock monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur \
    thurs fri sat sun sir ma'am have nice day por favor gracias muchas mil muy amable est\u{e1} esta bien bueno de que fui yo soy lo \
    ped\u{ed} pedi as\u{ed} asi es correcto confirmada adelante venga vengan nos vemos el la las los ma\u{f1}ana manana tarde noche \
    hoy mediod\u{ed}a mediodia lunes martes mi\u{e9}rcoles miercoles jueves viernes s\u{e1}bado sabado domingo";
/// A number after one of these is a time of day.
const BEFORE_TIME: &str = "at around by las";
const AFTER_TIME: &str = "am pm a p o'clock oclock";
/// Skin tones, the emoji selector, hearts and smiles.
const KIND_SIGNS: &str =
    "\u{1f3fb}\u{1f3fc}\u{1f3fd}\u{1f3fe}\u{1f3ff}\u{fe0f}\u{2764}\u{1f60a}\u{1f642}\u{1f600}\u{1f601}\u{1f604}";
const MOST_WORDS: usize = 10;
/// What a bare yes may have beside words of yes.
const COURTESY: &str = "please pls plz thanks thank thankyou thx ty you por favor muchas gracias";
/// After "right" these make it a time or a place.
const AFTER_RIGHT: &str = "after before at around about away now on in by here there next side door hand front back outside behind \
    up down between when as";

/// Whether a text says yes to a request and nothing else: a word of yes first, then only listed words and times of day.
/// Stricter than [`is_affirmative`], because it makes the form's tick, email and name count: a text that goes on ("Yes
/// this is a scam") may be to somebody else, and an automatic reply of a phone has words of agreement in other places.
pub(crate) fn is_plain_yes(text: &str) -> bool {
    let lower = text.trim().to_lowercase().replace('\u{2019}', "'");
    if !lower.chars().all(is_plain_character) {
        return false;
    }
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | ':')))
        .map(|word| word.trim_matches(['\'', ':']))
        .filter(|word| !word.is_empty())
        .collect();
    let begins = lower.starts_with(SIGNS) || words.first().is_some_and(|first| is_listed(FIRST_YES, first));
    let is_plain = |(n, word): (usize, &&str)| {
        is_listed(FIRST_YES, word) || is_listed(BESIDE_YES, word) || is_time_of_day(&words, n)
    };
    begins && words.len() <= MOST_WORDS && words.iter().enumerate().all(is_plain) && !is_mocking(&words)
}

/// Whether a text is the word of yes that a question asks for, with courtesy at most.
pub(crate) fn is_bare_yes(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_bare = |word: &str| word == "1" || is_listed(FIRST_YES, word) || is_listed(COURTESY, word);
    (lower == "1" || is_plain_yes(text)) && words.all(is_bare)
}

/// "Yeah right".
fn is_mocking(words: &[&str]) -> bool {
    (1..words.len()).any(|n| {
        words[n] == "right"
            && is_listed(FIRST_YES, words[n - 1])
            && !words.get(n + 1).is_some_and(|next| is_listed(AFTER_RIGHT, next))
    })
}

/// Neither a question, an address, a link nor a sign that may mean something else.
fn is_plain_character(c: char) -> bool {
    c.is_alphanumeric()
        || c.is_whitespace()
        || SIGNS.contains(&c)
        || KIND_SIGNS.contains(c)
        || matches!(c, '.' | ',' | ';' | ':' | '!' | '\u{a1}' | '\'' | '-' | '\u{2013}' | '\u{2014}' | '(' | ')')
}

fn is_time_of_day(words: &[&str], n: usize) -> bool {
    let Some(word) = words.get(n) else { return false };
    let bare = word.trim_end_matches(['a', 'p', 'm']);
    let is_marked = bare.len() < word.len()
        || bare.contains(':')
        || words.get(n + 1).is_some_and(|next| is_listed(AFTER_TIME, next))
        || n.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|before| is_listed(BEFORE_TIME, before));
    let (hour, minute) = bare.split_once(':').unwrap_or((bare, "00"));
    let is_below = |part: &str, limit: u32| part.len() <= 2 && part.parse::<u32>().is_ok_and(|number| number < limit);
    is_marked && is_below(hour, 25) && is_below(minute, 60)
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

fn contains_any_word(words: &[&str], list: &str) -> bool {
    list.split_whitespace().any(|listed| words.contains(&listed))
}

#[cfg(test)]
mod tests {
    use super::{is_affirmative, is_bare_yes, is_plain_yes};

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
    fn bare_yes_names_no_time_and_mockery_is_no_yes() {
        for bare in ["YES", "Yes please", "1", "Ok, thank you!", "S\u{ed}, gracias", "\u{1f44d}"] {
            assert!(is_bare_yes(bare) && is_affirmative(bare), "{bare}");
        }
        for more in ["Yes Tuesday at 9 is good", "Yes, see you then", "See you Friday", "No", "please", ""] {
            assert!(!is_bare_yes(more), "{more}");
        }
        for mocking in ["Yeah right", "yeah, right!", "Ok right", "Yeah right, sure"] {
            assert!(!is_plain_yes(mocking) && !is_affirmative(mocking) && !is_bare_yes(mocking), "{mocking}");
        }
        for yes in ["Yes that's right", "Right, see you", "Yes, right after lunch is fine"] {
            assert!(is_affirmative(yes), "{yes}");
        }
    }

    #[test]
    fn plain_yes_has_only_courtesy_confirmation_and_time_beside_it() {
        for yes in [
            "YES",
            "Y",
            "Yes please",
            "Yes, tomorrow morning works",
            "ok thanks",
            "\u{1f44d}",
            "\u{1f44d}\u{1f3fc} Thank you!",
            "S\u{ed} gracias",
            "S\u{ed}, por favor. Ma\u{f1}ana por la tarde",
            "Claro que s\u{ed}, muchas gracias",
            "Yes that\u{2019}s me, thank you so much",
            "Correct, it was me",
            "Yes I did",
            "Sure, go ahead and book it",
            "Yes, come at 2:30 pm",
            "Perfect, see you Friday at 9",
            "Yes we will be home tomorrow",
        ] {
            assert!(is_plain_yes(yes), "{yes}");
        }
        for no in [
            "Yes this is a scam",
            "Yes Bob, see you at dinner",
            "ok lol",
            "Yes I have a question",
            "Yes we spoke yesterday, send it to my email maria@good.example",
            "Yes maria@good.example",
            "Yes wrong number",
            "Yes?",
            "Yes, see acme.example/yes",
            "Sure. Gate code 4711",
            "Yes 4711",
            "Yes 512",
            "Yes it is leaking badly",
            "Ok but I never asked for this",
            "Yes, but not tomorrow",
            "Ok \u{1f602}",
            "Yes \u{1f44e}",
            "See you Friday",
            "yes yes yes yes yes yes yes yes yes yes yes",
        ] {
            assert!(!is_plain_yes(no), "{no}");
        }
    }

    #[test]
    fn automatic_reply_reaction_and_denial_are_no_plain_yes() {
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
            assert!(!is_plain_yes(no), "{no}");
        }
    }
}
