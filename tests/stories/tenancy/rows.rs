//! SQL texts of inserted rows: those of `Insert::into`, and those of the macros that name column and value together.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{group, is_sign, statements, text, word};

/// Inserts of this many columns and more are written with a macro.
const WIDE: usize = 8;

/// The macros of `db/row.rs`. Each has one `table { column: value, … }`.
pub const ROW_MACROS: [&str; 3] = ["insert_row", "batch_row", "batch_rows"];

/// `into` is `table (column, …)`; `chain` are the calls after it.
pub fn batch_insert(into: &str, chain: &[TokenTree]) -> Option<String> {
    let (table, columns) = into.trim().split_once('(')?;
    let columns: Vec<&str> = columns.trim_end().strip_suffix(')')?.split(',').map(str::trim).collect();
    Some(insert(table.trim(), &columns) + &conflict(table.trim(), chain))
}

/// What a macro of [`ROW_MACROS`] inserts, with the text after its columns.
pub fn row_insert(arguments: TokenStream, chain: &[TokenTree]) -> Option<String> {
    let trees: Vec<TokenTree> = arguments.into_iter().collect();
    let is_row = |at: &usize| word(trees.get(*at)).is_some() && group(trees.get(at + 1), Delimiter::Brace).is_some();
    let at = (0..trees.len()).rev().find(is_row)?;
    let table = word(trees.get(at))?;
    let columns = columns(group(trees.get(at + 1), Delimiter::Brace)?.stream());
    // What follows the text are its values.
    let tail = trees.get(at + 3).and_then(text).map_or_else(String::new, |tail| format!(" {tail}"));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    Some(insert(&table, &columns) + &tail + &conflict(&table, chain))
}

/// The names before the values, of `column: value` and of `column` alone.
fn columns(fields: TokenStream) -> Vec<String> {
    let trees: Vec<TokenTree> = fields.into_iter().collect();
    let is_first = |at: usize| at == 0 || is_sign(trees.get(at - 1), ',');
    let is_named = |at: usize| match trees.get(at + 1) {
        None => true,
        sign => is_sign(sign, ',') || (is_sign(sign, ':') && !is_sign(trees.get(at + 2), ':')),
    };
    (0..trees.len()).filter(|at| is_first(*at) && is_named(*at)).filter_map(|at| word(trees.get(at))).collect()
}

fn insert(table: &str, columns: &[&str]) -> String {
    let places: Vec<String> = (1..=columns.len()).map(|n| format!("${n}")).collect();
    format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), places.join(", "))
}

/// The clause of an `on_conflict_…` among the calls, as `Insert` writes it.
fn conflict(table: &str, chain: &[TokenTree]) -> String {
    for call in chain.chunks(3) {
        let [dot, TokenTree::Ident(name), TokenTree::Group(arguments)] = call else { break };
        if !is_sign(Some(dot), '.') {
            break;
        }
        let mut literals = Vec::new();
        texts(arguments.stream(), &mut literals);
        let Some((key, columns)) = literals.split_first() else { continue };
        let assigned = |column: &String| match name.to_string().as_str() {
            "on_conflict_add" => format!("{column} = {table}.{column} + excluded.{column}"),
            _ => format!("{column} = excluded.{column}"),
        };
        let list: Vec<String> = columns.iter().map(assigned).collect();
        match name.to_string().as_str() {
            "on_conflict_do_nothing" => return format!(" ON CONFLICT ({key}) DO NOTHING"),
            "on_conflict_add" | "on_conflict_replace" if !list.is_empty() => {
                return format!(" ON CONFLICT ({key}) DO UPDATE SET {}", list.join(", "));
            }
            _ => {}
        }
    }
    String::new()
}

fn texts(arguments: TokenStream, literals: &mut Vec<String>) {
    for tree in arguments {
        match &tree {
            TokenTree::Group(inner) => texts(inner.stream(), literals),
            literal => literals.extend(text(literal)),
        }
    }
}

/// The number of columns of an insert of values; `INSERT … SELECT` has none.
fn width(text: &str) -> usize {
    let Some(rest) = text.trim_start().strip_prefix("INSERT INTO ") else { return 0 };
    let Some((columns, rest)) = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')) else { return 0 };
    if rest.trim_start().starts_with("SELECT") { 0 } else { columns.split(',').count() }
}

#[test]
fn wide_inserts_name_column_and_value_together() {
    let all = statements();
    let named = all.iter().filter(|one| one.is_named).count();
    assert!(named > 50, "{named} inserts by macro: the reader is blind");
    let apart: Vec<&str> =
        all.iter().filter(|one| !one.is_named && width(&one.text) >= WIDE).map(|one| one.place.as_str()).collect();
    assert!(apart.is_empty(), "write these with insert_row!, batch_row! or batch_rows!: {apart:?}");
    assert_eq!(width("INSERT INTO job (id, at) VALUES ($1, $2)"), 2);
    assert_eq!(width("INSERT INTO job (id, at) SELECT id, at FROM visit"), 0);
}

#[test]
fn row_macros_and_batches_are_read_as_inserts() {
    let read = |code: &str| {
        let trees: Vec<TokenTree> = code.parse::<TokenStream>().unwrap().into_iter().collect();
        row_insert(group(trees.first(), Delimiter::Parenthesis).unwrap().stream(), &trees[1..]).unwrap()
    };
    assert_eq!(
        read(r#"(&mut *tx, fetch_one scalar Uuid, pulse { org_id: org, id, at: a::b(c) }, "RETURNING id")"#),
        "INSERT INTO pulse (org_id, id, at) VALUES ($1, $2, $3) RETURNING id"
    );
    assert_eq!(
        read(r#"(all.iter(), |(id, _)| pulse { org_id: org, id: *id }).on_conflict_add("org_id", &["id"])"#),
        "INSERT INTO pulse (org_id, id) VALUES ($1, $2) ON CONFLICT (org_id) DO UPDATE SET id = pulse.id + excluded.id"
    );
    assert_eq!(batch_insert("pulse (org_id, id)", &[]).unwrap(), "INSERT INTO pulse (org_id, id) VALUES ($1, $2)");
}
