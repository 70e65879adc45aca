//! Names that can be searched: a type's name is unique in its crate, and few public functions are one word. The
//! numbers can only fall.

use std::{collections::BTreeMap, path::Path};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::layers::{after_item, is_test_attribute};

/// How many public functions of each crate may be one word.
const ONE_WORD_FUNCTIONS: [(&str, usize); 6] =
    [("platform", 57), ("documents", 7), ("providers", 30), ("shared", 141), ("api", 36), ("worker", 31)];

#[derive(Default)]
struct Names {
    types: BTreeMap<String, usize>,
    functions: Vec<String>,
}

fn names_of(crate_name: &str) -> Names {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src");
    let mut names = Names::default();
    collect(&root, &mut names);
    assert!(names.functions.len() > 50, "the sources of {crate_name} are not where they were");
    names
}

fn collect(folder: &Path, names: &mut Names) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            read_items(std::fs::read_to_string(&path).unwrap().parse().unwrap(), names);
        }
    }
}

/// Reads a file's items, those of its inline modules and the functions of its types. Functions of trait
/// implementations are skipped, as the trait chooses their names.
fn read_items(tokens: TokenStream, names: &mut Names) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut at, mut is_public) = (0, false);
    while at < tokens.len() {
        if is_test_attribute(&tokens[at..]) {
            at = after_item(&tokens, at + 2);
            continue;
        }
        let TokenTree::Ident(word) = &tokens[at] else {
            is_public &= matches!(&tokens[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
            at += 1;
            continue;
        };
        let next = tokens.get(at + 1).and_then(ident);
        match (word.to_string().as_str(), next) {
            ("pub", _) => is_public = true,
            ("async" | "const" | "unsafe", _) => {}
            ("struct" | "enum" | "trait" | "type" | "union", Some(name)) => {
                *names.types.entry(name).or_default() += 1;
                at = after_item(&tokens, at);
                is_public = false;
                continue;
            }
            ("fn", Some(name)) => {
                if is_public {
                    names.functions.push(name);
                }
                at = after_item(&tokens, at);
                is_public = false;
                continue;
            }
            ("impl" | "mod", _) => {
                let end = after_item(&tokens, at);
                if let Some(TokenTree::Group(body)) = tokens.get(end - 1)
                    && !is_of_trait(&tokens[at..end])
                {
                    read_items(body.stream(), names);
                }
                at = end;
                is_public = false;
                continue;
            }
            _ => is_public = false,
        }
        at += 1;
    }
}

fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

/// Whether an `impl` has a `for` with a type; `for<'a>` belongs to a lifetime.
fn is_of_trait(item: &[TokenTree]) -> bool {
    item.windows(2).any(|pair| {
        ident(&pair[0]).is_some_and(|word| word == "for")
            && !matches!(&pair[1], TokenTree::Punct(mark) if mark.as_char() == '<')
    })
}

#[test]
fn type_names_are_unique_within_each_crate() {
    for (name, _) in ONE_WORD_FUNCTIONS {
        let repeated: Vec<_> = names_of(name).types.into_iter().filter(|(_, count)| *count > 1).collect();
        assert_eq!(repeated, Vec::<(String, usize)>::new(), "name these types of {name} apart");
    }
}

#[test]
fn public_functions_with_one_word_names_stay_within_limit() {
    for (name, allowed) in ONE_WORD_FUNCTIONS {
        let functions = names_of(name).functions;
        let one_word = functions.iter().filter(|function| !function.contains('_')).count();
        assert!(one_word <= allowed, "{one_word} public functions of {name} are one word; {allowed} may be");
        assert!(one_word + 5 > allowed, "{one_word} public functions of {name} are one word: lower the figure");
    }
}
