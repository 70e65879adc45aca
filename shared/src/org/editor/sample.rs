//! A wording looked at before it is saved: filled in with the newest real request, or with an example.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{Marked, Noted};
use crate::{
    db::{AsConn, q},
    error::Result,
    org::{Org, wordings},
    phone::Phone,
    segments::Segments,
    template::{self, Kind, Language, Promise, Variables, Wording},
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
#[schema(as = WordingPreview)]
pub struct Preview {
    pub subject: Option<String>,
    /// None while the wording cannot be read.
    pub body: Option<String>,
    /// What it costs as a text; none for emails.
    pub segments: Option<Segments>,
    /// What the words promise; none when they promise no answer within a time, and for what answers nobody.
    pub promise: Option<Promise>,
    pub faults: Vec<Marked>,
    pub warnings: Vec<Noted>,
    pub sample: Sample,
}

#[derive(FromRow)]
struct Newest {
    name: String,
    phone: String,
    phone_e164: Option<String>,
    notes: Option<String>,
    created_at: DateTime<Utc>,
}

/// Shows a wording with the newest real request of the org.
pub async fn preview(conn: &mut dyn AsConn, org: &Org, kind: Kind, draft: &TemplateDraft) -> Result<Preview> {
    let newest = q!(
        conn,
        fetch_optional as Newest,
        "SELECT name, phone, phone_e164, notes, created_at FROM lead WHERE org_id = $1 AND held_reason IS NULL
         ORDER BY created_at DESC, id DESC LIMIT 1",
        org.id
    )?;
    let language = wordings::spoken(kind, draft.language.unwrap_or_default());
    let (variables, sample) = sample(org, language, newest);
    let wording = Wording { enabled: true, subject: draft.subject.clone(), body: draft.body.clone() };
    let seen = template::preview(kind, &wording, &variables);
    Ok(Preview {
        segments: seen.segments,
        promise: seen.promise,
        subject: seen.subject,
        body: seen.body,
        faults: seen.faults.into_iter().map(Marked::from).collect(),
        warnings: seen.warnings.into_iter().map(Noted::from).collect(),
        sample,
    })
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
