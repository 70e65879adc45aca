//! The texts that the databases are asked about.

use std::fmt::Write as _;

use super::{excused::NO_PLAN, forms::FORMS};
use crate::tenancy::source;

/// A text, and the function it stands in.
pub struct Asked {
    pub place: String,
    pub text: String,
    /// Whether it is one form of a text that is put together at run time.
    pub is_form: bool,
}

/// Every text of the program that one statement makes, and the forms of the others.
pub fn asked() -> Vec<Asked> {
    let has_plan = |place: &str| !NO_PLAN.iter().any(|(_, listed)| listed.iter().any(|one| is_within(place, one)));
    let read = source::statements().into_iter().filter(|one| !is_rows(&one.text) && has_plan(&one.place));
    let read = read.map(|one| Asked { text: tidy(&one.text), place: one.place, is_form: false });
    read.chain(FORMS.iter().flat_map(|(place, texts)| texts.iter().map(move |text| form(place, text)))).collect()
}

fn form(place: &str, text: &str) -> Asked {
    Asked { place: place.to_owned(), text: text.to_owned(), is_form: true }
}

/// Whether a place is the listed one, or within the listed file.
pub fn is_within(place: &str, listed: &str) -> bool {
    place.strip_prefix(listed).is_some_and(|inner| inner.is_empty() || inner.starts_with("::"))
}

/// The table and columns of rows that are written by their key.
fn is_rows(text: &str) -> bool {
    text.trim_start().starts_with("INSERT INTO ") && !text.contains("VALUES") && !text.contains("SELECT")
}

/// On one line, without the comma that a builder puts before all but the first of a list. What a builder binds is
/// numbered: the reader has `$1` for each.
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

/// How many values a text is bound to.
pub fn parameters(text: &str) -> usize {
    let number = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok();
    text.split('$').skip(1).filter_map(number).max().unwrap_or_default()
}
