//! What a customer's text means for our right to text: stop, perhaps stop, start, help, or nothing of the kind.
//!
//! Two answers to an opt-out, because the law knows two. A keyword alone (47 CFR 64.1200(a)(10) names them, Twilio and
//! the carriers act on them too) is `Stop`. Anything else that a reasonable person would read as a wish to be left
//! alone is `Pause`: nothing is sent from that moment, and the owner, who can see the conversation, is asked whether the
//! customer meant it. So a `Pause` too many costs the owner one tap, a `Nothing` too many costs the customer's peace,
//! and a `Stop` must never be a guess.
//!
//! "Cancel" alone is `Stop`: the rule names it. With courtesies it is `Pause`, and with an object of work ("cancel my
//! appointment", "yes, cancel it") it is a wish about the job and nothing to this module. A wish for another way or
//! another hour ("don't call, text me", "don't text me before 8") is not an opt-out either; giving up texts for
//! calls ("don't text me, call") is.
//!
//! The words are taken to one spelling first (`normal`), keywords are looked for alone (`keyword`) and beside others
//! (`placed`), and then verbs and their objects in English, Spanish and French (`english`, `spanish`, `french`), with
//! what turns each into its opposite (`grammar`). What no rule knows is weighed by what the corpus teaches (`learned`):
//! it pauses where the wording is sure enough, which depends on what the text names or invites (`weighed`), and lifts the
//! pause of a rule where it is surely ordinary. The business's own name is read as "you" (`named`).

mod confusable;
mod english;
mod french;
mod grammar;
mod keyword;
mod learned;
mod named;
mod normal;
mod placed;
mod spanish;
pub mod store;
mod weighed;

use serde::Serialize;
use utoipa::ToSchema;

/// What a text asks of us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
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
pub struct Read {
    pub reading: Reading,
    /// The rule and the customer's words it was found in, for "why was this number paused?".
    pub matched: Option<String>,
}

impl Read {
    fn because(reading: Reading, rule: &str, words: &str) -> Self {
        Self { reading, matched: Some(format!("{rule}: {}", words.trim())) }
    }
}

/// Compiles the patterns, which takes a few tenths of a second and otherwise happens at the first text. A program that
/// answers customers does not do it at its start: the patterns take ten megabytes.
#[cfg(test)]
fn prepare() {
    grammar::prepare();
    learned::prepare();
}

/// Reads the text of one inbound message.
#[must_use]
pub fn read(body: &str) -> Read {
    read_for(body, "")
}

/// Reads the text of one inbound message to a business of this name: "stop Acme Plumbing" is about its texts.
#[must_use]
pub fn read_for(body: &str, business: &str) -> Read {
    let nothing = Read { reading: Reading::Nothing, matched: None };
    if is_reaction(body) {
        return nothing;
    }
    let sentences = keyword::without_courtesies(normal::sentences(body));
    let plain = of(&sentences);
    if plain.as_ref().is_some_and(|read| read.reading != Reading::Pause) {
        return plain.unwrap_or(nothing);
    }
    let named = named::without(&sentences, business);
    match named {
        Some(read) if plain.is_none() || read.reading == Reading::Stop => read,
        _ => plain.unwrap_or(nothing),
    }
}

fn of(sentences: &[normal::Sentence]) -> Option<Read> {
    keyword::alone(sentences)
        .or_else(|| by_a_rule(sentences).filter(|read| is_certain(read) || !learned::is_surely_ordinary(sentences)))
        .or_else(|| learned::wish(sentences))
}

fn is_certain(read: &Read) -> bool {
    read.reading != Reading::Pause
}

fn by_a_rule(sentences: &[normal::Sentence]) -> Option<Read> {
    keyword::in_its_own_sentence(sentences)
        .or_else(|| grammar::wish(sentences))
        .or_else(|| placed::with_a_code(sentences))
        .or_else(|| placed::slip_before_texts(sentences))
        .or_else(|| placed::at_the_beginning(sentences))
}

/// A thumb on one of our texts arrives as a text that quotes it, with "Reply STOP to opt out" inside.
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
