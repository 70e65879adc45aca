//! The layers: each imports only those below it. Crates say so in their `Cargo.toml`, the layers of `shared` by their
//! paths.

use std::{collections::BTreeSet, path::Path};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The crates of the programs, each with those that it imports. `documents` and `providers` are equal.
const IMPORTED_CRATES: [(&str, &[&str]); 6] = [
    ("platform", &[]),
    ("documents", &["platform"]),
    ("providers", &["platform"]),
    ("shared", &["documents", "platform", "providers"]),
    ("api", &["shared"]),
    ("worker", &["shared"]),
];
pub const CRATES: [&str; 6] = ["platform", "documents", "providers", "shared", "api", "worker"];
/// Each layer of `shared` imports only those before it.
const LAYERS: [(&str, u8); 3] = [("domain", 0), ("views", 1), ("ops", 2)];
/// The domains in their order: each may import those before it.
pub const DOMAINS: [&str; 6] = ["tenancy", "intake", "messaging", "work", "money", "growth"];
/// Imports of routes and tasks from a later domain. Their last domain is `ops`.
const LATER_IMPORTS: [(&str, &str); 1] =
    [("tenancy/org_logo.rs > intake", "the upload of a logo takes its memory from what all uploads share")];

/// A file below a crate's `src`, and its paths that begin with `crate`, of two segments or more.
struct Source {
    name: String,
    imports: Vec<Vec<String>>,
}

fn sources(crate_name: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src");
    let mut files = Vec::new();
    collect_rust_files(&root, &root, &mut files);
    assert!(files.len() > 40, "the sources are not where they were");
    let to_source = |(name, tokens)| {
        let mut imports = Vec::new();
        walk(tokens, &mut imports);
        Source { name, imports }
    };
    files.into_iter().map(to_source).collect()
}

/// The Rust files below a folder, by their names below `root`, without those of tests.
pub(crate) fn collect_rust_files(root: &Path, folder: &Path, found: &mut Vec<(String, TokenStream)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "tests" || stem.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            collect_rust_files(root, &path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            found.push((name, std::fs::read_to_string(&path).unwrap().parse().unwrap()));
        }
    }
}

/// Finds `crate::a::b` and `crate::{a::b, a::{b, c}}`, except in modules for tests.
fn walk(tokens: TokenStream, imports: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if is_test_attribute(&tokens[at..]) {
            at = after_item(&tokens, at + 2);
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(word) if word == "crate" => tree(&tokens[at + 1..], &mut Vec::new(), imports),
            TokenTree::Group(group) => walk(group.stream(), imports),
            _ => {}
        }
        at += 1;
    }
}

pub fn is_test_attribute(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(hash), TokenTree::Group(group), ..] = tokens else { return false };
    hash.as_char() == '#' && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// The position after the item that an attribute belongs to.
pub fn after_item(tokens: &[TokenTree], from: usize) -> usize {
    let end = tokens[from..].iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => mark.as_char() == ';',
        _ => false,
    });
    end.map_or(tokens.len(), |end| from + end + 1)
}

/// Follows the path behind `crate` to its ends.
fn tree(tokens: &[TokenTree], path: &mut Vec<String>, imports: &mut Vec<Vec<String>>) {
    let next = match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), next, ..] if a.as_char() == ':' && b.as_char() == ':' => Some(next),
        _ => None,
    };
    match next {
        Some(TokenTree::Ident(word)) => {
            path.push(word.to_string());
            tree(&tokens[3..], path, imports);
            path.pop();
        }
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            for one in inner.split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',')) {
                if let [TokenTree::Ident(word), rest @ ..] = one {
                    path.push(word.to_string());
                    tree(rest, path, imports);
                    path.pop();
                }
            }
        }
        _ if path.len() > 1 => imports.push(path.clone()),
        _ => {}
    }
}

fn rank(layer: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == layer).map(|(_, rank)| *rank)
}

