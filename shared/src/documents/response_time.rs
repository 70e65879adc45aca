//! What time the words of a message promise for an answer. English and Spanish; a rule without a clock.
//!
//! A promise is a length of time ("within 24 hours", "en media hora") in a sentence whose nearest word of doing is that
//! **we** answer: reply, call back, be in touch, send the quote. Hours are hours of the clock, by day and by night, on
//! weekdays and Sundays, because that is what a customer reads. "Usually" and "about" promise too, and so does "if you do
//! not hear from us within 24 hours": they will measure us by it. Of "1-2 hours" the longer counts, of several promises
//! in one message the shortest.
//!
//! No promise is: when we are there ("open 24 hours", "24/7"), for how long we have been ("in 24 years"), when a crew
//! arrives or work is done (that has a visit's own clock), what the customer is to do ("reply STOP within 24 hours",
//! "approve your estimate in 2 days"), how long an offer or a link is good, and anything reckoned from another event
//! ("within 1 hour of your visit"). Where nobody says who answers, a command is the customer's: "Reply within 24 hours."
//!
//! A time that no such clock can keep ("by tomorrow", "one business day", "in a few hours") is no promise either, but the
//! editor of the wording says so ([`unread`]): whoever writes it should know that nothing is timed.
//!
//! However long a text is, and whatever stands in it, reading it takes little: it is read to a point that no message of
//! ours reaches, each word is judged once, and only words that stand near decide.

use std::{cell::OnceCell, ops::Range};

use chrono::Duration;

use crate::documents::template::Language;

mod replacement;
mod time;
mod tokens;

pub use replacement::promising;

use self::{
    time::{Found, Length, Words},
    tokens::{Sort, Token, cut, one_of},
};

/// A time that was promised, and the words that did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promised {
    pub within: Duration,
    /// As it was said: "within 24 hours".
    pub words: String,
}

/// So many words and breaks are read: more than any message of ours has (5,000 characters, and what stands for values).
const MOST: usize = 4_000;
/// What stands further off than so many words says nothing of a time.
const NEAR: usize = 40;

/// The shortest time that the words promise for an answer; none when they promise none.
#[must_use]
pub fn read(text: &str) -> Option<Promised> {
    let tokens = beginning(text);
    let times = ours(&tokens).into_iter().filter_map(|found| match found.length {
        Length::Minutes(minutes) => Some((minutes, found)),
        Length::Vague => None,
    });
    // Of two that are as long the first.
    let (minutes, found) = times.min_by_key(|(minutes, found)| (*minutes, found.from))?;
    Some(Promised { within: Duration::minutes(minutes), words: said(text, &tokens, found) })
}

/// Words that seem to promise an answer by a time that no clock can keep; none when there are none.
#[must_use]
pub fn unread(text: &str) -> Option<String> {
    let tokens = beginning(text);
    let found = ours(&tokens).into_iter().find(|found| found.length == Length::Vague)?;
    Some(said(text, &tokens, found))
}

