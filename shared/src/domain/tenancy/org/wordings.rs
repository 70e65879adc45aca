//! An org's own words: every version it ever saved, in each language, and which templates it has switched off.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    documents::template::{Audience, Kind, Language, Wording, default_wording},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
    },
};

/// What an org has changed about its templates.
#[derive(Clone, Debug, Default)]
pub struct Wordings {
    own: Vec<(Kind, Language, Words)>,
    switched: Vec<(Kind, bool)>,
}

/// One wording as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub subject: Option<String>,
    pub body: String,
}

/// A template that others stand in for or follow: with it switched off, they are silent too.
fn base(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::MissedCallAfterHours
        | Kind::MissedCallHoliday
        | Kind::MissedCallEmergency
        | Kind::MissedCallJobToday
        | Kind::MissedCallNudge => Some(Kind::MissedCall),
        Kind::TextReplyAfterHours | Kind::TextReplyEmergency => Some(Kind::TextReply),
        _ => None,
    }
}

/// Carriers and the law want these answered whatever the business prefers.
#[must_use]
pub fn is_always_on(kind: Kind) -> bool {
    matches!(kind, Kind::HelpReply | Kind::StopConfirmation)
}

/// The language `kind` is written in for somebody who speaks `language`: the team's templates have English only.
#[must_use]
pub fn spoken(kind: Kind, language: Language) -> Language {
    if kind.audience() == Audience::Customer { language } else { Language::En }
}

impl Wordings {
    pub(super) fn add_own(&mut self, kind: Kind, language: Language, words: Words) {
        self.own.push((kind, language, words));
    }

    pub(super) fn add_switch(&mut self, kind: Kind, enabled: bool) {
        self.switched.push((kind, enabled));
    }

    /// The org's own wording, or the default.
    #[must_use]
    pub fn get(&self, kind: Kind, language: Language) -> Wording {
        let language = spoken(kind, language);
        let enabled = self.is_enabled(kind);
        match self.own.iter().find(|(k, l, _)| (*k, *l) == (kind, language)) {
            Some((_, _, words)) => Wording { enabled, subject: words.subject.clone(), body: words.body.clone() },
            None => Wording { enabled, ..default_wording(kind, language) },
        }
    }

    /// Whether it may be sent: neither it nor the one it stands in for is switched off.
    #[must_use]
    pub fn is_enabled(&self, kind: Kind) -> bool {
        is_always_on(kind) || (self.own_switch(kind) && base(kind).is_none_or(|base| self.own_switch(base)))
    }

    /// As its own switch stands.
    #[must_use]
    pub fn own_switch(&self, kind: Kind) -> bool {
        is_always_on(kind) || self.switched.iter().find(|(k, _)| *k == kind).is_none_or(|(_, enabled)| *enabled)
    }
}

/// The kind a stored name means; none when it is one of another version of this program.
pub(super) fn kind_of(stored: &str) -> Option<Kind> {
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
    serde_json::from_value(Value::String(camel)).ok()
}

/// One version of a wording, as the editor's history shows it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateVersion)]
pub struct Version {
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
    FROM wording w LEFT JOIN account a ON a.org_id = w.org_id AND a.id = w.account_id";

/// Every version of one wording, newest first.
pub async fn versions(conn: &mut dyn AsConn, org: OrgId, kind: Kind, language: Language) -> Result<Vec<Version>> {
    Ok(crate::platform::db::qb!(conn, fetch_all as Version, |b| {
        b.push(VERSION).push(" WHERE w.org_id = ").push_bind(org).push(" AND w.kind = ").push_bind(kind);
        b.push(" AND w.language = ").push_bind(language).push(" ORDER BY w.version DESC LIMIT 200");
    })?)
}

/// The newest version of every wording the org ever saved.
pub async fn newest(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Version>> {
    Ok(crate::platform::db::qb!(conn, fetch_all as Version, |b| {
        b.push(VERSION).push(" WHERE w.org_id = ").push_bind(org);
        b.push(
            " AND w.version = (SELECT MAX(n.version) FROM wording n WHERE n.org_id = w.org_id AND n.kind = w.kind
                 AND n.language = w.language)",
        );
    })?)
}

/// Stores a new version of a wording; no words mean the default from here on. The caller holds the org ([`super::lock`]).
pub async fn save(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (kind, language): (Kind, Language),
    words: Option<&Words>,
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
        "SELECT MAX(version) FROM wording WHERE org_id = $1 AND kind = $2 AND language = $3",
        org,
        kind,
        language
    )?;
    q!(
        tx,
        execute,
        "INSERT INTO wording (org_id, kind, language, version, is_default, subject, body, created_at, account_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        org,
        kind,
        language,
        version.unwrap_or_default() + 1,
        words.is_none(),
        subject,
        body,
        origin.now(),
        by
    )?;
    Ok(())
}

/// Switches one template on or off.
pub async fn switch(tx: &mut Tx, org: OrgId, kind: Kind, enabled: bool) -> Result<()> {
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
    fn stored_names_are_read_back() {
        for kind in Kind::ALL {
            let name: String = format!("{kind:?}").chars().fold(String::new(), |mut name, c| {
                if c.is_ascii_uppercase() && !name.is_empty() {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
                name
            });
            assert_eq!(kind_of(&name), Some(kind), "{name}");
        }
        assert_eq!(kind_of("of_tomorrow"), None);
    }

    #[test]
    fn an_orgs_own_words_stand_in_their_own_language_only() {
        let mut wordings = Wordings::default();
        let words = Words { subject: None, body: "Hi from {{ businessName }}".into() };
        wordings.add_own(Kind::Sms, Language::En, words);
        assert_eq!(wordings.get(Kind::Sms, Language::En).body, "Hi from {{ businessName }}");
        assert_eq!(wordings.get(Kind::Sms, Language::Es), default_wording(Kind::Sms, Language::Es));
        assert_eq!(wordings.get(Kind::Employee, Language::Es), default_wording(Kind::Employee, Language::En));
    }

    #[test]
    fn what_stands_in_for_a_silent_template_is_silent_and_help_never_is() {
        let mut wordings = Wordings::default();
        for kind in [Kind::MissedCall, Kind::Sms, Kind::HelpReply] {
            wordings.add_switch(kind, false);
        }
        let on = |kind| wordings.get(kind, Language::En).enabled;
        assert!(!on(Kind::MissedCall) && !on(Kind::MissedCallHoliday) && !on(Kind::MissedCallNudge) && !on(Kind::Sms));
        assert!(on(Kind::HelpReply) && on(Kind::StopConfirmation) && on(Kind::TextReply) && on(Kind::Email));
        assert!(wordings.own_switch(Kind::MissedCallHoliday));
    }
}
