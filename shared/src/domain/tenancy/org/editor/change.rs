//! Saving a wording: what is refused, with the place of each fault, and what becomes a new version.

use std::collections::BTreeMap;

use serde::Deserialize;
use utoipa::ToSchema;

use super::{Current, Marked, current};
use crate::{
    documents::template::{self, Kind, Language, TextField, Wording},
    domain::tenancy::org::{
        Profile,
        wordings::{self, Words},
    },
    platform::{
        clock::Origin,
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

/// Why a change is not stored.
#[derive(Debug)]
pub enum Refused {
    /// The wording has these faults.
    Faults(Vec<Marked>),
    Other(Error),
}

impl<E: Into<Error>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Other(error.into())
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

/// Stores a change. The caller holds the org ([`crate::domain::tenancy::org::lock`]). What would change nothing makes no new version.
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

fn field(name: &'static str, message: &str) -> Error {
    let mut errors = FieldErrors::default();
    errors.add(name, message);
    Error::Invalid(errors)
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
