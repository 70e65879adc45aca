//! Stored and received JSON is read by types: no code takes a value out of it by a key. The counts can only fall.

use std::{collections::BTreeMap, path::Path};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::layers::{after_item, collect_rust_files, is_test_attribute};

const CRATES: [&str; 3] = ["api", "shared", "worker"];

/// File, how many reads by key it may have, and why.
const EXCEPTIONS: [(&str, usize, &str); 1] =
    [("api/src/pages/reference.rs", 35, "a page of any OpenAPI description, whose schemas nest without end")];

/// Methods of a JSON value that read it.
const READERS: [&str; 7] = ["as_str", "as_bool", "as_i64", "as_u64", "as_f64", "as_array", "as_object"];
/// A bracket behind one of these begins an array, no index.
const KEYWORDS: [&str; 10] = ["in", "return", "match", "if", "else", "let", "mut", "ref", "break", "move"];

/// Counts `value["key"]`, `value[KEY]`, `.pointer("/key")`, and `.get("key")` with a reader behind it, except in
/// modules for tests.
fn count_key_reads(tokens: TokenStream) -> usize {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut at, mut count) = (0, 0);
    while at < tokens.len() {
        if is_test_attribute(&tokens[at..]) {
            at = after_item(&tokens, at + 2);
            continue;
        }
        if let TokenTree::Group(group) = &tokens[at] {
            count += usize::from(is_key_index(&tokens[..=at]) || is_key_call(&tokens, at));
            count += count_key_reads(group.stream());
        }
        at += 1;
    }
    count
}

/// Whether the last token is an index by a key.
fn is_key_index(tokens: &[TokenTree]) -> bool {
    let [.., before, TokenTree::Group(group)] = tokens else { return false };
    let is_behind_value = match before {
        TokenTree::Ident(word) => !KEYWORDS.contains(&word.to_string().as_str()),
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace,
        TokenTree::Punct(mark) => mark.as_char() == '?',
        TokenTree::Literal(_) => false,
    };
    group.delimiter() == Delimiter::Bracket && is_behind_value && is_key(group.stream())
}

/// Whether the group holds the arguments of `.pointer` with a key, or of `.get` with a key and a reader behind it.
fn is_key_call(tokens: &[TokenTree], at: usize) -> bool {
    let [.., TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(group)] = &tokens[..=at] else {
        return false;
    };
    if dot.as_char() != '.' || group.delimiter() != Delimiter::Parenthesis || !is_key(group.stream()) {
        return false;
    }
    method == "pointer" || (method == "get" && is_chain_reading(&tokens[at + 1..]))
}

/// Follows the calls behind a call, up to the end of their chain.
fn is_chain_reading(tokens: &[TokenTree]) -> bool {
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if ['.', '?', ':', '<', '>'].contains(&mark.as_char()) => {}
            TokenTree::Ident(word) if READERS.contains(&word.to_string().as_str()) => return true,
            TokenTree::Ident(_) => {}
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                if has_reader(group.stream()) {
                    return true;
                }
            }
            _ => return false,
        }
    }
    false
}

fn has_reader(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => READERS.contains(&word.to_string().as_str()),
        TokenTree::Group(group) => has_reader(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// A text, or the path of a constant.
fn is_key(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Literal(text)] => text.to_string().starts_with('"'),
        [path @ .., TokenTree::Ident(name)] => {
            let is_path = path.iter().all(|token| match token {
                TokenTree::Ident(_) => true,
                TokenTree::Punct(mark) => mark.as_char() == ':',
                _ => false,
            });
            is_path && is_constant(&name.to_string())
        }
        _ => false,
    }
}

fn is_constant(name: &str) -> bool {
    name.len() > 2 && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

#[test]
fn key_reads_are_told_from_arrays_and_other_lookups() {
    let reads = |source: &str| count_key_reads(source.parse().unwrap());
    for bad in [
        r#"fn f() { evidence["brake"].as_str() }"#,
        "fn f() { evidence[send_policy::LIMIT_KEY] = json!(limit); }",
        r#"fn f() { row?.detail["with"] }"#,
        r#"fn f() { load()?["with"] }"#,
        r#"fn f() { content.get("number").and_then(Value::as_str) }"#,
        r#"fn f() { content.get("number")?.as_str()? }"#,
        "fn f() { content.get(KEY).map(|key| key.as_bool()) }",
        r#"fn f() { object.pointer("/id") }"#,
        r#"macro_rules! m { () => { value["key"] } }"#,
    ] {
        assert_eq!(reads(bad), 1, "{bad}");
    }
    for good in [
        r#"const NAMES: [&str; 1] = ["one"];"#,
        r#"fn f() { for name in ["one"] { g(&["two"], vec!["three"]) } }"#,
        r#"fn f() { headers.get("accept").and_then(|value| value.to_str().ok()) }"#,
        r#"fn f() { if let Some(site) = headers.get("site") { site.as_str(); } }"#,
        "fn f() { rows[at]; names[0]; bytes[..LENGTH]; doc.pointer(address) }",
        r#"#[cfg(test)] mod tests { fn f() { value["key"] } }"#,
    ] {
        assert_eq!(reads(good), 0, "{good}");
    }
}

#[test]
fn json_values_are_read_by_types_not_by_keys() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in CRATES {
        collect_rust_files(&root, &root.join(name).join("src"), &mut files);
    }
    let mut found: BTreeMap<String, usize> =
        files.into_iter().map(|(name, tokens)| (name, count_key_reads(tokens))).collect();
    assert!(found.len() > 600, "the sources are not where they were");
    for (file, allowed, why) in EXCEPTIONS {
        let count = found.remove(file).unwrap_or_default();
        assert!(count <= allowed, "{file} reads {count} values by key; {allowed} may be: {why}");
        assert_eq!(count, allowed, "{file} reads fewer values by key: lower the figure");
    }
    let others: Vec<_> = found.into_iter().filter(|(_, count)| *count > 0).collect();
    assert_eq!(others, Vec::<(String, usize)>::new(), "give these values a type with a serde derive");
}
