//! The words that are sent: the org's own, or these defaults, filled in a sandbox that knows only the listed variables.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, UndefinedBehavior, context, value::Serde};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The six templates of the settings page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Kind {
    /// The automatic text to a new lead.
    Sms,
    MissedCall,
    /// The automatic email to a new lead.
    Email,
    /// What the people of the business are told.
    Employee,
    UnpaidInvoice,
    ReviewRequest,
}

/// One template as the org has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    pub enabled: bool,
    /// Only emails have one.
    pub subject: Option<String>,
    pub body: String,
}

/// What a template may say. Absent values print as nothing, and `{% if %}` can ask for them.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variables {
    pub business_name: String,
    pub business_phone: Option<String>,
    pub customer_name: String,
    pub customer_phone: Option<String>,
    pub customer_message: Option<String>,
    /// When the lead came in, in the org's zone.
    pub timestamp: String,
}

impl Kind {
    /// The wording of an org that has not changed it. The text promises an answer within 1 hour, the email within 2
    /// hours. The first text names the business and says how to stop (CTIA messaging principles, 5.1).
    #[must_use]
    pub fn default_wording(self) -> Wording {
        let (subject, body) = match self {
            Self::Sms => (None, include_str!("template/sms.txt")),
            Self::MissedCall => (None, include_str!("template/missed_call.txt")),
            Self::Email => (Some("We received your request, {{ customerName }}"), include_str!("template/email.txt")),
            Self::Employee => (None, include_str!("template/employee.txt")),
            Self::UnpaidInvoice => (None, include_str!("template/unpaid_invoice.txt")),
            Self::ReviewRequest => (None, include_str!("template/review_request.txt")),
        };
        Wording { enabled: true, subject: subject.map(ToOwned::to_owned), body: body.trim_end().to_owned() }
    }
}

/// Fills `text` in. Values are put in once and never read as template text again.
///
/// # Errors
/// [`Error::Internal`] when the text is not a template; texts are checked when they are saved.
pub fn fill(text: &str, variables: &Variables) -> Result<String> {
    let mut env = Environment::empty();
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_fuel(Some(50_000));
    env.set_formatter(|out, state, value| {
        // An absent value prints as nothing, never as "none" or as braces.
        if value.is_none() { Ok(()) } else { minijinja::escape_formatter(out, state, value) }
    });
    let filled = env.render_str(text, Serde(variables)).map_err(|e| Error::Internal(format!("template: {e}")))?;
    Ok(filled.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// What the HTML beside a plain text email shows otherwise than the text: stored with the message, drawn by [`html`]
/// when it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// In place of the message's text, when the text lists what the page shows as a table or a button. Blank lines part
    /// paragraphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Label and address of the one button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<(String, String)>,
    /// Label and value, shown as a small table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    pub footer: String,
}

/// Compiled once: every email has it.
static LAYOUT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    env.set_auto_escape_callback(|_| AutoEscape::Html);
    if let Err(e) = env.add_template("layout", include_str!("template/layout.html")) {
        tracing::error!(error = %e, "the layout of emails is broken");
    }
    env
});

/// The HTML of an email: one column, readable on a phone, nothing loaded from elsewhere. Every value is escaped.
///
/// # Errors
/// [`Error::Internal`] only if the embedded layout were broken, which a test rules out.
pub fn html(business: &str, heading: &str, text: &str, page: &Page) -> Result<String> {
    let text = page.text.as_deref().unwrap_or(text);
    let layout = LAYOUT.get_template("layout").map_err(|e| Error::Internal(format!("mail layout: {e}")))?;
    layout
        .render(context! {
            business => business.to_owned(), heading => heading.to_owned(), facts => Serde(&page.facts), footer => page.footer.clone(),
            paragraphs => text.split("\n\n").map(|p| p.lines().map(ToOwned::to_owned).collect::<Vec<String>>()).collect::<Vec<_>>(),
            button => Serde(&page.button),
        })
        .map_err(|e| Error::Internal(format!("mail layout: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 6] =
        [Kind::Sms, Kind::MissedCall, Kind::Email, Kind::Employee, Kind::UnpaidInvoice, Kind::ReviewRequest];

    fn ann() -> Variables {
        Variables {
            business_name: "Acme Plumbing".into(),
            business_phone: Some("(512) 555-0100".into()),
            customer_name: "Ann".into(),
            ..Variables::default()
        }
    }

    #[test]
    fn no_default_prints_braces_or_none_even_when_everything_is_missing() {
        for kind in KINDS {
            for variables in [ann(), Variables::default()] {
                let said = fill(&kind.default_wording().body, &variables).unwrap();
                assert!(!said.contains(['{', '}']) && !said.contains("none"), "{kind:?}: {said}");
            }
        }
    }

    #[test]
    fn the_first_text_names_the_business_promises_an_hour_and_says_how_to_stop() {
        let said = fill(&Kind::Sms.default_wording().body, &ann()).unwrap();
        assert!(said.contains("Acme Plumbing") && said.contains("1 hour") && said.contains("STOP"), "{said}");
        assert!(said.len() <= 160, "one segment: {} characters", said.len());
    }

    #[test]
    fn the_email_promises_two_hours() {
        assert!(fill(&Kind::Email.default_wording().body, &ann()).unwrap().contains("2 hours"));
    }

    #[test]
    fn a_customer_named_like_a_variable_is_not_expanded() {
        let mischief = Variables { customer_name: "{{ businessPhone }}".into(), ..ann() };
        assert!(fill(&Kind::Sms.default_wording().body, &mischief).unwrap().contains("{{ businessPhone }}"));
    }

    #[test]
    fn the_layout_escapes_what_strangers_typed() {
        let page = Page {
            text: None,
            button: Some(("Open".into(), "https://example.com/app/leads/1".into())),
            facts: vec![("Name".into(), "<b>Ann</b>".into())],
            footer: "Sent by Toolbox".into(),
        };
        let made = html("Acme & Sons", "New lead", "<img src=x onerror=alert(1)>\n\nsecond", &page).unwrap();
        assert!(!made.contains("<img") && !made.contains("<b>Ann") && made.contains("Acme &amp; Sons"), "{made}");
    }
}
