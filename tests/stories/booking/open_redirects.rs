//! No open redirects: whatever an address or a form contains, an answer redirects only within this install (trust
//! requirement 60).

use url::Url;

use super::*;

const BASES: [&str; 15] = [
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "///evil.example",
    "https://evil.example",
    "https:evil.example",
    "http:\\\\evil.example",
    "/%2f/evil.example",
    "%2f%2fevil.example",
    "//toolbox.example@evil.example",
    "https://toolbox.example@evil.example",
    "https://toolbox.example.evil.example",
    "/\r\nLocation: https://evil.example",
    "javascript:alert(1)",
    "data:text/html,<script>",
];

/// Sixty forms of another site's address.
fn payloads() -> Vec<String> {
    let before = ["", "\t", " ", "/%09"];
    BASES.iter().flat_map(|base| before.map(|before| format!("{before}{base}"))).collect()
}

fn quoted(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Whether it redirects, and then within this install. Another site's name may appear in a query, as text.
fn leads_on(answer: &Answer, what: &str) -> bool {
    if !answer.status.is_redirection() {
        return false;
    }
    let location = answer.header("location");
    assert!(location.starts_with('/') && !location.starts_with("//") && !location.contains('\\'), "{what}: {location}");
    let here = Url::parse("https://toolbox.example/").unwrap();
    let there = here.join(location).unwrap();
    assert_eq!(there.origin(), here.origin(), "{what}: {location}");
    assert!(!there.path().contains("evil"), "{what}: {location}");
    true
}

both_databases! {
    async fn redirect_with_hostile_parameters_stays_on_site(app) {
        let work = BookingFixture::of(app).await;
        assert_eq!(payloads().len(), 60);
        let mut led = 0;
        for payload in payloads() {
            let quoted_payload = quoted(&payload);
            for path in [
                format!("/login?next={quoted_payload}"), format!("/?next={quoted_payload}&redirect={quoted_payload}&url={quoted_payload}"), format!("/book/acme-plumbing?page={quoted_payload}&lang={quoted_payload}"),
                format!("/book/{quoted_payload}"), format!("/p/{quoted_payload}?paid={quoted_payload}"), format!("/r/{quoted_payload}"), format!("/f/{quoted_payload}"), format!("/p/{quoted_payload}/pdf"), format!("/{quoted_payload}"),
            ] {
                led += usize::from(leads_on(&work.visitor.get(&path).await, &path));
            }
            let wish = [
                ("service", "plumbing"), ("zip", "78701"), ("startsAt", "2026-09-21T15:00:00+00:00"), ("page", payload.as_str()), ("lang", payload.as_str()),
                ("next", payload.as_str()),
            ];
            led += usize::from(leads_on(&posts(&work.visitor, "/book/acme-plumbing/hold", &wish).await, &payload));
            // Held times are free again, and the next hour's limit begins.
            app.advance(Duration::minutes(15));
        }
        assert!(led >= 10, "pages that lead on were among them: {led}");
    }
}