/// The same words without the times in which they promise an answer: "as soon as we can" stands in their place.
#[must_use]
pub fn untimed(text: &str, language: Language) -> String {
    let instead = match language {
        Language::En => "as soon as we can",
        Language::Es => "lo antes posible",
    };
    let tokens = beginning(text);
    let mut times = ours(&tokens);
    times.sort_by_key(|found| found.from);
    let mut said = text.to_owned();
    // From the end on, so that what stands before stays where it is.
    for found in times.iter().rev() {
        let range = tokens[found.from].from..tokens[found.to - 1].to;
        let begins_sentence = text[range.clone()].starts_with(char::is_uppercase);
        said.replace_range(range, &if begins_sentence { capital(instead) } else { instead.to_owned() });
    }
    said
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn beginning(text: &str) -> Vec<Token> {
    let mut tokens = cut(text);
    tokens.truncate(MOST);
    tokens
}

fn said(text: &str, tokens: &[Token], found: Found) -> String {
    text[tokens[found.from].from..tokens[found.to - 1].to].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every time in the message in which we answer.
fn ours(tokens: &[Token]) -> Vec<Found> {
    let mut times = times(tokens);
    if !times.is_empty() {
        let sentences = sentences(tokens);
        // Each word is judged once, and only where a time asks for it.
        let judged = vec![OnceCell::new(); tokens.len()];
        let doing = |at: usize| *judged[at].get_or_init(|| doing(tokens, &sentences[at], at));
        times.retain(|found| is_ours(tokens, &sentences[found.from], doing, *found));
    }
    times
}

fn times(tokens: &[Token]) -> Vec<Found> {
    let mut next = 0;
    let times = (0..tokens.len()).filter_map(|at| {
        let found = Words(tokens).time(at).filter(|_| at >= next)?;
        next = found.to;
        Some(found)
    });
    times.collect()
}

/// For each word and break the sentence that it stands in.
fn sentences(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut all = Vec::with_capacity(tokens.len());
    for part in tokens.split_inclusive(|token| token.sort == Sort::Strong) {
        let from = all.len();
        let is_ended = part.last().is_some_and(|token| token.sort == Sort::Strong);
        let sentence = from..from + part.len() - usize::from(is_ended);
        all.resize(from + part.len(), sentence);
    }
    all
}

/// Who does what a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// We answer.
    Answer,
    /// Something else, or somebody else.
    Other,
}

/// Whether the time is one in which we answer: the word of doing right before it says so, or, where it begins the
/// sentence, the one right after it.
fn is_ours(tokens: &[Token], sentence: &Range<usize>, doing: impl Fn(usize) -> Option<Doing>, found: Found) -> bool {
    if is_named(tokens, found) {
        return true;
    }
    if is_relative(tokens, found.to) {
        return false;
    }
    let start = sentence.start.max(found.from.saturating_sub(NEAR));
    let before = (start..found.from).rev().find_map(&doing);
    let nearest = before.or_else(|| (found.to..sentence.end.min(found.to + NEAR)).find_map(&doing));
    nearest == Some(Doing::Answer)
}

/// "A 24-hour turnaround", "response time: 2 hours": of an answer without another word.
fn is_named(tokens: &[Token], found: Found) -> bool {
    let within = &tokens[found.from..found.to];
    let before = &tokens[found.from.saturating_sub(3)..found.from];
    let is_time = |pair: &[Token]| pair[0].is("response reply callback") && pair[1].is("time");
    let is_turnaround = |token: &Token| token.is("turnaround");
    within.iter().any(|token| is_turnaround(token) || token.is("guarantee"))
        || before.iter().any(is_turnaround)
        || within.windows(2).chain(before.windows(2)).any(is_time)
}

/// What is reckoned from: "within 1 hour of your visit" is, "of your request" and "from now" are not.
fn is_relative(tokens: &[Token], to: usize) -> bool {
    const FROM: &str = "of after from following before prior de después despues tras desde antes drive away";
    const OURS: &str = "\
    request requests message call text inquiry enquiry email form submission submitting receiving receipt \
    contacting reaching hearing getting now this that voicemail question solicitud mensaje llamada correo \
    consulta recibir recibirla ahora";
    let Some(next) = tokens.get(to).filter(|token| token.is(FROM)) else { return false };
    if next.is("before prior antes drive away") {
        return true;
    }
    !tokens[to + 1..].iter().take(4).any(|token| token.is(OURS))
}

/// What the word at `at` says is done, if it says so at all.
fn doing(tokens: &[Token], sentence: &Range<usize>, at: usize) -> Option<Doing> {
    let token = tokens.get(at).filter(|token| token.sort == Sort::Word)?;
    let is_next = |words: &str| tokens.get(at + 1).is_some_and(|next| next.is(words));
    let theirs_or_ours = |ours: bool| Some(if ours { Doing::Answer } else { Doing::Other });
    if (token.is("hear") && is_next("from back")) || token.is("noticias contacto") {
        return Some(Doing::Answer);
    }
    if token.is(OTHERS) {
        return Some(Doing::Other);
    }
    // "We return your call": what is answered says nothing of who answers.
    if token.is("call text email message llamada") && is_yours(tokens, at) {
        return None;
    }
    if token.is(NOUNS) && is_noun(tokens, sentence, at) {
        return theirs_or_ours(!asks_for_it(tokens, sentence, at));
    }
    if token.is(OURS_SPANISH) || is_spanish_will(&token.text) {
        return Some(Doing::Answer);
    }
    if is_spanish_infinitive(&token.text) {
        return theirs_or_ours(clause(tokens, sentence, at).iter().any(|word| word.is(WE_WILL)));
    }
    let gets_back = token.is("get gets getting got") && (at + 1..at + 3).any(|n| is_back(tokens, n));
    let in_touch = token.is("touch");
    let follows_up = token.is("follow follows reach") && is_next("up out you");
    if token.is(VERBS) || gets_back || in_touch || follows_up {
        return theirs_or_ours(we_do(tokens, sentence, at));
    }
    if token.is(PASSIVE) {
        let before = &tokens[at.saturating_sub(3).max(sentence.start)..at];
        // "You will be called", not "they have been told you called".
        let who = before.iter().rev().find(|word| word.is(BEING) || word.is(YOU));
        return who.filter(|word| word.is(BEING)).map(|_| Doing::Answer);
    }
    None
}

fn is_yours(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| tokens[before].is("your su tu"))
}

