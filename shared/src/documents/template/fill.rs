//! The sandbox: one text and its values in, the finished words out. It knows no loops, no files and no calls.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use minijinja::{
    AutoEscape, Environment, UndefinedBehavior, Value,
    value::{Object, ObjectRepr, Rest},
};

use super::{
    Audience, Kind, Wording, typed,
    variables::{Variable, Variables},
};
use crate::platform::error::{Error, Result};

/// More instructions than the longest template that may be saved has.
const FUEL: u64 = 50_000;
/// The filters a wording may use.
pub(super) const FILTERS: [&str; 6] = ["capitalize", "default", "lower", "title", "trim", "upper"];

/// Fills every text in; it keeps none.
static SANDBOX: LazyLock<Environment<'static>> = LazyLock::new(sandbox);

/// A finished message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    pub subject: Option<String>,
    pub body: String,
}

/// A value that is not known: false when asked for, its fallback when printed.
#[derive(Debug)]
struct Missing(&'static str);

impl Object for Missing {
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

/// The values of one message, by the names between the braces.
#[derive(Debug)]
struct Known {
    variables: Variables,
    audience: Audience,
}

impl Object for Known {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let variable = Variable::ALL.into_iter().find(|variable| key.as_str() == Some(variable.name()))?;
        let missing = || Value::from_object(Missing(variable.fallback(self.variables.language, self.audience)));
        Some(self.value(variable).map_or_else(missing, Value::from))
    }
}

impl Known {
    /// Customers read no links and numbers that somebody typed as a name or a message.
    fn value(&self, variable: Variable) -> Option<String> {
        let value = self.variables.value(variable)?;
        let is_typed = matches!(variable, Variable::CustomerName | Variable::CustomerMessage);
        if self.audience == Audience::Team || !is_typed {
            return Some(value);
        }
        Some(typed::without_links(&value)).filter(|left| !left.is_empty())
    }
}

/// Fills `text` in for a customer. Values are put in once and never read as template text again.
///
/// # Errors
/// [`Error::Internal`] when the text is not a template; texts are checked when they are saved.
pub fn fill(text: &str, variables: &Variables) -> Result<String> {
    fill_for(Audience::Customer, text, variables)
}

/// Fills the wording of `kind` in. A subject is one line, whatever was put into it.
///
/// # Errors
/// As [`fill`].
pub fn render(kind: Kind, wording: &Wording, variables: &Variables) -> Result<Filled> {
    let filled = |text: &str| fill_for(kind.audience(), text, variables);
    let subject = wording.subject.as_deref().filter(|_| kind.has_subject()).map(filled).transpose()?;
    Ok(Filled {
        subject: subject.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")),
        body: filled(&wording.body)?,
    })
}

fn fill_for(audience: Audience, text: &str, variables: &Variables) -> Result<String> {
    let filled = SANDBOX
        .render_str(text, Value::from_object(Known { variables: variables.clone(), audience }))
        .map_err(|e| Error::Internal(format!("template: {e}")))?;
    Ok(filled.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// Starts from nothing, so that what is not listed here cannot be used.
pub(super) fn sandbox<'s>() -> Environment<'s> {
    let mut env = Environment::empty();
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    env.set_fuel(Some(FUEL));
    env.set_formatter(|out, state, value| {
        // An absent value prints as nothing, never as "none" or as braces.
        if value.is_none() { Ok(()) } else { minijinja::escape_formatter(out, state, value) }
    });
    // They take any value, so that a missing one reaches its fallback instead of an error.
    env.add_filter("upper", |value: &Value| value.to_string().to_uppercase());
    env.add_filter("lower", |value: &Value| value.to_string().to_lowercase());
    env.add_filter("trim", |value: &Value| value.to_string().trim().to_owned());
    env.add_filter("capitalize", |value: &Value| capitalized(&value.to_string()));
    env.add_filter("title", |value: &Value| {
        value.to_string().split(' ').map(capitalized).collect::<Vec<_>>().join(" ")
    });
    env.add_filter("default", |value: &Value, other: Rest<Value>| {
        if value.is_true() { value.clone() } else { other.first().cloned().unwrap_or_else(|| Value::from("")) }
    });
    env
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    first + &letters.as_str().to_lowercase()
}
