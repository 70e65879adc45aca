//! How the rules of both languages are written and tried: what is looked for, and what around it says otherwise.

use super::normal::Sentence;
use super::{Read, Reading, english, french, spanish, weighed};
use regex::{Regex, RegexBuilder};
use std::sync::{LazyLock, OnceLock};

/// Bytes that a pattern keeps of the texts it has read, for speed.
const REMEMBERED: usize = 96 * 1024;

/// One way to ask for silence. Patterns read the one spelling of `normal`; `<name>` is a class of words.
pub(super) struct Rule {
    /// What the customer asks, in the owner's words.
    pub name: &'static str,
    pub find: &'static str,
    /// Right before the find, these say the opposite or speak of somebody else.
    pub before: &'static str,
    /// Right after it, these make it a wish about something else.
    pub after: &'static str,
    /// Anywhere in the sentence.
    pub sentence: &'static str,
    /// Anywhere in the message.
    pub message: &'static str,
    /// Whether a question can mean it.
    pub asked: bool,
}

/// A rule that nothing contradicts.
pub(super) const RULE: Rule =
    Rule { name: "", find: "", before: "", after: "", sentence: "", message: "", asked: true };

struct Compiled {
    rule: &'static Rule,
    find: Regex,
    before: Context,
    after: Context,
    sentence: Context,
    message: Context,
}

/// What contradicts a find. Compiled when a find first asks for it: most finds never do, and all contexts together take
/// seven megabytes.
struct Context {
    /// Nothing contradicts where it is empty.
    pattern: String,
    compiled: OnceLock<Regex>,
}

impl Context {
    fn new(pattern: String) -> Self {
        Self { pattern, compiled: OnceLock::new() }
    }

    fn says(&self, text: &str) -> bool {
        !self.pattern.is_empty() && self.compiled.get_or_init(|| compile(&self.pattern)).is_match(text)
    }
}

static RULES: LazyLock<Vec<Compiled>> =
    LazyLock::new(|| english::rules().chain(&spanish::RULES).chain(&french::RULES).map(Compiled::new).collect());

/// What means the opposite, for the statistical part.
static WELCOMES: LazyLock<Vec<Compiled>> = LazyLock::new(|| weighed::WELCOMES.iter().map(Compiled::new).collect());

/// Words of the work itself. Beside these a lone verb is more likely about the pipe than about the texts.
pub(super) static JOB_WORDS: LazyLock<Regex> = LazyLock::new(|| compile(r"\b(?:<job>|<trabajo>)\b"));

/// A question with none of these repeats what it was told; the answer follows ("Unsubscribe? No!").
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"\b(?:how|can|could|would|will|please|why|what|where|when|do|puede[ns]?|podrian?|por favor|como|por que)\b",
    )
});

/// Compiles everything that is otherwise compiled at the first use.
#[cfg(test)]
pub(super) fn prepare() {
    for rule in RULES.iter().chain(WELCOMES.iter()) {
        for context in [&rule.before, &rule.after, &rule.sentence, &rule.message] {
            context.says("");
        }
    }
    LazyLock::force(&JOB_WORDS);
    LazyLock::force(&ASKS);
}

impl Compiled {
    fn new(rule: &'static Rule) -> Self {
        let given = |pattern: String, given: &str| Context::new(if given.is_empty() { String::new() } else { pattern });
        Self {
            rule,
            find: compile(rule.find),
            before: given(format!(r"(?:^|\b)(?:{})$", rule.before), rule.before),
            after: given(format!("^(?:{})", rule.after), rule.after),
            sentence: Context::new(rule.sentence.to_owned()),
            message: Context::new(rule.message.to_owned()),
        }
    }

    /// The words that ask for it, unless something around them says otherwise.
    fn find_in(&self, sentence: &Sentence, message: &str) -> Option<String> {
        let text = sentence.text.as_str();
        if (sentence.question && !self.rule.asked)
            || !self.find.is_match(text)
            || self.sentence.says(text)
            || self.message.says(message)
        {
            return None;
        }
        let mut from = 0;
        while let Some(found) = self.find.find_at(text, from) {
            if !self.before.says(&text[..found.start()]) && !self.after.says(&text[found.end()..]) {
                return Some(found.as_str().to_owned());
            }
            // The next try starts at the next word.
            from = found.start() + 1 + text.get(found.start() + 1..).and_then(|rest| rest.find(' '))?;
        }
        None
    }
}

/// The first wish for silence in the message.
pub(super) fn wish(sentences: &[Sentence]) -> Option<Read> {
    let message: String = sentences.iter().map(|s| s.text.as_str()).collect();
    if quotes_our_own_notice(&message) {
        return None;
    }
    sentences.iter().filter(|s| sentences.len() == 1 || !is_echo(s)).find_map(|sentence| {
        let found = RULES.iter().find_map(|rule| Some((rule.rule.name, rule.find_in(sentence, &message)?)));
        found.map(|(name, words)| Read::because(Reading::Pause, name, &words))
    })
}

/// Whether the writer invites texts or calls, or speaks of some that did not come.
pub(super) fn welcomes(sentences: &[Sentence]) -> bool {
    let message: String = sentences.iter().map(|s| s.text.as_str()).collect();
    sentences.iter().any(|sentence| WELCOMES.iter().any(|rule| rule.find_in(sentence, &message).is_some()))
}

/// Whether a sentence repeats as a question what the next one answers.
pub(super) fn is_echo(sentence: &Sentence) -> bool {
    sentence.question && !ASKS.is_match(&sentence.text)
}

/// Somebody asks what our "Reply STOP to opt out" means.
pub(super) fn quotes_our_own_notice(message: &str) -> bool {
    static NOTICE: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r" (?:what (?:does|is|do you mean)|it says|says to|said to|says i can|what happens if i|if i|should i|do i have to|do i need to) .*\b(?:reply|text|say|send)(?:ing)? stop\b|^ reply stop to | what (?:does|is|do) .*\b(?:stop|unsubscribe|optout)\b.* mean | why (?:does|do) (?:it|this|your texts?|your messages?|they|you) (?:always )?say .*\b(?:stop|unsubscribe|optout)\b",
        )
    });
    NOTICE.is_match(message)
}

/// The patterns stand in the source, and a test compiles every one.
fn compile(pattern: &str) -> Regex {
    let mut expanded = pattern.to_owned();
    for (name, words) in english::CLASSES.iter().chain(&spanish::CLASSES) {
        expanded = expanded.replace(name, words);
    }
    // `normal` leaves plain letters. What else is a letter somewhere in the world would make each pattern ten times as
    // large, and all of them together forty megabytes.
    let plain = expanded.replace(r"\w", "[0-9a-z_]").replace(r"\d", "[0-9]").replace(r"\b", r"(?-u:\b)");
    // What a pattern remembers between texts is bounded too; a text is short, and read soon enough without it.
    let compiled = RegexBuilder::new(&plain).dfa_size_limit(REMEMBERED).build();
    compiled.unwrap_or_else(|fault| panic!("opt-out pattern {pattern}: {fault}"))
}
