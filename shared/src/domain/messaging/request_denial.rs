//! Whether a text denies the request that was made in its sender's name, or asks who writes to them.

/// In small letters, without apostrophes and accents.
const DENIALS: &[&str] = &[
    "not me",
    "wasnt me",
    "isnt me",
    "not mine",
    "wasnt mine",
    "isnt mine",
    "never asked",
    "never requested",
    "never contacted",
    "never called you",
    "never wrote",
    "never texted",
    "never filled",
    "never signed",
    "never submitted",
    "never sent",
    "never used your",
    "never heard of you",
    "didnt ask",
    "did not ask",
    "didnt request",
    "did not request",
    "didnt contact",
    "did not contact",
    "didnt fill",
    "did not fill",
    "didnt submit",
    "did not submit",
    "didnt sign",
    "did not sign",
    "didnt send",
    "did not send",
    "didnt do this",
    "did not do this",
    "havent asked",
    "have not asked",
    "havent requested",
    "have not requested",
    "havent contacted",
    "have not contacted",
    "dont know you",
    "do not know you",
    "wrong number",
    "wrong person",
    "wrong phone",
    "incorrect number",
    "incorrect phone",
    "this is a mistake",
    "used my number",
    "used my phone",
    "using my number",
    "gave my number",
    "a scam",
    "is scam",
    "scammer",
    "scammers",
    "is spam",
    "phishing",
    "fraud",
    "no fui yo",
    "yo no fui",
    "no soy yo",
    "no soy esa persona",
    "yo no pedi",
    "no pedi",
    "nunca pedi",
    "no lo pedi",
    "no solicite",
    "nunca solicite",
    "no he pedido",
    "no he solicitado",
    "numero equivocado",
    "persona equivocada",
    "esta equivocado",
    "se equivoco",
    "uso mi numero",
    "una estafa",
    "es estafa",
    "no los conozco",
    "no lo conozco",
];
const QUESTIONS: &[&str] = &[
    "who is this",
    "whos this",
    "who this",
    "who dis",
    "who are you",
    "who r u",
    "who is texting",
    "whos texting",
    "who is writing",
    "who am i texting",
    "who am i talking",
    "who gave you",
    "how did you get my",
    "where did you get my",
    "do i know you",
    "what is this about",
    "whats this about",
    "what company is this",
    "which company is this",
    "quien es usted",
    "quien eres",
    "quien es este",
    "quienes son",
    "quien habla",
    "quien me escribe",
    "quien le dio mi",
    "quien les dio mi",
    "como consiguieron mi",
    "de donde sacaron mi",
    "los conozco",
    "que empresa es",
];
/// What else a plain denial or question may have, in the form of [`normalize_words`].
const BESIDE_DENIAL: &str = "this that thats it its is was i im me my you u your the a an to of for from and so no not nope yes ok \
    hi hello hey sorry please thanks thank think believe guess must have has got anything nothing any ever at all somebody someone \
    else new phone number text texts message messages request visit booking form website hola si lo siento perdon disculpe yo eso \
    esto esta este es fue de mi el la un una nada nadie usted tiene tienen creo que gracias por favor mensaje numero solicitud alguien";
/// As the whole text.
const WHOLE_DENIALS: &[&str] =
    &["no i did not", "no i didnt", "i did not", "i didnt", "scam", "spam", "mistake", "equivocado"];
const WHOLE_QUESTIONS: &[&str] = &["who", "quien", "quien es"];

/// Whether its sender says that the request is not theirs.
pub(crate) fn is_request_denied(text: &str) -> bool {
    matches_phrase(text, DENIALS, WHOLE_DENIALS)
}

/// Whether its sender asks who we are, or why we write.
pub(crate) fn is_asking_for_sender(text: &str) -> bool {
    matches_phrase(text, QUESTIONS, WHOLE_QUESTIONS)
}

/// Whether a text denies the request and says nothing else that needs an answer.
pub(crate) fn is_plain_denial(text: &str) -> bool {
    is_request_denied(text) && !is_asking_for_sender(text) && has_no_other_matter(text)
}

