//! Titled tables of figures in an email.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailSection {
    pub title: String,
    pub rows: Vec<SectionRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionRow {
    pub label: String,
    pub value: String,
    pub link: Option<String>,
}

impl EmailSection {
    #[must_use]
    pub fn to_plain_text(&self) -> String {
        let line = |row: &SectionRow| match row.label.as_str() {
            "" => row.value.clone(),
            numbered if numbered.ends_with('.') => format!("{numbered} {}", row.value),
            label => format!("{label}: {}", row.value),
        };
        let lines: Vec<String> = self.rows.iter().map(line).collect();
        format!("{}\n{}", self.title.to_uppercase(), lines.join("\n"))
    }

    #[must_use]
    pub fn with_absolute_links(mut self, join: impl Fn(&str) -> String) -> Self {
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
    fn section_is_rendered_as_plain_text_and_links_get_base_url() {
        let row = |label: &str, value: &str, link: Option<&str>| SectionRow {
            label: label.into(),
            value: value.into(),
            link: link.map(Into::into),
        };
        let rows = vec![row("Owed", "$5.00", Some("/app")), row("1.", "Call Ann", None), row("", "Nothing", None)];
        let section = EmailSection { title: "Money".into(), rows };
        assert_eq!(section.to_plain_text(), "MONEY\nOwed: $5.00\n1. Call Ann\nNothing");
        assert_eq!(
            section.with_absolute_links(|path| format!("https://x{path}")).rows[0].link.as_deref(),
            Some("https://x/app")
        );
    }
}
