//! Environment variables, read once at start. Every variable is checked and every fault names its variable.
//!
//! No other file reads the process environment. Each concern keeps its own struct beside the code that uses it
//! (`SmsConfig` in `providers/sms.rs`, `MailConfig` in `providers/mail.rs`) and builds it from [`EnvVars`].

use std::{collections::BTreeMap, fmt, str::FromStr};

use crate::{
    log_line::LogFormat,
    log_setup::{LogOptions, install_subscriber},
    spans::SpanExportLayer,
};

pub mod misspelt;

/// A snapshot of environment variables plus the faults found while reading them.
///
/// Readers return a default after recording a fault, so that one start reports all faults.
#[derive(Debug, Default)]
pub struct EnvVars {
    values: BTreeMap<String, String>,
    faults: Vec<InvalidVariable>,
}

/// The value itself is never shown: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidVariable {
    pub variable: String,
    /// A sentence part: "is not a number".
    pub problem: String,
}

impl fmt::Display for InvalidVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.variable, self.problem)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the configuration has {} fault(s): {}", .0.len(), .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ConfigError(pub Vec<InvalidVariable>);

impl EnvVars {
    #[must_use]
    pub fn from_process() -> Self {
        Self::from_pairs(std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))))
    }

    pub fn from_pairs<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self { values: pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect(), faults: Vec::new() }
    }

    /// None when unset or blank. Surrounding space is dropped.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        self.values.get(name).map(|v| v.trim()).filter(|v| !v.is_empty()).map(ToOwned::to_owned)
    }

    /// `default` when unset; a value that does not parse is a fault.
    pub fn parse_or<T: FromStr>(&mut self, name: &str, default: T, expected: &str) -> T {
        match self.get(name).map(|v| v.parse()) {
            None => default,
            Some(Ok(value)) => value,
            Some(Err(_)) => {
                self.record_invalid(name, format!("must be {expected}"));
                default
            }
        }
    }

    /// True for `on`, false for `off`, `default` when unset; anything else is a fault.
    pub fn parse_on_off(&mut self, name: &str, default: bool) -> bool {
        match self.get(name).as_deref() {
            None => default,
            Some("on") => true,
            Some("off") => false,
            Some(_) => {
                self.record_invalid(name, "must be on or off");
                default
            }
        }
    }

    pub fn record_invalid(&mut self, name: &str, problem: impl Into<String>) {
        self.faults.push(InvalidVariable { variable: name.to_owned(), problem: problem.into() });
    }

    /// Warns of variables whose names are nearly those of ours. Call it once the log has begun.
    pub fn warn_of_misspelt_names(&self) {
        for name in self.values.keys() {
            if let Some(known) = misspelt::find_similar_name(name) {
                tracing::warn!(variable = %name, %known, "this variable has no effect; is the known one meant?");
            }
        }
    }

    /// Errors: [`ConfigError`] with every fault that was recorded.
    pub fn into_result(self) -> Result<(), ConfigError> {
        if self.faults.is_empty() { Ok(()) } else { Err(ConfigError(self.faults)) }
    }
}

/// `RUST_LOG` (default `info`) and `LOG_FORMAT` (`text` or `json`).
#[derive(Clone, Debug)]
pub struct LogConfig {
    filter: String,
    format: LogFormat,
}

impl LogConfig {
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        let filter = vars.get("RUST_LOG").unwrap_or_else(|| "info,sqlx=warn,apalis=warn,apalis_core=error".to_owned());
        if filter.parse::<tracing_subscriber::EnvFilter>().is_err() {
            vars.record_invalid("RUST_LOG", "must be a filter such as info or api=debug,info");
        }
        Self { filter, format: parse_log_format(vars) }
    }

    /// Logs to standard error, and hands spans to `export`. A second call has no effect.
    pub fn init_logging(&self, export: Option<SpanExportLayer>) {
        let filter = tracing_subscriber::EnvFilter::try_new(&self.filter).unwrap_or_default();
        let options = LogOptions { format: self.format, has_colors: false, has_target: false };
        if let Err(e) = install_subscriber(filter, options, export) {
            tracing::debug!(error = %e, "the log was already started");
        }
    }
}

/// `LOG_FORMAT`: `text` (default) or `json`.
pub fn parse_log_format(vars: &mut EnvVars) -> LogFormat {
    match vars.get("LOG_FORMAT").as_deref() {
        None | Some("text") => LogFormat::Text,
        Some("json") => LogFormat::Json,
        Some(_) => {
            vars.record_invalid("LOG_FORMAT", "must be text or json");
            LogFormat::Text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_named_by_its_variable_and_never_shows_the_value() {
        let mut vars = EnvVars::from_pairs([("PORT", "eighty"), ("WORKER_CONCURRENCY", "s3cret")]);
        assert_eq!(vars.parse_or("PORT", 8080_u16, "a port number"), 8080);
        assert_eq!(vars.parse_or("WORKER_CONCURRENCY", 8_usize, "a whole number"), 8);
        let message = vars.into_result().unwrap_err().to_string();
        assert!(message.contains("PORT must be a port number") && message.contains("WORKER_CONCURRENCY"), "{message}");
        assert!(!message.contains("s3cret") && !message.contains("eighty"), "{message}");
    }

    #[test]
    fn blank_variable_counts_as_unset() {
        assert_eq!(EnvVars::from_pairs([("SMTP_URL", "  ")]).get("SMTP_URL"), None);
    }
}
