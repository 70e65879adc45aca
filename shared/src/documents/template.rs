//! The words that are sent: the org's own, or the defaults, filled in a sandbox that knows only the listed variables.

mod chart;
pub mod check;
mod defaults;
mod fill;
mod incentive;
pub mod kind;
pub mod language;
mod link;
mod lint;
mod page;
mod preview;
mod scan;
mod section;
mod stop;
#[cfg(test)]
mod tests;
pub mod typed;
pub mod variables;

pub use chart::{CHART_ID, Chart};
pub use check::{Checked, Fault, FaultCode, Place, TextField, Warning, WarningCode, check};
pub use defaults::{default_wording, refund_wording};
pub use fill::{Filled, fill, render};
pub use kind::{Audience, Channel, Kind, MessageClass, TemplateKind, TemplateVariable, describe};
pub use language::Language;
pub use link::button;
pub use page::{Page, html, plain};
pub use preview::{Preview, Promise, preview};
pub use section::{Row, Section};
pub use stop::without_stop;
pub use variables::{Variable, Variables};

/// One template as the org has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    pub enabled: bool,
    /// Only emails have one.
    pub subject: Option<String>,
    pub body: String,
}
