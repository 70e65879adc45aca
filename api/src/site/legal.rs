//! Privacy page, terms and messaging terms: generated from the install's settings, or the operator's own text. They
//! describe what the program does, and name what was not set up.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use shared::{
    documents::{date_format, template::Language},
    domain::tenancy::org::Org,
    ops::settings::InstallSettings,
};

use super::config::SiteConfig;

mod messaging;
mod privacy;
mod terms;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegalSection {
    pub heading: String,
    pub paragraphs: Vec<String>,
}

impl LegalSection {
    fn with_heading(heading: &str) -> Self {
        Self { heading: heading.to_owned(), paragraphs: Vec::new() }
    }

    fn with_paragraph(mut self, paragraph: impl Into<String>) -> Self {
        self.paragraphs.push(paragraph.into());
        self
    }

    /// Whether a text in it is blank.
    #[must_use]
    pub fn has_blank(&self) -> bool {
        let mut texts = std::iter::once(&self.heading).chain(&self.paragraphs);
        self.paragraphs.is_empty() || texts.any(|text| text.trim().is_empty())
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LegalContext<'a> {
    pub settings: &'a InstallSettings,
    pub config: &'a SiteConfig,
}

/// Date of our own wording.
const SINCE: (i32, u32, u32) = (2026, 11, 22);

impl LegalContext<'_> {
    #[must_use]
    pub fn operator_name(&self) -> String {
        let host = || format!("the operator of {}", self.settings.public_url.host());
        self.config.operator.name.clone().unwrap_or_else(host)
    }

    fn contact_sentence(&self) -> String {
        let operator = &self.config.operator;
        let ways = [
            self.settings.support_email.as_ref().map(|email| format!("by email to {email}")),
            operator.phone.as_ref().map(|phone| format!("by phone at {phone}")),
            operator.address.as_ref().map(|address| format!("by mail to {address}")),
        ];
        let ways: Vec<_> = ways.into_iter().flatten().collect();
        if ways.is_empty() {
            return "No contact address has been published on this site yet.".to_owned();
        }
        format!("You can reach {} {}.", self.operator_name(), ways.join(", or "))
    }

    /// Date of the wording: "November 22, 2026".
    #[must_use]
    pub fn effective_date(&self) -> String {
        let (year, month, day) = SINCE;
        let ours = NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default();
        date_format::format_long_date(self.config.legal.since.unwrap_or(ours), Language::En)
    }

    /// Privacy page of one business, or of the whole install.
    #[must_use]
    pub fn privacy_sections(&self, org: Option<&Org>) -> Vec<LegalSection> {
        self.config.legal.privacy.clone().unwrap_or_else(|| privacy::privacy_sections(self, org))
    }

    #[must_use]
    pub fn terms_sections(&self) -> Vec<LegalSection> {
        self.config.legal.terms.clone().unwrap_or_else(|| terms::terms_sections(self))
    }

    /// Messaging terms of one business, or of the whole install. Never the operator's own text: they must show the
    /// wording that people agree to.
    #[must_use]
    pub fn messaging_sections(&self, org: Option<&Org>) -> Vec<LegalSection> {
        messaging::messaging_sections(self, org)
    }
}

/// Statement that carriers require of every sender of texts.
const MOBILE_INFORMATION: &str = "Mobile numbers and the consent to be texted are not sold, and not shared with third \
    parties or affiliates for their marketing or promotional purposes.";

#[cfg(test)]
mod tests {
    use shared::{
        domain::intake::lead::consent,
        platform::{clock::ClockRng, config::EnvVars},
    };

    use super::*;

    fn settings(support: Option<&str>) -> InstallSettings {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let given = [("DATA_DIR", data), ("PUBLIC_URL", "https://box.example")];
        let support = support.map(|email| ("SUPPORT_EMAIL", email));
        let mut vars = EnvVars::from_pairs(given.into_iter().chain(support));
        InstallSettings::from_vars(&mut vars, &ClockRng::system().entropy)
    }

    fn text(sections: &[LegalSection]) -> String {
        sections.iter().flat_map(|one| &one.paragraphs).cloned().collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn legal_pages_without_operator_details_leave_no_placeholder() {
        let (settings, config) = (settings(None), SiteConfig::default());
        let ctx = LegalContext { settings: &settings, config: &config };
        let all = [ctx.privacy_sections(None), ctx.terms_sections(), ctx.messaging_sections(None)].concat();
        assert!(all.iter().all(|one| !one.has_blank()));
        let page_text = text(&all);
        assert!(
            page_text.contains("the operator of box.example")
                && page_text.contains("No contact address has been published")
        );
        assert!(!page_text.contains('{') && !page_text.contains("by the law of"), "{page_text}");
        assert_eq!(ctx.effective_date(), "November 22, 2026");
    }

    #[test]
    fn terms_name_the_operator_and_its_contact_details() {
        let settings = settings(Some("help@box.example"));
        let mut config = SiteConfig::default();
        config.operator.name = Some("Gulf Tools LLC".into());
        config.operator.address = Some("1 Pier Rd, Galveston, TX 77550".into());
        config.operator.law = Some("the State of Texas".into());
        let page_text = text(&LegalContext { settings: &settings, config: &config }.terms_sections());
        assert!(page_text.contains("between Gulf Tools LLC and the business"), "{page_text}");
        assert!(page_text.contains("by email to help@box.example, or by mail to 1 Pier Rd"), "{page_text}");
        assert!(page_text.contains("governed by the law of the State of Texas"), "{page_text}");
    }

    #[test]
    fn custom_privacy_page_replaces_the_default_one() {
        let settings = settings(None);
        let mut config = SiteConfig::default();
        config.legal.privacy = Some(vec![LegalSection::with_heading("Ours").with_paragraph("All of it.")]);
        let ctx = LegalContext { settings: &settings, config: &config };
        assert_eq!(text(&ctx.privacy_sections(None)), "All of it.");
        assert!(text(&ctx.terms_sections()).contains("month-to-month"));
    }

    #[test]
    fn messaging_page_has_every_disclosure_carriers_require() {
        let (settings, config) = (settings(None), SiteConfig::default());
        let page_text = text(&LegalContext { settings: &settings, config: &config }.messaging_sections(None));
        for asked in [
            "Message frequency varies",
            "Message and data rates may apply",
            "Reply STOP",
            "Reply HELP",
            MOBILE_INFORMATION,
            "not a condition of buying",
            "Carriers are not liable",
            consent::VERSION,
        ] {
            assert!(page_text.contains(asked), "{asked}");
        }
    }
}
