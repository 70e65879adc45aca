//! Wordings of a business: all saved versions in each language, and disabled templates.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    documents::template::{Language, TemplateAudience, TemplateKindName, TemplateWording, default_wording},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::Result,
        id::{AccountId, OrgId},
        text_enum::parse_variant,
    },
};

#[derive(Clone, Debug, Default)]
pub struct OrgWordings {
    own: Vec<(TemplateKindName, Language, WordingText)>,
    switched: Vec<(TemplateKindName, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordingText {
    pub subject: Option<String>,
    pub body: String,
}

/// The base template: when it is disabled, so are its variants and follow-ups.
fn base_kind(kind: TemplateKindName) -> Option<TemplateKindName> {
    match kind {
        TemplateKindName::MissedCallAfterHours
        | TemplateKindName::MissedCallHoliday
        | TemplateKindName::MissedCallEmergency
        | TemplateKindName::MissedCallJobToday
        | TemplateKindName::MissedCallNudge => Some(TemplateKindName::MissedCall),
        TemplateKindName::TextReplyAfterHours | TemplateKindName::TextReplyEmergency => {
            Some(TemplateKindName::TextReply)
        }
        _ => None,
    }
}

/// Carriers and the law require these replies.
#[must_use]
pub fn is_always_on(kind: TemplateKindName) -> bool {
    matches!(kind, TemplateKindName::HelpReply | TemplateKindName::StopConfirmation)
}

/// The language of `kind` for this speaker: team templates exist in English only.
#[must_use]
pub fn wording_language(kind: TemplateKindName, language: Language) -> Language {
    if kind.audience() == TemplateAudience::Customer { language } else { Language::En }
}

impl OrgWordings {
    pub(super) fn add_own_wording(&mut self, kind: TemplateKindName, language: Language, words: WordingText) {
        self.own.push((kind, language, words));
    }

    pub(super) fn add_switch(&mut self, kind: TemplateKindName, enabled: bool) {
        self.switched.push((kind, enabled));
    }

    #[must_use]
    pub fn get(&self, kind: TemplateKindName, language: Language) -> TemplateWording {
        let language = wording_language(kind, language);
        let enabled = self.is_enabled(kind);
        match self.own.iter().find(|(k, l, _)| (*k, *l) == (kind, language)) {
            Some((_, _, words)) => {
                TemplateWording { enabled, subject: words.subject.clone(), body: words.body.clone() }
            }
            None => TemplateWording { enabled, ..default_wording(kind, language) },
        }
    }

    #[must_use]
    pub fn is_enabled(&self, kind: TemplateKindName) -> bool {
        is_always_on(kind)
            || (self.is_switched_on(kind) && base_kind(kind).is_none_or(|base| self.is_switched_on(base)))
    }

    #[must_use]
    pub fn is_switched_on(&self, kind: TemplateKindName) -> bool {
        is_always_on(kind) || self.switched.iter().find(|(k, _)| *k == kind).is_none_or(|(_, enabled)| *enabled)
    }
}

/// None for a name of another program version.
pub(super) fn parse_kind(stored: &str) -> Option<TemplateKindName> {
    let mut camel = String::with_capacity(stored.len());
    for (at, part) in stored.split('_').enumerate() {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if at > 0 => camel.push(first.to_ascii_uppercase()),
            Some(first) => camel.push(first),
            None => {}
        }
        camel.push_str(letters.as_str());
    }
    parse_variant(&camel)
}

/// One version of a wording, as the editor's history shows it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateVersion)]
pub struct WordingVersion {
    pub version: i64,
    pub subject: Option<String>,
    pub body: String,
    /// Saved by going back to the default.
    pub is_default: bool,
    pub created_at: DateTime<Utc>,
    /// Who saved it; none when they are gone, or when it was brought over from an earlier version of the program.
    pub by: Option<String>,
    #[serde(skip)]
    pub kind: String,
    #[serde(skip)]
    pub language: Language,
}

const VERSION: &str =
    "SELECT w.kind, w.language, w.version, w.subject, w.body, w.is_default, w.created_at, a.name AS by
    FROM template_text w LEFT JOIN account a ON a.org_id = w.org_id AND a.id = w.account_id";

pub async fn list_versions(
    conn: &mut dyn AsConn,
    org: OrgId,
    kind: TemplateKindName,
    language: Language,
) -> Result<Vec<WordingVersion>> {
    Ok(crate::platform::db::qb!(conn, fetch_all as WordingVersion, |b| {
        b.push(VERSION).push(" WHERE w.org_id = ").push_bind(org).push(" AND w.kind = ").push_bind(kind);
        b.push(" AND w.language = ").push_bind(language).push(" ORDER BY w.version DESC LIMIT 200");
    })?)
}

pub async fn list_newest_versions(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<WordingVersion>> {
    Ok(crate::platform::db::qb!(conn, fetch_all as WordingVersion, |b| {
        b.push(VERSION).push(" WHERE w.org_id = ").push_bind(org);
        b.push(
            " AND w.version = (SELECT MAX(n.version) FROM template_text n WHERE n.org_id = w.org_id AND n.kind = w.kind
                 AND n.language = w.language)",
        );
    })?)
}

/// Stores a new version; no words restore the default. The caller holds the lock of the business ([`super::lock`]).
pub async fn save_version(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (kind, language): (TemplateKindName, Language),
    words: Option<&WordingText>,
    by: Option<AccountId>,
) -> Result<()> {
    let default = default_wording(kind, language);
    let (subject, body) = match words {
        Some(own) => (own.subject.as_deref(), own.body.as_str()),
        None => (default.subject.as_deref(), default.body.as_str()),
    };
    let version = q!(
        &mut *tx,
        fetch_one scalar Option<i64>,
        "SELECT MAX(version) FROM template_text WHERE org_id = $1 AND kind = $2 AND language = $3",
        org,
        kind,
        language
    )?;
    insert_row!(
        tx,
        execute,
        template_text {
            org_id: org,
            kind,
            language,
            version: version.unwrap_or_default() + 1,
            is_default: words.is_none(),
            subject,
            body,
            created_at: origin.now(),
            account_id: by,
        }
    )?;
    Ok(())
}

pub async fn set_template_enabled(tx: &mut Tx, org: OrgId, kind: TemplateKindName, enabled: bool) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO template_switch (org_id, kind, enabled) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, kind) DO UPDATE SET enabled = excluded.enabled",
        org,
        kind,
        enabled
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_kind_name_reads_back_and_unknown_name_does_not() {
        for kind in TemplateKindName::ALL {
            let name: String = format!("{kind:?}").chars().fold(String::new(), |mut name, c| {
                if c.is_ascii_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
                name
            });
            assert_eq!(parse_kind(&name), Some(kind), "{name}");
        }
        assert_eq!(parse_kind("of_tomorrow"), None);
    }

    #[test]
    fn custom_wording_applies_only_to_its_own_language() {
        let mut wordings = OrgWordings::default();
        let words = WordingText { subject: None, body: "Hi from {{ businessName }}".into() };
        wordings.add_own_wording(TemplateKindName::Sms, Language::En, words);
        assert_eq!(wordings.get(TemplateKindName::Sms, Language::En).body, "Hi from {{ businessName }}");
        assert_eq!(
            wordings.get(TemplateKindName::Sms, Language::Es),
            default_wording(TemplateKindName::Sms, Language::Es)
        );
        assert_eq!(
            wordings.get(TemplateKindName::Employee, Language::Es),
            default_wording(TemplateKindName::Employee, Language::En)
        );
    }

    #[test]
    fn disabled_template_also_disables_its_stand_ins_but_never_help_reply() {
        let mut wordings = OrgWordings::default();
        for kind in [TemplateKindName::MissedCall, TemplateKindName::Sms, TemplateKindName::HelpReply] {
            wordings.add_switch(kind, false);
        }
        let on = |kind| wordings.get(kind, Language::En).enabled;
        assert!(
            !on(TemplateKindName::MissedCall)
                && !on(TemplateKindName::MissedCallHoliday)
                && !on(TemplateKindName::MissedCallNudge)
                && !on(TemplateKindName::Sms)
        );
        assert!(
            on(TemplateKindName::HelpReply)
                && on(TemplateKindName::StopConfirmation)
                && on(TemplateKindName::TextReply)
                && on(TemplateKindName::Email)
        );
        assert!(wordings.is_switched_on(TemplateKindName::MissedCallHoliday));
    }
}
