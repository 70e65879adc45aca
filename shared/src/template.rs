//! The words that are sent: the org's own, or the defaults, filled in a sandbox that knows only the listed variables.

pub mod check;
mod cost;
mod defaults;
mod fill;
mod incentive;
pub mod kind;
pub mod language;
mod lint;
mod page;
mod preview;
mod scan;
#[cfg(test)]
mod tests;
pub mod variables;

pub use check::{Checked, Fault, FaultCode, Place, TextField, Warning, WarningCode, check};
pub use defaults::default_wording;
pub use fill::{Filled, fill, render};
pub use kind::{Audience, Channel, Kind, MessageClass, TemplateKind, TemplateVariable, describe};
pub use language::Language;
pub use page::{Page, html};
pub use preview::{Preview, preview};
pub use variables::Variable;

/// One template as the org has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    pub enabled: bool,
    /// Only emails have one.
    pub subject: Option<String>,
    pub body: String,
}

/// What the form of a lead tells a wording; [`variables::Variables`] has all there is.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    pub business_name: String,
    pub business_phone: Option<String>,
    pub customer_name: String,
    pub customer_phone: Option<String>,
    pub customer_message: Option<String>,
    /// When the lead came in, in the org's zone.
    pub timestamp: String,
}

impl From<&Variables> for variables::Variables {
    fn from(lead: &Variables) -> Self {
        Self {
            business_name: lead.business_name.clone(),
            business_phone: lead.business_phone.clone(),
            customer_name: lead.customer_name.clone(),
            customer_phone: lead.customer_phone.clone(),
            customer_message: lead.customer_message.clone(),
            timestamp: lead.timestamp.clone(),
            ..Self::default()
        }
    }
}
