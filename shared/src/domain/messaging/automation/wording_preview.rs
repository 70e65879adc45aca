//! Preview of an unsaved wording, filled with the newest real request or an example.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::answer_time::{self, ReplyTiming};
use crate::{
    documents::template::{
        self, Language, RenderedWording, TemplateKindName, TemplatePromise, TemplateWording, WordingValues,
    },
    domain::tenancy::org::{self, Org, OrgProfile, WordingFault, WordingWarning},
    platform::{
        db::{AsConn, q},
        error::Result,
        phone::Phone,
        sms_segments::{self, SegmentCount},
    },
};

/// A wording to look at before it is saved.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct TemplateDraft {
    /// English when absent.
    pub language: Option<Language>,
    pub subject: Option<String>,
    #[serde(default)]
    pub body: String,
}

/// Whose values a preview shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TemplateSample {
    /// The newest real request.
    Lead,
    Example,
}

/// A wording filled in, with everything that is wrong or dear about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WordingPreview {
    pub subject: Option<String>,
    /// None while the wording cannot be read.
    pub body: Option<String>,
    /// As it reads after hours; none for what does not answer a form, and where the business does not close.
    pub after_hours: Option<String>,
    /// What it costs as a text; none for emails.
    pub segments: Option<SegmentCount>,
    /// What the words promise; none when they promise no answer within a time, and for wordings that are no answer.
    pub promise: Option<TemplatePromise>,
    /// When the business is notified of a request that comes in now, where the answer leaves the promised time out
    /// until then.
    pub told_at: Option<DateTime<Utc>>,
    pub faults: Vec<WordingFault>,
    pub warnings: Vec<WordingWarning>,
    pub sample: TemplateSample,
}

#[derive(Clone, Copy, Debug)]
pub struct PreviewContext {
    pub at: DateTime<Utc>,
    /// The earliest time at which the business could be notified; none when no channel is on.
    pub told_from: Option<DateTime<Utc>>,
    pub texts_leave: bool,
}

#[derive(FromRow)]
struct NewestLeadRow {
    name: String,
    phone: String,
    phone_e164: Option<Phone>,
    notes: Option<String>,
    created_at: DateTime<Utc>,
}

pub async fn preview_wording(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    kind: TemplateKindName,
    draft: &TemplateDraft,
    now: PreviewContext,
) -> Result<WordingPreview> {
    let newest = q!(
        conn,
        fetch_optional as NewestLeadRow,
        "SELECT name, phone, phone_e164, notes, created_at FROM lead WHERE org_id = $1 AND held_reason IS NULL
         ORDER BY created_at DESC, id DESC LIMIT 1",
        profile.org.id
    )?;
    let language = org::wording_language(kind, draft.language.unwrap_or_default());
    let (mut variables, sample) = sample_variables(&profile.org, language, newest);
    let wording = TemplateWording { enabled: true, subject: draft.subject.clone(), body: draft.body.clone() };
    let answers_form = matches!(kind, TemplateKindName::Sms | TemplateKindName::Email);
    if answers_form {
        variables.customer_phone = None;
    }
    let mut seen = template::render_preview(kind, &wording, &variables);
    let shown = Some(&wording).filter(|_| kind.can_promise_answer() && seen.body.is_some());
    let mut after_hours = None;
    let answer = if answers_form { render_form_reply } else { render_phone_reply };
    if let Some(answer) = shown.and_then(|wording| answer(profile, kind, wording, &variables, (language, now))) {
        seen.segments = seen.segments.map(|_| sms_segments::count_segments(&answer.now.body));
        (seen.subject, seen.body, after_hours) = (answer.now.subject, Some(answer.now.body), answer.after_hours);
    }
    let timing = ReplyTiming::new(profile, now.at, now.told_from, language);
    let told_at = seen.promise.as_ref().and_then(|_| timing.late_notice_at(kind));
    Ok(WordingPreview {
        segments: seen.segments,
        told_at,
        promise: seen.promise,
        subject: seen.subject,
        body: seen.body,
        after_hours,
        faults: seen.faults.into_iter().map(WordingFault::from).collect(),
        warnings: seen.warnings.into_iter().map(WordingWarning::from).collect(),
        sample,
    })
}

struct SampleReply {
    now: RenderedWording,
    after_hours: Option<String>,
}

fn render_form_reply(
    profile: &OrgProfile,
    kind: TemplateKindName,
    wording: &TemplateWording,
    variables: &WordingValues,
    (language, now): (Language, PreviewContext),
) -> Option<SampleReply> {
    let own = answer_time::stated_time::stated_response_time(wording);
    let other = profile
        .wording(if kind == TemplateKindName::Sms { TemplateKindName::Email } else { TemplateKindName::Sms }, language);
    let other = answer_time::stated_time::stated_response_time(&other).filter(|_| other.enabled);
    let (text, email) = if kind == TemplateKindName::Sms { (own, other) } else { (other, own) };
    let wording = answer_time::stated_time::with_response_time(
        wording,
        answer_time::stated_time::shortest_response_time(text, email, now.texts_leave),
    );
    let moment = ReplyTiming::new(profile, now.at, now.told_from, language);
    let render = |moment: ReplyTiming<'_>| moment.render_form_reply(kind, &wording, variables).ok();
    Some(SampleReply {
        now: render(moment)?,
        after_hours: moment.next_after_hours().and_then(render).map(|filled| filled.body),
    })
}

/// The message to a caller or texter, in the hours that the template is for.
fn render_phone_reply(
    profile: &OrgProfile,
    kind: TemplateKindName,
    wording: &TemplateWording,
    variables: &WordingValues,
    (language, now): (Language, PreviewContext),
) -> Option<SampleReply> {
    let moment = ReplyTiming::new(profile, now.at, now.told_from, language).for_template(kind)?;
    Some(SampleReply { now: moment.render_text(kind, wording, variables).ok()?, after_hours: None })
}

fn sample_variables(org: &Org, language: Language, newest: Option<NewestLeadRow>) -> (WordingValues, TemplateSample) {
    let example = WordingValues {
        language,
        business_phone: org.phone.clone(),
        review_link: org.review_link.clone(),
        booking_link: org.booking_link.clone(),
        ..WordingValues::example_values(&org.name)
    };
    let Some(lead) = newest else { return (example, TemplateSample::Example) };
    let phone = lead.phone_e164.map(|phone| phone.format_display().into_owned());
    let variables = WordingValues {
        customer_name: lead.name,
        customer_phone: phone.or(Some(lead.phone).filter(|typed| !typed.is_empty())),
        customer_message: lead.notes,
        timestamp: lead.created_at.with_timezone(&org.zone()).format("%b %-d, %-I:%M %p").to_string(),
        ..example
    };
    (variables, TemplateSample::Lead)
}
