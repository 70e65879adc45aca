//! The privacy page, the terms and the messaging terms: filled from the install's settings, or worded by the operator's
//! own lawyer. They say what the program does, and where something was not set up they say that.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use shared::{
    documents::{date_format, template::Language},
    domain::tenancy::org::Org,
    ops::settings::Settings,
};

use super::config::SiteConfig;

mod messaging;
mod privacy;
mod terms;

/// A heading with what stands below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    pub heading: String,
    pub paragraphs: Vec<String>,
}

impl Section {
    fn titled(heading: &str) -> Self {
        Self { heading: heading.to_owned(), paragraphs: Vec::new() }
    }

    /// The same with another paragraph.
    fn says(mut self, paragraph: impl Into<String>) -> Self {
        self.paragraphs.push(paragraph.into());
        self
    }

    /// Whether something in it says nothing.
    #[must_use]
    pub fn has_hole(&self) -> bool {
        let mut texts = std::iter::once(&self.heading).chain(&self.paragraphs);
        self.paragraphs.is_empty() || texts.any(|text| text.trim().is_empty())
    }
}

/// What the pages are filled from.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub settings: &'a Settings,
    pub config: &'a SiteConfig,
}

/// The day since which our own wording stands.
const SINCE: (i32, u32, u32) = (2026, 11, 22);

impl House<'_> {
    /// Who runs this install.
    #[must_use]
    pub fn operator(&self) -> String {
        let host = || format!("the operator of {}", self.settings.public_url.host());
        self.config.operator.name.clone().unwrap_or_else(host)
    }

    /// The ways to reach them, as a sentence.
    fn contact(&self) -> String {
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
        format!("You can reach {} {}.", self.operator(), ways.join(", or "))
    }

    /// The day since which the pages say what they say: "November 22, 2026".
    #[must_use]
    pub fn since(&self) -> String {
        let (year, month, day) = SINCE;
        let ours = NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default();
        date_format::long_date(self.config.legal.since.unwrap_or(ours), Language::En)
    }

    /// The privacy page: of one business, or of all that are served from this install.
    #[must_use]
    pub fn privacy(&self, org: Option<&Org>) -> Vec<Section> {
        self.config.legal.privacy.clone().unwrap_or_else(|| privacy::sections(self, org))
    }

    /// The terms of the service.
    #[must_use]
    pub fn terms(&self) -> Vec<Section> {
        self.config.legal.terms.clone().unwrap_or_else(|| terms::sections(self))
    }

    /// The messaging terms: of one business, or of all that text from this install. They are never the operator's own
    /// words, because they show the wording that people really agree to.
    #[must_use]
    pub fn messaging(&self, org: Option<&Org>) -> Vec<Section> {
        messaging::sections(self, org)
    }
}

/// What carriers ask every sender of texts to say, and what holds.
const MOBILE_INFORMATION: &str = "Mobile numbers and the consent to be texted are not sold, and not shared with third \
    parties or affiliates for their marketing or promotional purposes.";

#[cfg(test)]
mod tests {
    use shared::{
        domain::intake::lead::consent,
        platform::{clock::Origin, config::Vars},
    };

    use super::*;

    fn settings(support: Option<&str>) -> Settings {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        let given = [("DATA_DIR", data), ("PUBLIC_URL", "https://box.example")];
        let support = support.map(|email| ("SUPPORT_EMAIL", email));
        let mut vars = Vars::from_pairs(given.into_iter().chain(support));
        Settings::from_vars(&mut vars, &Origin::system().entropy)
    }

    fn text(sections: &[Section]) -> String {
        sections.iter().flat_map(|one| &one.paragraphs).cloned().collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_is_not_set_up_is_said_and_never_left_open() {
        let (settings, config) = (settings(None), SiteConfig::default());
        let house = House { settings: &settings, config: &config };
        let all = [house.privacy(None), house.terms(), house.messaging(None)].concat();
        assert!(all.iter().all(|one| !one.has_hole()));
        let said = text(&all);
        assert!(said.contains("the operator of box.example") && said.contains("No contact address has been published"));
        assert!(!said.contains('{') && !said.contains("under the law of"), "{said}");
        assert_eq!(house.since(), "November 22, 2026");
    }

    #[test]
    fn an_operator_is_named_and_reached() {
        let settings = settings(Some("help@box.example"));
        let mut config = SiteConfig::default();
        config.operator.name = Some("Gulf Tools LLC".into());
        config.operator.address = Some("1 Pier Rd, Galveston, TX 77550".into());
        config.operator.law = Some("the State of Texas".into());
        let said = text(&House { settings: &settings, config: &config }.terms());
        assert!(said.contains("between Gulf Tools LLC and the business"), "{said}");
        assert!(said.contains("by email to help@box.example, or by mail to 1 Pier Rd"), "{said}");
        assert!(said.contains("under the law of the State of Texas"), "{said}");
    }

    #[test]
    fn a_lawyers_page_stands_in_place_of_ours() {
        let settings = settings(None);
        let mut config = SiteConfig::default();
        config.legal.privacy = Some(vec![Section::titled("Ours").says("All of it.")]);
        let house = House { settings: &settings, config: &config };
        assert_eq!(text(&house.privacy(None)), "All of it.");
        assert!(text(&house.terms()).contains("month-to-month"));
    }

    #[test]
    fn carriers_find_what_they_ask_every_sender_for() {
        let (settings, config) = (settings(None), SiteConfig::default());
        let said = text(&House { settings: &settings, config: &config }.messaging(None));
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
            assert!(said.contains(asked), "{asked}");
        }
    }
}
