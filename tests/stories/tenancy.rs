//! Every query on a tenant's table filters by business (trust requirement 66): all SQL texts are read from the
//! program's sources and checked query by query.
//!
//! Not covered are texts whose tables are named at run time: `db/rows.rs` and `db/batch.rs` write the tables listed
//! in `ops::erasure::catalogue`, which its own stories test.

use std::collections::BTreeSet;

use shared::ops::tenant_data;

use self::{
    exempt::{ALLOWED, FAMILIES},
    source::Statement,
    sql::loose,
};

mod exempt;
mod rows;
pub mod source;
pub mod sql;

/// The tables with rows of one business, without the table of businesses.
fn of_businesses() -> BTreeSet<String> {
    tenant_data::tenant_tables().map(|one| one.table.to_owned()).filter(|table| table != "org").collect()
}

fn entry(place: &str) -> Option<&'static str> {
    let of_families = FAMILIES.iter().flat_map(|(_, places)| places.iter().copied());
    let mut listed = of_families.chain(ALLOWED.iter().map(|(place, _)| *place));
    listed.find(|listed| place.strip_prefix(listed).is_some_and(|inner| inner.is_empty() || inner.starts_with("::")))
}

#[test]
fn queries_on_tenant_tables_compare_org_id() {
    let (tables, all) = (of_businesses(), source::statements());
    assert!(
        all.len() > 1_000 && tables.len() > 80,
        "{} texts, {} tables: the reader is blind",
        all.len(),
        tables.len()
    );
    let found = all.iter().filter(|one| entry(&one.place).is_none());
    let lines: Vec<String> = found
        .flat_map(|one| loose(&one.text, &tables).into_iter().map(|loose| format!("{}: {loose:?}", one.place)))
        .collect();
    assert!(lines.is_empty(), "compare org_id in each of these:\n{}", lines.join("\n"));
}

#[test]
fn exception_list_contains_only_needed_entries() {
    let (tables, all) = (of_businesses(), source::statements());
    let needed: BTreeSet<&str> =
        all.iter().filter(|one| !loose(&one.text, &tables).is_empty()).filter_map(|one| entry(&one.place)).collect();
    let listed =
        FAMILIES.iter().flat_map(|(_, places)| places.iter().copied()).chain(ALLOWED.iter().map(|(place, _)| *place));
    let stale: Vec<&str> = listed.filter(|listed| !needed.contains(listed)).collect();
    assert!(stale.is_empty(), "take them off the list: {stale:?}");
    assert!(ALLOWED.len() <= 10);
    assert!(FAMILIES.iter().all(|(why, _)| !why.is_empty()) && ALLOWED.iter().all(|(_, why)| !why.is_empty()));
}

/// The text without its first comparison of an `org_id` with a value; none when there is none.
fn without_whose(text: &str) -> Option<String> {
    let at = text.match_indices("org_id = $").map(|(at, _)| at).find(|at| !text[..*at].trim_end().ends_with("SET"))?;
    let begins = text[..at].rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).map_or(0, |at| at + 1);
    let ends = text[at + "org_id = $".len()..].find(|c: char| !c.is_ascii_digit());
    let ends = ends.map_or(text.len(), |ahead| at + "org_id = $".len() + ahead);
    Some(format!("{}1 = 1{}", &text[..begins], &text[ends..]))
}

/// Removes one comparison of `org_id` from every text that has one. Those that stay undetected have a second filter,
/// and are few.
#[test]
fn query_without_org_id_comparison_is_detected() {
    let (tables, all) = (of_businesses(), source::statements());
    let sound = |one: &&Statement| entry(&one.place).is_none() && loose(&one.text, &tables).is_empty();
    let robbed: Vec<(&Statement, String)> =
        all.iter().filter(sound).filter_map(|one| Some((one, without_whose(&one.text)?))).collect();
    let names_theirs =
        |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| tables.contains(word));
    let robbed: Vec<_> = robbed.into_iter().filter(|(one, _)| names_theirs(&one.text)).collect();
    let unnoticed: Vec<String> = robbed
        .iter()
        .filter(|(_, text)| loose(text, &tables).is_empty())
        .map(|(one, text)| format!("{}: {text}", one.place))
        .collect();
    assert!(robbed.len() > 500, "{}", robbed.len());
    assert!(unnoticed.len() * 50 <= robbed.len(), "{} of {}:\n{}", unnoticed.len(), robbed.len(), unnoticed.join("\n"));
}
