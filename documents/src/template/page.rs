//! HTML part of an email: one column, readable on a phone, no remote content.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, context, value::Serde};
use platform::error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::brand_color::BrandPalette;

use super::{
    BarChart, CHART_ID, EmailSection, Language,
    link::{self, LinePiece},
};

/// Additions of the HTML part to the plain text. Stored with the message, rendered by [`render_html`] when it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailPage {
    /// Replaces the message's text when that lists what is shown as a table or button. Blank lines separate paragraphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Subject of the email that replaces a text: that of its kind; none for the name of what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_subject: Option<String>,
    /// Label and address of the button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_button: Option<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<EmailSection>,
    /// Rendered when it is sent and embedded in the email.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<BarChart>,
    /// Whether addresses in the text become links. False where the text may quote a stranger: only buttons link then.
    #[serde(default, skip_serializing_if = "is_false")]
    pub links: bool,
    pub footer: String,
    /// Label and address of the unsubscribe link: in the footer, the plain text and the mail header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<(String, String)>,
    /// Language of the email; none is English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

type EmailParagraph = Vec<Vec<LinePiece>>;

impl EmailPage {
    fn buttons(&self) -> impl Iterator<Item = &(String, String)> {
        self.button.iter().chain(&self.other_button)
    }

    fn has_button_for(&self, address: &str) -> bool {
        self.buttons().any(|(_, of)| of == address)
    }

    /// The button's address as copyable text; none when the text already shows it.
    fn shown_address(button: Option<&(String, String)>, paragraphs: &[EmailParagraph], text: &str) -> Option<String> {
        let (_, address) = button.filter(|(_, address)| address.starts_with("http"))?;
        let is_shown = !paragraphs.is_empty() && link::shows_address(text, address);
        (!is_shown).then(|| address.clone())
    }

    fn text_without_button_links(&self, text: &str) -> String {
        let is_alone = |line: &&str| self.has_button_for(line.trim());
        text.lines().filter(|line| !is_alone(line)).collect::<Vec<_>>().join("\n")
    }

    fn split_paragraphs(&self, words: &str) -> Vec<EmailParagraph> {
        let paragraphs = words.split("\n\n").map(|paragraph| paragraph.trim_matches('\n')).filter(|p| !p.is_empty());
        paragraphs.map(|paragraph| paragraph.lines().map(|line| self.line_pieces(line)).collect()).collect()
    }

    fn line_pieces(&self, line: &str) -> Vec<LinePiece> {
        let opened = link::split_at_links(line).into_iter().map(|piece| {
            let is_link = piece.is_link && (self.links || self.has_button_for(&piece.text));
            LinePiece { is_link, ..piece }
        });
        opened.collect()
    }
}

/// The plain part of an email: each address on its own line, plus missing button addresses and the unsubscribe link.
#[must_use]
pub fn render_plain_text(text: &str, page: Option<&EmailPage>) -> String {
    let text_with_links = link::with_links_on_own_lines(text);
    let missing = page
        .into_iter()
        .flat_map(EmailPage::buttons)
        .filter(|(_, address)| address.starts_with("http") && !link::shows_address(text, address));
    let added = missing.chain(page.and_then(|page| page.leave.as_ref()));
    let added = added.map(|(label, address)| format!("\n\n{label}:\n{address}"));
    [text_with_links].into_iter().chain(added).collect()
}

fn or_open(language: Language) -> &'static str {
    match language {
        Language::En => "Or open this link:",
        Language::Es => "O abra este enlace:",
    }
}

static LAYOUT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    if let Err(e) = env.add_template("layout", include_str!("layout.html")) {
        tracing::error!(error = %e, "the layout of emails is broken");
    }
    env
});

/// What an email shows of the business besides its name.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmailSender<'a> {
    /// Goes into the footer.
    pub postal_address: Option<&'a str>,
    /// None for Toolbox's own colors.
    pub brand: Option<BrandPalette>,
}

