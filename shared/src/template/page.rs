//! The HTML beside a plain text email: one column, readable on a phone, nothing loaded from elsewhere.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, context, value::Serde};
use serde::{Deserialize, Serialize};

use super::{CHART_ID, Chart, Language, Section};
use crate::error::{Error, Result};

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
    pub footer: String,
    /// Label and address where no more such letters are asked for: at the foot, in the text, and for the mail program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<(String, String)>,
    /// What the letter is written in; none is English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
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
    let text = page.text.as_deref().unwrap_or(text);
    let layout = LAYOUT.get_template("layout").map_err(|e| Error::Internal(format!("mail layout: {e}")))?;
    let language = match page.language.unwrap_or_default() {
        Language::En => "en",
        Language::Es => "es",
    };
    let sender: Vec<String> = sender.unwrap_or_default().lines().map(ToOwned::to_owned).collect();
    layout
        .render(context! {
            business => business.to_owned(), heading => heading.to_owned(), facts => Serde(&page.facts), footer => page.footer.clone(),
            paragraphs => text.split("\n\n").filter(|p| !p.is_empty()).map(|p| p.lines().map(ToOwned::to_owned).collect::<Vec<String>>()).collect::<Vec<_>>(),
            language => language, sender => sender, button => Serde(&page.button), other_button => Serde(&page.other_button),
            leave => Serde(&page.leave),
            sections => Serde(&page.sections), chart => Serde(&page.chart), chart_id => CHART_ID,
        })
        .map_err(|e| Error::Internal(format!("mail layout: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Row;

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
}
