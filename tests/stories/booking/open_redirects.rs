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

/// Whether it redirects, and then within this install. Another site's name may stand in a query, as text.
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
        let work = Work::of(app).await;
        assert_eq!(payloads().len(), 60);
        let mut led = 0;
        for payload in payloads() {
            let said = quoted(&payload);
            for path in [
                format!("/login?next={said}"), format!("/?next={said}&redirect={said}&url={said}"), format!("/book/acme-plumbing?page={said}&lang={said}"),
                format!("/book/{said}"), format!("/p/{said}?paid={said}"), format!("/r/{said}"), format!("/f/{said}"), format!("/p/{said}/pdf"), format!("/{said}"),
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
