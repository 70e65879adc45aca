//! Message templates: the org's wording or the defaults, rendered in a sandbox that knows only the listed variables.

mod chart;
pub mod check;
mod defaults;
mod incentive;
pub mod kind;
mod link;
mod lint;
mod opt_out_sentence;
mod page;
mod preview;
mod render;
mod scan;
mod section;
#[cfg(test)]
mod tests;
pub mod typed;
pub mod variables;

pub use chart::{BarChart, CHART_ID};
pub use check::{
    TemplateFault, TemplateFaultCode, TemplateField, TemplatePlace, TemplateWarning, TemplateWarningCode,
    ValidatedWording, validate_wording,
};
pub use defaults::{default_wording, refund_wording};
pub use kind::{
    MessageClass, TemplateAudience, TemplateChannel, TemplateKind, TemplateKindName, TemplateVariable,
    list_template_kinds,
};
pub use link::{build_visit_button, find_button};
pub use opt_out_sentence::{add_before_opt_out, strip_opt_out_sentence};
pub use page::{EmailPage, EmailSender, render_html, render_plain_text};
pub use platform::language::Language;
pub use preview::{TemplatePreview, TemplatePromise, render_preview};
pub use render::{RenderedWording, render_text, render_wording};
pub use section::{EmailSection, SectionRow};
pub use variables::{WordingValues, WordingVariable};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateWording {
    pub enabled: bool,
    /// None except for emails.
    pub subject: Option<String>,
    pub body: String,
}
