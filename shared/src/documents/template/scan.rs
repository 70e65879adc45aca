//! Reads the tags of a template before the engine does, to say in plain words what is not allowed and where.
//!
//! A wording may print variables and ask `{% if %}`. Everything else the engine knows (loops, macros, includes, calls,
//! attributes, arithmetic) is refused here by not being on the list. The engine still has the last word: what passes
//! here is compiled by it, and its own list of undeclared variables is compared with this reading.

use std::ops::Range;

use super::fill::FILTERS;

/// A wording that needs more is not a message to a customer any more, and deep nesting costs the engine its stack.
const MAX_DEPTH: usize = 8;
const MAX_TOKENS: usize = 40;
const OPERATORS: [&str; 5] = ["and", "or", "not", "if", "else"];
const CONSTANTS: [&str; 6] = ["true", "false", "none", "True", "False", "None"];
const SIGNS: [&str; 10] = ["==", "!=", "<=", ">=", "<", ">", "|", "(", ")", ","];

/// One variable where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub name: String,
    pub at: Range<usize>,
    /// Printed, not only asked for.
    pub printed: bool,
    /// Inside an `if` that asks for it, or beside words that stand in for it.
    pub guarded: bool,
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misread {
    pub why: Why,
    pub at: Range<usize>,
    pub message: String,
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It is not a template.
    Syntax,
    /// The engine could do it, a wording may not.
    NotAllowed,
    UnknownFilter,
    /// A brace that would be printed.
    StrayBrace,
}

#[derive(Debug, Default)]
pub(super) struct Reading {
    pub uses: Vec<Use>,
    pub faults: Vec<Misread>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'s> {
    Word(&'s str),
    Text,
    Number,
    Sign(&'static str),
}

type Placed<'s> = (Token<'s>, Range<usize>);

struct Scan<'s> {
    source: &'s str,
    at: usize,
    reading: Reading,
    /// Each open `if`: where it stands, what it asks for, and whether its `else` was seen.
    open: Vec<(Range<usize>, Vec<String>, bool)>,
}

/// Reads a whole template. Faults stop nothing but the tag they are in, so that an editor can mark them all.
pub(super) fn read(source: &str) -> Reading {
    let mut scan = Scan { source, at: 0, reading: Reading::default(), open: Vec::new() };
    while scan.at < source.len() {
        scan.plain();
        scan.tag();
    }
    for (at, ..) in std::mem::take(&mut scan.open) {
        scan.fault(Why::Syntax, at, "This {% if %} has no {% endif %} after it.");
    }
    scan.reading
}

