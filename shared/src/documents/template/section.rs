//! Parts of an email that are more than words: titled figures, each with the list behind it.

use serde::{Deserialize, Serialize};

/// Some figures under one title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    pub title: String,
    pub rows: Vec<Row>,
}

/// A figure, or a line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub label: String,
    pub value: String,
    /// What a tap on the value opens.
    pub link: Option<String>,
}

impl Section {
    /// The same in plain words.
    #[must_use]
    pub fn said(&self) -> String {
        let line = |row: &Row| match row.label.as_str() {
            "" => row.value.clone(),
            numbered if numbered.ends_with('.') => format!("{numbered} {}", row.value),
            label => format!("{label}: {}", row.value),
        };
        let lines: Vec<String> = self.rows.iter().map(line).collect();
        format!("{}\n{}", self.title.to_uppercase(), lines.join("\n"))
    }

    /// With whole addresses in place of paths.
    #[must_use]
    pub fn at(mut self, join: impl Fn(&str) -> String) -> Self {
        for link in self.rows.iter_mut().filter_map(|row| row.link.as_mut()) {
            *link = join(link);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_reads_the_same_in_plain_words() {
        let row = |label: &str, value: &str, link: Option<&str>| Row {
            label: label.into(),
            value: value.into(),
            link: link.map(Into::into),
        };
        let rows = vec![row("Owed", "$5.00", Some("/app")), row("1.", "Call Ann", None), row("", "Nothing", None)];
        let section = Section { title: "Money".into(), rows };
        assert_eq!(section.said(), "MONEY\nOwed: $5.00\n1. Call Ann\nNothing");
        assert_eq!(section.at(|path| format!("https://x{path}")).rows[0].link.as_deref(), Some("https://x/app"));
    }
}
