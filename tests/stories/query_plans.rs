//! Query plans of each SQL text on both databases: an index wherever a table grows with the work; and for each index,
//! a statement that uses it.
//!
//! SQLite plans without ANALYZE, as in every install. PostgreSQL plans for the rows of `fill.sql`, with generic
//! values, as the serving role, and scans a whole table only where no index fits.

use std::collections::{BTreeMap, BTreeSet};

use self::{
    dynamic_sql::FORMS,
    engines::Answer,
    exempt::{EXCUSED, SHORT, SMALL},
    index_uses::USES,
    sql_texts::PlannedStatement,
};

mod dynamic_sql;
mod engines;
mod exempt;
mod index_uses;
mod sql_texts;

/// Growing tables that a plan scans whole without an exemption.
fn growing(answer: &Answer) -> Vec<&(String, String)> {
    let is_small = |table: &str| SMALL.iter().any(|(_, tables)| tables.contains(&table));
    answer.whole.iter().filter(|(table, index)| !is_small(table) && !SHORT.contains(&index.as_str())).collect()
}

/// The exemption by which the texts of a place may scan a table.
fn entry(place: &str) -> Option<&'static str> {
    EXCUSED.iter().map(|(listed, _)| *listed).find(|listed| sql_texts::is_within(place, listed))
}

fn probe() -> PlannedStatement {
    let text = "SELECT id FROM message WHERE body = $1".to_owned();
    PlannedStatement { place: "probe".to_owned(), text, is_form: true }
}

#[tokio::test]
async fn statements_on_growing_tables_use_an_index() {
    let mut asked = sql_texts::asked();
    assert!(asked.len() > 1_300, "{} texts: the reader is blind", asked.len());
    asked.push(probe());
    let (sqlite, postgres) = (engines::sqlite(&asked).await, engines::postgres(&asked).await);
    let (mut faults, mut needed) = (Vec::new(), BTreeSet::new());
    for ((one, ours), theirs) in asked.iter().zip(&sqlite).zip(&postgres) {
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            let has_form = FORMS.iter().any(|(place, _)| *place == one.place);
            if one.is_form || !has_form {
                faults.push(format!("{} has no plan; give it a form: {}", one.place, one.text));
            }
            continue;
        };
        let whole: Vec<_> = growing(ours).into_iter().chain(growing(theirs)).collect();
        if whole.is_empty() {
            continue;
        }
        needed.insert(entry(&one.place).unwrap_or_default());
        if entry(&one.place).is_none() {
            faults.push(format!("{} reads {whole:?} whole: {}", one.place, one.text));
        }
    }
    let probed = faults.pop().unwrap_or_default();
    assert!(probed.starts_with("probe reads"), "a scan is not noticed: {probed}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let stale: Vec<&str> = EXCUSED.iter().map(|(place, _)| *place).filter(|place| !needed.contains(place)).collect();
    assert!(stale.is_empty(), "take them off the list: {stale:?}");
    assert!(EXCUSED.iter().all(|(_, why)| !why.is_empty()));
}

#[tokio::test]
async fn list_of_owed_promises_reads_only_the_unanswered_ones_on_sqlite() {
    let mut asked = sql_texts::asked();
    asked.retain(|one| {
        one.is_form && one.place.ends_with("views/lead/list.rs::list") && one.text.contains("FROM sla p")
    });
    assert!(!asked.is_empty());
    for answer in engines::sqlite(&asked).await {
        let indexes = answer.expect("a plan").indexes;
        assert!(indexes.contains("sla_unanswered") && !indexes.contains("sla_by_lead"), "{indexes:?}");
    }
}

#[tokio::test]
async fn every_index_is_used_by_its_listed_statement() {
    let asked = sql_texts::asked();
    let (sqlite, postgres) = (engines::sqlite(&asked).await, engines::postgres(&asked).await);
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for answers in [&sqlite, &postgres] {
        for (one, answer) in asked.iter().zip(answers) {
            for index in answer.iter().flat_map(|answer| &answer.indexes) {
                used.entry(index).or_default().insert(&one.place);
            }
        }
    }
    let there = engines::plain_indexes().await;
    let listed: BTreeMap<&str, &str> = USES.iter().flat_map(|(_, uses)| uses.iter().copied()).collect();
    let unlisted: Vec<&String> = there.iter().filter(|index| !listed.contains_key(index.as_str())).collect();
    assert!(unlisted.is_empty(), "list a statement that uses it, or drop it: {unlisted:?}");
    let gone: Vec<&&str> = listed.keys().filter(|index| !there.contains(**index)).collect();
    assert!(gone.is_empty(), "there is no such index: {gone:?}");
    let unused: Vec<_> =
        listed.iter().filter(|(index, place)| !used.get(**index).is_some_and(|by| by.contains(**place))).collect();
    assert!(unused.is_empty(), "it is not used there: {unused:?}");
}
