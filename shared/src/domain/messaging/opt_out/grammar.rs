//! Format and matching of the rules of all languages: what is looked for, and which context contradicts it.

use super::normalization::Sentence;
use super::{TextClassification, TextIntent, english, french, refusal_evidence, spanish};
use regex::{Regex, RegexBuilder};
use std::sync::{LazyLock, OnceLock};

/// Cache size of one pattern, in bytes.
const REMEMBERED: usize = 96 * 1024;

/// One form of an opt-out. Patterns read the spelling of `normalization`; `<name>` is a word class.
pub(super) struct OptOutRule {
    /// The customer's request, in words for the owner.
    pub name: &'static str,
    pub find: &'static str,
    /// Context right before the match that reverses it or is about another person.
    pub before: &'static str,
    /// Context right after the match that makes it a wish about something else.
    pub after: &'static str,
    /// Contradicting context anywhere in the sentence.
    pub sentence: &'static str,
    /// Contradicting context anywhere in the message.
    pub message: &'static str,
    /// Whether a question can mean it.
    pub asked: bool,
}

pub(super) const RULE: OptOutRule =
    OptOutRule { name: "", find: "", before: "", after: "", sentence: "", message: "", asked: true };

struct CompiledRule {
    rule: &'static OptOutRule,
    find: Regex,
    before: ContextPattern,
    after: ContextPattern,
    sentence: ContextPattern,
    message: ContextPattern,
}

/// Compiled at its first use: most matches never need it, and all contexts together take seven megabytes.
struct ContextPattern {
    pattern: String,
    compiled: OnceLock<Regex>,
}

impl ContextPattern {
    fn new(pattern: String) -> Self {
        Self { pattern, compiled: OnceLock::new() }
    }

    fn matches_text(&self, text: &str) -> bool {
        !self.pattern.is_empty() && self.compiled.get_or_init(|| compile(&self.pattern)).is_match(text)
    }
}

static RULES: LazyLock<Vec<CompiledRule>> = LazyLock::new(|| {
    english::english_rules().chain(&spanish::RULES).chain(&french::RULES).map(CompiledRule::new).collect()
});

/// The opposite of a refusal, for the statistical part.
static WELCOMES: LazyLock<Vec<CompiledRule>> =
    LazyLock::new(|| refusal_evidence::WELCOMES.iter().map(CompiledRule::new).collect());

/// Words of the work itself. Beside these a lone verb is more likely about the pipe than about the texts.
pub(super) static JOB_WORDS: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(?:<job>|<trabajo>)\b"));

/// A question with none of these repeats a phrase; the answer follows ("Unsubscribe? No!").
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?:how|can|could|would|will|please|why|what|where|when|do|puede[ns]?|podrian?|por favor|como|por que)\b",
    )
});

#[cfg(test)]
pub(super) fn prepare() {
    for rule in RULES.iter().chain(WELCOMES.iter()) {
        for context in [&rule.before, &rule.after, &rule.sentence, &rule.message] {
            context.matches_text("");
        }
    }
    LazyLock::force(&JOB_WORDS);
    LazyLock::force(&ASKS);
}

impl CompiledRule {
    fn new(rule: &'static OptOutRule) -> Self {
        let given =
            |pattern: String, given: &str| ContextPattern::new(if given.is_empty() { String::new() } else { pattern });
        Self {
            rule,
            find: compile(rule.find),
            before: given(format!(r"(?:^|\b)(?:{})$", rule.before), rule.before),
            after: given(format!("^(?:{})", rule.after), rule.after),
            sentence: ContextPattern::new(rule.sentence.to_owned()),
            message: ContextPattern::new(rule.message.to_owned()),
        }
    }

    fn find_in(&self, sentence: &Sentence, message: &str) -> Option<String> {
        let text = sentence.text.as_str();
        if (sentence.question && !self.rule.asked)
            || !self.find.is_match(text)
            || self.sentence.matches_text(text)
            || self.message.matches_text(message)
        {
            return None;
        }
        let mut from = 0;
        while let Some(found) = self.find.find_at(text, from) {
            if !self.before.matches_text(&text[..found.start()]) && !self.after.matches_text(&text[found.end()..]) {
                return Some(found.as_str().to_owned());
            }
            from = found.start() + 1 + text.get(found.start() + 1..).and_then(|rest| rest.find(' '))?;
        }
        None
    }
}

pub(super) fn find_refusal(sentences: &[Sentence]) -> Option<TextClassification> {
    let message: String = sentences.iter().map(|s| s.text.as_str()).collect();
    if quotes_opt_out_notice(&message) {
        return None;
    }
    sentences.iter().filter(|s| sentences.len() == 1 || !is_echoed_question(s)).find_map(|sentence| {
        let found = RULES.iter().find_map(|rule| Some((rule.rule.name, rule.find_in(sentence, &message)?)));
        found.map(|(name, words)| TextClassification::matched_by(TextIntent::Pause, name, &words))
    })
}

/// Whether the writer invites texts or calls, or speaks of some that did not come.
pub(super) fn welcomes_texts(sentences: &[Sentence]) -> bool {
    let message: String = sentences.iter().map(|s| s.text.as_str()).collect();
    sentences.iter().any(|sentence| WELCOMES.iter().any(|rule| rule.find_in(sentence, &message).is_some()))
}

/// Whether a sentence repeats as a question what the next one answers.
pub(super) fn is_echoed_question(sentence: &Sentence) -> bool {
    sentence.question && !ASKS.is_match(&sentence.text)
}

/// A question about our own "Reply STOP to opt out".
pub(super) fn quotes_opt_out_notice(message: &str) -> bool {
    static NOTICE: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r" (?:what (?:does|is|do you mean)|it says|says to|said to|says i can|what happens if i|if i|should i|do i have to|do i need to) .*\b(?:reply|text|say|send)(?:ing)? stop\b|^ reply stop to | what (?:does|is|do) .*\b(?:stop|unsubscribe|optout)\b.* mean | why (?:does|do) (?:it|this|your texts?|your messages?|they|you) (?:always )?say .*\b(?:stop|unsubscribe|optout)\b",
        )
    });
    NOTICE.is_match(message)
}

/// The patterns are constants, and a test compiles every one.
fn compile(pattern: &str) -> Regex {
    let mut expanded = pattern.to_owned();
    for (name, words) in english::CLASSES.iter().chain(&spanish::CLASSES) {
        expanded = expanded.replace(name, words);
    }
    // `normalization` leaves plain letters. Unicode classes would make each pattern ten times as large, and all of them
    // together forty megabytes.
    let plain = expanded.replace(r"\w", "[0-9a-z_]").replace(r"\d", "[0-9]").replace(r"\b", r"(?-u:\b)");
    // The cache of a pattern is bounded too; a text is short, and fast enough without it.
    let compiled = RegexBuilder::new(&plain).dfa_size_limit(REMEMBERED).build();
    compiled.unwrap_or_else(|fault| panic!("opt-out pattern {pattern}: {fault}"))
}
