//! Scanner of template tags that reports disallowed syntax in plain words and with its position.
//!
//! A wording may print variables and use `{% if %}`. Everything else of the engine (loops, macros, includes, calls,
//! attributes, arithmetic) is refused because it is not on the allow list. The engine then compiles what passes, and
//! its list of undeclared variables is compared with this scan.

use std::ops::Range;

use super::render::FILTERS;

/// Limits: enough for a customer message; deep nesting uses the engine's stack.
const MAX_DEPTH: usize = 8;
const MAX_TOKENS: usize = 40;
const OPERATORS: [&str; 5] = ["and", "or", "not", "if", "else"];
const CONSTANTS: [&str; 6] = ["true", "false", "none", "True", "False", "None"];
const SIGNS: [&str; 10] = ["==", "!=", "<=", ">=", "<", ">", "|", "(", ")", ","];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VariableUse {
    pub name: String,
    pub at: Range<usize>,
    /// Printed, not only tested.
    pub printed: bool,
    /// Inside an `if` that tests it, or with a fallback.
    pub guarded: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScanFault {
    pub why: ScanFaultKind,
    pub at: Range<usize>,
    pub message: String,
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanFaultKind {
    Syntax,
    /// Valid for the engine, not allowed in a wording.
    NotAllowed,
    UnknownFilter,
    /// A brace that would be printed.
    StrayBrace,
}

#[derive(Debug, Default)]
pub(super) struct ScanResult {
    pub uses: Vec<VariableUse>,
    pub faults: Vec<ScanFault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TagToken<'s> {
    Word(&'s str),
    Text,
    Number,
    Sign(&'static str),
}

type PlacedToken<'s> = (TagToken<'s>, Range<usize>);

struct TemplateScanner<'s> {
    source: &'s str,
    at: usize,
    reading: ScanResult,
    /// Each open `if`: position, tested variables, whether its `else` was seen.
    open: Vec<(Range<usize>, Vec<String>, bool)>,
}

/// A fault ends only its own tag, so that an editor can mark all faults.
pub(super) fn scan_template(source: &str) -> ScanResult {
    let mut scan = TemplateScanner { source, at: 0, reading: ScanResult::default(), open: Vec::new() };
    while scan.at < source.len() {
        scan.scan_plain_text();
        scan.scan_tag();
    }
    for (at, ..) in std::mem::take(&mut scan.open) {
        scan.push_fault(ScanFaultKind::Syntax, at, "This {% if %} has no {% endif %} after it.");
    }
    scan.reading
}

impl<'s> TemplateScanner<'s> {
    fn remaining_source(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn push_syntax_fault(&mut self, at: Range<usize>, message: impl Into<String>) {
        self.push_fault(ScanFaultKind::Syntax, at, message);
    }

    fn push_fault(&mut self, why: ScanFaultKind, at: Range<usize>, message: impl Into<String>) {
        self.reading.faults.push(ScanFault { why, at, message: message.into(), name: None });
    }

    fn push_named_fault(&mut self, why: ScanFaultKind, at: Range<usize>, name: &str, message: String) {
        self.reading.faults.push(ScanFault { why, at, message, name: Some(name.to_owned()) });
    }

    fn scan_plain_text(&mut self) {
        let rest = self.remaining_source();
        let length = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min().unwrap_or(rest.len());
        let range = self.at..self.at + length;
        self.at = range.end;
        for (offset, c) in rest[..length].char_indices().filter(|(_, c)| matches!(c, '{' | '}')) {
            let at = range.start + offset;
            self.push_fault(
                ScanFaultKind::StrayBrace,
                at..at + 1,
                format!(
                    "This {c} would be sent as is. Variables have two braces on each side: {{{{ customerName }}}}."
                ),
            );
        }
    }

    fn scan_tag(&mut self) {
        let start = self.at;
        let rest = self.remaining_source();
        let Some(opening) = rest.get(..2) else { return };
        if opening == "{#" {
            if let Some(end) = rest.find("#}") {
                self.at += end + 2;
            } else {
                self.at = self.source.len();
                self.push_fault(ScanFaultKind::Syntax, start..start + 2, "This {# has no #} after it.");
            }
            return;
        }
        let (block, closing) = (opening == "{%", if opening == "{%" { "%}" } else { "}}" });
        self.at += 2;
        let end = self.remaining_source().find(closing);
        let next = ["{{", "{%"].iter().filter_map(|open| self.remaining_source().find(open)).min();
        if end.is_none_or(|end| next.is_some_and(|next| next < end)) {
            self.at += next.unwrap_or(self.remaining_source().len());
            self.push_fault(
                ScanFaultKind::Syntax,
                start..start + 2,
                format!("This {opening} has no {closing} after it."),
            );
            return self.keep_balance(block, start);
        }
        if self.remaining_source().starts_with(['-', '+']) {
            self.at += 1;
        }
        match self.tokenize_tag(closing) {
            Ok(tokens) => self.check_tag(block, start..self.at, &tokens),
            Err((why, at, message)) => {
                self.at = self.remaining_source().find(closing).map_or(self.source.len(), |end| self.at + end + 2);
                // The closing brace may be inside an unterminated quotation.
                let at = if at.is_empty() { start..start + 2 } else { at };
                self.push_fault(why, at, message);
                self.keep_balance(block, start);
            }
        }
    }

    /// A broken `if` still opens and a broken `endif` still closes, so that one mistake is reported once.
    fn keep_balance(&mut self, block: bool, start: usize) {
        let tag = self.source[start..].trim_start_matches(['{', '%', '-', '+']).trim_start();
        if block && tag.starts_with("if") {
            self.open.push((start..start + 2, Vec::new(), false));
        } else if block && tag.starts_with("endif") {
            self.open.pop();
        }
    }

    fn tokenize_tag(&mut self, closing: &str) -> Result<Vec<PlacedToken<'s>>, (ScanFaultKind, Range<usize>, String)> {
        let mut tokens = Vec::new();
        loop {
            self.at += self.remaining_source().len() - self.remaining_source().trim_start().len();
            let rest = self.remaining_source();
            let Some(next) = rest.chars().next() else {
                return Err((ScanFaultKind::Syntax, 0..0, format!("This has no {closing} after it.")));
            };
            let bare = rest.strip_prefix(['-', '+']).unwrap_or(rest);
            if bare.starts_with(closing) {
                self.at += rest.len() - bare.len() + 2;
                return Ok(tokens);
            }
            let start = self.at;
            let (token, length) = if next.is_ascii_alphabetic() || next == '_' {
                let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (TagToken::Word(&rest[..length]), length)
            } else if next.is_ascii_digit() {
                (TagToken::Number, rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
            } else if matches!(next, '"' | '\'') {
                let length = quoted_length(rest, next).ok_or_else(|| {
                    (ScanFaultKind::Syntax, start..start + 1, format!("This {next} is not closed by another {next}."))
                })?;
                (TagToken::Text, length)
            } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                (TagToken::Sign(sign), sign.len())
            } else {
                return Err((
                    ScanFaultKind::NotAllowed,
                    start..start + next.len_utf8(),
                    format!("A {next} cannot stand here."),
                ));
            };
            self.at += length;
            tokens.push((token, start..self.at));
        }
    }

    fn check_tag(&mut self, block: bool, whole: Range<usize>, tokens: &[PlacedToken<'s>]) {
        if tokens.len() > MAX_TOKENS {
            self.push_fault(ScanFaultKind::NotAllowed, whole.clone(), "This is too long for one pair of braces.");
            self.keep_balance(block, whole.start);
            return;
        }
        let uses = self.check_expression(tokens, block);
        if block {
            self.check_statement(whole, tokens, &uses);
        } else if tokens.is_empty() {
            self.push_fault(
                ScanFaultKind::Syntax,
                whole,
                "These braces are empty. Put the name of a variable between them.",
            );
        }
        self.reading.uses.extend(uses);
    }

    fn check_statement(&mut self, whole: Range<usize>, tokens: &[PlacedToken<'s>], uses: &[VariableUse]) {
        let Some((TagToken::Word(word), at)) = tokens.first().cloned() else {
            return self.push_syntax_fault(
                whole,
                "This says nothing. Write {% if customerName %}, {% else %} or {% endif %}.",
            );
        };
        let asked = || uses.iter().map(|u| u.name.clone()).collect::<Vec<_>>();
        let bare = tokens.len() == 1;
        match word {
            "if" | "elif" if bare => {
                self.push_syntax_fault(whole.clone(), format!("This {word} does not say what it asks for."));
                if word == "if" {
                    self.open.push((whole, Vec::new(), false));
                }
            }
            "else" | "endif" if !bare => {
                self.push_syntax_fault(whole.clone(), format!("Nothing may follow the word {word} here."));
                self.keep_balance(true, whole.start);
            }
            "if" => {
                self.open.push((whole.clone(), asked(), false));
                if self.open.len() > MAX_DEPTH {
                    self.push_fault(
                        ScanFaultKind::NotAllowed,
                        whole,
                        format!("No more than {MAX_DEPTH} ifs may stand inside each other."),
                    );
                }
            }
            "endif" => {
                if self.open.pop().is_none() {
                    self.push_syntax_fault(whole, "This {% endif %} has no {% if %} before it.");
                }
            }
            "elif" | "else" => match self.open.last_mut() {
                None => {
                    self.push_syntax_fault(whole, format!("This {word} has no {{% if %}} before it."));
                }
                Some((_, _, true)) => {
                    self.push_syntax_fault(whole, format!("This {word} comes after an {{% else %}}."));
                }
                Some((_, guards, seen_else)) => {
                    *seen_else = word == "else";
                    *guards = asked();
                }
            },
            _ => self.push_named_fault(
                ScanFaultKind::NotAllowed,
                at,
                word,
                format!("“{word}” cannot be used in a template. Only if, elif, else and endif can."),
            ),
        }
    }

    fn check_expression(&mut self, tokens: &[PlacedToken<'s>], block: bool) -> Vec<VariableUse> {
        let tokens = if block { tokens.get(1..).unwrap_or_default() } else { tokens };
        let alternative = tokens.iter().any(|(t, _)| matches!(t, TagToken::Word("or" | "if" | "default")));
        let mut uses = Vec::new();
        let mut parens: Vec<bool> = Vec::new();
        let mut before: Option<&TagToken<'s>> = None;
        for (token, at) in tokens {
            match token {
                TagToken::Word(word) if before == Some(&TagToken::Sign("|")) => self.check_filter(word, at),
                TagToken::Word(word @ ("is" | "in")) => {
                    self.push_named_fault(
                        ScanFaultKind::NotAllowed,
                        at.clone(),
                        word,
                        format!("“{word}” cannot be used in a template."),
                    );
                }
                TagToken::Word(word) if OPERATORS.contains(word) || CONSTANTS.contains(word) => {}
                TagToken::Word(word) => uses.push(VariableUse {
                    name: (*word).to_owned(),
                    at: at.clone(),
                    printed: !block,
                    guarded: alternative || self.open.iter().any(|(_, asked, _)| asked.iter().any(|name| name == word)),
                }),
                TagToken::Sign("(") => self.check_paren(before, at, &mut parens),
                TagToken::Sign(")") => {
                    parens.pop();
                }
                TagToken::Sign(",") if parens.last() != Some(&true) => {
                    self.push_fault(ScanFaultKind::NotAllowed, at.clone(), "A comma cannot stand here.");
                }
                TagToken::Text | TagToken::Number | TagToken::Sign(_) => {}
            }
            before = Some(token);
        }
        uses
    }

    fn check_filter(&mut self, word: &str, at: &Range<usize>) {
        if !FILTERS.contains(&word) {
            let message = format!("“{word}” is not known. After | you can write {}.", FILTERS.join(", "));
            self.push_named_fault(ScanFaultKind::UnknownFilter, at.clone(), word, message);
        }
    }

    /// A parenthesis may group or hold the argument of `default`; after anything else it would be a call.
    fn check_paren(&mut self, before: Option<&TagToken<'s>>, at: &Range<usize>, parens: &mut Vec<bool>) {
        let groups = match before {
            None => true,
            Some(TagToken::Word(word)) => OPERATORS.contains(word) || *word == "default",
            Some(TagToken::Sign(sign)) => *sign != ")" && *sign != "|",
            Some(TagToken::Text | TagToken::Number) => false,
        };
        if !groups {
            self.push_fault(
                ScanFaultKind::NotAllowed,
                at.clone(),
                "Nothing can be called in a template: take the parentheses away.",
            );
        }
        parens.push(before == Some(&TagToken::Word("default")));
        if parens.len() > MAX_DEPTH {
            self.push_fault(ScanFaultKind::NotAllowed, at.clone(), "Too many parentheses inside each other.");
        }
    }
}

/// Length of a quoted text including quotes; none when unterminated.
fn quoted_length(rest: &str, quote: char) -> Option<usize> {
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
