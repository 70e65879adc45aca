//! Public review site: its name, and whether its rules permit asking.

use url::{Host, Url};

/// Sites with another name than their host.
const NAMED: [(&str, &str); 8] = [
    ("google", "Google"),
    ("g", "Google"),
    ("facebook", "Facebook"),
    ("bbb", "BBB"),
    ("angi", "Angi"),
    ("homeadvisor", "HomeAdvisor"),
    ("nextdoor", "Nextdoor"),
    ("trustpilot", "Trustpilot"),
];

fn host_labels(link: &str) -> Vec<String> {
    match Url::parse(link).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(domain)) => domain.to_ascii_lowercase().split('.').map(ToOwned::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Whether the site's own rules forbid asking customers for reviews there, as Yelp's do (features 58).
#[must_use]
pub fn forbids_review_requests(link: &str) -> bool {
    host_labels(link).iter().any(|label| label == "yelp")
}

#[must_use]
pub fn review_site_name(link: &str) -> String {
    let labels = host_labels(link);
    // The label before `.com` or `.co.uk`.
    let own = labels.iter().rev().skip(1).find(|label| !matches!(label.as_str(), "co" | "com"));
    let named = NAMED.iter().find(|(label, _)| own.is_some_and(|own| own == label));
    let host = || labels.iter().skip_while(|label| *label == "www").cloned().collect::<Vec<_>>().join(".");
    named.map_or_else(host, |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yelp_address_in_any_form_forbids_review_request() {
        let yelp = [
            "https://www.yelp.com/writeareview/biz/1",
            "http://yelp.ca",
            "https://m.YELP.co.uk/x",
            "https://yelp.to/q",
        ];
        assert!(yelp.into_iter().all(forbids_review_requests));
        let others =
            ["https://g.page/r/acme/review", "https://example.com/yelp", "https://yelpers.example", "yelp.com", ""];
        assert!(!others.into_iter().any(forbids_review_requests));
    }

    #[test]
    fn review_site_is_named_by_its_host() {
        let table = [
            ("https://g.page/r/CX1/review", "Google"),
            ("https://search.google.com/local/writereview?placeid=1", "Google"),
            ("https://maps.google.co.uk/x", "Google"),
            ("https://www.facebook.com/acme/reviews", "Facebook"),
            ("https://www.bbb.org/us/tx", "BBB"),
            ("https://www.example.com/r", "example.com"),
            ("https://google.example.com/r", "google.example.com"),
        ];
        for (link, wanted) in table {
            assert_eq!(review_site_name(link), wanted, "{link}");
        }
    }
}
