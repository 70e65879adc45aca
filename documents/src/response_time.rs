//! Detection of promised response times in a message. English and Spanish; the rules need no clock.
//!
//! A promise is a length of time ("within 24 hours", "en media hora") in a sentence whose nearest verb says that **we**
//! answer: reply, call back, be in touch, send the quote. Hours are clock hours, day and night, every weekday, because
//! customers read them so. "Usually", "about" and "if you do not hear from us within 24 hours" promise too. Of "1-2
//! hours" the longer counts; of several promises in one message the shortest.
//!
//! Not a promise: opening hours ("open 24 hours", "24/7"), length of business ("in 24 years"), arrival or completion of
//! work (the visit has its own deadline), actions of the customer ("reply STOP within 24 hours", "approve your estimate
//! in 2 days"), validity of an offer or link, and times counted from another event ("within 1 hour of your visit"). A
//! verb without a subject is a command to the customer: "Reply within 24 hours."
//!
//! A time that cannot be measured so ("by tomorrow", "one business day", "in a few hours") is no promise, but the
//! template editor warns that nothing is timed ([`find_untimed_promise`]).
//!
//! Cost is bounded for any input: the number of tokens is limited, each word is classified once, and only nearby words
//! decide.

use std::{cell::OnceCell, ops::Range};

use chrono::Duration;
use platform::language::Language;

mod replacement;
mod time;
mod tokens;

pub use replacement::replace_promised_time;

