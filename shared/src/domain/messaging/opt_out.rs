//! Meaning of a customer's text for our right to text them: stop, perhaps stop, start, help, or none of these.
//!
//! There are two answers to an opt-out, because the law knows two. A keyword alone (47 CFR 64.1200(a)(10) names them,
//! Twilio and the carriers act on them too) is `Stop`. Any other text that a reasonable person would read as a wish
//! to be left alone is `Pause`: nothing is sent from that moment, and the owner, who can see the conversation,
//! is asked whether the customer meant it. A needless `Pause` costs the owner one tap, a wrong `Nothing` bothers
//! the customer, and a `Stop` must never be a guess.
//!
//! "Cancel" alone is `Stop`: the rule names it. With courtesies it is `Pause`; with an object of work
//! ("cancel my appointment", "yes, cancel it") it is about the job, and `Nothing`. A wish for another channel or hour
//! ("don't call, text me", "don't text me before 8") is no opt-out either; giving up texts for calls ("don't text me,
//! call") is.
//!
//! Order: spelling (`normalization`), keywords alone (`keyword`) and in longer texts (`keyword_position`), verbs, their
//! objects in English, Spanish and French (`english`, `spanish`, `french`), with what reverses each (`grammar`). Texts
//! that match no rule are weighed by a model learned from the corpus (`classifier`): it pauses above a threshold that
//! depends on what the text names or invites (`refusal_evidence`), and lifts a rule's pause where the text is surely
//! ordinary. The business's own name is read as "you" (`business_name`).

mod business_name;
mod classifier;
mod confusable;
mod english;
mod french;
mod grammar;
mod keyword;
mod keyword_position;
mod normalization;
mod refusal_evidence;
mod refused_numbers;
mod spanish;
pub mod store;

pub(crate) use refused_numbers::list_refused_numbers;
pub use store::{OptOutRecord, OptOutState, find_opt_out, record_opt_out};

use serde::Serialize;
use utoipa::ToSchema;

/// What a text asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextIntent {
    /// A keyword and nothing else: an opt-out beyond doubt.
    Stop,
    /// Words that a reasonable person reads as an opt-out: it holds at once, and the owner confirms or lifts it.
    Pause,
    /// START, UNSTOP or YES alone.
    Start,
    /// HELP, INFO or AYUDA alone.
    Help,
    /// Nothing about our right to text.
    Nothing,
}

/// A reading and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TextClassification {
    pub intent: TextIntent,
    /// The rule and the customer's words it was found in, for "why was this number paused?".
    pub matched: Option<String>,
}

impl TextClassification {
    fn matched_by(intent: TextIntent, rule: &str, words: &str) -> Self {
        Self { intent, matched: Some(format!("{rule}: {}", words.trim())) }
    }
}

/// Compiles the patterns, which otherwise happens at the first text and takes a few tenths of a second. A program that
/// answers customers does not do it at its start: the patterns take ten megabytes.
#[cfg(test)]
fn prepare() {
    grammar::prepare();
    classifier::prepare();
}

#[must_use]
pub fn classify_text(body: &str) -> TextClassification {
    classify_text_for_business(body, "")
}

/// `business` is the name of the addressee: "stop Acme Plumbing" is about its texts.
#[must_use]
pub fn classify_text_for_business(body: &str, business: &str) -> TextClassification {
    let nothing = TextClassification { intent: TextIntent::Nothing, matched: None };
    if is_reaction(body) {
        return nothing;
    }
    let sentences = keyword::strip_courtesies(normalization::split_sentences(body));
    let plain = classify_sentences(&sentences);
    if plain.as_ref().is_some_and(|read| read.intent != TextIntent::Pause) {
        return plain.unwrap_or(nothing);
    }
    let named = business_name::classify_without_business_name(&sentences, business);
    match named {
        Some(read) if plain.is_none() || read.intent == TextIntent::Stop => read,
        _ => plain.unwrap_or(nothing),
    }
}

fn classify_sentences(sentences: &[normalization::Sentence]) -> Option<TextClassification> {
    keyword::classify_lone_keyword(sentences)
        .or_else(|| {
            classify_by_rule(sentences)
                .filter(|read| is_certain_refusal(read) || !classifier::is_confidently_ordinary(sentences))
        })
        .or_else(|| classifier::classify_refusal(sentences))
}

fn is_certain_refusal(read: &TextClassification) -> bool {
    read.intent != TextIntent::Pause
}

fn classify_by_rule(sentences: &[normalization::Sentence]) -> Option<TextClassification> {
    keyword::find_keyword_sentence(sentences)
        .or_else(|| grammar::find_refusal(sentences))
        .or_else(|| keyword_position::match_keyword_with_code(sentences))
        .or_else(|| keyword_position::match_misspelled_before_texts(sentences))
        .or_else(|| keyword_position::match_leading_keyword(sentences))
}

/// A reaction to one of our texts arrives as a text that quotes it, with "Reply STOP to opt out" inside.
fn is_reaction(body: &str) -> bool {
    const VERBS: [&str; 17] = [
        "Liked",
        "Loved",
        "Disliked",
        "Laughed at",
        "Emphasized",
        "Questioned",
        "Reacted",
        "Removed a",
        "Removed an",
        "Le gustó",
        "Le encantó",
        "Me gusta",
        "Me encanta",
        "Le gusta",
        "Le encanta",
        "Marcó con",
        "Reaccionó",
    ];
    let body = body.trim_start_matches(|c: char| !c.is_alphabetic());
    VERBS.iter().any(|verb| body.starts_with(verb)) && body.contains(['\u{201c}', '"', '\u{ab}'])
}

#[cfg(test)]
mod tests;
