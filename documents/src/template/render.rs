//! Template sandbox: renders one text from its values. No loops, files or calls.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use minijinja::{
    AutoEscape, Environment, UndefinedBehavior, Value,
    value::{Object, ObjectRepr, Rest},
};
use platform::error::{Error, Result};

use super::{
    TemplateAudience, TemplateKindName, TemplateWording, typed,
    variables::{MASKED_VALUE, WordingValues, WordingVariable},
};
use crate::recipient_name::first_name;

/// Instruction limit, above that of the longest template that may be saved.
const FUEL: u64 = 50_000;
pub(super) const FILTERS: [&str; 6] = ["capitalize", "default", "lower", "title", "trim", "upper"];

static SANDBOX: LazyLock<Environment<'static>> = LazyLock::new(build_sandbox);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedWording {
    pub subject: Option<String>,
    pub body: String,
}

/// An unknown value: false in a condition, its fallback when printed.
#[derive(Debug)]
struct MissingValue(&'static str);

impl Object for MissingValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        false
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[derive(Debug)]
struct SandboxValues {
    variables: WordingValues,
    audience: TemplateAudience,
}

impl Object for SandboxValues {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let variable = WordingVariable::ALL.into_iter().find(|variable| key.as_str() == Some(variable.name()))?;
        let missing =
            || Value::from_object(MissingValue(variable.fallback_text(self.variables.language, self.audience)));
        Some(self.safe_value(variable).map_or_else(missing, Value::from))
    }
}

impl SandboxValues {
    /// For customers a name becomes a first name, and a message is without its links and numbers.
    fn safe_value(&self, variable: WordingVariable) -> Option<String> {
        let value = self.variables.printed_value(variable)?;
        let safe = match (self.audience, variable) {
            (TemplateAudience::Customer, WordingVariable::CustomerName) if value != MASKED_VALUE => first_name(&value),
            (TemplateAudience::Customer, WordingVariable::CustomerMessage) => typed::strip_links(&value),
            _ => value,
        };
        Some(safe).filter(|left| !left.is_empty())
    }
}

/// Renders `text` for a customer. Values are inserted once and never parsed as template text. Errors:
/// [`Error::Internal`] when the text is not a template; texts are checked when they are saved.
pub fn render_text(text: &str, variables: &WordingValues) -> Result<String> {
    render_for_audience(TemplateAudience::Customer, text, variables)
}

/// Renders the wording of `kind`. A subject becomes a single line. Errors: as [`render_text`].
pub fn render_wording(
    kind: TemplateKindName,
    wording: &TemplateWording,
    variables: &WordingValues,
) -> Result<RenderedWording> {
    let filled = |text: &str| render_for_audience(kind.audience(), text, variables);
    let subject = wording.subject.as_deref().filter(|_| kind.has_subject()).map(filled).transpose()?;
    Ok(RenderedWording {
        subject: subject.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")),
        body: filled(&wording.body)?,
    })
}

fn render_for_audience(audience: TemplateAudience, text: &str, variables: &WordingValues) -> Result<String> {
    let filled = SANDBOX
        .render_str(text, Value::from_object(SandboxValues { variables: variables.clone(), audience }))
        .map_err(|e| Error::Internal(format!("template: {e}")))?;
    Ok(filled.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// Starts from an empty environment, so that only what is listed here is available.
pub(super) fn build_sandbox<'s>() -> Environment<'s> {
    let mut env = Environment::empty();
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_fuel(Some(FUEL));
    env.set_formatter(|out, state, value| {
        // An absent value prints as nothing, not as "none" or braces.
        if value.is_none() { Ok(()) } else { minijinja::escape_formatter(out, state, value) }
    });
    // Filters accept any value, so that a missing one reaches its fallback instead of an error.
    env.add_filter("upper", |value: &Value| value.to_string().to_uppercase());
    env.add_filter("lower", |value: &Value| value.to_string().to_lowercase());
    env.add_filter("trim", |value: &Value| value.to_string().trim().to_owned());
    env.add_filter("capitalize", |value: &Value| capitalize_word(&value.to_string()));
    env.add_filter("title", |value: &Value| {
        value.to_string().split(' ').map(capitalize_word).collect::<Vec<_>>().join(" ")
    });
    env.add_filter("default", |value: &Value, other: Rest<Value>| {
        if value.is_true() { value.clone() } else { other.first().cloned().unwrap_or_else(|| Value::from("")) }
    });
    env
}

fn capitalize_word(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + &letters.as_str().to_lowercase()
}
