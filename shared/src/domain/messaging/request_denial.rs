//! Whether a text denies the request that was made in its sender's name, or asks who writes to them.

mod doubt;
mod typed_name;

pub(crate) use doubt::is_doubtful_after_yes;
pub(crate) use typed_name::{is_name_denied, may_deny_name};

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
    "never ordered",
    "didnt order anything",
    "did not order anything",
    "please lose my number",
    "no such person",
    "nobody by that name",
    "no one by that name",
    "no one here asked",
    "no one here called",
    "no one here needs",
    "no one here ordered",
    "no one here requested",
    "no one here sent",
    "no one here wants",
    "no one here named",
    "nobody here asked",
    "nobody here called",
    "nobody here needs",
    "nobody here ordered",
    "nobody here requested",
    "nobody here sent",
    "nobody here wants",
    "nobody here named",
    "aqui nadie pidio",
    "aqui nadie llamo",
    "aqui nadie solicito",
    "aqui nadie necesita",
    "aqui nadie quiere",
    "aqui nadie se llama",
    "nadie aqui pidio",
    "nadie de aqui pidio",
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
    "what request",
    "which request",
    "no idea what this is",
    "no idea what you are talking",
    "no idea what youre talking",
    "no idea who this is",
    "no idea who you are",
    "no clue what this is",
    "no clue who this is",
    "no clue who you are",
    "dont know what this is",
    "dont know what you are talking",
    "dont know what youre talking",
    "dont know who this is",
    "dont know who you are",
    "why are you texting me",
    "why are you messaging me",
    "why am i getting these",
    "why am i getting this",
    "why am i getting texts",
    "what are you talking about",
    "what is this about",
    "whats this about",
    "what company is this",
    "which company is this",
    "que solicitud",
    "cual solicitud",
    "no se que es esto",
    "no se de que me habla",
    "no tengo idea de que",
    "no se quien es",
    "por que me escribe",
    "por que me escriben",
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
const WHOLE_DENIALS: &[&str] = &[
    "no i did not",
    "no i didnt",
    "i did not",
    "i didnt",
    "scam",
    "spam",
    "mistake",
    "equivocado",
    "lose my number",
    "never heard of this",
];
const WHOLE_QUESTIONS: &[&str] = &["who", "what is this", "whats this", "quien", "quien es", "que es esto"];

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
            "No one here needs painting",
            "Nobody here asked for that",
            "Lose my number",
            "Aqu\u{ed} nadie pidi\u{f3} eso",
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
            "No one here until 5",
            "There is nobody here to open",
            "A las 9 aqu\u{ed} nadie est\u{e1}, mejor a las 3",
            "Please don't lose my number",
            "It hums, never heard of this before",
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
            "What request?",
            "What is this?",
            "I have no idea what this is",
            "Why are you texting me",
            "\u{bf}Qu\u{e9} es esto?",
        ] {
            assert!(is_asking_for_sender(asks), "{asks}");
        }
        for other in [
            "When can you come?",
            "Who is the plumber that comes tomorrow?",
            "What is this going to cost?",
            "I have no idea what you charge for that",
            "No idea who installed it",
            "I don't know who you sent last time, he was great",
            "Yes",
            "\u{bf}Cu\u{e1}nto cuesta?",
        ] {
            assert!(!is_asking_for_sender(other), "{other}");
        }
    }
}
