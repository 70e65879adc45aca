//! Where a request first came from, in one word of a report.

use crate::domain::intake::lead::Attribution;

/// More than this stands in no table.
const LONGEST: usize = 60;
/// Of a lead without a word of where it came from (product: source 'Website').
const UNKNOWN: &str = "Website";
/// Google's own mark of an advertisement that was clicked.
const ADVERTISEMENT: &str = "google ads";

/// The campaign's source where the address of the page named one, however it was written; else a clicked advertisement;
/// else what stands on the lead.
#[must_use]
pub fn named(attribution: &Attribution, source: &str) -> String {
    let campaign = attribution.utm_source.as_deref().map(|source| tidy(source).to_lowercase());
    let advertisement = attribution.gclid.as_ref().map(|_| ADVERTISEMENT.to_owned());
    let stored = tidy(source);
    let found = campaign.filter(|source| !source.is_empty()).or(advertisement);
    found.unwrap_or_else(|| if stored.is_empty() { UNKNOWN.to_owned() } else { stored })
}

/// One blank between words: two ways of writing a name are one name.
fn tidy(source: &str) -> String {
    let words = source.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_campaign_comes_before_the_advertisement_before_the_form() {
        let of = |utm: Option<&str>, gclid: Option<&str>| Attribution {
            utm_source: utm.map(str::to_owned),
            gclid: gclid.map(str::to_owned),
            ..Attribution::default()
        };
        for (utm, gclid, source, wanted) in [
            (Some("Google"), Some("x"), "Website", "google"),
            (Some(" spring \t Mailer "), None, "Website", "spring mailer"),
            (Some("  "), Some("x"), "Website", "google ads"),
            (None, Some("x"), "Website", "google ads"),
            (None, None, " Missed  call ", "Missed call"),
            (None, None, "", "Website"),
        ] {
            assert_eq!(named(&of(utm, gclid), source), wanted);
        }
        assert_eq!(named(&of(Some(&"x".repeat(200)), None), "").chars().count(), LONGEST);
    }
}