fn is_back(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is("back"))
}

/// The words from the last break or "and" until here.
fn clause<'t>(tokens: &'t [Token], sentence: &Range<usize>, at: usize) -> &'t [Token] {
    &tokens[clause_start(tokens, sentence, at)..at]
}

fn clause_start(tokens: &[Token], sentence: &Range<usize>, at: usize) -> usize {
    let parts = |token: &Token| token.sort != Sort::Word || token.is(JOINS);
    let start = sentence.start.max(at.saturating_sub(NEAR));
    tokens[start..at].iter().rposition(parts).map_or(start, |n| start + n + 1)
}

/// Whether the one who does it is us, or somebody of ours: "we reply", "Acme replies", "a plumber will call".
fn we_do(tokens: &[Token], sentence: &Range<usize>, at: usize) -> bool {
    let mut at = at;
    for _ in 0..NEAR {
        let start = clause_start(tokens, sentence, at);
        if let Some(ours) = does_it(tokens, start, at) {
            return ours;
        }
        // "We will call or text you": who it is was said before the "or".
        if start <= sentence.start || !tokens[start - 1].is(JOINS) {
            return false;
        }
        at = start - 1;
    }
    false
}

/// What the clause from `start` says of who does the word at `at`; none when it says nothing.
fn does_it(tokens: &[Token], start: usize, at: usize) -> Option<bool> {
    let clause = &tokens[start..at];
    if let Some(who) = clause.iter().rev().find(|word| word.is(YOU) || word.is(WE)) {
        return Some(who.is(WE));
    }
    if clause.is_empty() {
        return None;
    }
    // "Acme Plumbing replies", "Maria calls".
    Some(clause.iter().any(|word| word.is("will") || word.is(BEING)) || tokens[at].text.ends_with('s'))
}

/// "Your quote", "an answer"; at the beginning of a clause only what cannot be a command.
fn is_noun(tokens: &[Token], sentence: &Range<usize>, at: usize) -> bool {
    let before = at.checked_sub(1).filter(|before| *before >= sentence.start).map(|before| &tokens[before]);
    let word = tokens[at].text.as_str();
    let is_plain = matches!(
        word,
        "response" | "responses" | "answers" | "quotes" | "estimates" | "replies" | "callback" | "callbacks"
    ) || one_of(word, NOUNS_SPANISH);
    is_plain || before.is_some_and(|before| before.is(BEFORE_NOUNS))
}