use self::{
    time::{FoundTime, TimeLength, TimeParser},
    tokens::{MessageToken, TokenKind, tokenize_message, word_in_list},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromisedResponseTime {
    pub within: Duration,
    pub words: String,
}

/// Tokens read: more than any message of ours has (5,000 characters, plus what replaces values).
const MAX_TOKENS_READ: usize = 4_000;
/// Words further away than this do not affect a time.
const MAX_WORD_DISTANCE: usize = 40;

#[must_use]
pub fn find_promised_time(text: &str) -> Option<PromisedResponseTime> {
    let tokens = tokenize_start(text);
    let times = find_our_times(&tokens).into_iter().filter_map(|found| match found.length {
        TimeLength::Minutes(minutes) => Some((minutes, found)),
        TimeLength::Vague => None,
    });
    // Ties: the first.
    let (minutes, found) = times.min_by_key(|(minutes, found)| (*minutes, found.from))?;
    Some(PromisedResponseTime { within: Duration::minutes(minutes), words: found_words(text, &tokens, found) })
}

/// Words that seem to promise an answer by a time that cannot be measured.
#[must_use]
pub fn find_untimed_promise(text: &str) -> Option<String> {
    let tokens = tokenize_start(text);
    let found = find_our_times(&tokens).into_iter().find(|found| found.length == TimeLength::Vague)?;
    Some(found_words(text, &tokens, found))
}

/// The text with each promised time replaced by "as soon as we can".
#[must_use]
pub fn remove_promised_times(text: &str, language: Language) -> String {
    let instead = match language {
        Language::En => "as soon as we can",
        Language::Es => "lo antes posible",
    };
    let tokens = tokenize_start(text);
    let mut times = find_our_times(&tokens);
    times.sort_by_key(|found| found.from);
    let mut replaced = text.to_owned();
    // Back to front, so that earlier offsets stay valid.
    for found in times.iter().rev() {
        let range = tokens[found.from].from..tokens[found.to - 1].to;
        let begins_sentence = text[range.clone()].starts_with(char::is_uppercase);
        replaced.replace_range(range, &if begins_sentence { capitalize_first(instead) } else { instead.to_owned() });
    }
    replaced
}

fn capitalize_first(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn tokenize_start(text: &str) -> Vec<MessageToken> {
    let mut tokens = tokenize_message(text);
    tokens.truncate(MAX_TOKENS_READ);
    tokens
}

fn found_words(text: &str, tokens: &[MessageToken], found: FoundTime) -> String {
    text[tokens[found.from].from..tokens[found.to - 1].to].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every time in the message within which we promise to answer.
fn find_our_times(tokens: &[MessageToken]) -> Vec<FoundTime> {
    let mut times = find_times(tokens);
    if !times.is_empty() {
        let sentences = sentence_ranges(tokens);
        // Each word is classified once, on demand.
        let judged = vec![OnceCell::new(); tokens.len()];
        let doing = |at: usize| *judged[at].get_or_init(|| classify_action(tokens, &sentences[at], at));
        times.retain(|found| is_our_response_time(tokens, &sentences[found.from], doing, *found));
    }
    times
}

fn find_times(tokens: &[MessageToken]) -> Vec<FoundTime> {
    let mut next = 0;
    let times = (0..tokens.len()).filter_map(|at| {
        let found = TimeParser(tokens).parse_time(at).filter(|_| at >= next)?;
        next = found.to;
        Some(found)
    });
    times.collect()
}

fn sentence_ranges(tokens: &[MessageToken]) -> Vec<Range<usize>> {
    let mut all = Vec::with_capacity(tokens.len());
    for part in tokens.split_inclusive(|token| token.sort == TokenKind::Strong) {
        let from = all.len();
        let is_ended = part.last().is_some_and(|token| token.sort == TokenKind::Strong);
        let sentence = from..from + part.len() - usize::from(is_ended);
        all.resize(from + part.len(), sentence);
    }
    all
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordAction {
    Answer,
    Other,
}

/// Whether we answer within the time: decided by the nearest verb before it or, when the time begins the sentence, the
/// nearest one after it.
fn is_our_response_time(
    tokens: &[MessageToken],
    sentence: &Range<usize>,
    doing: impl Fn(usize) -> Option<WordAction>,
    found: FoundTime,
) -> bool {
    if is_turnaround_time(tokens, found) {
        return true;
    }
    if is_relative_to_event(tokens, found.to) {
        return false;
    }
    let start = sentence.start.max(found.from.saturating_sub(MAX_WORD_DISTANCE));
    let before = (start..found.from).rev().find_map(&doing);
    let nearest = before.or_else(|| (found.to..sentence.end.min(found.to + MAX_WORD_DISTANCE)).find_map(&doing));
    nearest == Some(WordAction::Answer)
}

/// "A 24-hour turnaround", "response time: 2 hours": a promise without a verb.
fn is_turnaround_time(tokens: &[MessageToken], found: FoundTime) -> bool {
    let within = &tokens[found.from..found.to];
    let before = &tokens[found.from.saturating_sub(3)..found.from];
    let is_time = |pair: &[MessageToken]| pair[0].is_one_of("response reply callback") && pair[1].is_one_of("time");
    let is_turnaround = |token: &MessageToken| token.is_one_of("turnaround");
    within.iter().any(|token| is_turnaround(token) || token.is_one_of("guarantee"))
        || before.iter().any(is_turnaround)
        || within.windows(2).chain(before.windows(2)).any(is_time)
}

/// Whether the time counts from another event: "within 1 hour of your visit", but not "of your request", "from now".
fn is_relative_to_event(tokens: &[MessageToken], to: usize) -> bool {
    const FROM: &str = "of after from following before prior de después despues tras desde antes drive away";
    const OURS: &str = "\
    request requests message call text inquiry enquiry email form submission submitting receiving receipt \
    contacting reaching hearing getting now this that voicemail question solicitud mensaje llamada correo \
    consulta recibir recibirla ahora";
    let Some(next) = tokens.get(to).filter(|token| token.is_one_of(FROM)) else { return false };
    if next.is_one_of("before prior antes drive away") {
        return true;
    }
    !tokens[to + 1..].iter().take(4).any(|token| token.is_one_of(OURS))
}

fn classify_action(tokens: &[MessageToken], sentence: &Range<usize>, at: usize) -> Option<WordAction> {
    let token = tokens.get(at).filter(|token| token.sort == TokenKind::Word)?;
    let is_next = |words: &str| tokens.get(at + 1).is_some_and(|next| next.is_one_of(words));
    let theirs_or_ours = |ours: bool| Some(if ours { WordAction::Answer } else { WordAction::Other });
    if (token.is_one_of("hear") && is_next("from back")) || token.is_one_of("noticias contacto") {
        return Some(WordAction::Answer);
    }
    if token.is_one_of(OTHERS) {
        return Some(WordAction::Other);
    }
    // "We return your call": this noun does not tell who answers.
    if token.is_one_of("call text email message llamada") && is_preceded_by_your(tokens, at) {
        return None;
    }
    if token.is_one_of(NOUNS) && is_noun(tokens, sentence, at) {
        return theirs_or_ours(!asks_customer_to_act(tokens, sentence, at));
    }
    if token.is_one_of(OURS_SPANISH) || is_spanish_will(&token.text) {
        return Some(WordAction::Answer);
    }
    if is_spanish_infinitive(&token.text) {
        return theirs_or_ours(clause(tokens, sentence, at).iter().any(|word| word.is_one_of(WE_WILL)));
    }
    let gets_back = token.is_one_of("get gets getting got") && (at + 1..at + 3).any(|n| is_word_back(tokens, n));
    let in_touch = token.is_one_of("touch");
    let follows_up = token.is_one_of("follow follows reach") && is_next("up out you");
    if token.is_one_of(VERBS) || gets_back || in_touch || follows_up {
        return theirs_or_ours(is_done_by_us(tokens, sentence, at));
    }
    if token.is_one_of(PASSIVE) {
        let before = &tokens[at.saturating_sub(3).max(sentence.start)..at];
        // "You will be called" counts; "they have been told you called" does not.
        let who = before.iter().rev().find(|word| word.is_one_of(BEING) || word.is_one_of(YOU));
        return who.filter(|word| word.is_one_of(BEING)).map(|_| WordAction::Answer);
    }
    None
}

fn is_preceded_by_your(tokens: &[MessageToken], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| tokens[before].is_one_of("your su tu"))
}

fn is_word_back(tokens: &[MessageToken], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is_one_of("back"))
}

fn clause<'t>(tokens: &'t [MessageToken], sentence: &Range<usize>, at: usize) -> &'t [MessageToken] {
    &tokens[clause_start(tokens, sentence, at)..at]
}

