//! Texts that deny the request that we wrote about: "Who is this?", "I never filled out a form".

/// In lower case without apostrophes, whole words. English and Spanish.
const PHRASES: [&str; 34] = [
    "who is this",
    "whos this",
    "who dis",
    "who are you",
    "what is this",
    "whats this",
    "wrong number",
    "wrong person",
    "not me",
    "wasnt me",
    "didnt ask",
    "did not ask",
    "never asked",
    "didnt request",
    "did not request",
    "never requested",
    "didnt fill",
    "did not fill",
    "never filled",
    "didnt submit",
    "did not submit",
    "never submitted",
    "didnt contact",
    "did not contact",
    "never contacted",
    "didnt sign",
    "did not sign",
    "never signed",
    "how did you get",
    "dont know you",
    "quien es",
    "yo no pedi",
    "no pedi",
    "numero equivocado",
];

/// Whether the sender says that the request was not theirs, or asks who we are.
pub(super) fn denies_request(text: &str) -> bool {
    let plain = text.to_lowercase().replace(['\'', '\u{2019}'], "");
    let plain = plain.replace('\u{e9}', "e").replace('\u{ed}', "i").replace('\u{fa}', "u");
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let said = format!(" {} ", words.join(" "));
    PHRASES.iter().any(|phrase| said.contains(&format!(" {phrase} ")))
}

#[cfg(test)]
mod tests {
    use super::denies_request;

    #[test]
    fn denial_is_recognized_and_ordinary_answer_is_not() {
        for text in
            ["Who is this?", "I didn\u{2019}t request anything", "never filled out a form", "\u{bf}Qui\u{e9}n es?"]
        {
            assert!(denies_request(text), "{text}");
        }
        for text in ["Yes please", "Tomorrow at 9 works", "It drips", "Can you tell me who is coming?", ""] {
            assert!(!denies_request(text), "{text}");
        }
    }
}
