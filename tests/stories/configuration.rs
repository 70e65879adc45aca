//! The documents name every environment variable that the programs read, and no others.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use shared::platform::config::misspelt::KNOWN_NAMES;

use crate::layers::{CRATES, after_item, is_test_attribute};

#[derive(Default)]
struct Source {
    /// Whether the file names `EnvVars`, the only reader of the environment.
    reads: bool,
    /// Strings that have the shape of a variable's name.
    names: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Every name in a file that reads variables: most are arguments of `EnvVars`, others come from a constant, a list or a
/// function that reads several of one kind.
fn names_read() -> BTreeSet<String> {
    let mut files = Vec::new();
    for name in CRATES {
        collect(&root().join(name).join("src"), &mut files);
    }
    assert!(files.len() > 300, "the sources are not where they were");
    let mut names = BTreeSet::new();
    for path in files {
        let tokens: TokenStream = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let mut source = Source::default();
        source.walk(tokens);
        if source.reads {
            names.append(&mut source.names);
        }
    }
    names
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
}

impl Source {
    fn walk(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if is_test_attribute(&tokens[at..]) {
                at = after_item(&tokens, at + 2);
                continue;
            }
            match &tokens[at] {
                // `env!` is resolved by the compiler.
                TokenTree::Ident(word) if word == "env" && is_exclamation(tokens.get(at + 1)) => at += 2,
                TokenTree::Ident(word) => self.reads |= word == "EnvVars",
                TokenTree::Group(group) => self.walk(group.stream()),
                TokenTree::Literal(literal) => self.note(&literal.to_string(), at == 0),
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    /// A single word counts as a name only as the first argument of a call: `vars.get("PORT")`.
    fn note(&mut self, written: &str, is_first: bool) {
        let text = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if let Some(name) = text.filter(|text| is_name(text) && (is_first || text.contains('_'))) {
            self.names.insert(name.to_owned());
        }
    }
}

fn is_exclamation(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == '!')
}

fn is_name(text: &str) -> bool {
    let fits = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_';
    text.len() > 2 && text.bytes().all(fits) && text.starts_with(|first: char| first.is_ascii_uppercase())
}

fn names_documented() -> Vec<String> {
    let document = std::fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    let tables = document.split("\n| variable |").skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').filter(|part| is_name(part)).map(ToOwned::to_owned)).collect()
}

/// The names in the example file, each on its own line: `#DATA_DIR=var`.
fn names_in_example() -> Vec<String> {
    let example = std::fs::read_to_string(root().join(".env.example")).unwrap();
    let lines = example.lines().filter_map(|line| line.strip_prefix('#')?.split_once('='));
    lines.map(|(name, _)| name).filter(|name| is_name(name)).map(ToOwned::to_owned).collect()
}

/// Fails where a document lacks a name, has an unused name, or has a name twice.
fn compare(document: &str, found: &[String]) {
    let read = names_read();
    let named: BTreeSet<String> = found.iter().cloned().collect();
    let (missing, unread): (Vec<_>, Vec<_>) = (read.difference(&named).collect(), named.difference(&read).collect());
    assert!(missing.is_empty(), "{document} lacks {missing:?}");
    assert!(unread.is_empty(), "{document} names what no program reads: {unread:?}");
    assert_eq!(named.len(), found.len(), "{document} names a variable twice: {found:?}");
}

#[test]
fn every_variable_is_in_the_configuration_document() {
    compare("docs/configuration.md", &names_documented());
}

#[test]
fn every_variable_is_known_to_the_warning_of_misspelt_names() {
    compare("platform/src/config/misspelt.rs", &KNOWN_NAMES.map(ToOwned::to_owned));
}

#[test]
fn every_variable_is_in_the_example_env_file() {
    compare(".env.example", &names_in_example());
}
