//! Reader of the SQL texts in the program's sources: complete texts, and those built from parts, in their order.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::rows::{ROW_MACROS, batch_insert, row_insert};
use crate::layers::CRATES;

#[derive(Clone, Debug)]
pub struct Statement {
    /// Such as `shared/src/domain/intake/lead.rs::find`.
    pub place: String,
    pub text: String,
    /// Whether each column is written beside its value.
    pub is_named: bool,
}

/// The first words of a complete statement.
const VERBS: [&str; 5] = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"];
/// Limit of nested parts, so that the reader ends.
const DEEPEST: usize = 6;

pub fn statements() -> Vec<Statement> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in CRATES {
        collect(&root.join(name).join("src"), &mut files);
    }
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        let mut file = File { name, parts: BTreeMap::new(), named: BTreeSet::new(), found: Vec::new() };
        file.gather(tokens.clone());
        file.walk(tokens, "");
        found.append(&mut file.found);
    }
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
}

struct File {
    name: String,
    /// Constants, macros and functions of this file that contribute to a text.
    parts: BTreeMap<String, TokenStream>,
    /// Arguments of builders by name: a constant among these is a part.
    named: BTreeSet<String>,
    found: Vec<Statement>,
}

pub fn word(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

pub fn is_sign(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(found)) if found.as_char() == sign)
}

pub fn group(tree: Option<&TokenTree>, delimiter: Delimiter) -> Option<&Group> {
    match tree {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// The text of a string literal.
pub fn text(tree: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = tree else { return None };
    let written = literal.to_string();
    if let Some(raw) = written.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return raw.strip_prefix('"')?.strip_suffix('"').map(ToOwned::to_owned);
    }
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    let mut plain = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            // A line continuation.
            Some('\n' | 'n' | 't') => plain.push(' '),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    Some(plain)
}

fn begins_one(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|first| VERBS.contains(&first))
}

/// Skips an attribute. Whether it marks the next item as test-only.
fn attribute(trees: &[TokenTree], at: usize) -> Option<(usize, bool)> {
    if !is_sign(trees.get(at), '#') {
        return None;
    }
    let at = if is_sign(trees.get(at + 1), '!') { at + 1 } else { at };
    let attribute_text = group(trees.get(at + 1), Delimiter::Bracket)?.stream().to_string();
    Some((at + 2, attribute_text.starts_with("cfg") && attribute_text.contains("test")))
}

fn after_item(trees: &[TokenTree], at: usize) -> usize {
    let ends = |tree: &TokenTree| is_sign(Some(tree), ';') || group(Some(tree), Delimiter::Brace).is_some();
    trees.iter().skip(at).position(ends).map_or(trees.len(), |ahead| at + ahead + 1)
}

/// A named item: its name, its body, and the position of the next one.
fn item(trees: &[TokenTree], at: usize) -> Option<(String, TokenStream, usize)> {
    // `'static` is a lifetime.
    let is_lifetime = is_sign(at.checked_sub(1).and_then(|at| trees.get(at)), '\'');
    let kind = word(trees.get(at)).filter(|_| !is_lifetime)?;
    let named = match kind.as_str() {
        "fn" | "const" | "static" => at + 1,
        "macro_rules" => at + 2,
        _ => return None,
    };
    let name = word(trees.get(named)).filter(|name| name != "fn")?;
    let next = after_item(trees, named);
    Some((name, trees[named + 1..next].iter().cloned().collect(), next))
}

/// Whether these brackets are the argument of a builder.
fn is_pushed(trees: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| trees.get(at));
    let is_builder = is_sign(before, '!') && at >= 2 && word(trees.get(at - 2)).as_deref() == Some("qb");
    is_builder || word(before).as_deref() == Some("push")
}

fn name_all(tokens: TokenStream, named: &mut BTreeSet<String>) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(name) => {
                named.insert(name.to_string());
            }
            TokenTree::Group(inner) => name_all(inner.stream(), named),
            _ => {}
        }
    }
}