/// Whether the clause has the customer do something with it: "approve your estimate", "your reply".
fn asks_for_it(tokens: &[Token], sentence: &Range<usize>, at: usize) -> bool {
    let clause = clause(tokens, sentence, at);
    let is_their_own = tokens[at].is("reply response answer respuesta") && is_yours(tokens, at);
    let first = clause.iter().find(|word| !word.is("please just simply kindly por favor"));
    is_their_own
        || clause.iter().any(|word| word.is(THEIR_DEEDS))
        || first.is_some_and(|word| word.is(VERBS) || word.is("send give open view see review"))
}

/// "Responderemos", "llamamos": the first person says who.
const OURS_SPANISH: &str = "\
    respondemos responderemos contestamos contestaremos llamamos llamaremos escribimos escribiremos contactamos \
    contactaremos comunicamos comunicaremos devolvemos devolveremos atendemos atenderemos enviamos enviaremos \
    mandamos mandaremos confirmamos confirmaremos respondo llamo";

fn is_spanish_will(word: &str) -> bool {
    ["responderá", "contestará", "llamará", "escribirá", "contactará", "comunicará", "devolverá"]
        .iter()
        .any(|stem| word.strip_prefix(stem).is_some_and(|end| matches!(end, "" | "n")))
}

fn is_spanish_infinitive(word: &str) -> bool {
    ["responder", "contestar", "llamar", "escribir", "contactar", "comunicar", "devolver"].iter().any(|stem| {
        word.strip_prefix(stem).is_some_and(|end| matches!(end, "" | "le" | "les" | "lo" | "la" | "te" | "nos"))
    })
}

/// "Vamos a llamarle", not "lamentamos no contestar".
const WE_WILL: &str = "vamos podemos podremos prometemos garantizamos solemos trataremos procuramos intentaremos";
/// Where another clause begins.
const JOINS: &str = "and or but then so because y o pero que entonces";
const YOU: &str = "you you'll you'd you've u usted ustedes tú customers clients";
const WE: &str = "\
    we we'll we're we've we'd i i'll i'm our someone somebody team staff office crew technician tech plumber \
    estimator representative they they'll he she who";
/// What somebody of ours does by answering.
const VERBS: &str = "\
    reply replies replying respond responds responding answer answers call calls calling text texts email emails \
    contact contacts contacting write return returns phone message";
const PASSIVE: &str = "answered contacted called returned replied responded emailed texted";
const BEING: &str = "be is are get gets being been will 'll";
const NOUNS: &str = "\
    reply replies response responses answer answers callback callbacks quote quotes estimate estimates proposal \
    call text email bid respuesta respuestas presupuesto cotización cotizacion estimado llamada";
const NOUNS_SPANISH: &str = "respuesta respuestas presupuesto cotización cotizacion llamada";
const BEFORE_NOUNS: &str = "\
    a an the our your my free detailed written first personal custom full exact no un una su tu el la nuestra";
/// What customers are asked to do with what we have sent.
const THEIR_DEEDS: &str = "\
    approve accept sign cancel pay use click tap claim redeem book reschedule decline confirm apruebe acepte \
    firme cancele pague confirme reserve esperamos";
/// Nearest to the time these say that it is not about an answer.
const OTHERS: &str = "\
    arrive arrives arriving arrival there come comes coming see start starts begin begins finish finished \
    complete completed done fix fixed repair repaired install installed deliver delivered delivery ship expire \
    expires ends valid due open opens closed close closes refund refunded dispatch dispatched resolve resolved \
    restore restored stop llegamos llegaremos llega llegará llegan vence caduca expira terminamos termina \
    reparamos empieza abrimos abre cerramos cerrados válido";

#[cfg(test)]
mod tests;