fn clause_start(tokens: &[MessageToken], sentence: &Range<usize>, at: usize) -> usize {
    let parts = |token: &MessageToken| token.sort != TokenKind::Word || token.is_one_of(JOINS);
    let start = sentence.start.max(at.saturating_sub(MAX_WORD_DISTANCE));
    tokens[start..at].iter().rposition(parts).map_or(start, |n| start + n + 1)
}

/// Whether the subject is the business or its staff: "we reply", "Acme replies", "a plumber will call".
fn is_done_by_us(tokens: &[MessageToken], sentence: &Range<usize>, at: usize) -> bool {
    let mut at = at;
    for _ in 0..MAX_WORD_DISTANCE {
        let start = clause_start(tokens, sentence, at);
        if let Some(ours) = clause_actor_is_us(tokens, start, at) {
            return ours;
        }
        // "We will call or text you": the subject precedes the "or".
        if start <= sentence.start || !tokens[start - 1].is_one_of(JOINS) {
            return false;
        }
        at = start - 1;
    }
    false
}

/// Whether the clause from `start` makes us the subject of the word at `at`; none when it does not say.
fn clause_actor_is_us(tokens: &[MessageToken], start: usize, at: usize) -> Option<bool> {
    let clause = &tokens[start..at];
    if let Some(who) = clause.iter().rev().find(|word| word.is_one_of(YOU) || word.is_one_of(WE)) {
        return Some(who.is_one_of(WE));
    }
    if clause.is_empty() {
        return None;
    }
    // "Acme Plumbing replies", "Maria calls".
    Some(clause.iter().any(|word| word.is_one_of("will") || word.is_one_of(BEING)) || tokens[at].text.ends_with('s'))
}

/// "Your quote", "an answer". At the start of a clause only words that cannot be a command.
fn is_noun(tokens: &[MessageToken], sentence: &Range<usize>, at: usize) -> bool {
    let before = at.checked_sub(1).filter(|before| *before >= sentence.start).map(|before| &tokens[before]);
    let word = tokens[at].text.as_str();
    let is_plain = matches!(
        word,
        "response" | "responses" | "answers" | "quotes" | "estimates" | "replies" | "callback" | "callbacks"
    ) || word_in_list(word, NOUNS_SPANISH);
    is_plain || before.is_some_and(|before| before.is_one_of(BEFORE_NOUNS))
}

/// Whether the clause asks the customer to act on it: "approve your estimate", "your reply".
fn asks_customer_to_act(tokens: &[MessageToken], sentence: &Range<usize>, at: usize) -> bool {
    let clause = clause(tokens, sentence, at);
    let is_their_own = tokens[at].is_one_of("reply response answer respuesta") && is_preceded_by_your(tokens, at);
    let first = clause.iter().find(|word| !word.is_one_of("please just simply kindly por favor"));
    is_their_own
        || clause.iter().any(|word| word.is_one_of(CUSTOMER_ACTIONS))
        || first.is_some_and(|word| word.is_one_of(VERBS) || word.is_one_of("send give open view see review"))
}

/// First-person verbs, which name the subject.
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

/// "Vamos a llamarle" counts; "lamentamos no contestar" does not.
const WE_WILL: &str = "vamos podemos podremos prometemos garantizamos solemos trataremos procuramos intentaremos";
const JOINS: &str = "and or but then so because y o pero que entonces";
const YOU: &str = "you you'll you'd you've u usted ustedes tú customers clients";
const WE: &str = "\
    we we'll we're we've we'd i i'll i'm our someone somebody team staff office crew technician tech plumber \
    estimator representative they they'll he she who";
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
const CUSTOMER_ACTIONS: &str = "\
    approve accept sign cancel pay use click tap claim redeem book reschedule decline confirm apruebe acepte \
    firme cancele pague confirme reserve esperamos";
/// Nearest to the time, these mean that it is not about an answer.
const OTHERS: &str = "\
    arrive arrives arriving arrival there come comes coming see start starts begin begins finish finished \
    complete completed done fix fixed repair repaired install installed deliver delivered delivery ship expire \
    expires ends valid due open opens closed close closes refund refunded dispatch dispatched resolve resolved \
    restore restored stop llegamos llegaremos llega llegará llegan vence caduca expira terminamos termina \
    reparamos empieza abrimos abre cerramos cerrados válido";

#[cfg(test)]
mod tests;
