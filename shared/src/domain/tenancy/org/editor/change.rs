//! Saving of a wording: faults with their positions, or a new version.

use std::collections::BTreeMap;

use serde::Deserialize;
use utoipa::ToSchema;

use super::{CurrentWording, WordingFault, current_wording};
use crate::{
    documents::template::{self, Language, TemplateField, TemplateKindName, TemplateWording},
    domain::tenancy::org::{
        OrgProfile,
        wordings::{self, WordingText},
    },
    platform::{
        clock::ClockRng,
        db::Tx,
        error::{Error, FieldErrors, Result},
        id::AccountId,
    },
};

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

#[derive(Debug)]
pub enum TemplateChangeError {
    Faults(Vec<WordingFault>),
    Other(Error),
}

impl<E: Into<Error>> From<E> for TemplateChangeError {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

impl TemplateChangeError {
    #[must_use]
    pub fn first_fault_by_field(faults: &[WordingFault]) -> BTreeMap<&'static str, String> {
        let mut fields = BTreeMap::new();
        for fault in faults {
            let name = if fault.field == TemplateField::Subject { "subject" } else { "body" };
            fields.entry(name).or_insert_with(|| match fault.line.filter(|_| name == "body") {
                Some(line) => format!("Line {line}: {}", fault.message),
                None => fault.message.clone(),
            });
        }
        fields
    }
}

/// The caller holds the business ([`crate::domain::tenancy::org::lock`]). An unchanged text makes no new version.
///
/// # Errors
/// [`TemplateChangeError::Faults`] with their positions.
pub async fn update_template(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    kind: TemplateKindName,
    patch: &TemplatePatch,
    by: AccountId,
) -> Result<(), TemplateChangeError> {
    let language = patch.language.unwrap_or_default();
    if wordings::wording_language(kind, language) != language {
        return Err(field_error("language", "Your team's messages are written in English").into());
    }
    if patch.enabled == Some(false) && wordings::is_always_on(kind) {
        return Err(
            field_error("enabled", "Carriers and the law require this answer, so it cannot be switched off").into()
        );
    }
    let (org, saved) = (profile.org.id, wordings::list_newest_versions(&mut *tx, profile.org.id).await?);
    let now = current_wording(kind, language, &saved);
    if patch.reset == Some(true) {
        if !now.is_default {
            wordings::save_version(&mut *tx, origin, org, (kind, language), None, Some(by)).await?;
        }
    } else if patch.subject.is_some() || patch.body.is_some() {
        let words = validate_wording(kind, &now, patch)?;
        if (&words.subject, &words.body) != (&now.subject, &now.body) {
            wordings::save_version(&mut *tx, origin, org, (kind, language), Some(&words), Some(by)).await?;
        }
    }
    if let Some(enabled) = patch.enabled {
        wordings::set_template_enabled(tx, org, kind, enabled).await?;
    }
    Ok(())
}

fn field_error(name: &'static str, message: &str) -> Error {
    let mut errors = FieldErrors::default();
    errors.add(name, message);
    Error::Invalid(errors)
}

fn validate_wording(
    kind: TemplateKindName,
    now: &CurrentWording,
    patch: &TemplatePatch,
) -> Result<WordingText, TemplateChangeError> {
    let wording = TemplateWording {
        enabled: true,
        subject: patch.subject.clone().or_else(|| now.subject.clone()),
        body: patch.body.clone().unwrap_or_else(|| now.body.clone()),
    };
    match template::validate_wording(kind, &wording) {
        Ok(fine) => Ok(WordingText { subject: fine.wording.subject, body: fine.wording.body }),
        Err(faults) => Err(TemplateChangeError::Faults(faults.into_iter().map(WordingFault::from).collect())),
    }
}