impl<'s> Scan<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn fault(&mut self, why: Why, at: Range<usize>, message: impl Into<String>) {
        self.reading.faults.push(Misread { why, at, message: message.into(), name: None });
    }

    fn named(&mut self, why: Why, at: Range<usize>, name: &str, message: String) {
        self.reading.faults.push(Misread { why, at, message, name: Some(name.to_owned()) });
    }

    /// Up to the next tag.
    fn plain(&mut self) {
        let rest = self.rest();
        let length = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min().unwrap_or(rest.len());
        let range = self.at..self.at + length;
        self.at = range.end;
        for (offset, c) in rest[..length].char_indices().filter(|(_, c)| matches!(c, '{' | '}')) {
            let at = range.start + offset;
            self.fault(
                Why::StrayBrace,
                at..at + 1,
                format!("This {c} would be sent as it stands. Variables have two braces on each side: {{{{ customerName }}}}."),
            );
        }
    }

    fn tag(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let Some(opening) = rest.get(..2) else { return };
        if opening == "{#" {
            if let Some(end) = rest.find("#}") {
                self.at += end + 2;
            } else {
                self.at = self.source.len();
                self.fault(Why::Syntax, start..start + 2, "This {# has no #} after it.");
            }
            return;
        }
        let (block, closing) = (opening == "{%", if opening == "{%" { "%}" } else { "}}" });
        self.at += 2;
        let end = self.rest().find(closing);
        let next = ["{{", "{%"].iter().filter_map(|open| self.rest().find(open)).min();
        if end.is_none_or(|end| next.is_some_and(|next| next < end)) {
            self.at += next.unwrap_or(self.rest().len());
            self.fault(Why::Syntax, start..start + 2, format!("This {opening} has no {closing} after it."));
            return self.keep_balance(block, start);
        }
        if self.rest().starts_with(['-', '+']) {
            self.at += 1;
        }
        match self.tokens(closing) {
            Ok(tokens) => self.judge(block, start..self.at, &tokens),
            Err((why, at, message)) => {
                self.at = self.rest().find(closing).map_or(self.source.len(), |end| self.at + end + 2);
                // Its end may stand inside of quotes that are never closed.
                let at = if at.is_empty() { start..start + 2 } else { at };
                self.fault(why, at, message);
                self.keep_balance(block, start);
            }
        }
    }

    /// A broken `if` still opens and a broken `endif` still closes: one mistake is told once.
    fn keep_balance(&mut self, block: bool, start: usize) {
        let said = self.source[start..].trim_start_matches(['{', '%', '-', '+']).trim_start();
        if block && said.starts_with("if") {
            self.open.push((start..start + 2, Vec::new(), false));
        } else if block && said.starts_with("endif") {
            self.open.pop();
        }
    }

    fn tokens(&mut self, closing: &str) -> Result<Vec<Placed<'s>>, (Why, Range<usize>, String)> {
        let mut tokens = Vec::new();
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                return Err((Why::Syntax, 0..0, format!("This has no {closing} after it.")));
            };
            let bare = rest.strip_prefix(['-', '+']).unwrap_or(rest);
            if bare.starts_with(closing) {
                self.at += rest.len() - bare.len() + 2;
                return Ok(tokens);
            }
            let start = self.at;
            let (token, length) = if next.is_ascii_alphabetic() || next == '_' {
                let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (Token::Word(&rest[..length]), length)
            } else if next.is_ascii_digit() {
                (Token::Number, rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
            } else if matches!(next, '"' | '\'') {
                let length = quoted(rest, next).ok_or_else(|| {
                    (Why::Syntax, start..start + 1, format!("This {next} is not closed by another {next}."))
                })?;
                (Token::Text, length)
            } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                (Token::Sign(sign), sign.len())
            } else {
                return Err((Why::NotAllowed, start..start + next.len_utf8(), format!("A {next} cannot stand here.")));
            };
            self.at += length;
            tokens.push((token, start..self.at));
        }
    }

    fn judge(&mut self, block: bool, whole: Range<usize>, tokens: &[Placed<'s>]) {
        if tokens.len() > MAX_TOKENS {
            self.fault(Why::NotAllowed, whole.clone(), "This is too long for one pair of braces.");
            self.keep_balance(block, whole.start);
            return;
        }
        let uses = self.expression(tokens, block);
        if block {
            self.statement(whole, tokens, &uses);
        } else if tokens.is_empty() {
            self.fault(Why::Syntax, whole, "These braces are empty. Put the name of a variable between them.");
        }
        self.reading.uses.extend(uses);
    }

    /// `if` and what belongs to it; nothing else.
    fn statement(&mut self, whole: Range<usize>, tokens: &[Placed<'s>], uses: &[Use]) {
        let Some((Token::Word(word), at)) = tokens.first().cloned() else {
            return self.fault(
                Why::Syntax,
                whole,
                "This says nothing. Write {% if customerName %}, {% else %} or {% endif %}.",
            );
        };
        let asked = || uses.iter().map(|u| u.name.clone()).collect::<Vec<_>>();
        let bare = tokens.len() == 1;
        match word {
            "if" | "elif" if bare => {
                self.fault(Why::Syntax, whole.clone(), format!("This {word} does not say what it asks for."));
                if word == "if" {
                    self.open.push((whole, Vec::new(), false));
                }
            }
            "else" | "endif" if !bare => {
                self.fault(Why::Syntax, whole.clone(), format!("Nothing may follow the word {word} here."));
                self.keep_balance(true, whole.start);
            }
            "if" => {
                self.open.push((whole.clone(), asked(), false));
                if self.open.len() > MAX_DEPTH {
                    self.fault(
                        Why::NotAllowed,
                        whole,
                        format!("No more than {MAX_DEPTH} ifs may stand inside each other."),
                    );
                }
            }
            "endif" => {
                if self.open.pop().is_none() {
                    self.fault(Why::Syntax, whole, "This {% endif %} has no {% if %} before it.");
                }
            }
            "elif" | "else" => match self.open.last_mut() {
                None => self.fault(Why::Syntax, whole, format!("This {word} has no {{% if %}} before it.")),
                Some((_, _, true)) => {
                    self.fault(Why::Syntax, whole, format!("This {word} stands after an {{% else %}}."));
                }
                Some((_, guards, seen_else)) => {
                    *seen_else = word == "else";
                    *guards = asked();
                }
            },
            _ => self.named(
                Why::NotAllowed,
                at,
                word,
                format!("“{word}” cannot be used in a template. Only if, elif, else and endif can."),
            ),
        }
    }

    /// Collects the variables of one tag and refuses what is not on the list.
    fn expression(&mut self, tokens: &[Placed<'s>], block: bool) -> Vec<Use> {
        let tokens = if block { tokens.get(1..).unwrap_or_default() } else { tokens };
        let alternative = tokens.iter().any(|(t, _)| matches!(t, Token::Word("or" | "if" | "default")));
        let mut uses = Vec::new();
        let mut parens: Vec<bool> = Vec::new();
        let mut before: Option<&Token<'s>> = None;
        for (token, at) in tokens {
            match token {
                Token::Word(word) if before == Some(&Token::Sign("|")) => self.filter(word, at),
                Token::Word(word @ ("is" | "in")) => {
                    self.named(Why::NotAllowed, at.clone(), word, format!("“{word}” cannot be used in a template."));
                }
                Token::Word(word) if OPERATORS.contains(word) || CONSTANTS.contains(word) => {}
                Token::Word(word) => uses.push(Use {
                    name: (*word).to_owned(),
                    at: at.clone(),
                    printed: !block,
                    guarded: alternative || self.open.iter().any(|(_, asked, _)| asked.iter().any(|name| name == word)),
                }),
                Token::Sign("(") => self.paren(before, at, &mut parens),
                Token::Sign(")") => {
                    parens.pop();
                }
                Token::Sign(",") if parens.last() != Some(&true) => {
                    self.fault(Why::NotAllowed, at.clone(), "A comma cannot stand here.");
                }
                Token::Text | Token::Number | Token::Sign(_) => {}
            }
            before = Some(token);
        }
        uses
    }

    fn filter(&mut self, word: &str, at: &Range<usize>) {
        if !FILTERS.contains(&word) {
            let message = format!("“{word}” is not known. After | you can write {}.", FILTERS.join(", "));
            self.named(Why::UnknownFilter, at.clone(), word, message);
        }
    }

    /// A parenthesis may group, or hold what `default` says; after anything else it would be a call.
    fn paren(&mut self, before: Option<&Token<'s>>, at: &Range<usize>, parens: &mut Vec<bool>) {
        let groups = match before {
            None => true,
            Some(Token::Word(word)) => OPERATORS.contains(word) || *word == "default",
            Some(Token::Sign(sign)) => *sign != ")" && *sign != "|",
            Some(Token::Text | Token::Number) => false,
        };
        if !groups {
            self.fault(Why::NotAllowed, at.clone(), "Nothing can be called in a template: take the parentheses away.");
        }
        parens.push(before == Some(&Token::Word("default")));
        if parens.len() > MAX_DEPTH {
            self.fault(Why::NotAllowed, at.clone(), "Too many parentheses inside each other.");
        }
    }
}

/// Length of a quoted text with both its quotes; none when it never ends.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
