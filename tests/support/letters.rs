//! What an email must hold that asks its reader for something.

use shared::providers::mail::SentEmail;

/// Requires that the first address of the plain part is on a line of its own, and in the HTML part the button and a
/// link.
pub fn assert_button_and_link(letter: &SentEmail) {
    let address = letter.text.lines().find(|line| line.starts_with("https://"));
    let address = address.unwrap_or_else(|| panic!("{}: an address on its own line: {}", letter.subject, letter.text));
    let html = letter.html.as_deref().unwrap_or_default().replace("&#x2f;", "/");
    for class in ["main", "link"] {
        let opened = format!("<a class=\"{class}\" href=\"{address}\"");
        assert_eq!(html.matches(&opened).count(), 1, "{}: {class}: {html}", letter.subject);
    }
}