#[test]
fn crates_depend_on_crates_below_them_only() {
    assert_eq!(IMPORTED_CRATES.map(|(name, _)| name), CRATES);
    for (name, below) in IMPORTED_CRATES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(path).unwrap();
        let listed = manifest.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        let listed: BTreeSet<&str> = listed.filter(|word| CRATES.contains(word)).collect();
        let below: BTreeSet<&str> = below.iter().copied().collect();
        assert_eq!(listed, below, "{name}/Cargo.toml");
    }
}

/// The one list of the business that `platform` holds: its error type carries a reason.
#[test]
fn reasons_of_refusals_are_known_to_the_error_type_only() {
    let sources = sources("platform");
    let knows = |source: &&Source| source.imports.iter().any(|path| path[0] == "conflicts");
    let outside = sources.iter().filter(knows).filter(|source| !source.name.starts_with("conflicts"));
    assert_eq!(outside.map(|source| source.name.as_str()).collect::<Vec<_>>(), ["error.rs"]);
}

#[test]
fn layers_of_shared_import_downward_only() {
    let mut upward = BTreeSet::new();
    for source in sources("shared") {
        let own = source.name.split(['/', '.']).next().unwrap().to_owned();
        let Some(own_rank) = rank(&own) else { continue };
        for layer in source.imports.iter().map(|path| &path[0]) {
            if *layer != own && rank(layer).is_some_and(|there| there >= own_rank) {
                upward.insert(format!("{} > {layer}", source.name));
            }
        }
    }
    assert_eq!(upward.iter().collect::<Vec<_>>(), [""; 0], "these import from a layer above theirs");
}

/// Imports of a crate's domains, which are folders of `parent`, from later ones.
fn later_imports(crate_name: &str, parent: &str) -> BTreeSet<String> {
    let place = |domain: &str| DOMAINS.iter().chain(&["ops"]).position(|one| *one == domain);
    let mut upward = BTreeSet::new();
    for source in sources(crate_name) {
        let Some(name) = source.name.strip_prefix(parent).and_then(|name| name.strip_prefix('/')) else { continue };
        let own = name.split(['/', '.']).next().unwrap();
        let others = source.imports.iter().filter(|path| path[0] == parent).map(|path| &path[1]);
        for other in others.filter(|other| place(other) > place(own)) {
            upward.insert(format!("{name} > {other}"));
        }
    }
    upward
}

#[test]
fn domains_import_only_earlier_domains() {
    let upward = later_imports("shared", "domain");
    assert_eq!(upward.iter().collect::<Vec<_>>(), [""; 0], "these import from a later domain");
}

#[test]
fn routes_and_tasks_import_only_earlier_domains() {
    let mut upward = later_imports("api", "routes");
    upward.append(&mut later_imports("worker", "tasks"));
    let listed: Vec<&str> = LATER_IMPORTS.iter().map(|(import, _)| *import).collect();
    assert_eq!(upward.iter().collect::<Vec<_>>(), listed, "these import from a later domain");
}

/// A path is deep that names `crate`, another domain, a module of it, and a file below. Not read are paths that begin
/// with an imported module.
#[test]
fn domains_import_what_others_publish() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/src");
    let is_deep = |path: &[String]| path.len() > 3 && root.join(path[..4].join("/")).with_extension("rs").exists();
    let mut deep = BTreeSet::new();
    for source in sources("shared") {
        let Some(own) = source.name.strip_prefix("domain/") else { continue };
        let own = own.split(['/', '.']).next().unwrap();
        let others = source.imports.iter().filter(|path| path[0] == "domain" && path[1] != own);
        for path in others.filter(|path| is_deep(path)) {
            deep.insert(format!("{}: {}", source.name, path.join("::")));
        }
    }
    assert_eq!(deep.iter().collect::<Vec<_>>(), [""; 0], "import these from the module that the domain publishes");
}