/// Every value is escaped. Errors: [`Error::Internal`] if the embedded layout is broken; a test rules this out.
pub fn render_html(
    business: &str,
    heading: &str,
    text: &str,
    page: &EmailPage,
    from: EmailSender<'_>,
) -> Result<String> {
    let text = page.text_without_button_links(page.text.as_deref().unwrap_or(text));
    let paragraphs = page.split_paragraphs(&text);
    let address = EmailPage::shown_address(page.button.as_ref(), &paragraphs, &text);
    let other_address = EmailPage::shown_address(page.other_button.as_ref(), &paragraphs, &text);
    let layout = LAYOUT.get_template("layout").map_err(|e| Error::Internal(format!("mail layout: {e}")))?;
    let language = match page.language.unwrap_or_default() {
        Language::En => "en",
        Language::Es => "es",
    };
    let sender: Vec<String> = from.postal_address.unwrap_or_default().lines().map(ToOwned::to_owned).collect();
    layout
        .render(context! {
            business => business.to_owned(), heading => heading.to_owned(), facts => Serde(&page.facts), footer => page.footer.clone(),
            paragraphs => Serde(&paragraphs), address => address, other_address => other_address, or_open => or_open(page.language.unwrap_or_default()),
            language => language, sender => sender, button => Serde(&page.button), other_button => Serde(&page.other_button),
            leave => Serde(&page.leave), is_branded => from.brand.is_some(),
            brand => Serde(from.brand.unwrap_or(BrandPalette::TOOLBOX)),
            sections => Serde(&page.sections), chart => Serde(&page.chart), chart_id => CHART_ID,
        })
        .map_err(|e| Error::Internal(format!("mail layout: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand_color::BrandColor;
    use crate::template::SectionRow;

    #[test]
    fn layout_escapes_untrusted_input() {
        let page = EmailPage {
            text: None,
            button: Some(("Open".into(), "https://example.com/app/leads/1".into())),
            facts: vec![("Name".into(), "<b>Ann</b>".into())],
            footer: "Sent by Toolbox".into(),
            language: None,
            other_button: Some(("Text".into(), "sms:+15125550142?body=a%20%26%20b".into())),
            leave: Some(("No more of these".into(), "https://example.com/r/t/stop".into())),
            ..EmailPage::default()
        };
        let made = render_html(
            "Acme & Sons",
            "New lead",
            "<img src=x onerror=alert(1)>\n\nsecond",
            &page,
            EmailSender::default(),
        )
        .unwrap();
        assert!(made.contains("href=\"sms:+15125550142?body=a%20%26%20b\""), "{made}");
        assert!(!made.contains("<img") && !made.contains("<b>Ann") && made.contains("Acme &amp; Sons"), "{made}");
        assert!(made.contains("<html lang=\"en\">") && made.contains("Sent by Toolbox<br>"), "{made}");
        assert!(made.replace("&#x2f;", "/").contains("href=\"https://example.com/r/t/stop\""), "{made}");
    }

    #[test]
    fn report_page_shows_section_rows_and_chart_with_alt_text() {
        let row = SectionRow {
            label: "From <b>".into(),
            value: "3".into(),
            link: Some("https://x/app/leads?a=1&b=2".into()),
        };
        let chart =
            BarChart { values: vec![1, 2], labels: vec!["16".into(), "17".into()], alt: "Collected".into(), marked: 1 };
        let sections = vec![EmailSection { title: "Leads".into(), rows: vec![row] }];
        let made = render_html(
            "Acme",
            "Report",
            "",
            &EmailPage { sections, chart: Some(chart), ..EmailPage::default() },
            EmailSender::default(),
        )
        .unwrap();
        for wanted in ["From &lt;b&gt;", "leads?a=1&amp;b=2\"", "src=\"cid:chart\"", "alt=\"Collected\"", ">17</td>"] {
            assert!(made.contains(wanted), "{wanted} in {made}");
        }
    }

    #[test]
    fn footer_shows_business_address_and_page_declares_language() {
        let page =
            EmailPage { footer: "Acme le escribió.".into(), language: Some(Language::Es), ..EmailPage::default() };
        let from = EmailSender { postal_address: Some("1 Main St <b>\nAustin TX"), brand: None };
        let made = render_html("Acme", "Hola", "Ya vamos", &page, from).unwrap();
        assert!(made.contains("Acme le escribió.<br>1 Main St &lt;b&gt;<br>Austin TX</td>"), "{made}");
        assert!(made.contains("<html lang=\"es\">"), "{made}");
    }

    #[test]
    fn brand_color_is_on_button_and_rule_in_both_themes() {
        let page = EmailPage { button: Some(("Open".into(), "https://x/p/1".into())), ..EmailPage::default() };
        let render =
            |brand| render_html("Acme", "Hi", "Text", &page, EmailSender { postal_address: None, brand }).unwrap();
        let plain = render(None);
        assert!(plain.contains("background:#00616f;color:#ffffff") && !plain.contains("border-top:4px"), "{plain}");
        let branded = render(BrandColor::parse_hex("#ffcc00").map(BrandColor::build_palette));
        for wanted in [
            "background:#ffcc00;color:#000000",
            "border-top:4px solid #ffcc00",
            ".main { background: #ffcc00 !important; color: #000000 !important }",
            ".name, .link { color: #ffcc00 !important }",
            "font-weight:600;color:#806600",
        ] {
            assert!(branded.contains(wanted), "{wanted} in {branded}");
        }
        assert!(!branded.contains("#00616f") && !branded.contains("#22e6f2"), "{branded}");
    }

    #[test]
    fn customer_supplied_url_is_not_made_a_link() {
        let body = "You wrote: see http://evil.example/x now\n\nBook: https://acme.example/b";
        let button = Some(("Choose a time".to_owned(), "https://acme.example/b".to_owned()));
        let page = EmailPage { button, ..EmailPage::default() };
        let made = render_html("Acme", "Subject", body, &page, EmailSender::default()).unwrap().replace("&#x2f;", "/");
        assert!(!made.contains("href=\"http://evil.example") && made.contains("http://evil.example/x"), "{made}");
        assert_eq!(made.matches("href=\"https://acme.example/b\"").count(), 2, "{made}");
    }

    #[test]
    fn button_address_is_shown_below_button_when_text_omits_it() {
        let address = "https://toolbox.example/reset/abc".to_owned();
        let page = EmailPage {
            text: Some("Hi Ann,\n\nChoose a new password.".into()),
            button: Some(("Choose".into(), address.clone())),
            other_button: Some(("Text".into(), "sms:+15125550142".into())),
            leave: Some(("No more such emails".into(), format!("{address}/stop"))),
            ..EmailPage::default()
        };
        let made =
            render_html("Acme", "Subject", "unused", &page, EmailSender::default()).unwrap().replace("&#x2f;", "/");
        assert_eq!(made.matches(&format!("href=\"{address}\"")).count(), 2, "{made}");
        assert!(made.contains("Or open this link:"), "{made}");
        let plain_text = render_plain_text(&format!("Choose a new password: {address}"), Some(&page));
        assert_eq!(plain_text, format!("Choose a new password:\n{address}\n\nNo more such emails:\n{address}/stop"));
        assert_eq!(
            render_plain_text("Hi", Some(&page)),
            format!("Hi\n\nChoose:\n{address}\n\nNo more such emails:\n{address}/stop")
        );
    }
}
