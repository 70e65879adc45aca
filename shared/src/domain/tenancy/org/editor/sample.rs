//! A wording looked at before it is saved: filled in with the newest real request, or with an example.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Marked, Noted};
use crate::{
    documents::template::{self, Filled, Kind, Language, Promise, Variables, Wording, typed},
    domain::{
        messaging::automation::answer_time::{self, Moment},
        tenancy::org::{Org, Profile, wordings},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        phone::Phone,
        sms_segments::{self, Segments},
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
#[schema(as = TemplateSample)]
pub enum Sample {
    /// The newest real request.
    Lead,
    Example,
}

/// A wording filled in, with everything that is wrong or dear about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WordingPreview)]
pub struct Preview {
    pub subject: Option<String>,
    /// None while the wording cannot be read.
    pub body: Option<String>,
    /// As it reads after hours; none for what does not answer a form, and where the business does not close.
    pub after_hours: Option<String>,
    /// What it costs as a text; none for emails.
    pub segments: Option<Segments>,
    /// What the words promise; none when they promise no answer within a time, and for what answers nobody.
    pub promise: Option<Promise>,
    pub faults: Vec<Marked>,
    pub warnings: Vec<Noted>,
    pub sample: Sample,
}

/// When it is looked at, and what could leave then.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    pub at: DateTime<Utc>,
    /// From when on somebody of the business could be told of a request; none when no way is on.
    pub told_from: Option<DateTime<Utc>>,
    pub texts_leave: bool,
}

#[derive(FromRow)]
struct Newest {
    name: String,
    phone: String,
    phone_e164: Option<String>,
    notes: Option<String>,
    created_at: DateTime<Utc>,
}

/// Shows a wording with the newest real request of the org, as it would be sent now.
pub async fn preview(
    conn: &mut dyn AsConn,
    profile: &Profile,
    kind: Kind,
    draft: &TemplateDraft,
    now: Now,
) -> Result<Preview> {
    let newest = q!(
        conn,
        fetch_optional as Newest,
        "SELECT name, phone, phone_e164, notes, created_at FROM lead WHERE org_id = $1 AND held_reason IS NULL
         ORDER BY created_at DESC, id DESC LIMIT 1",
        profile.org.id
    )?;
    let language = wordings::spoken(kind, draft.language.unwrap_or_default());
    let (mut variables, sample) = sample(&profile.org, language, newest);
    let wording = Wording { enabled: true, subject: draft.subject.clone(), body: draft.body.clone() };
    let answers_form = matches!(kind, Kind::Sms | Kind::Email);
    if answers_form {
        variables.customer_name = typed::first_name(&variables.customer_name);
        variables.customer_phone = None;
    }
    let mut seen = template::preview(kind, &wording, &variables);
    let shown = Some(&wording).filter(|_| kind.may_promise() && seen.body.is_some());
    let mut after_hours = None;
    let answer = if answers_form { answer_to_form } else { answer_to_phone };
    if let Some(answer) = shown.and_then(|wording| answer(profile, kind, wording, &variables, (language, now))) {
        seen.segments = seen.segments.map(|_| sms_segments::count(&answer.now.body));
        (seen.subject, seen.body, after_hours) = (answer.now.subject, Some(answer.now.body), answer.after_hours);
    }
    Ok(Preview {
        segments: seen.segments,
        promise: seen.promise,
        subject: seen.subject,
        body: seen.body,
        after_hours,
        faults: seen.faults.into_iter().map(Marked::from).collect(),
        warnings: seen.warnings.into_iter().map(Noted::from).collect(),
        sample,
    })
}

/// An answer to a request, now and after hours.
struct Answer {
    now: Filled,
    after_hours: Option<String>,
}

/// As it would be sent to somebody who left a phone number and an email address.
fn answer_to_form(
    profile: &Profile,
    kind: Kind,
    wording: &Wording,
    variables: &Variables,
    (language, now): (Language, Now),
) -> Option<Answer> {
    let own = answer_time::own_time(wording);
    let other = profile.wording(if kind == Kind::Sms { Kind::Email } else { Kind::Sms }, language);
    let other = answer_time::own_time(&other).filter(|_| other.enabled);
    let (text, email) = if kind == Kind::Sms { (own, other) } else { (other, own) };
    let wording = answer_time::promising(wording, answer_time::one_time(text, email, now.texts_leave));
    let moment = Moment::new(profile, now.at, now.told_from, language);
    let render = |moment: Moment<'_>| moment.render(kind, &wording, variables).ok();
    Some(Answer { now: render(moment)?, after_hours: moment.after_hours().and_then(render).map(|filled| filled.body) })
}

/// As it would be sent to somebody who called or texted, in the hours that its template is for.
fn answer_to_phone(
    profile: &Profile,
    kind: Kind,
    wording: &Wording,
    variables: &Variables,
    (language, now): (Language, Now),
) -> Option<Answer> {
    let moment = Moment::new(profile, now.at, now.told_from, language).of_template(kind)?;
    Some(Answer { now: moment.render_text(kind, wording, variables).ok()?, after_hours: None })
}

/// The business's own values, and the customer's if there is one.
fn sample(org: &Org, language: Language, newest: Option<Newest>) -> (Variables, Sample) {
    let example = Variables {
        language,
        business_phone: org.phone.clone(),
        review_link: org.review_link.clone(),
        booking_link: org.booking_link.clone(),
        ..Variables::example(&org.name)
    };
    let Some(lead) = newest else { return (example, Sample::Example) };
    let phone = lead.phone_e164.as_deref().and_then(Phone::parse).map(|phone| phone.shown().into_owned());
    let variables = Variables {
        customer_name: lead.name,
        customer_phone: phone.or(Some(lead.phone).filter(|typed| !typed.is_empty())),
        customer_message: lead.notes,
        timestamp: lead.created_at.with_timezone(&org.zone()).format("%b %-d, %-I:%M %p").to_string(),
        ..example
    };
    (variables, Sample::Lead)
}
