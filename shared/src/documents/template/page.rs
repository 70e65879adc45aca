//! The HTML beside a plain text email: one column, readable on a phone, nothing loaded from elsewhere.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, context, value::Serde};
use serde::{Deserialize, Serialize};

use super::{
    CHART_ID, Chart, Language, Section,
    link::{self, Piece},
};
use crate::platform::error::{Error, Result};

/// What the HTML beside a plain text email shows otherwise than the text: stored with the message, drawn by [`html`]
/// when it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// In place of the message's text, when the text lists what the page shows as a table or a button. Blank lines part
    /// paragraphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Label and address of the button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<(String, String)>,
    /// The same for a second one, below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_button: Option<(String, String)>,
    /// Label and value, shown as a small table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    /// Figures under titles, between the text and the button.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Drawn when it is sent, and put into the letter itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<Chart>,
    /// Whether addresses in the text become links. Not where a stranger's words may stand in it: then only the
    /// addresses of the buttons do.
    #[serde(default, skip_serializing_if = "is_false")]
    pub links: bool,
    pub footer: String,
    /// Label and address where no more such letters are asked for: at the foot, in the text, and for the mail program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<(String, String)>,
    /// What the letter is written in; none is English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Its lines, each in pieces.
type Paragraph = Vec<Vec<Piece>>;

impl Page {
    fn buttons(&self) -> impl Iterator<Item = &(String, String)> {
        self.button.iter().chain(&self.other_button)
    }

    fn has_button_for(&self, address: &str) -> bool {
        self.buttons().any(|(_, of)| of == address)
    }

    /// The address of a button in letters that can be read and copied; none where the text shows it already.
    fn shown_address(button: Option<&(String, String)>, paragraphs: &[Paragraph], text: &str) -> Option<String> {
        let (_, address) = button.filter(|(_, address)| address.starts_with("http"))?;
        let is_shown = !paragraphs.is_empty() && link::shows(text, address);
        (!is_shown).then(|| address.clone())
    }

    /// The text without the lines that are nothing but the address of the button, which stands below it.
    fn words(&self, text: &str) -> String {
        let is_alone = |line: &&str| self.has_button_for(line.trim());
        text.lines().filter(|line| !is_alone(line)).collect::<Vec<_>>().join("\n")
    }

    /// The paragraphs of `words`, each with its lines, each with its pieces.
    fn paragraphs(&self, words: &str) -> Vec<Paragraph> {
        let paragraphs = words.split("\n\n").map(|paragraph| paragraph.trim_matches('\n')).filter(|p| !p.is_empty());
        paragraphs.map(|paragraph| paragraph.lines().map(|line| self.pieces(line)).collect()).collect()
    }

    fn pieces(&self, line: &str) -> Vec<Piece> {
        let opened = link::pieces(line).into_iter().map(|piece| {
            let is_link = piece.is_link && (self.links || self.has_button_for(&piece.text));
            Piece { is_link, ..piece }
        });
        opened.collect()
    }
}

/// The plain part of an email: each address on a line of its own, that of a button too where the text has it not, and
/// where no more such letters are asked for.
#[must_use]
pub fn plain(text: &str, page: Option<&Page>) -> String {
    let said = link::plain(text);
    let missing = page
        .into_iter()
        .flat_map(Page::buttons)
        .filter(|(_, address)| address.starts_with("http") && !link::shows(text, address));
    let added = missing.chain(page.and_then(|page| page.leave.as_ref()));
    let added = added.map(|(label, address)| format!("\n\n{label}:\n{address}"));
    [said].into_iter().chain(added).collect()
}

/// Said before the address of the button.
fn or_open(language: Language) -> &'static str {
    match language {
        Language::En => "Or open this link:",
        Language::Es => "O abra este enlace:",
    }
}

/// Compiled once: every email has it.
static LAYOUT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    if let Err(e) = env.add_template("layout", include_str!("layout.html")) {
        tracing::error!(error = %e, "the layout of emails is broken");
    }
    env
});

