//! Template editor: every wording with its variables and its current state.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    OrgProfile,
    wordings::{self, WordingVersion},
};
use crate::{
    documents::template::{
        Language, MessageClass, TemplateAudience, TemplateChannel, TemplateKindName, default_wording,
    },
    platform::{db::AsConn, error::Result, id::OrgId},
};

mod change;
mod wording_faults;

pub use change::{TemplateChangeError, TemplatePatch, update_template};
pub use wording_faults::{WordingFault, WordingWarning};

/// One template, as the settings page edits it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Template)]
pub struct EditableTemplate {
    pub kind: TemplateKindName,
    pub title: &'static str,
    pub description: &'static str,
    /// Which of the six editors shows it.
    pub group: TemplateKindName,
    pub channel: TemplateChannel,
    pub audience: TemplateAudience,
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
    pub allowed: Vec<AllowedVariable>,
    pub wordings: WordingsByLanguage,
}

/// One word in double braces.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TemplateAllowed)]
pub struct AllowedVariable {
    pub name: &'static str,
    pub description: &'static str,
    pub example: String,
    /// Text used for an unknown value.
    pub fallback: &'static str,
}

/// A template's wording in each language it is written in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TemplateWordings)]
pub struct WordingsByLanguage {
    pub en: CurrentWording,
    /// None for what only the team reads.
    pub es: Option<CurrentWording>,
}

/// The wording in force.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateWording)]
pub struct CurrentWording {
    pub subject: Option<String>,
    pub body: String,
    pub is_default: bool,
    /// 0 until it is saved for the first time.
    pub version: i64,
    pub updated_at: Option<DateTime<Utc>>,
}

fn current_wording(kind: TemplateKindName, language: Language, saved: &[WordingVersion]) -> CurrentWording {
    let newest = saved.iter().find(|v| v.language == language && wordings::parse_kind(&v.kind) == Some(kind));
    let default = default_wording(kind, language);
    match newest {
        Some(v) if !v.is_default => CurrentWording {
            subject: v.subject.clone(),
            body: v.body.clone(),
            is_default: false,
            version: v.version,
            updated_at: Some(v.created_at),
        },
        reset => CurrentWording {
            subject: default.subject,
            body: default.body,
            is_default: true,
            version: reset.map_or(0, |v| v.version),
            updated_at: reset.map(|v| v.created_at),
        },
    }
}

fn build_template(profile: &OrgProfile, kind: TemplateKindName, saved: &[WordingVersion]) -> EditableTemplate {
    let about = kind.to_template_kind();
    let allowed = about.variables.into_iter().map(|v| AllowedVariable {
        name: v.name,
        description: v.meaning,
        example: v.example,
        fallback: v.fallback,
    });
    EditableTemplate {
        kind,
        title: about.title,
        description: about.description,
        group: about.editor,
        channel: about.channel,
        audience: about.audience,
        class: about.class,
        enabled: profile.wordings.is_switched_on(kind),
        is_always_on: wordings::is_always_on(kind),
        has_subject: about.has_subject,
        max_length: about.max_length,
        max_segments: about.max_segments,
        allowed: allowed.collect(),
        wordings: WordingsByLanguage {
            en: current_wording(kind, Language::En, saved),
            es: (kind.audience() == TemplateAudience::Customer).then(|| current_wording(kind, Language::Es, saved)),
        },
    }
}

pub async fn list(conn: &mut dyn AsConn, profile: &OrgProfile) -> Result<Vec<EditableTemplate>> {
    let saved = wordings::list_newest_versions(conn, profile.org.id).await?;
    Ok(TemplateKindName::ALL.into_iter().map(|kind| build_template(profile, kind, &saved)).collect())
}

pub async fn get(conn: &mut dyn AsConn, profile: &OrgProfile, kind: TemplateKindName) -> Result<EditableTemplate> {
    let saved = wordings::list_newest_versions(conn, profile.org.id).await?;
    Ok(build_template(profile, kind, &saved))
}

pub async fn list_versions(
    conn: &mut dyn AsConn,
    org: OrgId,
    kind: TemplateKindName,
    language: Language,
) -> Result<Vec<WordingVersion>> {
    wordings::list_versions(conn, org, kind, wordings::wording_language(kind, language)).await
}
