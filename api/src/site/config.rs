//! What the operator of an install words on the public pages: who they are, and which figures they stand behind.
//!
//! Kept in a file of its own (`SITE_FILE`, JSON) because it is prose: several paragraphs do not fit into a variable.

use std::{collections::BTreeMap, path::Path};

use chrono::NaiveDate;
use serde::Deserialize;
use shared::platform::config::Vars;

use super::{faq, legal::Section};

const FILE: &str = "SITE_FILE";
/// More is no text for a page.
const MOST_BYTES: u64 = 256 * 1024;

/// The operator's words. What is not given is said as the product says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteConfig {
    pub operator: Operator,
    /// What customers may expect, a sentence part each ("15-30% more leads convert"). An empty list claims nothing;
    /// none given means the product's own.
    pub claims: Option<Vec<String>>,
    /// Paragraphs in place of an answer, by the card's key ([`faq::KEYS`]).
    pub faq: BTreeMap<String, Vec<String>>,
    pub legal: Legal,
}

/// Who runs this install.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Operator {
    /// The legal name: "Toolbox LLC".
    pub name: Option<String>,
    /// The postal address in one line.
    pub address: Option<String>,
    /// As people read it.
    pub phone: Option<String>,
    /// Whose law the terms stand under: "the State of Texas".
    pub law: Option<String>,
}

/// Pages that somebody's lawyer has written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Legal {
    /// The day since which the pages say what they say. Needed with pages of one's own.
    pub since: Option<NaiveDate>,
    /// In place of the privacy page's sections.
    pub privacy: Option<Vec<Section>>,
    /// In place of the terms' sections.
    pub terms: Option<Vec<Section>>,
}

impl SiteConfig {
    /// Faults are noted in `vars` under the variable's name.
    pub fn from_vars(vars: &mut Vars) -> Self {
        let Some(path) = vars.get(FILE) else { return Self::default() };
        read(Path::new(&path)).unwrap_or_else(|problem| {
            vars.fault(FILE, problem);
            Self::default()
        })
    }

    /// Whether the pages state the product's figures, which nobody of this install has looked at.
    #[must_use]
    pub fn claims_are_untouched(&self) -> bool {
        self.claims.is_none() && !self.faq.contains_key(faq::PAYS)
    }
}

fn read(path: &Path) -> Result<SiteConfig, String> {
    let unreadable = |e: std::io::Error| format!("cannot be read: {e}");
    if std::fs::metadata(path).map_err(unreadable)?.len() > MOST_BYTES {
        return Err(format!("must not be larger than {} KB", MOST_BYTES / 1024));
    }
    parse(&std::fs::read_to_string(path).map_err(unreadable)?)
}

/// Reads the file's text; a fault says where it is, and never repeats what stands there.
fn parse(text: &str) -> Result<SiteConfig, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let config: SiteConfig = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| format!("does not fit at {} (line {})", e.path(), e.inner().line()))?;
    reader.end().map_err(|e| format!("does not end where it should (line {})", e.line()))?;
    if let Some(unknown) = config.faq.keys().find(|key| !faq::KEYS.contains(&key.as_str())) {
        return Err(format!("names no card of the FAQ at faq.{unknown}: these are {}", faq::KEYS.join(", ")));
    }
    let Legal { since, privacy, terms } = &config.legal;
    if since.is_none() && (privacy.is_some() || terms.is_some()) {
        return Err("needs legal.since: the day since which your own pages hold".to_owned());
    }
    match blank(&config) {
        Some(place) => Err(format!("has an empty text at {place}")),
        None => Ok(config),
    }
}

/// Where a text is given that says nothing: it would leave a hole in the page.
fn blank(config: &SiteConfig) -> Option<String> {
    let Operator { name, address, phone, law } = &config.operator;
    for (field, text) in [("name", name), ("address", address), ("phone", phone), ("law", law)] {
        if text.as_deref().is_some_and(says_nothing) {
            return Some(format!("operator.{field}"));
        }
    }
    if config.claims.iter().flatten().any(|claim| says_nothing(claim)) {
        return Some("claims".to_owned());
    }
    for (key, answer) in &config.faq {
        if answer.is_empty() || answer.iter().any(|paragraph| says_nothing(paragraph)) {
            return Some(format!("faq.{key}"));
        }
    }
    for (page, own) in [("privacy", &config.legal.privacy), ("terms", &config.legal.terms)] {
        if own.as_deref().is_some_and(|sections| sections.is_empty() || sections.iter().any(Section::has_hole)) {
            return Some(format!("legal.{page}"));
        }
    }
    None
}

fn says_nothing(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_given_is_said_as_the_product_says_it() {
        assert_eq!(parse("{}"), Ok(SiteConfig::default()));
        assert!(SiteConfig::default().claims_are_untouched());
    }

    #[test]
    fn an_operator_says_who_they_are_and_what_they_stand_behind() {
        let config = parse(
            r#"{"operator": {"name": "Gulf Tools LLC", "law": "the State of Texas"}, "claims": [],
                "faq": {"price": ["Because it is worth it."]}, "legal": {"since": "2026-12-01"}}"#,
        )
        .unwrap();
        assert_eq!(config.operator.name.as_deref(), Some("Gulf Tools LLC"));
        assert!(!config.claims_are_untouched());
        assert_eq!(config.legal.since, NaiveDate::from_ymd_opt(2026, 12, 1));
    }

    #[test]
    fn a_fault_names_its_place_and_not_what_stands_there() {
        for (text, place) in [
            (r#"{"claim": []}"#, "claim"),
            (r#"{"operator": {"name": 7}}"#, "operator.name"),
            (r#"{"operator": {"name": " "}}"#, "operator.name"),
            (r#"{"claims": ["s3cret", ""]}"#, "claims"),
            (r#"{"faq": {"price": []}}"#, "faq.price"),
            (r#"{"faq": {"prices": ["s3cret"]}}"#, "faq.prices"),
            (
                r#"{"legal": {"since": "2026-12-01", "terms": [{"heading": "s3cret", "paragraphs": []}]}}"#,
                "legal.terms",
            ),
            (r#"{"legal": {"terms": [{"heading": "s3cret", "paragraphs": ["s3cret"]}]}}"#, "legal.since"),
            (r#"{"legal": {"since": "s3cret"}}"#, "legal.since"),
            ("s3cret", "line 1"),
            ("{} s3cret", "line 1"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(place) && !said.contains("s3cret"), "{text}: {said}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_a_fault_of_its_variable() {
        let mut vars = Vars::from_pairs([(FILE, "/no/such/site.json")]);
        assert_eq!(SiteConfig::from_vars(&mut vars), SiteConfig::default());
        assert!(vars.finish().unwrap_err().to_string().contains("SITE_FILE cannot be read"));
    }
}
