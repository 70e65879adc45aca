//! The operator's texts on the public pages: identity, legal pages, and claims.
//!
//! In a JSON file (`SITE_FILE`): several paragraphs do not fit into a variable.

use std::{collections::BTreeMap, path::Path};

use chrono::NaiveDate;
use serde::Deserialize;
use shared::platform::config::EnvVars;

use super::{faq, legal::LegalSection};

const FILE: &str = "SITE_FILE";
const MOST_BYTES: u64 = 256 * 1024;

/// Fields that are not given use the product's own text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteConfig {
    pub operator: SiteOperator,
    /// Claims about results, a sentence part each ("15-30% more leads convert"). An empty list claims nothing; `None`
    /// means the product's own.
    pub claims: Option<Vec<String>>,
    /// Paragraphs that replace an answer, by the card's key (`faq::KEYS`).
    pub faq: BTreeMap<String, Vec<String>>,
    pub legal: LegalPages,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteOperator {
    /// Legal name: "Toolbox LLC".
    pub name: Option<String>,
    /// Postal address in one line.
    pub address: Option<String>,
    pub phone: Option<String>,
    /// Governing law of the terms: "the State of Texas".
    pub law: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct LegalPages {
    /// Date of the wording. Required with own pages.
    pub since: Option<NaiveDate>,
    /// Replaces the sections of the privacy page.
    pub privacy: Option<Vec<LegalSection>>,
    /// Replaces the sections of the terms.
    pub terms: Option<Vec<LegalSection>>,
}

impl SiteConfig {
    /// Faults are noted in `vars` under the variable's name.
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        let Some(path) = vars.get(FILE) else { return Self::default() };
        load_file(Path::new(&path)).unwrap_or_else(|problem| {
            vars.record_invalid(FILE, problem);
            Self::default()
        })
    }

    /// Whether the pages show the product's figures, unreviewed by the operator.
    #[must_use]
    pub fn has_default_claims(&self) -> bool {
        self.claims.is_none() && !self.faq.contains_key(faq::PAYS)
    }
}

fn load_file(path: &Path) -> Result<SiteConfig, String> {
    let unreadable = |e: std::io::Error| format!("cannot be read: {e}");
    if std::fs::metadata(path).map_err(unreadable)?.len() > MOST_BYTES {
        return Err(format!("must not be larger than {} KB", MOST_BYTES / 1024));
    }
    parse(&std::fs::read_to_string(path).map_err(unreadable)?)
}

/// Parses the file. A fault gives the position, never the content.
fn parse(text: &str) -> Result<SiteConfig, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let config: SiteConfig = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| format!("does not fit at {} (line {})", e.path(), e.inner().line()))?;
    reader.end().map_err(|e| format!("does not end where it should (line {})", e.line()))?;
    if let Some(unknown) = config.faq.keys().find(|key| !faq::KEYS.contains(&key.as_str())) {
        return Err(format!("names no card of the FAQ at faq.{unknown}: these are {}", faq::KEYS.join(", ")));
    }
    let LegalPages { since, privacy, terms } = &config.legal;
    if since.is_none() && (privacy.is_some() || terms.is_some()) {
        return Err("needs legal.since: the day since which your own pages hold".to_owned());
    }
    match find_blank_text(&config) {
        Some(place) => Err(format!("has an empty text at {place}")),
        None => Ok(config),
    }
}

/// Name of a field with a blank text, which would leave a gap in the page.
fn find_blank_text(config: &SiteConfig) -> Option<String> {
    let SiteOperator { name, address, phone, law } = &config.operator;
    for (field, text) in [("name", name), ("address", address), ("phone", phone), ("law", law)] {
        if text.as_deref().is_some_and(is_blank) {
            return Some(format!("operator.{field}"));
        }
    }
    if config.claims.iter().flatten().any(|claim| is_blank(claim)) {
        return Some("claims".to_owned());
    }
    for (key, answer) in &config.faq {
        if answer.is_empty() || answer.iter().any(|paragraph| is_blank(paragraph)) {
            return Some(format!("faq.{key}"));
        }
    }
    for (page, own) in [("privacy", &config.legal.privacy), ("terms", &config.legal.terms)] {
        if own.as_deref().is_some_and(|sections| sections.is_empty() || sections.iter().any(LegalSection::has_blank)) {
            return Some(format!("legal.{page}"));
        }
    }
    None
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_config_equals_the_default() {
        assert_eq!(parse("{}"), Ok(SiteConfig::default()));
        assert!(SiteConfig::default().has_default_claims());
    }

    #[test]
    fn operator_name_claims_and_legal_date_are_read_from_config() {
        let config = parse(
            r#"{"operator": {"name": "Gulf Tools LLC", "law": "the State of Texas"}, "claims": [],
                "faq": {"price": ["Because it is worth it."]}, "legal": {"since": "2026-12-01"}}"#,
        )
        .unwrap();
        assert_eq!(config.operator.name.as_deref(), Some("Gulf Tools LLC"));
        assert!(!config.has_default_claims());
        assert_eq!(config.legal.since, NaiveDate::from_ymd_opt(2026, 12, 1));
    }

    #[test]
    fn config_fault_names_its_place_but_not_the_value() {
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
            let message = parse(text).unwrap_err();
            assert!(message.contains(place) && !message.contains("s3cret"), "{text}: {message}");
        }
    }

    #[test]
    fn missing_site_file_is_a_fault_of_its_variable() {
        let mut vars = EnvVars::from_pairs([(FILE, "/no/such/site.json")]);
        assert_eq!(SiteConfig::from_vars(&mut vars), SiteConfig::default());
        assert!(vars.into_result().unwrap_err().to_string().contains("SITE_FILE cannot be read"));
    }
}
