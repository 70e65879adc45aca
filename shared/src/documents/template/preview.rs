//! What a wording will look like, together with everything that is wrong or dear about it.

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Channel, Fault, Kind, Warning, Wording,
    check::{FaultCode, cleaned, examine},
    fill,
    variables::Variables,
};
use crate::{
    documents::response_time,
    platform::sms_segments::{self, Segments},
};

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
    /// What the words promise; none when they promise no answer within a time, and for what answers nobody.
    pub promise: Option<Promise>,
    pub faults: Vec<Fault>,
    pub warnings: Vec<Warning>,
}

/// An answer within a time: from when the words go out, a clock runs for each lead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = TemplatePromise)]
pub struct Promise {
    /// Of the clock, not of business hours.
    pub minutes: i64,
    /// As they say it: "within 24 hours".
    pub words: String,
}

/// Shows `wording` with these values. It never fails: what is wrong stands in `faults`.
#[must_use]
pub fn preview(kind: Kind, wording: &Wording, variables: &Variables) -> Preview {
    let wording = cleaned(wording);
    let (faults, warnings) = examine(kind, &wording);
    // What cannot be read has a fault that says so; half a text is better than none for the other faults.
    let filled = fill::render(kind, &wording, variables).ok();
    let (subject, body) = filled.map_or((None, None), |filled| (filled.subject, Some(filled.body)));
    let segments = body.as_deref().filter(|_| kind.channel() != Channel::Email).map(sms_segments::count);
    // What is too long is not read for what it says.
    let is_short = faults.iter().all(|fault| fault.code != FaultCode::TooLong);
    let own = is_short.then(|| own_words(kind, &wording, variables)).flatten();
    let promise = own.as_deref().and_then(response_time::read);
    let promise = promise.map(|said| Promise { minutes: said.within.num_minutes(), words: said.words });
    Preview { subject, body, segments, promise, faults, warnings }
}

/// What the wording itself says, without names, where that may promise an answer; none when it cannot be read.
pub(super) fn own_words(kind: Kind, wording: &Wording, variables: &Variables) -> Option<String> {
    let filled = kind.may_promise().then(|| fill::render(kind, wording, &variables.without_names()))?.ok()?;
    Some(format!("{}\n{}", filled.subject.unwrap_or_default(), filled.body))
}