impl File {
    fn gather(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            if let Some((next, is_test)) = attribute(&trees, at) {
                at = if is_test { after_item(&trees, next) } else { next };
            } else if let Some((name, body, next)) = item(&trees, at) {
                self.gather(body.clone());
                self.parts.entry(name).or_default().extend(body);
                at = next;
            } else {
                if let TokenTree::Group(inner) = &trees[at] {
                    if is_pushed(&trees, at) {
                        name_all(inner.stream(), &mut self.named);
                    }
                    self.gather(inner.stream());
                }
                at += 1;
            }
        }
    }

    fn add(&mut self, within: &str, text: String) {
        let place = if within.is_empty() { self.name.clone() } else { format!("{}::{within}", self.name) };
        self.found.push(Statement { place, text, is_named: false });
    }

    /// Finds complete texts, and assembles those of builders.
    fn walk(&mut self, tokens: TokenStream, within: &str) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            if let Some((next, is_test)) = attribute(&trees, at) {
                at = if is_test { after_item(&trees, next) } else { next };
                continue;
            }
            if let Some((name, body, next)) = item(&trees, at) {
                // Parts of other texts are read where they are named.
                match word(trees.get(at)).as_deref() {
                    Some("fn") => self.walk(body, &name),
                    Some("macro_rules") => {}
                    _ => self.constant(body, &name),
                }
                at = next;
                continue;
            }
            at += self.step(&trees, at, within);
        }
    }

    /// The complete statements of a constant, alone or in a list, unless it is a part of others.
    fn constant(&mut self, body: TokenStream, name: &str) {
        if self.named.contains(name) {
            return;
        }
        let mut is_macro = false;
        for tree in body {
            match &tree {
                TokenTree::Group(inner) if !is_macro => self.constant(inner.stream(), name),
                literal => {
                    if let Some(text) = text(literal).filter(|text| begins_one(text)) {
                        self.add(name, text);
                    }
                }
            }
            is_macro = is_sign(Some(&tree), '!');
        }
    }

    /// Reads one element. Returns its length.
    fn step(&mut self, trees: &[TokenTree], at: usize, within: &str) -> usize {
        let called = word(trees.get(at));
        let is_call = is_sign(trees.get(at + 1), '!');
        if called.as_deref() == Some("qb")
            && is_call
            && let Some(TokenTree::Group(body)) = trees.get(at + 2)
        {
            let mut sql_text = String::new();
            self.put_together(body.stream(), &mut sql_text, 0);
            self.add(within, sql_text);
            return 3;
        }
        // A pushed argument is a part of another text.
        if called.as_deref() == Some("push") && is_sign(at.checked_sub(1).and_then(|at| trees.get(at)), '.') {
            return 2;
        }
        if called.as_deref() == Some("into")
            && let Some(body) = group(trees.get(at + 1), Delimiter::Parenthesis)
            && let Some(sql_text) = self.batch_insert(body.stream(), &trees[at + 2..])
        {
            self.add(within, sql_text);
            return 2;
        }
        if is_call
            && called.is_some_and(|name| ROW_MACROS.contains(&name.as_str()))
            && let Some(body) = group(trees.get(at + 2), Delimiter::Parenthesis)
        {
            if let Some(sql_text) = row_insert(body.stream(), &trees[at + 3..]) {
                self.add(within, sql_text);
                self.found.last_mut().unwrap().is_named = true;
            }
            self.walk(body.stream(), within);
            return 3;
        }
        match &trees[at] {
            TokenTree::Group(inner) => self.walk(inner.stream(), within),
            literal => {
                if let Some(text) = text(literal).filter(|text| begins_one(text)) {
                    self.add(within, text);
                }
            }
        }
        1
    }

    /// The insert of `Insert::into`, whose table and columns may be a constant's.
    fn batch_insert(&self, arguments: TokenStream, chain: &[TokenTree]) -> Option<String> {
        let mut into = String::new();
        self.put_together(arguments, &mut into, 0);
        batch_insert(&into, chain)
    }

    /// The arguments of a builder, in their order, with named parts resolved.
    fn put_together(&self, tokens: TokenStream, sql_text: &mut String, depth: usize) {
        for tree in tokens {
            match &tree {
                TokenTree::Group(inner) => self.put_together(inner.stream(), sql_text, depth),
                TokenTree::Ident(name) if name == "push_bind" => sql_text.push_str(" $1 "),
                TokenTree::Ident(name) => {
                    if let Some(part) = self.parts.get(&name.to_string()).filter(|_| depth < DEEPEST) {
                        self.put_together(part.clone(), sql_text, depth + 1);
                    }
                }
                literal => {
                    if let Some(text) = text(literal) {
                        sql_text.push(' ');
                        sql_text.push_str(&text);
                    }
                }
            }
        }
    }
}
