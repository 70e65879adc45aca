//! The SQL texts whose plans are checked.

use std::fmt::Write as _;

use super::{dynamic_sql::FORMS, exempt::NO_PLAN};
use crate::tenancy::source;

pub struct PlannedStatement {
    pub place: String,
    pub text: String,
    /// Whether it is one form of a text that is built at run time.
    pub is_form: bool,
}

/// Every complete text of the program, and the forms of the others.
pub fn asked() -> Vec<PlannedStatement> {
    let has_plan = |place: &str| !NO_PLAN.iter().any(|(_, listed)| listed.iter().any(|one| is_within(place, one)));
    let read = source::statements().into_iter().filter(|one| has_plan(&one.place));
    let read = read.map(|one| PlannedStatement { text: tidy(&one.text), place: one.place, is_form: false });
    read.chain(FORMS.iter().flat_map(|(place, texts)| texts.iter().map(move |text| form(place, text)))).collect()
}

fn form(place: &str, text: &str) -> PlannedStatement {
    PlannedStatement { place: place.to_owned(), text: text.to_owned(), is_form: true }
}

pub fn is_within(place: &str, listed: &str) -> bool {
    place.strip_prefix(listed).is_some_and(|inner| inner.is_empty() || inner.starts_with("::"))
}

/// On one line, without the comma that a builder puts before list items after the first. Values bound by a builder
/// are numbered: the source reader has `$1` for each.
fn tidy(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( , ", "( ");
    if line.contains("$2") {
        return line;
    }
    let mut pieces = line.split("$1");
    let mut numbered = pieces.next().unwrap_or_default().to_owned();
    for (n, piece) in pieces.enumerate() {
        let _ = write!(numbered, "${}{piece}", n + 1);
    }
    numbered
}

pub fn parameters(text: &str) -> usize {
    let number = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok();
    text.split('$').skip(1).filter_map(number).max().unwrap_or_default()
}
