//! Preview of a wording with its faults and warnings.

use platform::sms_segments::{self, SegmentCount};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    TemplateChannel, TemplateFault, TemplateKindName, TemplateWarning, TemplateWording,
    check::{TemplateFaultCode, inspect_wording, normalize_wording},
    render,
    variables::WordingValues,
};
use crate::response_time;

/// The editor's preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplatePreview {
    pub subject: Option<String>,
    /// None while the wording cannot be read.
    pub body: Option<String>,
    /// What it costs as a text; none for emails.
    pub segments: Option<SegmentCount>,
    /// What the words promise; none when they promise no answer within a time, and for wordings that are no answer.
    pub promise: Option<TemplatePromise>,
    pub faults: Vec<TemplateFault>,
    pub warnings: Vec<TemplateWarning>,
}

/// An answer within a time: from when the words go out, a clock runs for each lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TemplatePromise {
    /// Of the clock, not of business hours.
    pub minutes: i64,
    /// As they say it: "within 24 hours".
    pub words: String,
}

/// Never fails: problems are listed in `faults`.
#[must_use]
pub fn render_preview(kind: TemplateKindName, wording: &TemplateWording, variables: &WordingValues) -> TemplatePreview {
    let wording = normalize_wording(wording);
    let (faults, warnings) = inspect_wording(kind, &wording);
    // An unreadable wording already has a fault; partial output still helps with the other faults.
    let filled = render::render_wording(kind, &wording, variables).ok();
    let (subject, body) = filled.map_or((None, None), |filled| (filled.subject, Some(filled.body)));
    let segments =
        body.as_deref().filter(|_| kind.channel() != TemplateChannel::Email).map(sms_segments::count_segments);
    // Text over the limit is not parsed for promises.
    let is_short = faults.iter().all(|fault| fault.code != TemplateFaultCode::TooLong);
    let own = is_short.then(|| render_without_names(kind, &wording, variables)).flatten();
    let promise = own.as_deref().and_then(response_time::find_promised_time);
    let promise = promise.map(|time| TemplatePromise { minutes: time.within.num_minutes(), words: time.words });
    TemplatePreview { subject, body, segments, promise, faults, warnings }
}

/// The wording's own text without names, if it may promise an answer; none when it cannot be rendered.
pub(super) fn render_without_names(
    kind: TemplateKindName,
    wording: &TemplateWording,
    variables: &WordingValues,
) -> Option<String> {
    let filled =
        kind.can_promise_answer().then(|| render::render_wording(kind, wording, &variables.without_names()))?.ok()?;
    Some(format!("{}\n{}", filled.subject.unwrap_or_default(), filled.body))
}
