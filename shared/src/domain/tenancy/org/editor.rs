//! The template editor: every wording with what it may say and how it stands now.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    Profile,
    wordings::{self, Version},
};
use crate::{
    documents::template::{Audience, Channel, Kind, Language, MessageClass, default_wording},
    platform::{db::AsConn, error::Result, id::OrgId},
};

mod change;
mod marks;
mod sample;

pub use change::{Refused, TemplatePatch, change};
pub use marks::{Marked, Noted};
pub use sample::{Now, Preview, Sample, TemplateDraft, preview};

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
pub async fn list(conn: &mut dyn AsConn, profile: &Profile) -> Result<Vec<Template>> {
    let saved = wordings::newest(conn, profile.org.id).await?;
    Ok(Kind::ALL.into_iter().map(|kind| shown(profile, kind, &saved)).collect())
}

/// One template.
pub async fn get(conn: &mut dyn AsConn, profile: &Profile, kind: Kind) -> Result<Template> {
    let saved = wordings::newest(conn, profile.org.id).await?;
    Ok(shown(profile, kind, &saved))
}

/// The history of one wording, newest first.
pub async fn versions(conn: &mut dyn AsConn, org: OrgId, kind: Kind, language: Language) -> Result<Vec<Version>> {
    wordings::versions(conn, org, kind, wordings::spoken(kind, language)).await
}
