//! Every handler that `shared` declares is registered: one that is missing would be found only when it is called.

use std::{collections::BTreeSet, path::Path};

use shared::ops::schema::SCHEMA;

/// Names of the types with `impl Handler for …` in a folder.
fn collect(folder: &Path, declared: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, declared);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            // Those of tests are indented.
            let types = text.lines().filter_map(|line| line.strip_prefix("impl Handler for "));
            declared.extend(types.map(|name| name.trim_end_matches(['{', '}', ' ']).to_owned()));
        }
    }
}

#[test]
fn every_declared_handler_is_registered() {
    let mut declared = BTreeSet::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/src"), &mut declared);
    assert!(declared.len() > 10, "the sources are not where they were");
    let names = SCHEMA.handlers.handler_names();
    let registered: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(registered, declared, "register them in shared/src/ops/handlers.rs");
    assert_eq!(registered.len(), names.len(), "a type is registered twice, or two types have one name");
}
