//! What a wording will look like, together with everything that is wrong or dear about it.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Channel, Fault, Kind, Warning, Wording,
    check::{cleaned, examine},
    fill,
    variables::Variables,
};
use crate::segments::{self, Segments};

/// The editor's preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplatePreview)]
pub struct Preview {
    pub subject: Option<String>,
    /// None while the wording cannot be read.
    pub body: Option<String>,
    /// What it costs as a text; none for emails.
    pub segments: Option<Segments>,
    pub faults: Vec<Fault>,
    pub warnings: Vec<Warning>,
}

/// Shows `wording` with these values. It never fails: what is wrong stands in `faults`.
#[must_use]
pub fn preview(kind: Kind, wording: &Wording, variables: &Variables) -> Preview {
    let wording = cleaned(wording);
    let (faults, warnings) = examine(kind, &wording);
    // What cannot be read has a fault that says so; half a text is better than none for the other faults.
    let filled = fill::render(kind, &wording, variables).ok();
    let (subject, body) = filled.map_or((None, None), |filled| (filled.subject, Some(filled.body)));
    let segments = body.as_deref().filter(|_| kind.channel() != Channel::Email).map(segments::count);
    Preview { subject, body, segments, faults, warnings }
}
