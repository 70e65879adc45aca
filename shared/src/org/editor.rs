//! The template editor: every wording with what it may say, saving with the place of each fault, and previews with the
//! newest real request.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    Org, Profile,
    wordings::{self, Version, Words},
};
use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{FieldErrors, Result},
    id::{AccountId, OrgId},
    phone::Phone,
    segments::Segments,
    template::{
        self, Audience, Channel, Fault, FaultCode, Kind, Language, MessageClass, TextField, Warning, WarningCode,
        Wording, default_wording, variables::Variables,
    },
};

/// One template, as the settings page edits it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    pub kind: Kind,
    pub title: &'static str,
    pub description: &'static str,
    /// Which of the six editors it stands in.
    pub group: Kind,
    pub channel: Channel,
    pub audience: Audience,
    pub class: MessageClass,
    pub enabled: bool,
    /// Carriers and the law want it; it cannot be switched off.
    pub is_always_on: bool,
    pub has_subject: bool,
    /// In characters, as written.
    pub max_length: usize,
    /// None where it never goes as a text.
    pub max_segments: Option<usize>,
    /// What it may say.
    pub allowed: Vec<Allowed>,
    pub wordings: InLanguages,
}

/// One word in double braces.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TemplateAllowed)]
pub struct Allowed {
    pub name: &'static str,
    pub description: &'static str,
    pub example: String,
    /// What stands there when the value is not known.
    pub fallback: &'static str,
}

/// A template's wording in each language it is written in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TemplateWordings)]
pub struct InLanguages {
    pub en: Current,
    /// None for what only the team reads.
    pub es: Option<Current>,
}

/// The wording in force.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateWording)]
pub struct Current {
    pub subject: Option<String>,
    pub body: String,
    pub is_default: bool,
    /// 0 until it is saved for the first time.
    pub version: i64,
    pub updated_at: Option<DateTime<Utc>>,
}

/// Why a wording is not saved, and where. Lines and columns count as a person does, from 1; start and end as a browser's
/// text field does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WordingFault)]
pub struct Marked {
    pub code: FaultCode,
    pub field: TextField,
    pub message: String,
    /// None when it is about the whole text; so are column, start and end.
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub start: Option<usize>,
    pub end: Option<usize>,
    /// The unknown word.
    pub name: Option<String>,
    /// What was probably meant.
    pub suggestion: Option<String>,
}

/// What the owner may want to change; it is saved all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WordingWarning)]
pub struct Noted {
    pub code: WarningCode,
    pub field: TextField,
    pub message: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub start: Option<usize>,
    pub end: Option<usize>,
    /// The cheaper spelling, when there is one.
    pub cheaper: Option<String>,
}

impl From<Fault> for Marked {
    fn from(fault: Fault) -> Self {
        let place = fault.place.as_ref();
        Self {
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            start: place.map(|p| p.start),
            end: place.map(|p| p.end),
            code: fault.code,
            field: fault.field,
            message: fault.message,
            name: fault.name,
            suggestion: fault.suggestion,
        }
    }
}

impl From<Warning> for Noted {
    fn from(warning: Warning) -> Self {
        let place = warning.place.as_ref();
        Self {
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            start: place.map(|p| p.start),
            end: place.map(|p| p.end),
            code: warning.code,
            field: warning.field,
            message: warning.message,
            cheaper: warning.instead,
        }
    }
}

/// A change: what is absent stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = TemplateChange)]
pub struct TemplatePatch {
    pub enabled: Option<bool>,
    /// Of the wording below; English when absent.
    pub language: Option<Language>,
    pub subject: Option<String>,
    pub body: Option<String>,
    /// Back to the default wording.
    pub reset: Option<bool>,
}

/// A wording to look at before it is saved.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct TemplateDraft {
    /// English when absent.
    pub language: Option<Language>,
    pub subject: Option<String>,
    #[serde(default)]
    pub body: String,
}

/// Why a change is not stored.
#[derive(Debug)]
pub enum Refused {
    /// The wording has these faults.
    Faults(Vec<Marked>),
    Other(crate::error::Error),
}

impl<E: Into<crate::error::Error>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

fn current(kind: Kind, language: Language, saved: &[Version]) -> Current {
    let newest = saved.iter().find(|v| v.language == language && wordings::kind_of(&v.kind) == Some(kind));
    let default = default_wording(kind, language);
    match newest {
        Some(v) if !v.is_default => Current {
            subject: v.subject.clone(),
            body: v.body.clone(),
            is_default: false,
            version: v.version,
            updated_at: Some(v.created_at),
        },
        reset => Current {
            subject: default.subject,
            body: default.body,
            is_default: true,
            version: reset.map_or(0, |v| v.version),
            updated_at: reset.map(|v| v.created_at),
        },
    }
}