/// The HTML of an email. Every value is escaped. `sender` stands at its foot: the business's postal address.
///
/// # Errors
/// [`Error::Internal`] only if the embedded layout were broken, which a test rules out.
pub fn html(business: &str, heading: &str, text: &str, page: &Page, sender: Option<&str>) -> Result<String> {
    let text = page.words(page.text.as_deref().unwrap_or(text));
    let paragraphs = page.paragraphs(&text);
    let address = Page::shown_address(page.button.as_ref(), &paragraphs, &text);
    let other_address = Page::shown_address(page.other_button.as_ref(), &paragraphs, &text);
    let layout = LAYOUT.get_template("layout").map_err(|e| Error::Internal(format!("mail layout: {e}")))?;
    let language = match page.language.unwrap_or_default() {
        Language::En => "en",
        Language::Es => "es",
    };
    let sender: Vec<String> = sender.unwrap_or_default().lines().map(ToOwned::to_owned).collect();
    layout
        .render(context! {
            business => business.to_owned(), heading => heading.to_owned(), facts => Serde(&page.facts), footer => page.footer.clone(),
            paragraphs => Serde(&paragraphs), address => address, other_address => other_address, or_open => or_open(page.language.unwrap_or_default()),
            language => language, sender => sender, button => Serde(&page.button), other_button => Serde(&page.other_button),
            leave => Serde(&page.leave),
            sections => Serde(&page.sections), chart => Serde(&page.chart), chart_id => CHART_ID,
        })
        .map_err(|e| Error::Internal(format!("mail layout: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::template::{Audience, Kind, Row, Variable, Variables, default_wording, fill};

    #[test]
    fn the_layout_escapes_what_strangers_typed() {
        let page = Page {
            text: None,
            button: Some(("Open".into(), "https://example.com/app/leads/1".into())),
            facts: vec![("Name".into(), "<b>Ann</b>".into())],
            footer: "Sent by Toolbox".into(),
            language: None,
            other_button: Some(("Text".into(), "sms:+15125550142?body=a%20%26%20b".into())),
            leave: Some(("No more of these".into(), "https://example.com/r/t/stop".into())),
            ..Page::default()
        };
        let made = html("Acme & Sons", "New lead", "<img src=x onerror=alert(1)>\n\nsecond", &page, None).unwrap();
        assert!(made.contains("href=\"sms:+15125550142?body=a%20%26%20b\""), "{made}");
        assert!(!made.contains("<img") && !made.contains("<b>Ann") && made.contains("Acme &amp; Sons"), "{made}");
        assert!(made.contains("<html lang=\"en\">") && made.contains("Sent by Toolbox<br>"), "{made}");
        assert!(made.replace("&#x2f;", "/").contains("href=\"https://example.com/r/t/stop\""), "{made}");
    }

    #[test]
    fn figures_stand_under_their_titles_and_the_chart_says_what_it_shows() {
        let row = Row { label: "From <b>".into(), value: "3".into(), link: Some("https://x/app/leads?a=1&b=2".into()) };
        let chart =
            Chart { values: vec![1, 2], labels: vec!["16".into(), "17".into()], alt: "Collected".into(), marked: 1 };
        let sections = vec![Section { title: "Leads".into(), rows: vec![row] }];
        let made = html("Acme", "Report", "", &Page { sections, chart: Some(chart), ..Page::default() }, None).unwrap();
        for wanted in ["From &lt;b&gt;", "leads?a=1&amp;b=2\"", "src=\"cid:chart\"", "alt=\"Collected\"", ">17</td>"] {
            assert!(made.contains(wanted), "{wanted} in {made}");
        }
    }

    #[test]
    fn the_foot_shows_where_the_business_is_and_the_page_says_its_language() {
        let page = Page { footer: "Acme le escribió.".into(), language: Some(Language::Es), ..Page::default() };
        let made = html("Acme", "Hola", "Ya vamos", &page, Some("1 Main St <b>\nAustin TX")).unwrap();
        assert!(made.contains("Acme le escribió.<br>1 Main St &lt;b&gt;<br>Austin TX</td>"), "{made}");
        assert!(made.contains("<html lang=\"es\">"), "{made}");
    }

    /// The links that a wording of this kind may hold.
    fn links_of(kind: Kind) -> Vec<Variable> {
        let is_link = |variable: &Variable| variable.name().ends_with("Link");
        kind.variables().iter().copied().filter(is_link).collect()
    }

    /// What a customer gets by email in these words: the plain part and the HTML.
    fn letter(kind: Kind, variables: &Variables, body: &str) -> (String, String) {
        let button = crate::documents::template::button(kind, variables, body);
        let page = Page { button, links: true, language: Some(variables.language), ..Page::default() };
        let made = html("Acme", "Subject", body, &page, None).unwrap().replace("&#x2f;", "/");
        (plain(body, Some(&page)), made)
    }

    /// It has a button for what it asks, the address in letters that can be read and copied, and a line of its own for it
    /// in the plain part; and it loads nothing from elsewhere.
    fn assert_opens(text: &str, html: &str, address: &str, what: &str) {
        let button = format!("<a class=\"main\" href=\"{address}\"");
        let shown = format!(
            "<a class=\"link\" href=\"{address}\" style=\"color:#00616f;text-decoration:underline\">{address}</a>"
        );
        assert_eq!(html.matches(&button).count(), 1, "{what}: {html}");
        assert_eq!(html.matches(&shown).count(), 1, "{what}: {html}");
        assert_eq!(text.lines().filter(|line| *line == address).count(), 1, "{what}: {text}");
        assert!(!html.contains("<img") && !html.contains("url(") && !html.contains("<script"), "{what}: {html}");
    }

    #[test]
    fn every_wording_with_a_link_has_a_button_and_a_plain_link() {
        let mut seen = 0;
        for kind in Kind::ALL.into_iter().filter(|kind| kind.audience() == Audience::Customer) {
            for language in [Language::En, Language::Es] {
                let long = format!("https://toolbox.example/p/{}", "x1Y".repeat(40));
                let each = Variables {
                    language,
                    review_link: Some(format!("{long}/review")),
                    booking_link: Some(format!("{long}/book")),
                    estimate_link: Some(format!("{long}/estimate")),
                    change_order_link: Some(format!("{long}/change")),
                    invoice_link: Some(format!("{long}/invoice")),
                    visit_link: Some(format!("{long}/visit")),
                    ..Variables::example("Acme Plumbing")
                };
                let default = default_wording(kind, language).body;
                for variable in links_of(kind) {
                    let name = variable.name();
                    let address = each.value(variable).unwrap();
                    let own = [
                        format!("Dear customer, look at {{{{ {name} }}}} when you can. Thank you."),
                        format!("({{{{ {name} }}}}), please"),
                        format!("{{{{ {name} }}}}"),
                        format!("Hi.\n\n{{{{ {name} }}}}\n\nAcme"),
                    ];
                    let holds = |text: &&String| text.contains(name);
                    for wording in own.iter().chain([&default]).filter(holds) {
                        let body = crate::documents::template::without_stop(&fill(wording, &each).unwrap());
                        let (text, html) = letter(kind, &each, &body);
                        assert_opens(&text, &html, &address, &format!("{kind:?} {language:?}: {wording}"));
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn a_strangers_address_is_no_link_where_their_words_may_stand() {
        let body = "You wrote: see http://evil.example/x now\n\nBook: https://acme.example/b";
        let button = Some(("Choose a time".to_owned(), "https://acme.example/b".to_owned()));
        let page = Page { button, ..Page::default() };
        let made = html("Acme", "Subject", body, &page, None).unwrap().replace("&#x2f;", "/");
        assert!(!made.contains("href=\"http://evil.example") && made.contains("http://evil.example/x"), "{made}");
        assert_eq!(made.matches("href=\"https://acme.example/b\"").count(), 2, "{made}");
    }

    #[test]
    fn the_address_of_a_button_stands_below_it_where_the_words_leave_it_out() {
        let address = "https://toolbox.example/reset/abc".to_owned();
        let page = Page {
            text: Some("Hi Ann,\n\nChoose a new password.".into()),
            button: Some(("Choose".into(), address.clone())),
            other_button: Some(("Text".into(), "sms:+15125550142".into())),
            leave: Some(("No more such emails".into(), format!("{address}/stop"))),
            ..Page::default()
        };
        let made = html("Acme", "Subject", "unused", &page, None).unwrap().replace("&#x2f;", "/");
        assert_eq!(made.matches(&format!("href=\"{address}\"")).count(), 2, "{made}");
        assert!(made.contains("Or open this link:"), "{made}");
        let said = plain(&format!("Choose a new password: {address}"), Some(&page));
        assert_eq!(said, format!("Choose a new password:\n{address}\n\nNo more such emails:\n{address}/stop"));
        assert_eq!(
            plain("Hi", Some(&page)),
            format!("Hi\n\nChoose:\n{address}\n\nNo more such emails:\n{address}/stop")
        );
    }
}