/// Whether a text only denies the request or asks who we are.
pub(crate) fn is_denial_or_question_only(text: &str) -> bool {
    (is_request_denied(text) || is_asking_for_sender(text)) && has_no_other_matter(text)
}

fn has_no_other_matter(text: &str) -> bool {
    let plain = normalize_words(text);
    if WHOLE_DENIALS.contains(&plain.as_str()) || WHOLE_QUESTIONS.contains(&plain.as_str()) {
        return true;
    }
    let mut rest = format!(" {plain} ");
    for phrase in DENIALS.iter().chain(QUESTIONS) {
        rest = rest.replace(&format!(" {phrase} "), " ");
    }
    rest.split_whitespace().all(|word| BESIDE_DENIAL.split_whitespace().any(|listed| listed == word))
}

fn matches_phrase(text: &str, phrases: &[&str], whole: &[&str]) -> bool {
    let plain = normalize_words(text);
    let padded = format!(" {plain} ");
    whole.contains(&plain.as_str()) || phrases.iter().any(|phrase| padded.contains(&format!(" {phrase} ")))
}

fn normalize_words(text: &str) -> String {
    let lower = text.to_lowercase().replace(['\'', '\u{2019}', '\u{2018}'], "");
    let plain: String = lower.chars().map(without_accent).collect();
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn without_accent(c: char) -> char {
    match c {
        '\u{e1}' => 'a',
        '\u{e9}' => 'e',
        '\u{ed}' => 'i',
        '\u{f3}' => 'o',
        '\u{fa}' => 'u',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_asking_for_sender, is_denial_or_question_only, is_plain_denial, is_request_denied};

    #[test]
    fn plain_denial_has_no_other_matter() {
        for denial in [
            "This was not me",
            "That was not me, I never asked you for anything",
            "Sorry, I think you have the wrong number",
            "No, I did not",
            "No fui yo, gracias",
        ] {
            assert!(is_plain_denial(denial) && is_denial_or_question_only(denial), "{denial}");
        }
        for question in ["Who are you?", "new phone who dis", "Who is this? It was not me"] {
            assert!(!is_plain_denial(question) && is_denial_or_question_only(question), "{question}");
        }
        for other in [
            "It was not me, but my sink leaks too",
            "Wrong number, please call 512 555 0199",
            "I didn't ask for this, cancel the roof estimate",
            "Who is this? Can you come on Monday?",
            "Yes please",
        ] {
            assert!(!is_plain_denial(other) && !is_denial_or_question_only(other), "{other}");
        }
    }

    #[test]
    fn request_is_denied_in_usual_words() {
        for denial in [
            "That was not me, I never asked you for anything",
            "Wrong number",
            "Yes wrong number",
            "It wasn\u{2019}t me",
            "I didn't request this",
            "No, I did not",
            "Who is this? I never filled out a form",
            "Somebody used my number",
            "This is a scam!",
            "No fui yo",
            "Yo no ped\u{ed} nada",
            "N\u{fa}mero equivocado",
        ] {
            assert!(is_request_denied(denial), "{denial}");
        }
        for other in [
            "Yes please",
            "Yes, it was me",
            "Never mind the old one, it is the kitchen sink",
            "It does not drain",
            "Not tomorrow, Friday",
            "I did not see the plumber yet",
            "I could not find it, maybe it went to my spam folder",
            "Gracias, los espero",
            "",
        ] {
            assert!(!is_request_denied(other), "{other}");
        }
    }

    #[test]
    fn question_for_the_sender_differs_from_other_questions() {
        for asks in [
            "Who is this?",
            "who?",
            "Who are you",
            "new phone who dis",
            "How did you get my number?",
            "\u{bf}Qui\u{e9}n es?",
        ] {
            assert!(is_asking_for_sender(asks), "{asks}");
        }
        for other in
            ["When can you come?", "Who is the plumber that comes tomorrow?", "Yes", "\u{bf}Cu\u{e1}nto cuesta?"]
        {
            assert!(!is_asking_for_sender(other), "{other}");
        }
    }
}