fn shown(profile: &Profile, kind: Kind, saved: &[Version]) -> Template {
    let about = kind.describe();
    let allowed = about.variables.into_iter().map(|v| Allowed {
        name: v.name,
        description: v.meaning,
        example: v.example,
        fallback: v.fallback,
    });
    Template {
        kind,
        title: about.title,
        description: about.description,
        group: about.editor,
        channel: about.channel,
        audience: about.audience,
        class: about.class,
        enabled: profile.wordings.own_switch(kind),
        is_always_on: wordings::is_always_on(kind),
        has_subject: about.has_subject,
        max_length: about.max_length,
        max_segments: about.max_segments,
        allowed: allowed.collect(),
        wordings: InLanguages {
            en: current(kind, Language::En, saved),
            es: (kind.audience() == Audience::Customer).then(|| current(kind, Language::Es, saved)),
        },
    }
}

/// Every template, in the order of the editors.
pub async fn list(conn: &mut impl AsConn, profile: &Profile) -> Result<Vec<Template>> {
    let saved = wordings::newest(conn, profile.org.id).await?;
    Ok(Kind::ALL.into_iter().map(|kind| shown(profile, kind, &saved)).collect())
}

/// One template.
pub async fn get(conn: &mut impl AsConn, profile: &Profile, kind: Kind) -> Result<Template> {
    let saved = wordings::newest(conn, profile.org.id).await?;
    Ok(shown(profile, kind, &saved))
}

/// Stores a change. The caller holds the org ([`super::lock`]). What would change nothing makes no new version.
///
/// # Errors
/// [`Refused::Faults`] with the place of each.
pub async fn change(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    kind: Kind,
    patch: &TemplatePatch,
    by: AccountId,
) -> Result<(), Refused> {
    let language = patch.language.unwrap_or_default();
    if wordings::spoken(kind, language) != language {
        return Err(field("language", "Your team's messages are written in English").into());
    }
    if patch.enabled == Some(false) && wordings::is_always_on(kind) {
        return Err(field("enabled", "Carriers and the law require this answer, so it cannot be switched off").into());
    }
    let (org, saved) = (profile.org.id, wordings::newest(&mut *tx, profile.org.id).await?);
    let now = current(kind, language, &saved);
    if patch.reset == Some(true) {
        if !now.is_default {
            wordings::save(&mut *tx, origin, org, (kind, language), None, Some(by)).await?;
        }
    } else if patch.subject.is_some() || patch.body.is_some() {
        let words = checked(kind, &now, patch)?;
        if (&words.subject, &words.body) != (&now.subject, &now.body) {
            wordings::save(&mut *tx, origin, org, (kind, language), Some(&words), Some(by)).await?;
        }
    }
    if let Some(enabled) = patch.enabled {
        wordings::switch(tx, org, kind, enabled).await?;
    }
    Ok(())
}

fn field(name: &'static str, message: &str) -> crate::error::Error {
    let mut errors = FieldErrors::default();
    errors.add(name, message);
    crate::error::Error::Invalid(errors)
}

fn checked(kind: Kind, now: &Current, patch: &TemplatePatch) -> Result<Words, Refused> {
    let wording = Wording {
        enabled: true,
        subject: patch.subject.clone().or_else(|| now.subject.clone()),
        body: patch.body.clone().unwrap_or_else(|| now.body.clone()),
    };
    match template::check(kind, &wording) {
        Ok(fine) => Ok(Words { subject: fine.wording.subject, body: fine.wording.body }),
        Err(faults) => Err(Refused::Faults(faults.into_iter().map(Marked::from).collect())),
    }
}

impl Refused {
    /// The first fault of each field, for the words beside the input.
    #[must_use]
    pub fn by_field(faults: &[Marked]) -> BTreeMap<&'static str, String> {
        let mut fields = BTreeMap::new();
        for fault in faults {
            let name = if fault.field == TextField::Subject { "subject" } else { "body" };
            fields.entry(name).or_insert_with(|| match fault.line.filter(|_| name == "body") {
                Some(line) => format!("Line {line}: {}", fault.message),
                None => fault.message.clone(),
            });
        }
        fields
    }
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
pub async fn preview(conn: &mut impl AsConn, org: &Org, kind: Kind, draft: &TemplateDraft) -> Result<Preview> {
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

/// The history of one wording, newest first.
pub async fn versions(conn: &mut impl AsConn, org: OrgId, kind: Kind, language: Language) -> Result<Vec<Version>> {
    wordings::versions(conn, org, kind, wordings::spoken(kind, language)).await
}
