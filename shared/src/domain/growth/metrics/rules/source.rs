//! Source of a lead, as a short name.

use crate::domain::intake::lead::LeadAttribution;

const LONGEST: usize = 60;
/// For a lead without a source (product: source 'Website').
const UNKNOWN: &str = "Website";
/// Source of a lead with Google's click id.
const ADVERTISEMENT: &str = "google ads";

/// The campaign source of the page's address in lower case; else a clicked advertisement; else the source of the lead.
#[must_use]
pub fn resolve_source(attribution: &LeadAttribution, source: &str) -> String {
    let campaign = attribution.utm_source.as_deref().map(|source| normalize_spaces(source).to_lowercase());
    let advertisement = attribution.gclid.as_ref().map(|_| ADVERTISEMENT.to_owned());
    let stored = normalize_spaces(source);
    let found = campaign.filter(|source| !source.is_empty()).or(advertisement);
    found.unwrap_or_else(|| if stored.is_empty() { UNKNOWN.to_owned() } else { stored })
}

/// Single spaces, so that spellings match.
fn normalize_spaces(source: &str) -> String {
    let words = source.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lead_source_prefers_campaign_then_ad_click_then_form() {
        let of = |utm: Option<&str>, gclid: Option<&str>| LeadAttribution {
            utm_source: utm.map(str::to_owned),
            gclid: gclid.map(str::to_owned),
            ..LeadAttribution::default()
        };
        for (utm, gclid, source, wanted) in [
            (Some("Google"), Some("x"), "Website", "google"),
            (Some(" spring \t Mailer "), None, "Website", "spring mailer"),
            (Some("  "), Some("x"), "Website", "google ads"),
            (None, Some("x"), "Website", "google ads"),
            (None, None, " Missed  call ", "Missed call"),
            (None, None, "", "Website"),
        ] {
            assert_eq!(resolve_source(&of(utm, gclid), source), wanted);
        }
        assert_eq!(resolve_source(&of(Some(&"x".repeat(200)), None), "").chars().count(), LONGEST);
    }
}
